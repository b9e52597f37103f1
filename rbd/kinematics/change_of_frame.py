"""Change of frame of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rbd.arguments import require_kind
from rbd.indexing.layout import FrameLike
from rbd.spatial import (
    Frame,
    FreeVector,
    GeometricJacobian,
    Momentum,
    MomentumMatrix,
    Point,
    PointJacobian,
    SpatialAcceleration,
    SpatialInertia,
    Transform,
    Twist,
    Wrench,
    WrenchMatrix,
    same_frame,
)
from rbd.spatial.articulated import ArticulatedInertia
from rbd.spatial.mobility import ArticulatedMobility

if TYPE_CHECKING:
    from rbd.kinematics.queries import State


_FRAMED = (
    *(Point, FreeVector, Twist, SpatialAcceleration, Wrench, Momentum, SpatialInertia),
    *(ArticulatedInertia, ArticulatedMobility, GeometricJacobian, PointJacobian, MomentumMatrix, WrenchMatrix),
)


def express(state: State[Any], value: Any, place: FrameLike) -> Any:
    """Return `value` expressed in the frame of a place."""
    if type(value) not in _FRAMED:
        require_kind(value, *_FRAMED, operation="State.transform", argument="value")
    current: Frame[Any] = value.frame
    if isinstance(place, Frame) and same_frame(current, place):
        return value
    tf = state.transform_between(current, place, "frame")
    if type(value) is SpatialAcceleration:
        return _express_acceleration(state, value, tf)
    return value.transformed(tf)


def _express_acceleration(
    state: State[Any], value: SpatialAcceleration[Any, Any, Any], tf: Transform[Any, Any]
) -> SpatialAcceleration[Any, Any, Any]:
    """Return an acceleration in the target frame of `tf`, with the terms of the relative motion of the frames."""
    current_wrt_new = state.relative_twist(value.frame, tf.to_frame, frame=value.frame)
    body_wrt_base = state.relative_twist(value.body, value.base, frame=value.frame)
    return value.transformed(tf, current_wrt_new, body_wrt_base)
