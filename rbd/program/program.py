"""Programs: straight-line code as pure data, which can be interpreted, counted, printed, pickled and compiled.

One instruction is (operation, operand, ...). An operand r with 0 <= r < n is the r-th input scalar (ports one after the
other, each row by row; n of them in all), n + k is the result of instruction k (of earlier ones only), and a negative r
is the constant `constants[~r]`. POSITIVE's second entry is no operand but the index of its text in `labels`; CALL's
first is the index of the intrinsic and its sizes in `calls`; PICK's second says which result of a call it takes.
"""

from __future__ import annotations

import hashlib
import math
import struct
import sys
from array import array
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, final

import attrs
import numpy as np
from typing_extensions import override

from rbd.errors import ArgumentError, RbdError
from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.lazy_property import lazy_property
from rbd.program.graph import Graph, Nested, flattened_tuples
from rbd.program.interpret import failed_on_nonfinite, run
from rbd.program.listing import Count, count, listing
from rbd.program.lowering import lower
from rbd.program.ports import Port, offsets, port_and_index
from rbd.program.status import FIRST_CHECK, SUCCESS, range_error, status_error
from rbd.scalars.arrays import float_array
from rbd.scalars.protocol import Array


@final
@attrs.frozen(slots=False)
class Program:
    """Instructions in the order they were recorded, with named inputs and outputs.

    >>> graph = Graph()
    >>> x, y = graph.input("x", (2,))
    >>> program = Program.of(graph, "squares", {"sum": x * x + y * y, "first": (x, 1)})
    >>> print(program)
    squares: x[2] -> sum, first[2]
      3 operations in 2 instructions: 2 multiply, 1 add
      t0 = x[0] * x[0]
      t1 = x[1] * x[1] + t0
      sum = t1
      first[0] = x[0]
      first[1] = 1.0
    >>> program.interpret(x=[3.0, 4.0])
    {'sum': array(25.), 'first': array([3., 1.])}
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    constants: tuple[float, ...]
    code: tuple[tuple[int, ...], ...]
    results: tuple[int, ...]
    """The operand of every output scalar, port after port; may be an input or a constant."""
    labels: tuple[str, ...]
    calls: tuple[IntrinsicCall, ...] = ()
    """Calls of intrinsics; each has a row of `labels` of its own, after those of earlier calls and checks."""

    @classmethod
    def of(cls, graph: Graph, name: str, outputs: Mapping[str, Nested]) -> Program:
        """Return the program of `outputs`, nested tuples of numbers and scalars of this graph.

        Operations that no output depends on are removed, also checks by `positive`.
        Raises ScalarError for values that are no numbers, RecordingError for scalars of other graphs, ShapeError for
        ragged tuples.
        """
        parts = {port: flattened_tuples(nested) for port, nested in outputs.items()}
        lowered = lower(graph, [x for flat, _ in parts.values() for x in flat])
        ports = tuple(Port(port, shape) for port, (_, shape) in parts.items())
        return cls(name, tuple(graph.ports), ports, *lowered)

    @lazy_property
    def input_size(self) -> int:
        """The number of input scalars."""
        return sum(port.size for port in self.inputs)

    @property
    def output_size(self) -> int:
        """The number of output scalars."""
        return sum(port.size for port in self.outputs)

    def input_at(self, position: int) -> tuple[int, int]:
        """Return the number of an input scalar's port, and the index in it."""
        return port_and_index(self.inputs, position)

    def output_at(self, position: int) -> tuple[int, int]:
        """Return the number of an output scalar's port, and the index in it."""
        return port_and_index(self.outputs, position)

    def labels_of(self, call: IntrinsicCall) -> tuple[str, ...]:
        """Return the labels of a call."""
        return self.labels[call.first_label : call.first_label + call.label_count]

    def count(self) -> Count:
        """Count the operations: `.total`, `.breakdown` by name, `.instructions`."""
        return count(self)

    @lazy_property
    def digest(self) -> str:
        """A sha256 over everything but the name, the same in every process and on every machine."""
        ports = repr([[(port.name, port.shape) for port in ports] for ports in (self.inputs, self.outputs)])
        parts = (
            ports.encode(),
            struct.pack(f"<{len(self.constants)}d", *self.constants),
            _bytes(list(map(len, self.code))),
            _bytes(list(chain.from_iterable(self.code))),
            _bytes(self.results),
            repr(self.labels).encode(),
            *(call.key.encode() for call in self.calls),
        )
        digest = hashlib.sha256()
        for part in parts:
            digest.update(struct.pack("<Q", len(part)))
            digest.update(part)
        return digest.hexdigest()

    @override
    def __str__(self) -> str:
        return "\n".join(listing(self))

    @override
    def __repr__(self) -> str:
        return f"<Program {self.name!r} of {len(self.code)} instructions>"

    def __getstate__(self) -> tuple[object, ...]:
        """Pickle the content alone."""
        return tuple(getattr(self, name) for name in _FIELDS)

    def __setstate__(self, content: tuple[object, ...]) -> None:
        """Restore the content."""
        for name, value in zip(_FIELDS, content, strict=True):
            object.__setattr__(self, name, value)

    # ---------------------------------------------------------------- running

    def interpret(self, **arrays: object) -> dict[str, Array]:
        """Return the outputs for these inputs, one array-like per port, bitwise equal to machine code.

        Raises ArgumentError for a missing or unknown input, ShapeError, NotFiniteError for inputs or outputs that are
        not finite, SingularError where a number that must be positive is not.
        """
        flat = self._flat(arrays)
        outputs, status = self.interpret_flat(flat)
        if status != SUCCESS:
            raise self.error(status, flat)
        return {
            port.name: np.array(outputs[start : start + port.size], dtype=np.float64).reshape(port.shape)
            for start, port in offsets(self.outputs)
        }

    def interpret_flat(self, inputs: Sequence[float]) -> tuple[list[float], int]:
        """Return the output scalars for all input scalars, and the status code; no outputs unless it is 0."""
        return run(self, inputs)

    def error(self, status: int, inputs: Sequence[float] = ()) -> RbdError:
        """Return the error of a status code; `inputs`, if known, are all input scalars.

        A check that fails on numbers that are not finite raises the error of the overflow.
        """
        label = status - FIRST_CHECK
        if label >= 0 and inputs and failed_on_nonfinite(self, inputs, label):
            return range_error(self.name)
        return status_error(self, status, next((k for k, x in enumerate(inputs) if not math.isfinite(x)), None))

    def _flat(self, arrays: Mapping[str, object]) -> list[float]:
        names = {port.name for port in self.inputs}
        if names != set(arrays):
            wrong = sorted(names ^ set(arrays))
            message = f"{self.name} takes {sorted(names)}; missing or unknown: {wrong}"
            raise ArgumentError(message, argument=wrong[0], value=None, allowed=sorted(names))
        parts = (float_array(arrays[port.name], port.shape, port.name, copy=False) for port in self.inputs)
        return [x for part in parts for x in part.reshape(-1).tolist()]


_FIELDS: Final = ("name", "inputs", "outputs", "constants", "code", "results", "labels", "calls")


def _bytes(numbers: Sequence[int]) -> bytes:
    """Return integers as little-endian 64-bit words."""
    words = array("q", numbers)
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes()
