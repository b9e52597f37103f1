"""Collision model of the shapes of a URDF file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rbd.contact import Box, Capsule, CollisionModel, Cylinder, Sphere
from rbd.contact.geometry.convex_hulls import checked_hull_points
from rbd.files.collision_shapes import BodyShape, ShapeMaker, reason_shape_is_left_out, shape_in_new_frame
from rbd.files.pose import Pose
from rbd.mechanism import Mechanism
from rbd.spatial import Frame

if TYPE_CHECKING:
    from rbd.contact import Shape
    from rbd.urdf.report import Geometry, UrdfReport


def collision_model(mechanism: Mechanism, report: UrdfReport, hull_points: int | None) -> CollisionModel:
    """Return the collision shapes of all links, and all pairs of bodies that no joint connects.

    Meshes are convex hulls of at most `hull_points`, and so are cylinders for pairs with others than spheres; without,
    both are left out.
    """
    return model_with_hulls(mechanism, report, _hulls(report, hull_points), hull_points)


def model_with_hulls(
    mechanism: Mechanism, report: UrdfReport, hulls: Mapping[int, ShapeMaker], hull_points: int | None = None
) -> CollisionModel:
    """Return the collision model in which these meshes, by the index of the shape, are these hulls; others are not."""
    model = CollisionModel(mechanism)
    shapes = [
        _placed(mechanism, index, geometry, hulls.get(index, partial(_shape, geometry, hull_points)))
        for index, geometry in _collision_shapes(report)
        if index in hulls or reason_shape_is_left_out(geometry.shape, geometry.size) is None
    ]
    for shape in shapes:
        shape.add_to(model)
    model.add_all_pairs()
    return model


def _collision_shapes(report: UrdfReport) -> list[tuple[int, Geometry]]:
    """Return the collision shapes and their indices."""
    return [(index, geometry) for index, geometry in enumerate(report.geometries) if geometry.use == "collision"]


def _hulls(report: UrdfReport, points: int | None) -> dict[int, ShapeMaker]:
    """Return makers of the hulls of collision meshes, by index; none without a number of points."""
    if points is None:
        return {}
    max_points = checked_hull_points(points, "hull_points")
    shapes = _collision_shapes(report)
    return {index: report.mesh_hull(shape, max_points).shape for index, shape in shapes if shape.mesh is not None}


def _placed(mechanism: Mechanism, index: int, geometry: Geometry, make: ShapeMaker) -> BodyShape:
    name, pose = f"{geometry.link}#shape{index}", Pose(geometry.rotation, geometry.translation)
    return shape_in_new_frame(mechanism, geometry.link, name, pose, make)


def _shape(geometry: Geometry, hull_points: int | None, frame: Frame[Any]) -> Shape:
    if geometry.shape == "box":
        return Box(frame, geometry.size)
    if geometry.shape == "sphere":
        return Sphere(frame, geometry.size[0])
    radius, length = geometry.size
    if geometry.shape == "cylinder":
        return Cylinder(frame, length, radius, hull_points=hull_points)
    return Capsule(frame, length, radius)
