"""Shapes of robot files in a collision model."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import attrs

from rbd.files.names import claim_name
from rbd.files.pose import Pose
from rbd.spatial import Frame, Transform

if TYPE_CHECKING:
    from rbd.contact import CollisionModel, Shape
    from rbd.mechanism import Mechanism, RigidBody

ShapeMaker: TypeAlias = "Callable[[Frame[Any]], Shape]"
"""Makes a shape in a frame."""
_SHAPES: Final = frozenset({"plane", "hfield", "box", "sphere", "capsule", "cylinder", "ellipsoid"})
_ROUND: Final = frozenset({"cylinder", "ellipsoid"})
_MET_BY_ROUND: Final = frozenset({"plane", "sphere"})


def reason_shape_is_left_out(shape: str, lengths: Collection[float] = ()) -> str | None:
    """Return why a shape, or one with lengths that may be zero, is not in collision models; None if it is."""
    if shape in ("box", "cylinder") and 0.0 in lengths:
        return f"collision models have no {shape} without volume: it is left out of them"
    if shape == "mesh":
        return "meshes are left out of collision models, unless hull_points is given"
    return None if shape in _SHAPES else f"collision models have no {shape}: it is left out of them"


def reason_pairs_are_left_out(shape: str, others: Collection[str] | None = None) -> str | None:
    """Return why pairs of a shape with these others, or with any, are not in collision models; None if all are."""
    if shape in _ROUND and (others is None or not _MET_BY_ROUND.issuperset(others)):
        exact = f"collision models have distances of {shape}s from planes and spheres only"
        return f"{exact}: other pairs are left out, unless hull_points is given"
    return None


@final
@attrs.frozen(eq=False)
class BodyShape:
    """A shape, its body, and the pose of the shape's own frame on it, if it has one; not yet in a collision model.

    All shapes of a file are made before the first is added: an error leaves the bodies as they were.
    """

    shape: Shape
    body: RigidBody
    placement: Transform | None = None

    def add_to(self, model: CollisionModel) -> Shape:
        """Add the frame to the body, and the shape to the model; return the shape."""
        if self.placement is not None:
            self.body.add_frame(self.placement)
        return model.add(self.body, self.shape)


def shape_in_new_frame(mechanism: Mechanism, frame_name: str, name: str, pose: Pose, make: ShapeMaker) -> BodyShape:
    """Make a shape in a new frame with a name of its own, which has this pose in the frame `frame_name`."""
    known_frame = mechanism.frame(frame_name)
    frame = Frame[Any](claim_name(name, {known.name for body in mechanism.bodies for known in body.frames}))
    return BodyShape(make(frame), mechanism.body_of_frame(known_frame), pose.transform(frame, known_frame))
