"""Recorded functions of one mechanism, cached by key until the mechanism is edited."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias, final

from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import InputShape, program_of_function
from rbd.array_functions.velocity_map import VelocityMap
from rbd.mechanism import Mechanism

Key: TypeAlias = str | tuple[str, *tuple[Hashable, ...]]
"""The name of a function, alone or with what else identifies it."""


@final
class RecordedFunctions:
    """The recorded functions of one mechanism, by key."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Start empty."""
        self._mechanism = mechanism
        self._functions: dict[Key, RecordedFunction] = {}
        self._version: tuple[int, ...] = ()
        self.changes = array("q", [0])
        """Counts how often all functions were removed, in place: machine code watches it."""

    def __len__(self) -> int:
        """Return the number of cached functions."""
        return len(self._functions)

    def recorded(self, key: Key, function: Callable[..., object], inputs: Mapping[str, InputShape]) -> RecordedFunction:
        """Return `function(state, **inputs)` recorded, from the cache if `key` is in it; errors have the key's name."""
        version = (self._mechanism.structure_version, self._mechanism.parameter_version)
        if version != self._version:
            self.clear()
            self._version = version
        known = self._functions.get(key)
        if known is None:
            name = key if isinstance(key, str) else key[0]
            program = program_of_function(function, self._mechanism, inputs, name)
            known = RecordedFunction(program, velocity_map=VelocityMap.of(self._mechanism))
            self._functions[key] = known
        return known

    def clear(self) -> None:
        """Remove all functions."""
        self._functions.clear()
        self.changes[0] += 1
