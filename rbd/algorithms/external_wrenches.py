"""External wrenches: checked, and carried to the frames of the bodies they act on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, final

import attrs

from rbd.arguments import described, require_kind
from rbd.errors import ArgumentError
from rbd.indexing.layout import Layout
from rbd.kernels.body_fixed_frames import body_fixed_frame
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.mechanism import RigidBody
from rbd.spatial import Wrench

T = TypeVar("T")

ExternalWrenches: TypeAlias = Mapping[RigidBody, Wrench[Any]] | Mapping[str, Wrench[Any]]
"""Body, or its name -> the wrench on it, in any frame fixed to a body of the mechanism, or in the root frame."""


@final
@attrs.frozen(eq=False)
class AppliedWrench:
    """A wrench on the body of index `body`, constant in the default frame of the body of index `holder`."""

    body: int
    holder: int
    wrench: Wrench[Any]
    """In the default frame of `holder`."""


AppliedWrenches: TypeAlias = Sequence[AppliedWrench]
"""External wrenches as kernels take them. Several may act on one body."""


def checked_wrenches(state: StateView, external: ExternalWrenches | None) -> Iterator[tuple[int, Wrench[Any]]]:
    """Yield the index of each body with the wrench on it.

    Raises ArgumentError for anything but a mapping to wrenches, and for two on one body, UnknownNameError for a body of
    another mechanism.
    """
    for index, wrench in indexed_wrenches(state.layout, external):
        name = state.layout.bodies[index].name
        require_kind(wrench, Wrench, operation="external wrenches", argument=f"the wrench on body '{name}'")
        yield index, wrench


def indexed_wrenches(layout: Layout, external: Mapping[Any, T] | None) -> Iterator[tuple[int, T]]:
    """Yield the index of each body with the value given for it, unchecked; raises as `checked_wrenches`."""
    if external is None:
        return
    if not isinstance(external, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        message = f"external_wrenches must map bodies to wrenches, {{body: wrench}}, not {described(external)}"
        raise ArgumentError(message, argument="external_wrenches", value=external, allowed="a mapping")
    seen = set[int]()
    for body, wrench in external.items():
        index = layout.body_index(body)
        name = layout.bodies[index].name
        if index in seen:
            message = f"external_wrenches has two wrenches on body '{name}', one under its name; give their sum"
            raise ArgumentError(message, argument="external_wrenches", value=external)
        seen.add(index)
        yield index, wrench


def applied_wrenches(state: StateView, external: ExternalWrenches | None) -> tuple[AppliedWrench, ...]:
    """Return external wrenches as kernels take them.

    Raises as `checked_wrenches`, and FrameMismatchError for a wrench in a frame of no body.
    """
    result: list[AppliedWrench] = []
    for index, wrench in checked_wrenches(state, external):
        holder = body_fixed_frame(state, wrench.frame)
        if holder.from_default is not None:
            wrench = wrench.transformed(holder.from_default.inverse())
        result.append(AppliedWrench(index, holder.index, wrench))
    return tuple(result)


def in_body_frame(state: StateView, applied: AppliedWrench) -> Wrench[Any]:
    """Return an external wrench in the default frame of the body it acts on."""
    bodies = state.layout.bodies
    if applied.body == applied.holder:
        return applied.wrench
    return applied.wrench.transformed(passes.body_transform(state, bodies[applied.holder], bodies[applied.body]))


def minus_external(state: StateView, wrenches: Sequence[Wrench[Any]], external: AppliedWrenches) -> list[Wrench[Any]]:
    """Return one wrench per body minus the external wrenches on it, all in body frames."""
    totals: dict[int, Wrench[Any]] = {}
    for applied in external:
        f_x, total = in_body_frame(state, applied), totals.get(applied.body)
        totals[applied.body] = f_x if total is None else total + f_x
    return [f - totals[i] if i in totals else f for i, f in enumerate(wrenches)]
