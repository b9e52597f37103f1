"""The geoms of a file as a CollisionModel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from rbd.contact import Box, Capsule, CollisionModel, Sphere
from rbd.files.pose import Pose
from rbd.files.shapes import SHAPES, add_shape
from rbd.mechanism import Mechanism
from rbd.spatial import Frame, FreeVector, Point
from rbd.spatial.half_space import HalfSpace

if TYPE_CHECKING:
    from rbd.contact import Shape
    from rbd.mjcf.pair_friction import PairFriction
    from rbd.mjcf.report import Geom

NONE: Final[Mapping[tuple[int, int], PairFriction]] = MappingProxyType({})


def collision_model(
    mechanism: Mechanism,
    geoms: Sequence[Geom],
    pairs: Sequence[tuple[int, int]],
    frictions: Mapping[tuple[int, int], PairFriction] = NONE,
) -> CollisionModel:
    """Return the shapes that are in some pair, and the pairs of them; `frictions` are those that the file gives."""
    model = CollisionModel(mechanism)
    shapes: dict[int, Shape] = {}
    for number in sorted({number for pair in pairs for number in pair}):
        if geoms[number].shape in SHAPES:
            shapes[number] = _added(model, mechanism, number, geoms[number])
    for a, b in pairs:
        if a in shapes and b in shapes and not (geoms[a].shape == geoms[b].shape == "plane"):
            friction = frictions.get((a, b)) or geoms[a].contact_friction.combined(geoms[b].contact_friction)
            model.add_pair(
                shapes[a],
                shapes[b],
                friction=0.0 if friction.dimensions == 1 else None,
                torsional_friction=friction.torsional_length,
                rolling_friction=friction.rolling_length,
            )
    return model


def _added(model: CollisionModel, mechanism: Mechanism, number: int, geom: Geom) -> Shape:
    if geom.shape == "plane":
        frame = mechanism.frame(geom.body)
        normal = FreeVector(frame, Pose(geom.rotation).direction((0.0, 0.0, 1.0)))
        return model.add(mechanism.body_of_frame(frame), HalfSpace(Point(frame, geom.translation), normal))
    name, pose = f"{geom.name or f'geom#{number}'}#shape", (geom.rotation, geom.translation)
    return add_shape(model, mechanism, geom.body, name, pose, partial(_shape, geom))


def _shape(geom: Geom, frame: Frame[Any]) -> Shape:
    x, y, z = geom.size
    if geom.shape == "sphere":
        return Sphere(frame, x)
    if geom.shape == "capsule":
        return Capsule(frame, 2 * y, x)
    return Box(frame, (2 * x, 2 * y, 2 * z))
