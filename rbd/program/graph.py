"""Graphs: the recording of a function that runs on recorded scalars.

A graph belongs to one recording in one thread; nothing is global, so that threads may record at the same time.

>>> from rbd.scalars import cos, less, sin, where
>>> from rbd.program.program import Program
>>> graph = Graph()
>>> x, y = graph.input("x", (2,))
>>> z = where(less(x, y), sin(x) * y, cos(x))
>>> program = Program.of(graph, "example", {"z": z})
>>> program.interpret(x=[0.0, 2.0])
{'z': array(0.)}
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias, final

from typing_extensions import override

from rbd.errors import ArgumentError
from rbd.program.nodes import INPUT, Nodes, subscript
from rbd.program.recorded import Recorded
from rbd.program.recorded_condition import RecordedCondition
from rbd.program.recorded_family import RecordedFamily
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import register_scalar

__all__ = ["Graph", "Nested", "Recorded", "RecordedCondition"]

Nested: TypeAlias = Any
"""Scalars in nested tuples, one level per axis."""


@final
class Graph(Nodes):
    """The recording of one function: its inputs and operations."""

    def __init__(self) -> None:
        """Begin a recording."""
        super().__init__()
        self.ports: list[tuple[str, tuple[int, ...]]] = []
        self._input_count = 0

    def input(self, name: str, shape: tuple[int, ...] = ()) -> Nested:
        """Return a new input as nested tuples of recorded scalars: a flat tuple for a vector, one scalar for ().

        Raises ArgumentError when the name is taken or no identifier.
        """
        if not name.isidentifier() or any(name == known for known, _ in self.ports):
            raise ArgumentError(f"{name!r} cannot name another input", argument="name", value=name)
        self.ports.append((name, shape))
        flat = iter([self._scalar(f"{name}{subscript(k, shape)}") for k in range(math.prod(shape))])
        return shaped(flat, shape)

    def _scalar(self, name: str) -> Recorded:
        number = self._input_count
        self._input_count += 1
        return self.intern(Recorded, INPUT, number, name, number)

    @property
    def input_count(self) -> int:
        """The number of input scalars."""
        return self._input_count

    @override
    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}{list(shape)}" for name, shape in self.ports)
        return f"Graph of {len(self.order)} nodes from {shapes or 'no input'}"


def shaped(flat: Iterator[Scalar], shape: tuple[int, ...]) -> Nested:
    """Return scalars in order as nested tuples."""
    return tuple(shaped(flat, shape[1:]) for _ in range(shape[0])) if shape else next(flat)


register_scalar(Recorded, RecordedFamily(), condition=RecordedCondition)
