"""Frames fixed to bodies: their bodies and their transforms to default frames."""

from __future__ import annotations

from typing import Any, final

import attrs

from rbd.indexing.layout import FrameLike
from rbd.kernels.lifting import lifted_transform
from rbd.kernels.state_view import StateView
from rbd.mechanism import RigidBody
from rbd.spatial import Frame, Transform


@final
@attrs.frozen(eq=False)
class BodyFixedFrame:
    """A frame fixed to a body, with the transforms between it and the body's default frame."""

    index: int
    """The index of the body."""
    body: RigidBody
    frame: Frame[Any]
    to_default: Transform[Any, Any] | None
    """The transform from the frame to the body's default frame; None if it is the default frame."""
    from_default: Transform[Any, Any] | None
    """The inverse of `to_default`."""


def body_fixed_frame(state: StateView, place: FrameLike, argument: str = "place") -> BodyFixedFrame:
    """Return the frame of a place and its body, cached by the state. Raises as `Layout.body_and_frame` does."""
    key = place if isinstance(place, str) else place.id if type(place) is Frame else id(place)
    return state.engine.cached_value(key, "parameters", lambda: _new_body_fixed_frame(state, place, argument))


def _new_body_fixed_frame(state: StateView, place: FrameLike, argument: str) -> BodyFixedFrame:
    body, frame = state.layout.body_and_frame(place, argument)
    index, default = state.layout.body_index(body), body.default_frame
    if frame is default:
        return BodyFixedFrame(index, body, frame, None, None)
    there, back = body.fixed_transform(frame, default), body.fixed_transform(default, frame)
    return BodyFixedFrame(index, body, frame, lifted_transform(state, there), lifted_transform(state, back))


def result_frame(state: StateView, frame: FrameLike | None) -> tuple[RigidBody, Frame[Any]]:
    """Return the frame of a result (None for the root frame) and its body."""
    return state.layout.body_and_frame(state.layout.root_frame if frame is None else frame, "frame")


def transform_to_fixed_frame(state: StateView, body: RigidBody, frame: Frame[Any]) -> Transform[Any, Any]:
    """Return the transform from the default frame of `body` to `frame`, which is fixed to it."""
    default = body.default_frame
    if frame is default:
        return Transform.identity(default, default)
    return lifted_transform(state, body.fixed_transform(default, frame))
