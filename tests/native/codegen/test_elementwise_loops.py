"""Loops in steps of a register: the bits of one entry after the other, whatever lies how close."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.intrinsics import Intrinsic
from rbd.intrinsics.language import Floats, Ints, divide, fma, sqrt
from rbd.intrinsics.parser import parse
from rbd.intrinsics.tree import For
from rbd.intrinsics.workspace import Workspace, operand, result
from rbd.native.codegen.elementwise_loops import is_strip, strip_widths
from rbd.native.codegen.routine import routine_text
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from tests.native.programs import assert_same_bits, native_rows, native_singles, random_inputs, reference

pytestmark = pytest.mark.optimised

SIZE = 64

ROWS = 9


def _bound(*sizes: int) -> int:
    return 400


class Apart(Workspace):
    to: int
    one: int
    other: int
    count: int
    x = operand(f"{SIZE}")
    y = result(f"{SIZE}")


def _apart(w: Apart) -> int:
    for i in range(64):
        w.y[i] = w.x[i]
    scale = w.x[0]
    for j in range(w.count):
        w.y[w.to + j] = fma(scale, w.y[w.one + j], -w.x[j + w.other])
        w.y[j + w.other] = divide(w.y[w.to + j] - 0.5 * w.x[w.other + j], sqrt(abs(w.x[j]))) + scale
    return 0


APART = Intrinsic(
    name="apart_for_tests",
    workspace=Apart,
    function=_apart,
    operations=_bound,
)


def _shifted(first: int, last: int, n: int, a: Floats, b: Floats) -> None:
    for j in range(first, last):
        b[j - n] = a[j] * 2.0 + b[j]


class Aliased(Workspace):
    first: int
    last: int
    n: int
    x = operand(f"{SIZE}")
    y = result(f"{SIZE}")


def _aliased(w: Aliased) -> int:
    for i in range(64):
        w.y[i] = w.x[i]
    _shifted(w.first, w.last, w.n, w.y, w.y)
    _shifted(w.first, w.last, w.n, w.x, w.y)
    return 0


ALIASED = Intrinsic(
    name="aliased_for_tests",
    workspace=Aliased,
    function=_aliased,
    operations=_bound,
)


Sizes = tuple[int, ...]


def assert_bits(intrinsic: Intrinsic, cases: list[Sizes], seed: int, lanes: int) -> None:
    """Compare one program of many calls, since it takes long to compile."""
    graph = Graph()
    x = graph.input("x", (SIZE,))
    program = Program.of(graph, "strips", {f"y{k}": intrinsic(sizes, x) for k, sizes in enumerate(cases)})
    arrays = random_inputs(program, ROWS, seed=seed)
    expected = reference(program, arrays, ROWS)
    assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, ROWS), expected)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, ROWS), expected)


def many(*ranges: st.SearchStrategy[int]) -> st.SearchStrategy[list[Sizes]]:
    return st.lists(st.tuples(*ranges), min_size=8, max_size=10)


starts = st.integers(0, 20)
seeds = st.integers(0, 10**6)


@settings(max_examples=3)
@given(many(starts, starts, starts, st.integers(0, 24)), seeds, st.sampled_from([2, 4, 8]))
def test_places_may_be_as_close_as_they_like(cases: list[Sizes], seed: int, lanes: int) -> None:
    assert_bits(APART, cases, seed, lanes)


@settings(max_examples=3)
@given(many(st.integers(12, 30), st.integers(0, 50), st.integers(-9, 12)), seeds)
def test_one_array_may_go_by_two_names(cases: list[Sizes], seed: int) -> None:
    assert_bits(ALIASED, cases, seed, 8)


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_every_distance_within_a_register_is_minded(lanes: int) -> None:
    assert_bits(APART, [(20, 20 + apart, 40, 24) for apart in range(-9, 10)], 1, lanes)


def _strip(n: int, a: Floats, b: Floats) -> None:
    for j in range(1, n):
        a[2 * n + j] = -b[j - 1]


def _strides(n: int, a: Floats, b: Floats) -> None:
    for j in range(n):
        a[2 * j] = b[j]


def _backwards(n: int, a: Floats, b: Floats) -> None:
    for j in range(n, 0, -1):
        a[j] = b[j]


def _same_entry(n: int, a: Floats, b: Floats) -> None:
    for j in range(n):
        a[j] = b[n]


def _counts(n: int, a: Floats, b: Floats) -> None:
    for j in range(n):
        a[j] = b[j] * float(j)


def _mirrored(n: int, a: Floats, b: Floats) -> None:
    for j in range(n):
        a[n - j] = b[j]


def _sums(n: int, a: Floats, b: Floats) -> None:
    total = 0.0
    for j in range(n):
        total = total + b[j]
        a[j] = total


def _negated_offset(n: int, a: Floats, b: Floats) -> None:
    for j in range(n):
        a[j + (-n)] = b[j]


def _offset_from_array(n: int, places: Ints, a: Floats, b: Floats) -> None:
    for j in range(n):
        a[j] = b[j + places[0]]


def _twice(x: float) -> float:
    return 2.0 * x


def _called(n: int, a: Floats, b: Floats) -> None:
    for j in range(n):
        a[j] = _twice(b[j])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (_strip, True),
        (_negated_offset, True),
        (_offset_from_array, False),
        (_called, False),
        (_strides, False),
        (_backwards, False),
        (_same_entry, False),
        (_counts, False),
        (_mirrored, False),
        (_sums, False),
    ],
)
def test_what_goes_in_steps(function: Callable[..., object], expected: bool) -> None:
    routine = parse(function)
    (loop,) = [statement for statement in routine.body if isinstance(statement, For)]
    assert is_strip(loop) == expected
    assert ("<4 x double>" in routine_text("test", routine, 4)) == expected


def test_a_machine_without_vectors_has_no_steps() -> None:
    assert strip_widths(1) == []
    assert strip_widths(8) == [8, 4, 2]
    assert "x double>" not in routine_text("test", parse(_strip))
    assert np.log2(strip_widths(4)).tolist() == [2, 1]
