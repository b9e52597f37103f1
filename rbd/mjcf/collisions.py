"""The geoms of a file as a CollisionModel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from rbd.contact import Box, Capsule, CollisionModel, Cylinder, Ellipsoid, Sphere
from rbd.contact.geometry.shape_distance import has_distance
from rbd.files.pose import Pose
from rbd.files.shapes import SHAPES, FileShape, in_new_frame
from rbd.mechanism import Mechanism
from rbd.spatial import Frame, FreeVector, Point
from rbd.spatial.half_space import HalfSpace

if TYPE_CHECKING:
    from rbd.contact import Shape
    from rbd.files.mesh_hulls import MeshHull
    from rbd.mjcf.pair_friction import PairFriction
    from rbd.mjcf.report import Geom

NONE: Final[Mapping[tuple[int, int], PairFriction]] = MappingProxyType({})


def collision_model(
    mechanism: Mechanism,
    geoms: Sequence[Geom],
    pairs: Sequence[tuple[int, int]],
    frictions: Mapping[tuple[int, int], PairFriction] = NONE,
    hull: Callable[[Geom], MeshHull] | None = None,
) -> CollisionModel:
    """Return the shapes that are in some pair, and the pairs of them; `frictions` are those that the file gives.

    Without `hull`, which makes hulls of meshes, these are left out.
    """
    model = CollisionModel(mechanism)
    made: dict[int, FileShape] = {}
    for number in sorted({number for pair in pairs for number in pair}):
        make = _made(geoms[number], hull)
        if make is not None:
            made[number] = _placed(mechanism, number, geoms[number], make)
    shapes = {number: shape.add_to(model) for number, shape in made.items()}
    for a, b in pairs:
        if a in shapes and b in shapes and has_distance(shapes[a], shapes[b]):
            friction = frictions.get((a, b)) or geoms[a].contact_friction.combined(geoms[b].contact_friction)
            _add_pair(model, shapes[a], shapes[b], friction)
    return model


def _add_pair(model: CollisionModel, a: Shape, b: Shape, friction: PairFriction) -> None:
    """Add a pair, which has no friction where contacts have the normal direction only."""
    lengths = friction.torsional_length, friction.rolling_length
    coefficient = 0.0 if friction.dimensions == 1 else None
    model.add_pair(a, b, friction=coefficient, torsional_friction=lengths[0], rolling_friction=lengths[1])


def _made(geom: Geom, hull: Callable[[Geom], MeshHull] | None) -> Callable[[Frame[Any]], Shape] | None:
    """Return what makes the shape of a geom in a frame; None for one that is left out."""
    if geom.shape == "mesh":
        return None if hull is None else hull(geom).shape
    return partial(_shape, geom) if geom.shape in SHAPES else None


def _placed(mechanism: Mechanism, number: int, geom: Geom, make: Callable[[Frame[Any]], Shape]) -> FileShape:
    if geom.shape == "plane":
        frame = mechanism.frame(geom.body)
        normal = FreeVector(frame, Pose(geom.rotation).direction((0.0, 0.0, 1.0)))
        return FileShape(HalfSpace(Point(frame, geom.translation), normal), mechanism.body_of_frame(frame))
    name, pose = f"{geom.name or f'geom#{number}'}#shape", (geom.rotation, geom.translation)
    return in_new_frame(mechanism, geom.body, name, pose, make)


def _shape(geom: Geom, frame: Frame[Any]) -> Shape:
    x, y, z = geom.size
    if geom.shape == "sphere":
        return Sphere(frame, x)
    if geom.shape == "capsule":
        return Capsule(frame, 2 * y, x)
    if geom.shape == "cylinder":
        return Cylinder(frame, 2 * y, x)
    if geom.shape == "ellipsoid":
        return Ellipsoid(frame, geom.size)
    return Box(frame, (2 * x, 2 * y, 2 * z))
