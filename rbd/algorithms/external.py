"""Wrenches from outside the mechanism, brought into the frames of the bodies they push.

Room: algorithms; may import state and above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, final

import attrs

from rbd.mechanism import RigidBody
from rbd.spatial import Wrench
from rbd.spatial.values import require_kind
from rbd.state import State, StateView
from rbd.state.frames import body_and_frame

ExternalWrenches: TypeAlias = Mapping[RigidBody, Wrench[Any]]
"""Body -> the wrench on it, in any frame attached to a body of the mechanism, or in the root frame."""
BodyWrenches: TypeAlias = tuple["Wrench[Any] | None", ...]
"""One per body, in the body's default frame; None where nothing pushes."""


def body_wrenches(state: State[Any], external: ExternalWrenches | None) -> BodyWrenches | None:
    """Return the external wrenches per body, each in its body's default frame; None when there are none.

    Raises UnknownNameError for a body of another mechanism, ArgumentError for something that is no mapping to wrenches,
    FrameMismatchError for a wrench in a frame of no body.
    """
    if not external:
        return None
    require_kind(external, Mapping, operation="external wrenches", argument="external_wrenches")
    result: list[Wrench[Any] | None] = [None] * len(state.layout.bodies)
    for body, wrench in external.items():
        index = state.layout.body_index(body)
        require_kind(wrench, Wrench, operation="external wrenches", argument=f"the wrench on body '{body.name}'")
        result[index] = state.transform(wrench, body.default_frame)
    return tuple(result)


def less_external(wrenches: Sequence[Wrench[Any]], external: BodyWrenches | None) -> list[Wrench[Any]]:
    """Return, per body, a wrench less what pushes the body from outside; all in body frames."""
    pushes = external or (None,) * len(wrenches)
    return [own if push is None else own - push for own, push in zip(wrenches, pushes, strict=True)]


@final
@attrs.frozen(eq=False)
class HeldWrench:
    """A wrench on a body (in its default frame now) that stays as it is in the frame of another one, the holder."""

    body: int
    holder: int
    wrench: Wrench[Any]


def held_wrenches(state: State[Any], external: ExternalWrenches | None) -> tuple[HeldWrench, ...]:
    """Return the external wrenches with the bodies in whose frames they were given; raises as `body_wrenches` does."""
    wrenches = body_wrenches(state, external)
    if wrenches is None or external is None:
        return ()
    result: list[HeldWrench] = []
    for body, given in external.items():
        index, (holder, _) = state.layout.body_index(body), body_and_frame(state, given.frame)
        wrench = wrenches[index]
        if wrench is not None:
            result.append(HeldWrench(index, state.layout.body_index(holder), wrench))
    return tuple(result)


def pushes(state: StateView, held: Sequence[HeldWrench]) -> BodyWrenches | None:
    """Return held wrenches as wrenches per body; None when there are none."""
    if not held:
        return None
    result: list[Wrench[Any] | None] = [None] * len(state.layout.bodies)
    for each in held:
        result[each.body] = each.wrench
    return tuple(result)
