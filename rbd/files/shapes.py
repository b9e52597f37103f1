"""Shapes of robot files in a collision model."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final

from rbd.spatial import Frame, Transform
from rbd.spatial.linalg import Mat3, Vec3

if TYPE_CHECKING:
    from rbd.contact import CollisionModel, Shape
    from rbd.mechanism import Mechanism

SHAPES: Final = frozenset({"plane", "box", "sphere", "capsule", "cylinder", "ellipsoid"})
"""The shapes of files that collision models have."""
_ROUND: Final = frozenset({"cylinder", "ellipsoid"})
_MET_BY_ROUND: Final = frozenset({"plane", "sphere"})


def left_out_of_models(shape: str) -> str | None:
    """Return why a shape is not in collision models; None if it is."""
    if shape == "mesh":
        return "meshes are left out of collision models, unless hull_points is given"
    return None if shape in SHAPES else f"collision models have no {shape}: it is left out of them"


def limits_in_models(shape: str, others: Collection[str] | None = None) -> str | None:
    """Return which pairs of a shape and others, or any, are left out of collision models; None if none is."""
    if shape in _ROUND and (others is None or not _MET_BY_ROUND.issuperset(others)):
        return f"collision models have distances of {shape}s from planes and spheres only: other pairs are left out"
    return None


def add_shape(
    model: CollisionModel,
    mechanism: Mechanism,
    link: str,
    name: str,
    pose: tuple[Mat3, Vec3],
    shape: Callable[[Frame[Any]], Shape],
) -> Shape:
    """Add a shape in a new frame, which has that pose (rotation, translation) in the frame of a link; return it."""
    standing = mechanism.frame(link)
    body, frame = mechanism.body_of_frame(standing), Frame(name)
    body.add_frame(Transform.trusted(frame, standing, *pose))
    return model.add(body, shape(frame))
