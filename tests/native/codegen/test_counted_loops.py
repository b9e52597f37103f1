"""Loops and conditions of the writer of LLVM IR: how often bodies run, and what iterations hand on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import pytest

from rbd.native.codegen.ir import Writer
from rbd.native.runtime.jit import Library, assemble

KNOWN = (0, 1, 2, 7)
STOPS = (-2, 3, 5, 9)


def recurrence(count: int | str, name: str, start: str = "0") -> str:
    """Return a function that repeats a, b = b, 3 a + i from 1, 2, and returns 1000 a + b."""
    w = Writer()
    w.begin_function(f"i64 @{name}(i64 %count)")

    def body(index: str, values: Sequence[str]) -> list[str]:
        a, b = values
        return [b, w.assign(f"add i64 {w.assign(f'mul i64 {a}, 3')}, {index}")]

    a, b = w.loop(count, body, [("i64", "1"), ("i64", "2")], start=start)
    scaled = w.assign(f"mul i64 {a}, 1000")
    w.end_function(f"i64 {w.assign(f'add i64 {scaled}, {b}')}")
    return w.text()


def triangle() -> str:
    """Return a function that counts the pairs i < k of odd k below the count, by loops inside loops and a condition."""
    w = Writer()
    w.begin_function("i64 @triangle(i64 %count)")

    def row(k: str, total: Sequence[str]) -> list[str]:
        def add() -> str:
            return w.loop(k, lambda _, inner: [w.assign(f"add i64 {inner[0]}, 1")], [("i64", total[0])])[0]

        is_odd = w.assign(f"trunc i64 {k} to i1")
        return [w.value_if("i64", is_odd, add, total[0])]

    w.end_function(f"i64 {w.loop('%count', row, [('i64', '0')])[0]}")
    return w.text()


def groups(size: int) -> str:
    """Return a function that adds 1000 per group of `size` indices from 3 to the count, and the first index left."""
    w = Writer()
    w.begin_function(f"i64 @groups{size}(i64 %count)")
    total = w.assign("alloca i64")
    w.store("i64", "0", total)

    def group(_: str) -> None:
        w.store("i64", w.assign(f"add i64 {w.load('i64', total)}, 1000"), total)

    left, found = w.for_each_group("3", "%count", size, group), w.load("i64", total)
    w.end_function(f"i64 {w.assign(f'add i64 {found}, {left}')}")
    return w.text()


def sides() -> str:
    """Return a function that gives 1 for counts above five, plus 10 unless they are above seven, else 20."""
    w = Writer()
    w.begin_function("i64 @sides(i64 %count)")
    total = w.assign("alloca i64")
    w.store("i64", "0", total)

    def add(number: int) -> None:
        w.store("i64", w.assign(f"add i64 {w.load('i64', total)}, {number}"), total)

    w.if_(w.assign("icmp sgt i64 %count, 5"), lambda: add(1))
    w.unless(w.assign("icmp sgt i64 %count, 7"), lambda: add(10), lambda: add(20))
    result = w.load("i64", total)
    w.end_function(f"i64 {result}")
    return w.text()


def leaving() -> str:
    """Return a function that halves the count while it is even, and returns 0 for 0, -1 if it ends with 1, else it."""
    w = Writer()
    w.begin_function("i64 @leaving(i64 %count)")
    number = w.assign("alloca i64")
    w.store("i64", "%count", number)
    w.if_(w.test("eq i64 %count, 0"), lambda: w.ret("i64 0"))

    def is_even() -> str:
        bit = w.assign(f"and i64 {w.load('i64', number)}, 1")
        return w.test(f"eq i64 {bit}, 0")

    w.while_(is_even, lambda: w.store("i64", w.assign(f"ashr i64 {w.load('i64', number)}, 1"), number))
    result = w.load("i64", number)
    w.if_(w.test(f"eq i64 {result}, 1"), lambda: w.leave("one"), lambda: w.ret(f"i64 {result}"))
    w.begin_block("one")
    w.end_function("i64 -1")
    return w.text()


def expected(count: int, start: int = 0) -> int:
    a, b = 1, 2
    for index in range(start, count):
        a, b = b, 3 * a + index
    return 1000 * a + b


@pytest.fixture(scope="module")
def entry() -> Callable[[str, int], int]:
    names = ["given", *(f"known{count}" for count in KNOWN)]
    texts = [recurrence("%count", "given"), *(recurrence(count, f"known{count}") for count in KNOWN)]
    names += [f"from_five_to{k}" for k, _ in enumerate(STOPS)]
    texts += [recurrence(stop, f"from_five_to{k}", "5") for k, stop in enumerate(STOPS)]
    names += ["triangle", "groups1", "groups4", "sides", "leaving"]
    texts += [triangle(), groups(1), groups(4), sides(), leaving()]
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


@pytest.mark.parametrize(("number", "stop"), list(enumerate(STOPS)))
def test_loops_to_a_known_end(entry: Callable[[str, int], int], number: int, stop: int) -> None:
    assert entry(f"from_five_to{number}", -1) == expected(stop, start=5)


def test_loops_of_negative_length_are_empty() -> None:
    w = Writer()
    w.for_each(-1, lambda _: pytest.fail("a loop without iterations"))
    assert w.lines == []


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_bodies_may_have_loops_and_conditions(entry: Callable[[str, int], int], count: int) -> None:
    assert entry("triangle", count) == sum(k for k in range(count) if k % 2)


@pytest.mark.parametrize(("size", "count"), [(1, 3), (1, 5), (4, 3), (4, 6), (4, 7), (4, 14), (1, 2), (4, 2), (4, -9)])
def test_groups_of_indices_that_fit(entry: Callable[[str, int], int], size: int, count: int) -> None:
    number = max(count - 3, 0) // size
    assert entry(f"groups{size}", count) == number * 1000 + 3 + number * size


@pytest.mark.parametrize(("count", "total"), [(5, 10), (6, 11), (8, 21)])
def test_both_sides_of_conditions(entry: Callable[[str, int], int], count: int, total: int) -> None:
    assert entry("sides", count) == total


@pytest.mark.parametrize(("count", "result"), [(0, 0), (1, -1), (8, -1), (7, 7), (12, 3)])
def test_sides_may_leave_and_loops_have_conditions(entry: Callable[[str, int], int], count: int, result: int) -> None:
    assert entry("leaving", count) == result
