"""Frames attached to bodies, and change of frame of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rbd.arguments import require_kind
from rbd.indexing.layout import FrameLike
from rbd.kernels.lifting import lifted_transform
from rbd.kernels.query_builtins import Attachment
from rbd.kernels.state_view import StateView
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

if TYPE_CHECKING:
    from rbd.kinematics.queries import State


_FRAMED = (
    *(Point, FreeVector, Twist, SpatialAcceleration, Wrench, Momentum, SpatialInertia),
    *(GeometricJacobian, PointJacobian, MomentumMatrix, WrenchMatrix),
)


def attachment_of(state: StateView, place: FrameLike, argument: str = "place") -> Attachment:
    """Return the frame of a place and its body, cached by the state. Raises as `Layout.body_and_frame` does."""
    engine = state.engine
    key = place if isinstance(place, str) else place.id if type(place) is Frame else id(place)
    cached: tuple[tuple[int, ...], Any] | None = engine.cache.get(key)
    if cached is not None and cached[0] == engine.stamp("parameters"):
        attachment: Attachment = cached[1]
        return attachment
    return engine.cached_value(key, "parameters", lambda: _new_attachment(state, place, argument))


def _new_attachment(state: StateView, place: FrameLike, argument: str) -> Attachment:
    body, frame = state.layout.body_and_frame(place, argument)
    index, default = state.layout.body_index(body), body.default_frame
    if frame is default:
        return Attachment(index, body, frame, None, None)
    there, back = body.fixed_transform(frame, default), body.fixed_transform(default, frame)
    return Attachment(index, body, frame, lifted_transform(state, there), lifted_transform(state, back))


def result_frame(state: StateView, frame: FrameLike | None) -> tuple[RigidBody, Frame[Any]]:
    """Return the frame of a result (None for the root frame) and its body."""
    return state.layout.body_and_frame(state.layout.root_frame if frame is None else frame, "frame")


def transform_to_attached(state: StateView, body: RigidBody, frame: Frame[Any]) -> Transform[Any, Any]:
    """Return the transform from the default frame of `body` to `frame`, which is attached to it."""
    default = body.default_frame
    if frame is default:
        return Transform.identity(default, default)
    return lifted_transform(state, body.fixed_transform(default, frame))


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
