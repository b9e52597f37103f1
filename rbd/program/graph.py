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
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, cast, final

from typing_extensions import override

from rbd.errors import ArgumentError, ShapeError
from rbd.program.nodes import INPUT, Nodes, subscript
from rbd.program.ports import Port
from rbd.program.recorded import Recorded
from rbd.program.recorded_condition import RecordedCondition
from rbd.program.recorded_family import RecordedFamily
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import ARRAYS, register_scalar

__all__ = ["Graph", "Nested", "Recorded", "RecordedCondition"]

Nested: TypeAlias = Any
"""Scalars in nested tuples, one level per axis."""


@final
class Graph(Nodes):
    """The recording of one function: its inputs and operations."""

    def __init__(self) -> None:
        """Begin a recording."""
        super().__init__()
        self.ports: list[Port] = []
        self._input_count = 0

    def input(self, name: str, shape: tuple[int, ...] = ()) -> Nested:
        """Return a new input as nested tuples of recorded scalars: a flat tuple for a vector, one scalar for ().

        Raises ArgumentError when the name is taken or no identifier.
        """
        if not name.isidentifier() or any(name == port.name for port in self.ports):
            raise ArgumentError(f"{name!r} cannot name another input", argument="name", value=name)
        self.ports.append(Port(name, shape))
        flat = iter([self._scalar(f"{name}{subscript(k, shape)}") for k in range(math.prod(shape))])
        return nested_tuples(flat, shape)

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
        shapes = ", ".join(f"{port.name}{list(port.shape)}" for port in self.ports)
        return f"Graph of {len(self.order)} nodes from {shapes or 'no input'}"


def nested_tuples(flat: Iterator[Scalar], shape: tuple[int, ...]) -> Nested:
    """Return scalars in order as nested tuples."""
    return tuple(nested_tuples(flat, shape[1:]) for _ in range(shape[0])) if shape else next(flat)


def flattened_tuples(nested: Nested) -> tuple[list[object], tuple[int, ...]]:
    """Return the scalars of nested tuples (or of an array) in order, and their shape; raise ShapeError when ragged."""
    if isinstance(nested, ARRAYS):
        array = cast("Any", nested)
        return cast("list[object]", array.reshape(-1).tolist()), array.shape
    if not isinstance(nested, (tuple, list)):
        return [nested], ()
    parts = [flattened_tuples(part) for part in cast("Sequence[Nested]", nested)]
    shapes = {shape for _, shape in parts}
    if len(shapes) > 1:
        raise ShapeError(f"an output has parts of different shapes {sorted(shapes)}", argument="outputs", actual=shapes)
    inner = next(iter(shapes), ())
    return [x for flat, _ in parts for x in flat], (len(parts), *inner)


register_scalar(Recorded, RecordedFamily(), condition=RecordedCondition)
