"""Collision model of the geoms of an MJCF file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rbd.contact import Box, Capsule, CollisionModel, Cylinder, Ellipsoid, HeightField, Sphere
from rbd.contact.geometry.convex_hulls import checked_hull_points
from rbd.contact.geometry.shape_distance import has_distance
from rbd.files.collision_shapes import BodyShape, ShapeMaker, reason_shape_is_left_out, shape_in_new_frame
from rbd.files.pose import Pose
from rbd.mechanism import Mechanism
from rbd.spatial import Frame, FreeVector, Point
from rbd.spatial.half_space import HalfSpace

if TYPE_CHECKING:
    from rbd.contact import Shape
    from rbd.mjcf.contact_friction import ContactFriction
    from rbd.mjcf.report import Geom, MjcfReport


def collision_model(mechanism: Mechanism, report: MjcfReport, hull_points: int | None) -> CollisionModel:
    """Return the shapes that are in some pair, and the pairs of them.

    Meshes are convex hulls of at most `hull_points`, and so are cylinders and ellipsoids for pairs with others than
    spheres and planes; without, both are left out.
    """
    return model_with_hulls(mechanism, report, _hulls(report, hull_points), hull_points)


def model_with_hulls(
    mechanism: Mechanism, report: MjcfReport, hulls: Mapping[int, ShapeMaker], hull_points: int | None = None
) -> CollisionModel:
    """Return the collision model in which these meshes, by the index of the geom, are these hulls; others are not."""
    model, from_files = CollisionModel(mechanism), {**hulls, **_height_fields(report)}
    placed = {
        index: _placed(mechanism, index, geom, from_files.get(index, partial(_shape, geom, hull_points)))
        for index, geom in geoms_in_pairs(report).items()
        if index in from_files or reason_shape_is_left_out(geom.shape) is None
    }
    shapes = {index: shape.add_to(model) for index, shape in placed.items()}
    bodies = {index: shape.body for index, shape in placed.items()}
    for a, b in report.pairs:
        if a in shapes and b in shapes and bodies[a] is not bodies[b] and has_distance(shapes[a], shapes[b]):
            _add_pair(model, shapes[a], shapes[b], _friction(report, a, b))
    return model


def geoms_in_pairs(report: MjcfReport) -> dict[int, Geom]:
    """Return the geoms that may touch others, by index."""
    return {index: report.geoms[index] for index in sorted({index for pair in report.pairs for index in pair})}


def _hulls(report: MjcfReport, points: int | None) -> dict[int, ShapeMaker]:
    """Return makers of the hulls of meshes that may touch others, by index; none without a number of points."""
    if points is None:
        return {}
    max_points = checked_hull_points(points, "hull_points")
    geoms = geoms_in_pairs(report).items()
    return {index: report.mesh_hull(geom, max_points).shape for index, geom in geoms if geom.mesh is not None}


def _height_fields(report: MjcfReport) -> dict[int, ShapeMaker]:
    """Return makers of the height fields that may touch others, by index."""
    geoms = geoms_in_pairs(report).items()
    return {index: _height_field(report, geom) for index, geom in geoms if geom.height_field is not None}


def _height_field(report: MjcfReport, geom: Geom) -> ShapeMaker:
    """Return the maker of a height field, which this reads."""
    size, heights = (2 * geom.size[0], 2 * geom.size[1]), report.heights(geom)
    return lambda frame: HeightField(frame, size, heights)


def _friction(report: MjcfReport, a: int, b: int) -> ContactFriction:
    """Return the friction that the file gives a pair, or that of its geoms."""
    of_geoms = report.geoms[a].contact_friction.combined(report.geoms[b].contact_friction)
    return report.pair_friction.get((a, b), of_geoms)


def _add_pair(model: CollisionModel, a: Shape, b: Shape, friction: ContactFriction) -> None:
    """Add a pair, which has no friction where contacts have the normal direction only."""
    lengths = friction.torsional_length, friction.rolling_length
    coefficient = 0.0 if friction.dimensions == 1 else None
    model.add_pair(a, b, friction=coefficient, torsional_friction=lengths[0], rolling_friction=lengths[1])


def _placed(mechanism: Mechanism, index: int, geom: Geom, make: ShapeMaker) -> BodyShape:
    if geom.shape == "plane":
        frame = mechanism.frame(geom.body)
        normal = FreeVector(frame, Pose(geom.rotation).direction((0.0, 0.0, 1.0)))
        return BodyShape(HalfSpace(Point(frame, geom.translation), normal), mechanism.body_of_frame(frame))
    name, pose = f"{geom.name or f'geom#{index}'}#shape", Pose(geom.rotation, geom.translation)
    return shape_in_new_frame(mechanism, geom.body, name, pose, make)


def _shape(geom: Geom, hull_points: int | None, frame: Frame[Any]) -> Shape:
    x, y, z = geom.size
    if geom.shape == "sphere":
        return Sphere(frame, x)
    if geom.shape == "capsule":
        return Capsule(frame, 2 * y, x)
    if geom.shape == "cylinder":
        return Cylinder(frame, 2 * y, x, hull_points=hull_points)
    if geom.shape == "ellipsoid":
        return Ellipsoid(frame, geom.size, hull_points=hull_points)
    return Box(frame, (2 * x, 2 * y, 2 * z))
