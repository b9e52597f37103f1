"""Counted loops of the writer of LLVM IR: how often bodies run, and what iterations hand on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import pytest

from rbd.native.codegen.ir import Writer
from rbd.native.runtime.jit import Library, assemble

KNOWN = (0, 1, 2, 7)


def recurrence(count: int | str, name: str) -> str:
    """Return a function that repeats a, b = b, 3 a + i from 1, 2, and returns 1000 a + b."""
    w = Writer()
    w.add(f"define i64 @{name}(i64 %count) {{\nentry:")

    def body(index: str, values: Sequence[str]) -> list[str]:
        a, b = values
        return [b, w.assign(f"add i64 {w.assign(f'mul i64 {a}, 3')}, {index}")]

    a, b = w.loop(count, body, [("i64", "1"), ("i64", "2")])
    scaled = w.assign(f"mul i64 {a}, 1000")
    w.add(f"  ret i64 {w.assign(f'add i64 {scaled}, {b}')}\n}}")
    return w.text()


def expected(count: int) -> int:
    a, b = 1, 2
    for index in range(count):
        a, b = b, 3 * a + index
    return 1000 * a + b


@pytest.fixture(scope="module")
def entry() -> Callable[[str, int], int]:
    names = ["given", *(f"known{count}" for count in KNOWN)]
    texts = [recurrence("%count", "given"), *(recurrence(count, f"known{count}") for count in KNOWN)]
    library = Library(assemble("\n".join(texts)), tuple(names))

    def call(name: str, count: int) -> int:
        return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library.address(name))(count))

    return call


@pytest.mark.parametrize("count", [-3, 0, 1, 2, 7])
def test_loops_up_to_a_value(entry: Callable[[str, int], int], count: int) -> None:
    assert entry("given", count) == expected(count)


@pytest.mark.parametrize("count", KNOWN)
def test_loops_of_known_length(entry: Callable[[str, int], int], count: int) -> None:
    assert entry(f"known{count}", -1) == expected(count)
