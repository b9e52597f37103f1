"""Recorded functions of one mechanism, cached by key until the mechanism is edited."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Mapping
from typing import final

from rbd.compiled import RecordedFunction
from rbd.compiled.record import Shape as InputShape
from rbd.compiled.record import record
from rbd.mechanism import Mechanism


@final
class FunctionCache:
    """Recorded functions by key."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Start empty."""
        self._mechanism = mechanism
        self._functions: dict[Hashable, RecordedFunction] = {}
        self._version: tuple[int, ...] = ()
        self.changes = array("q", [0])
        """Counts how often all functions were removed, in place: machine code watches it."""

    def __len__(self) -> int:
        """Return the number of cached functions."""
        return len(self._functions)

    def recorded(
        self, key: Hashable, function: Callable[..., object], inputs: Mapping[str, InputShape]
    ) -> RecordedFunction:
        """Return `function(state, **inputs)` recorded, from the cache if `key` is in it."""
        version = (self._mechanism.structure_version, self._mechanism.parameter_version)
        if version != self._version:
            self.clear()
            self._version = version
        return self._get(key, lambda: record(function, self._mechanism, **inputs))

    def derivative(self, function: RecordedFunction, of: str, wrt: str) -> RecordedFunction:
        """Return the derivative of an output by an input; for q along velocities."""
        return self._get(("derivative", function, of, wrt), lambda: function.derivative(of, wrt))

    def clear(self) -> None:
        """Remove all functions."""
        self._functions.clear()
        self.changes[0] += 1

    def _get(self, key: Hashable, make: Callable[[], RecordedFunction]) -> RecordedFunction:
        function = self._functions.get(key)
        if function is None:
            function = self._functions[key] = make()
        return function
