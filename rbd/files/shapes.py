"""Shapes of robot files in a collision model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from rbd.spatial import Frame, Transform
from rbd.spatial.linalg import Mat3, Vec3

if TYPE_CHECKING:
    from rbd.contact import CollisionModel, Shape
    from rbd.mechanism import Mechanism

SHAPES: Final = frozenset({"plane", "box", "sphere", "capsule"})
"""The shapes of files that collision models have."""


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
