"""Which body a frame belongs to, and values carried from frame to frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rbd.mechanism import RigidBody
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
from rbd.spatial.values import require_kind
from rbd.state.base import StateView

if TYPE_CHECKING:
    from rbd.state.queries import State


_FRAMED = (
    *(Point, FreeVector, Twist, SpatialAcceleration, Wrench, Momentum, SpatialInertia),
    *(GeometricJacobian, PointJacobian, MomentumMatrix, WrenchMatrix),
)


def body_and_frame(state: StateView, place: RigidBody | Frame[Any]) -> tuple[RigidBody, Frame[Any]]:
    """Return the body of `place` and the frame meant; raise UnknownNameError or ArgumentError when there is none."""
    if isinstance(place, RigidBody):
        state.layout.body_index(place)
        return place, place.default_frame
    require_kind(place, RigidBody, Frame, operation="look-up of a place", argument="place")
    return state.mechanism.body_of_frame(place), place


def attachment(state: StateView, body: RigidBody, frame: Frame[Any]) -> Transform[Any, Any]:
    """Return the transform from the default frame of `body` to `frame`, which is attached to it."""
    own = body.default_frame
    return Transform.identity(own, own) if frame is own else state.lifted_transform(body.fixed_transform(own, frame))


def express(state: State[Any], value: Any, frame: Frame[Any]) -> Any:
    """Return a framed `value` in `frame`."""
    require_kind(value, *_FRAMED, operation="State.transform", argument="value")
    require_kind(frame, Frame, operation="State.transform", argument="frame")
    current: Frame[Any] = value.frame
    if same_frame(current, frame):
        return value
    tf = state.relative_transform(current, frame)
    if type(value) is SpatialAcceleration:
        return _express_acceleration(state, value, tf)
    return value.transformed(tf)


def _express_acceleration(
    state: State[Any], value: SpatialAcceleration[Any, Any, Any], tf: Transform[Any, Any]
) -> SpatialAcceleration[Any, Any, Any]:
    """Return an acceleration in the frame `tf` maps to: the frames' relative motion and the body's own both matter."""
    current_wrt_new = state.relative_twist(value.frame, tf.to_frame, frame=value.frame)
    body_wrt_base = state.relative_twist(value.body, value.base, frame=value.frame)
    return value.transformed(tf, current_wrt_new, body_wrt_base)
