"""Collision model of the shapes of a file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rbd.contact import Box, Capsule, CollisionModel, Cylinder, Sphere
from rbd.files.mesh_hulls import MeshHull, checked_points
from rbd.files.shapes import FileShape, in_new_frame, reason_shape_is_left_out
from rbd.mechanism import Mechanism
from rbd.spatial import Frame

if TYPE_CHECKING:
    from rbd.contact import Shape
    from rbd.urdf.report import Geometry, UrdfReport


def collision_model(mechanism: Mechanism, report: UrdfReport, hull_points: int | None) -> CollisionModel:
    """Return the collision shapes of all links, and all pairs of bodies that no joint connects.

    Meshes are convex hulls of at most `hull_points`; without, they are left out.
    """
    model, hulls = CollisionModel(mechanism), _hulls(report, hull_points)
    shapes = [
        _placed(mechanism, number, geometry, hulls.get(number))
        for number, geometry in _collision_shapes(report)
        if number in hulls or reason_shape_is_left_out(geometry.shape, geometry.size) is None
    ]
    for shape in shapes:
        shape.add_to(model)
    model.add_all_pairs()
    return model


def _collision_shapes(report: UrdfReport) -> list[tuple[int, Geometry]]:
    """Return the collision shapes and their numbers."""
    return [(number, geometry) for number, geometry in enumerate(report.geometries) if geometry.use == "collision"]


def _hulls(report: UrdfReport, points: int | None) -> dict[int, MeshHull]:
    """Return the hulls of collision meshes, by number; none without a number of points."""
    if points is None:
        return {}
    most = checked_points(points)
    shapes = _collision_shapes(report)
    return {number: report.mesh_hull(shape, most) for number, shape in shapes if shape.mesh is not None}


def _placed(mechanism: Mechanism, number: int, geometry: Geometry, hull: MeshHull | None) -> FileShape:
    name, pose = f"{geometry.link}#shape{number}", (geometry.rotation, geometry.translation)
    make = partial(_shape, geometry) if hull is None else hull.shape
    return in_new_frame(mechanism, geometry.link, name, pose, make)


def _shape(geometry: Geometry, frame: Frame[Any]) -> Shape:
    if geometry.shape == "box":
        return Box(frame, geometry.size)
    if geometry.shape == "sphere":
        return Sphere(frame, geometry.size[0])
    radius, length = geometry.size
    if geometry.shape == "cylinder":
        return Cylinder(frame, length, radius)
    return Capsule(frame, length, radius)
