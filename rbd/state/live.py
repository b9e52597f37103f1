"""What makes a state live: buffers that machine code reads and writes, versions, and the kernels of its mechanism.

Room: state; may import mechanism and above. `MechanismState` adds what users see: how it is set, and what it gives.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

import numpy as np
from typing_extensions import override

from rbd.errors import WrongThreadError
from rbd.mechanism import Mechanism
from rbd.scalars import Vector
from rbd.scalars.arrays import Array
from rbd.state.base import Depends, StateView
from rbd.state.interpreted import interpreted, is_interpreted
from rbd.state.kernel import body_of
from rbd.state.queries import State
from rbd.state.store.body import Body, pass_body
from rbd.state.store.doors import OWNER, Door, Q, V, door_of
from rbd.state.store.kernels import Entry, kernels_of

_MOST: Final = 256
"""Doors of a state, beyond which all are made anew."""
T = TypeVar("T")
Copies = tuple[tuple[Array, Array], ...]


class LiveState(State[Array]):
    """A mechanism at float64 coordinates, computing with what was recorded for the mechanism; abstract."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Start with all coordinates zero, in the calling thread."""
        super().__init__(mechanism)
        self._words = array("q", [threading.get_ident(), 0, 0])
        """The thread this belongs to, and the versions of q and v: machine code reads and writes these words."""
        self._q: Array = np.zeros(self._layout.nq)
        self._v: Array = np.zeros(self._layout.nv)
        self.still: Array = np.zeros(self._layout.nv)
        """No torques."""
        self._scalars: dict[int, tuple[int, Vector]] = {}
        self._kernels = kernels_of(mechanism)
        self._doors: dict[object, Door] = {}
        self.doors = self._doors
        self._behind: dict[object, tuple[Entry, int]] = {}
        """What doors lead to: a kernel, at a version of the parameters."""
        self._ran: tuple[Body, Entry] | None = None

    def configuration_scalars(self) -> Vector:
        """Return q as Python floats."""
        return self._floats(Q, self._q)

    def velocity_scalars(self) -> Vector:
        """Return v as Python floats."""
        return self._floats(V, self._v)

    def _floats(self, version: int, array: Array) -> Vector:
        """Return coordinates as Python floats, made anew when their version has changed."""
        known, now = self._scalars.get(version), self._words[version]
        if known is None or known[0] != now:
            known = self._scalars[version] = now, tuple(array.tolist())
        return known[1]

    def stamp(self, depends: Depends) -> tuple[int, ...]:
        """Return the versions `depends` stands for."""
        parameters = self.mechanism.parameter_version
        if depends == "parameters":
            return (parameters,)
        words = self._words
        return (parameters, words[Q]) if depends == "q" else (parameters, words[Q], words[V])

    def require_current(self) -> None:
        """Raise StaleStateError after a structural edit, WrongThreadError in a thread that does not own the state."""
        caller, owner = threading.get_ident(), self._words[OWNER]
        if caller != owner:
            raise WrongThreadError(
                f"this state belongs to thread {owner} and is used from thread {caller}; make one state per "
                "thread, or hand it over with state.adopt()",
                owner=owner,
                caller=caller,
            )
        super().require_current()

    def adopt(self) -> None:
        """Make the calling thread the owner of this state."""
        self._words[OWNER] = threading.get_ident()

    # --- computing ---------------------------------------------------------------------------------

    @override
    def evaluate(self, body: Body, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return what a kernel gives for this state: run what was recorded of it, or else its readable source."""
        self.require_current()
        found = self._computed(body, args, named)
        if found is None:  # a check has failed, or a number left its range: the source says which
            with interpreted():
                return body.function(self, *args, **named)
        entry, arrays = found
        return entry.shape(arrays)

    def _computed(
        self, body: Body, args: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Entry, Sequence[Array]] | None:
        """Return the arrays that what was recorded of a kernel gives; None where the readable source must run."""
        self._ran = None  # what ran before is not what a door may be made for after this
        if is_interpreted():
            return None
        entry, numbers = self._kernels.find(self.mechanism, body, args, named)
        arrays = None if entry is None else entry.runner([self._q, self._v, *numbers, *entry.parameters])
        if entry is None or arrays is None:
            return None
        self._ran = body, entry
        return entry, arrays

    @override
    def arrays_of(
        self, run: Callable[..., Any], args: Sequence[object], parts: Mapping[str, tuple[int, ...]]
    ) -> tuple[Array, ...]:
        """Return what a kernel gives as an array per part; see `State.arrays_of`."""
        self.require_current()
        found = self._computed(body_of(run), args, {})
        if found is None:
            with interpreted():
                return super().arrays_of(run, args, parts)
        entry, arrays = found
        if entry.gives_arrays and len(arrays) == len(parts):
            return tuple(array.reshape(shape) for array, shape in zip(arrays, parts.values(), strict=True))
        values = entry.shape(arrays)
        rows = zip((values,) if len(parts) == 1 else values, parts.items(), strict=True)
        return tuple(self.pack(value, name, shape) for value, (name, shape) in rows)

    @override
    def remembered(self, compute: Callable[[StateView], T], depends: Depends) -> T:
        """Return `compute(self)`, computed at most once while what it depends on stays the same."""
        self.require_current()
        plain = is_interpreted()
        stamp, key = self.stamp(depends), (compute, plain)
        known = self._memory.get(key)
        if known is not None and known[0] == stamp:
            return cast(T, known[1])
        if plain or depends == "parameters":
            value = compute(self)
        else:
            value = self.evaluate(pass_body(compute), (), {})
        self._memory[key] = (stamp, value)
        return value

    @override
    def open_door(self, body: Body, form: object = None, takes: int = 0, *, whole: bool = False) -> bool:
        """Make a short way to a kernel that has just been run, once it is compiled; return whether there is one."""
        entry, key = self.compiled(body), body if form is None else form
        if entry is None or not (entry.plain if form is None else entry.free == takes):
            return False
        wanted = entry, self.mechanism.parameter_version
        if self._behind.get(key) != wanted:
            if len(self._behind) >= _MOST:
                self._behind.clear()
                self._doors.clear()
            self._behind[key] = wanted
            door = door_of(self.mechanism, self._words, (self._q, self._v), entry)
            if door is not None:
                self._doors[key] = _whole(door, entry) if whole else door
        return key in self._doors

    @override
    def compiled(self, body: Body) -> Entry | None:
        """Return the machine code of a kernel that has just been run, once there is some."""
        ran, self._ran = self._ran, None
        return ran[1] if ran is not None and ran[0] is body and ran[1].runner.kernel is not None else None

    @override
    def door(
        self, entry: Entry, outputs: tuple[Array, ...], moved: Copies, further: Copies, counter: array[int]
    ) -> Door | None:
        """Return a short way to a kernel that writes into arrays.

        After success q and v go to the pairs of arrays in `moved`, and `further` pairs (from, to) are copied.
        """
        sources = (self._q, self._v)
        copies = (*((source, to) for source, pair in zip(sources, moved, strict=True) for to in pair), *further)
        return door_of(self.mechanism, self._words, sources, entry, outputs, copies, counter)


def _whole(door: Door, entry: Entry) -> Door:
    """Return a door that gives a kernel's result instead of arrays."""
    shape, one = entry.shape, len(entry.runner.outline.outputs) == 1

    def call() -> Any:
        found = door()
        if found is NotImplemented:
            return found
        return shape((found,) if one else found)

    return call
