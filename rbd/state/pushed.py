"""External wrenches on their way into machine code: numbers, once it is known which bodies they push, in which frames.

Room: state; may import mechanism and above. A call with wrenches has the short way of all calls that push the same
bodies in the same frames. Only default frames of bodies, the root frame among them, are served: in those a wrench is
what a kernel takes as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, cast, final

import attrs
import numpy as np

from rbd.mechanism import RigidBody
from rbd.scalars.arrays import Array
from rbd.spatial import Wrench
from rbd.state.base import StateView
from rbd.state.store.body import Body

WRENCHES: Final = "external_wrenches"
_OUT: Final = {"out"}
Places: TypeAlias = tuple[object, ...]
"""Bodies, each followed by the identity of the frame in which it is said what pushes it.

A frame for which there is a short way is some body's, and lives as long as the structure that the way is for.
"""
External: TypeAlias = Mapping[RigidBody, Wrench[Any]]


def places_and_numbers(external: object) -> tuple[Places, Array | None] | None:
    """Return what is pushed, and by how much; None for what may be no wrenches, no numbers where some are no floats."""
    if external is None:
        return (), None
    if type(external) is not dict:
        return None
    places: list[object] = []
    numbers: list[object] = []
    for body, wrench in cast("External", external).items():
        if type(wrench) is not Wrench:
            return None
        places += (body, id(wrench.frame))
        numbers += wrench.angular_components
        numbers += wrench.linear_components
    return tuple(places), np.array(numbers) if set(map(type, numbers)) == {float} else None


def are_served(state: StateView, places: Places) -> bool:
    """Return whether all frames are default frames of bodies."""
    return {id(body.default_frame) for body in state.layout.bodies}.issuperset(cast("tuple[int, ...]", places[1::2]))


@final
@attrs.define(eq=False)  # not frozen, which costs half a microsecond: every call makes one
class Call:
    """A call that may have a short way: how that is found, and what goes into it."""

    key: object
    places: Places
    args: tuple[object, ...]
    named: Mapping[str, object]


@final
@attrs.frozen(eq=False)
class Pushed:
    """The calls of a function of a state and so many vectors, with external wrenches after these."""

    body: Body
    vectors: int
    loops: Body | None = None
    """The kernel that runs for mechanisms with loops, if another one does."""

    def call(self, args: tuple[object, ...], named: dict[str, object]) -> Call | None:
        """Return a call that says what pushes, even if nothing does; None for any other."""
        count = self.vectors
        if len(args) == count + 1:
            push, rest = args[count], named
        elif len(args) == count and WRENCHES in named:
            push, rest = named[WRENCHES], {name: value for name, value in named.items() if name != WRENCHES}
        else:
            return None
        given = places_and_numbers(push)
        if given is None or (rest and rest.keys() != _OUT):
            return None
        places, numbers = given
        if not places:
            return Call(self.body, (), args[:count], rest)
        return Call((self.body, *places), places, (*args[:count], numbers), rest)

    def open(self, state: StateView, call: Call | None = None) -> None:
        """Make a short way to the kernel that has just been run for this call, or for one that is silent on pushes."""
        ran = self.body if self.loops is None or not state.layout.loops else self.loops
        if call is None or not call.places:
            state.open_door(ran, self.body, self.vectors)
        elif are_served(state, call.places):
            state.open_door(ran, call.key, self.vectors + 1)
