"""LLVM IR of arithmetic on a few numbers, such as the composition of two poses.

Callers provide it as a function. It is called with numbers that write IR: machine code does the same operations in the
same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

from rbd.native.codegen.ir import Writer
from rbd.native.runtime.jit import Library, assemble_shared

Arithmetic = Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]
"""f(a, b) -> numbers: of two lists of numbers, by + - * only."""


@final
class _Number:
    """A number of a function that is being written as IR."""

    def __init__(self, w: Writer, name: str) -> None:
        self._w, self.name = w, name

    def __add__(self, other: _Number) -> _Number:
        return self._new(f"fadd double {self.name}, {other.name}")

    def __sub__(self, other: _Number) -> _Number:
        return self._new(f"fsub double {self.name}, {other.name}")

    def __mul__(self, other: _Number) -> _Number:
        return self._new(f"fmul double {self.name}, {other.name}")

    def __neg__(self) -> _Number:
        return self._new(f"fneg double {self.name}")

    def _new(self, instruction: str) -> _Number:
        return _Number(self._w, self._w.assign(instruction))


def arithmetic_function(name: str, function: Arithmetic, first: int, second: int) -> str:
    """Return `@name(a, b, to)` as IR; it takes `first` and `second` numbers from the addresses a and b.

    No operations are fused: results have the bits that Python computes.
    """
    w = Writer()
    w.begin_function(f"void @{name}(ptr %a, ptr %b, ptr %to) nounwind")
    a, b = (
        [_Number(w, w.element(pointer, k, "double")) for k in range(count)]
        for pointer, count in (("%a", first), ("%b", second))
    )
    for k, result in enumerate(function(a, b)):
        w.store("double", result.name, w.address("%to", k))
    w.end_function()
    return w.text()


def arithmetic_library(functions: Sequence[str], names: tuple[str, ...]) -> Library:
    """Return functions of `arithmetic_function` as machine code."""
    return Library(assemble_shared("\n".join(functions)), names)
