"""Wrenches from outside the mechanism, brought into the frames of the bodies they push."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, final

import attrs

from rbd.mechanism import RigidBody
from rbd.spatial import Wrench
from rbd.spatial.values import require_kind
from rbd.state import State, StateView, passes
from rbd.state.frames import attachment, body_and_frame

ExternalWrenches: TypeAlias = Mapping[RigidBody, Wrench[Any]]
"""Body -> the wrench on it, in any frame attached to a body of the mechanism, or in the root frame."""
BodyWrenches: TypeAlias = tuple["Wrench[Any] | None", ...]
"""One per body, in the body's default frame; None where nothing pushes."""


def body_wrenches(state: State[Any], external: ExternalWrenches | None) -> BodyWrenches | None:
    """Return the external wrenches per body, each in its body's default frame; None when there are none.

    Raises UnknownNameError for a body of another mechanism, ArgumentError for something that is no mapping to wrenches,
    FrameMismatchError for a wrench in a frame of no body.
    """
    if not _checked(external):
        return None
    result: list[Wrench[Any] | None] = [None] * len(state.layout.bodies)
    for body, wrench in _checked(external).items():
        index = state.layout.body_index(body)
        require_kind(wrench, Wrench, operation="external wrenches", argument=f"the wrench on body '{body.name}'")
        result[index] = state.transform(wrench, body.default_frame)
    return tuple(result)


def _checked(external: ExternalWrenches | None) -> ExternalWrenches:
    """Return external wrenches, none if there are none; raise ArgumentError for what is no mapping."""
    if external is None:
        return {}
    require_kind(external, Mapping, operation="external wrenches", argument="external_wrenches")
    return external


def less_external(wrenches: Sequence[Wrench[Any]], external: BodyWrenches | None) -> list[Wrench[Any]]:
    """Return, per body, a wrench less what pushes the body from outside; all in body frames."""
    pushes = external or (None,) * len(wrenches)
    return [own if push is None else own - push for own, push in zip(wrenches, pushes, strict=True)]


@final
@attrs.frozen(eq=False)
class HeldWrench:
    """A wrench on a body that stays as it is in the default frame of a body, the holder."""

    body: int
    holder: int
    wrench: Wrench[Any]
    """In the frame of the holder."""


@final
@attrs.frozen(eq=False)
class Held:
    """External wrenches as they were given; on which bodies' frames they come to depends on the configuration."""

    wrenches: tuple[HeldWrench, ...]


External: TypeAlias = BodyWrenches | Held | None
"""External wrenches as kernels take them; None when there are none."""


def held(state: StateView, external: ExternalWrenches | None) -> Held | None:
    """Return the external wrenches as kernels take them, None when there are none; raises as `body_wrenches` does."""
    wrenches = held_wrenches(state, external)
    return Held(wrenches) if wrenches else None


def on_bodies(state: StateView, external: External) -> BodyWrenches | None:
    """Return external wrenches per body, each in its body's default frame."""
    return pushes(state, external.wrenches) if isinstance(external, Held) else external


def held_wrenches(state: StateView, external: ExternalWrenches | None) -> tuple[HeldWrench, ...]:
    """Return the external wrenches with the bodies in whose frames they were given; raises as `body_wrenches` does."""
    result: list[HeldWrench] = []
    for body, wrench in _checked(external).items():
        index = state.layout.body_index(body)
        require_kind(wrench, Wrench, operation="external wrenches", argument=f"the wrench on body '{body.name}'")
        holder, frame = body_and_frame(state, wrench.frame)
        if frame is not holder.default_frame:
            wrench = wrench.transformed(attachment(state, holder, frame).inverse())
        result.append(HeldWrench(index, state.layout.body_index(holder), wrench))
    return tuple(result)


def on_body(state: StateView, held: HeldWrench) -> Wrench[Any]:
    """Return a held wrench in the default frame of the body it pushes."""
    bodies = state.layout.bodies
    if held.body == held.holder:
        return held.wrench
    return held.wrench.transformed(passes.between(state, bodies[held.holder], bodies[held.body]))


def pushes(state: StateView, held: Sequence[HeldWrench]) -> BodyWrenches | None:
    """Return held wrenches as wrenches per body; None when there are none."""
    if not held:
        return None
    result: list[Wrench[Any] | None] = [None] * len(state.layout.bodies)
    for each in held:
        result[each.body] = on_body(state, each)
    return tuple(result)
