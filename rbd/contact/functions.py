"""Functions of a mechanism's state that are recorded once and known by a key (internal).

They are for the mechanism as it is: when it was edited, all are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import final

from rbd.compiled import RecordedFunction
from rbd.compiled.record import Shape as InputShape
from rbd.compiled.record import record
from rbd.mechanism import Mechanism


@final
class Functions:
    """Recorded functions by key."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Begin without functions."""
        self._mechanism = mechanism
        self._known: dict[Hashable, RecordedFunction] = {}
        self._made_for: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Return how many are known."""
        return len(self._known)

    def of(self, key: Hashable, body: Callable[..., object], inputs: Mapping[str, InputShape]) -> RecordedFunction:
        """Return `body(state, **inputs)`, recorded; `key` is what it is known by."""
        now = (self._mechanism.structure_version, self._mechanism.parameter_version)
        if now != self._made_for:
            self.clear()
            self._made_for = now
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = record(body, self._mechanism, **inputs)
        return known

    def derivative(self, function: RecordedFunction, of: str, wrt: str) -> RecordedFunction:
        """Return the derivative of an output of one of the functions by an input, along velocities for q."""
        key = ("derivative", function, of, wrt)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = function.derivative(of, wrt)
        return known

    def clear(self) -> None:
        """Forget all functions."""
        self._known.clear()
