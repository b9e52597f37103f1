"""LLVM IR of arithmetic on a few numbers, such as the composition of two poses.

Callers provide it as a function, which runs on symbols here: machine code does the same operations in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

from rbd.native.runtime.jit import Library, assemble_shared

Arithmetic = Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]
"""f(a, b) -> numbers: of two lists of numbers, by + - * only."""


@final
class _Symbol:
    """A number of a function that is being written as IR."""

    def __init__(self, lines: list[str], name: str) -> None:
        self._lines, self.name = lines, name

    def __add__(self, other: _Symbol) -> _Symbol:
        return self._new(f"fadd double {self.name}, {other.name}")

    def __sub__(self, other: _Symbol) -> _Symbol:
        return self._new(f"fsub double {self.name}, {other.name}")

    def __mul__(self, other: _Symbol) -> _Symbol:
        return self._new(f"fmul double {self.name}, {other.name}")

    def __neg__(self) -> _Symbol:
        return self._new(f"fneg double {self.name}")

    def _new(self, text: str) -> _Symbol:
        name = f"%x{len(self._lines)}"
        self._lines.append(f"  {name} = {text}")
        return _Symbol(self._lines, name)


def arithmetic_text(name: str, function: Arithmetic, first: int, second: int) -> str:
    """Return a function of three addresses as IR; it takes `first` and `second` numbers from the first two.

    No operations are fused: results have the bits that Python computes.
    """
    lines: list[str] = []

    def read(pointer: str, count: int) -> list[_Symbol]:
        symbols: list[_Symbol] = []
        for k in range(count):
            lines.append(f"  %{pointer}{k} = getelementptr double, ptr %{pointer}, i64 {k}")
            lines.append(f"  %{pointer}v{k} = load double, ptr %{pointer}{k}")
            symbols.append(_Symbol(lines, f"%{pointer}v{k}"))
        return symbols

    results = function(read("a", first), read("b", second))
    for k, x in enumerate(results):
        lines.append(f"  %to{k} = getelementptr double, ptr %to, i64 {k}")
        lines.append(f"  store double {x.name}, ptr %to{k}")
    body = "\n".join(lines)
    return f"define void @{name}(ptr %a, ptr %b, ptr %to) nounwind {{\nbegin:\n{body}\n  ret void\n}}\n"


def arithmetic_library(texts: Sequence[str], names: tuple[str, ...]) -> Library:
    """Return functions of `arithmetic_text` as machine code."""
    return Library(assemble_shared("\n".join(texts)), names)
