"""Loops over columns, many at a time, and lanes that go through a call together: the interpreter's bits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ArgumentError, ScalarError
from rbd.intrinsics import Intrinsic, IntrinsicCall, parser
from rbd.intrinsics.dependence_analysis import branches_on_floats
from rbd.intrinsics.language import Floats, Ints, columns, divide, fma, sqrt
from rbd.intrinsics.parser import parse
from rbd.intrinsics.workspace import Workspace, floats, operand, result, table
from rbd.native.codegen import inlining
from rbd.native.codegen.column_blocks import panel_widths
from rbd.native.codegen.copies import SlotCopies
from rbd.native.codegen.ir import Lanes
from rbd.native.codegen.routine import routine_text
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.opcodes import Op
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK
from rbd.solvers import (
    FACTOR_POSITIVE_DEFINITE,
    MINIMUM_NORM_SOLVE,
    SOLVE_FACTORED,
    SOLVE_POSITIVE_DEFINITE,
    solve_factored,
)
from tests.algorithms.helpers import examples
from tests.native.programs import assert_same_bits, native_rows, native_singles, random_inputs, reference
from tests.scalars.factors import tree_factor

pytestmark = pytest.mark.optimised


class EveryWord(Workspace):
    m: int
    stride: int
    pattern = table("3")
    x = operand("3 * stride")
    y = result("3 * stride")
    work = floats("stride")


def _every_word(w: EveryWord) -> int:
    stride = w.stride
    outside = w.x[0] * 0.5
    for i in range(w.stride):
        w.work[i] = float(i) - outside
    for j in columns(w.m, stride):
        total = 1.0
        first = w.pattern[0]
        for i in range(2, -1, -1):
            if w.pattern[i] > 0:
                total = fma(-w.x[i], w.y[first * stride + j], total) + outside
            else:
                total = total * w.x[w.pattern[i] * stride + j] + float(i)
        k = 0
        while k < first:
            half = divide(sqrt(abs(total)), 1.5 + abs(w.work[0 * stride + j]))
            total = total - half
            k = k + 1
        w.y[1 * stride + j] = total
        w.y[2 * stride + j] = w.y[1 * stride + j] * w.x[2]
    w.y[0] = w.y[0] + outside
    return 0


EVERY_WORD = Intrinsic(
    name="columns_for_tests",
    workspace=EveryWord,
    function=_every_word,
    operations=lambda m, stride: 30 * m + 2 * stride,
)


def every_word(m: int, stride: int) -> Program:
    """Return a program with two calls that differ in their tables only."""
    graph = Graph()
    x = graph.input("x", (3 * stride,))
    one = EVERY_WORD((m, stride, 2, 0, 1), x)
    return Program.of(graph, "columns", {"one": one, "other": EVERY_WORD((m, stride, 1, 1, 0), tuple(reversed(one)))})


def agree(program: Program, rows: int, seed: int) -> None:
    """Compare single states and lanes of all widths with the interpreter."""
    arrays = random_inputs(program, rows, seed=seed)
    expected = reference(program, arrays, rows)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, rows), expected)
    for lanes in (2, 4, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, rows), expected)


@pytest.mark.parametrize(("m", "stride"), [(0, 1), (1, 1), (7, 9), (8, 8), (9, 16), (63, 64), (64, 72), (127, 130)])
def test_any_number_of_columns_gives_the_bits_of_one_after_the_other(m: int, stride: int) -> None:
    agree(every_word(m, stride), 9, m)


@examples(0.2)
@given(st.integers(1, 9), st.integers(1, 90), st.integers(0, 10**6))
def test_sparse_factors_on_machine_code(size: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, _ = tree_factor(rng, size)
    graph = Graph()
    x, y = graph.input("x", (sum(map(len, rows)) + size,)), graph.input("y", (size,))
    values = iter(x)
    lower = [tuple((j, next(values)) for j, _ in row) for row in rows]
    right = [tuple(v if rng.random() < 0.5 else 0 for v in y) for _ in range(count)]
    found = solve_factored(lower, tuple(values), right)
    agree(Program.of(graph, "factored", {"z": tuple(found), "first": found[0]}), 5, seed)


@pytest.mark.parametrize("most", [0, inlining.MAX_INLINED_MULTIPLY_ADDS])
def test_batches_give_the_bits_of_zeros_too(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a batch leaves out when it writes a call out must not show, not even in the sign of a zero."""
    monkeypatch.setattr(inlining, "MAX_INLINED_MULTIPLY_ADDS", most)
    monkeypatch.setenv("RBD_CACHE", "0")
    rows = ((), ((0, 0),), ((0, 1), (1, 2)), ((0, 3),), ((0, 4), (3, 5)))
    graph = Graph()
    x = graph.input("x", (11 + 5,))
    lower = [tuple((j, x[k]) for j, k in row) for row in rows]
    right = [tuple(x[11 + i] if (i + j) % 3 else 0 for i in range(5)) for j in range(9)]
    units = [tuple(-1 if i == j else 0 for i in range(5)) for j in range(5)]
    program = Program.of(graph, "zeros", {"y": tuple(solve_factored(lower, x[6:11], [*right, *units]))})
    assert (inlining.inline_calls(program) is program) == (most == 0)
    choices = [0.0, -0.0, 1.0, -1.0, 1e-200, -1e-200, 5e-324, 1e100]
    values = np.random.default_rng(0).choice(choices, (400, 16))
    expected = reference(program, [values], 400)
    for lanes in (1, 2, 4, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), [values], 400), expected)


def test_a_call_that_is_written_out_costs_what_its_structure_asks_for() -> None:
    graph = Graph()
    x = graph.input("x", (3,))
    rows = ((), ((0, x[0]),), ((0, x[1]),))
    found = solve_factored(rows, (2.0, 3.0, x[2]), [(0, x[0], 0)])
    program = Program.of(graph, "sparse", {"y": tuple(found), "z": found[0][1]})
    assert next(instruction[0] for instruction in program.code) == Op.CALL
    written = inlining.inline_calls(program)
    assert not written.calls
    # One product inwards; one of the diagonal and one outwards for each of two rows: the third needs no diagonal.
    assert [Op(instruction[0]) for instruction in written.code].count(Op.FMA) == 2
    assert [Op(instruction[0]) for instruction in written.code].count(Op.FNMA) == 3
    assert written.interpret(x=[0.5, 2.0, 4.0])["y"].tolist() == program.interpret(x=[0.5, 2.0, 4.0])["y"].tolist()


def test_a_call_that_may_fail_is_kept_whatever_becomes_of_its_outputs() -> None:
    graph = Graph()
    x = graph.input("x", (1,))
    (factor,) = FACTOR_POSITIVE_DEFINITE((1,), (x[0],), ["the pivot"])
    (solution,) = solve_factored(((),), (factor,), [(0,)])
    program = Program.of(graph, "failing", {"y": solution})
    values = [np.array([[1.0], [-1.0]])]
    for lanes in (1, 8):
        assert native_rows(CompiledProgram(program, lanes), values, 2)[1] == (1, FIRST_CHECK)


def key_without_name(intrinsic: Intrinsic) -> str:
    """Return the key of a call without the name, which alone tells intrinsics apart."""
    return IntrinsicCall(intrinsic, (3,), 0, 0).key.replace(repr(intrinsic.name), "")


def test_numbers_of_modules_and_lengths_are_part_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code on disk is found by them: another number is another function."""
    keys = set[str]()
    for gain in (2.0, 5.0):
        monkeypatch.setattr(f"{__name__}.GAIN", gain)
        monkeypatch.setattr(parser, "PARSED", {})
        for workspace in (Scaled, TwiceAsLong):
            keys.add(key_without_name(Intrinsic(f"{workspace.__name__}_for_tests", workspace, _scaled, lambda n: n)))
    assert len(keys) == 4


def test_the_order_of_arrays_is_part_of_a_call() -> None:
    keys = {
        key_without_name(Intrinsic(f"{each.__name__}_for_tests", each, _doubled, lambda n: n)) for each in (Two, Turned)
    }
    assert len(keys) == 2


def test_what_decides_the_code_of_batches_is_part_of_a_call() -> None:
    """Whether it is written out, and whether lanes go through it together, is not seen from its function."""
    copied = Intrinsic("copied_for_tests", Scaled, _copied, lambda n: n)
    changed: list[dict[str, Any]] = [{"inlined": True}, {"guarded": True}, {"operations": _twice}, {"labels": "n - 3"}]
    others = [attrs.evolve(copied, **change) for change in changed]
    assert len({IntrinsicCall(each, (3,), 0, 0).key for each in (copied, *others)}) == 5


def test_lanes_go_together_where_no_number_decides() -> None:
    assert SOLVE_FACTORED.has_uniform_control_flow
    assert not SOLVE_POSITIVE_DEFINITE.has_uniform_control_flow
    assert not MINIMUM_NORM_SOLVE.has_uniform_control_flow
    assert branches_on_floats(MINIMUM_NORM_SOLVE.routine)
    assert "<8 x double>" in routine_text("x", SOLVE_FACTORED.routine, 8, 8)


def test_widths_of_panels() -> None:
    assert panel_widths(1, 8) == [64, 32, 16, 8, 1]
    assert panel_widths(1, 2) == [16, 8, 4, 2, 1]
    assert panel_widths(8, 8) == [8, 4, 2, 1]
    assert panel_widths(4, 8) == [16, 8, 4, 2, 1]
    assert panel_widths(1, 1) == [8, 4, 2, 1]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), unique_by=lambda pair: pair[0], max_size=60))
def test_copies_in_blocks_are_the_copies_one_by_one(pairs: list[tuple[int, int]]) -> None:
    long = [*pairs, *((100 + k, 200 + k) for k in range(19))]
    lines = [line for line in SlotCopies("c", long, Lanes(1)).text() if "_blocks_" in line]
    to, source = (list(map(int, re.findall(r"i32 (\d+)", line))) for line in lines)
    copied = {(a + k, b + k) for a, b in zip(to, source, strict=True) for k in range(8)}
    assert {(100 + k, 200 + k) for k in range(19)} <= copied <= set(long)


def test_places_side_by_side_are_copied_whole() -> None:
    graph = Graph()
    y = EVERY_WORD((24, 24, 2, 0, 1), graph.input("x", (72,)))
    agree(Program.of(graph, "places", {"a": y[3:40], "b": y[::-1], "c": y[50:58], "d": (*y[60:], *y[:7])}), 3, 5)


GAIN = 2.0


def _twice(n: int) -> int:
    return 2 * n


class Outcome(Workspace):
    n: int
    y = result("n")


class Scaled(Outcome):
    x = operand("n")


class TwiceAsLong(Scaled):
    x = operand("2 * n")


class Two(Scaled):
    other = operand("n")


class Turned(Outcome):
    other = operand("n")
    x = operand("n")


def _doubled(w: Outcome) -> int:
    for i in range(w.n):
        w.y[i] = 2.0
    return 0


def _scaled(w: Scaled) -> int:
    for i in range(w.n):
        w.y[i] = GAIN * w.x[i]
    return 0


def _copied(w: Scaled) -> int:
    for i in range(w.n):
        w.y[i] = w.x[i]
    return 0


# ---------------------------------------------------------------- refusals


def _twofold(w: Scaled) -> int:
    w.y[0] = w.x[0] * 2.0
    return 0


def _plus_one(w: Scaled) -> int:
    w.y[0] = w.x[0] + 1.0
    return 0


def _half(w: Scaled) -> int:
    w.y[0] = fma(w.x[0], 0.5, w.x[1]) + 0.0
    return 0


def _from_one(w: Scaled) -> int:
    total = 1.0
    w.y[0] = fma(w.x[0], w.x[1], total) + 0.0
    return 0


def _by_a_call(w: Scaled) -> int:
    w.y[0] = _scaled_sum(w.x[0], GAIN) + 0.0
    return 0


def _scaled_sum(x: float, gain: float) -> float:
    return fma(x, gain, x)


def _rounded_twice(w: Scaled) -> int:
    product = w.x[0] * w.x[1]
    w.y[0] = product + 0.0
    return 0


def _signed_addend(w: Scaled) -> int:
    w.y[0] = fma(w.x[0], w.x[1], -w.x[0]) + 0.0
    return 0


def _sign_lost(w: Scaled) -> int:
    x = fma(w.x[0], w.x[1], w.x[1])
    w.y[0] = x
    return 0


def _compared(w: Scaled) -> int:
    if w.x[0] > 0.0:
        w.y[0] = w.x[0]
    return 0


def _rooted(w: Scaled) -> int:
    w.y[0] = sqrt(w.x[0]) + 0.0
    return 0


def _signs(w: Scaled) -> int:
    x = -w.x[0]
    y = -w.x[1]
    w.y[0] = fma(w.x[0], y, w.x[1]) + 0.0
    w.y[1] = fma(x, y, w.x[1]) + 0.0
    return 0


def test_signs_of_both_factors_are_written_out() -> None:
    signs = Intrinsic("signs_for_tests", Scaled, _signs, lambda n: 4, inlined=True)
    graph = Graph()
    program = Program.of(graph, "signs", {"y": signs((2,), graph.input("x", (2,)))})
    written = inlining.inline_calls(program)
    assert not written.calls
    assert written.interpret(x=[0.3, -0.7])["y"].tolist() == program.interpret(x=[0.3, -0.7])["y"].tolist()


NOT_INLINED: dict[Callable[[Scaled], int], str] = {
    _twofold: "'*' outside fma",
    _plus_one: "'+' outside fma",
    _half: "the constant 0.5",
    _from_one: "the constant 1.0",
    _by_a_call: "the constant 2.0",
    _rounded_twice: "'*' outside fma",
    _signed_addend: "a sign that is not before a factor",
    _sign_lost: "a value without + 0.0 in 'w_y'",
    _compared: "a comparison of floats",
    _rooted: "'sqrt'",
}


@pytest.mark.parametrize("function", NOT_INLINED, ids=lambda function: function.__name__)
def test_what_batches_cannot_write_out_is_refused(function: Callable[[Scaled], int]) -> None:
    """They would drop or change a term; singles and batches refuse alike."""
    wrong = Intrinsic(f"inlined{function.__name__}_for_tests", Scaled, function, lambda n: 2 * n, inlined=True)
    program = Program.of(graph := Graph(), "wrong", {"y": wrong((2,), graph.input("x", (2,)))})
    for attempt in (lambda: wrong.routine, lambda: inlining.inline_calls(program)):
        with pytest.raises(ArgumentError, match=re.escape(NOT_INLINED[function])):
            attempt()


def _sum_over_columns(m: int, x: Floats, y: Floats) -> None:
    total = 0.0
    for j in columns(m, m):
        total = total + x[0 * m + j]
    y[0] = total


def _from_the_next(m: int, y: Floats) -> None:
    for j in columns(m, m):
        y[0 * m + j] = y[0 * m + j + 1]


def _elsewhere(m: int, y: Floats) -> None:
    for j in columns(m, m):
        y[0 * m + j] = y[3]


def _deciding(m: int, y: Floats) -> None:
    for j in columns(m, m):
        if y[0 * m + j] > 0.0:
            y[0 * m + j] = 0.0


def _numbered(m: int, y: Floats) -> None:
    for j in columns(m, m):
        y[0 * m + j] = float(j)


def _counted(m: int, y: Floats) -> None:
    for j in columns(m, m):
        for i in range(j):
            y[i * m + j] = 0.0


def _listed(m: int, k: Ints, y: Floats) -> None:
    for j in columns(m, m):
        row = k[0 * m + j]
        y[row * m + j] = 0.0


def _moving_stride(m: int, y: Floats) -> None:
    for j in columns(m, m):
        m = 2
        y[0 * m + j] = 0.0


def _left_early(m: int, y: Floats) -> None:
    for j in columns(m, m):
        y[0 * m + j] = 0.0
        break


def _returning(m: int, y: Floats) -> int:
    for _ in columns(m, m):
        return 1
    return 0


def _first(y: Floats) -> float:
    return y[0]


def _calling(m: int, y: Floats) -> None:
    for j in columns(m, m):
        y[0 * m + j] = _first(y)


def _integers(m: int, k: Ints) -> None:
    for j in columns(m, m):
        k[0 * m + j] = 1


def _nested(m: int, y: Floats) -> None:
    for j in columns(m, m):
        for k in columns(m, m):
            y[j * m + k] = 0.0


def _computed_stride(m: int, y: Floats) -> None:
    for j in columns(m, m + 1):
        y[0 * (m + 1) + j] = 0.0


def _no_stride(m: int, y: Floats) -> None:
    for j in columns(m):  # type: ignore[call-arg]  # planted
        y[0 * m + j] = 0.0


def _column(m: int, a: Floats, b: Floats) -> None:
    for j in columns(m, m):
        a[0 * m + j] = a[0 * m + j] + b[0]


def _two_names(m: int, y: Floats) -> None:
    _column(m, y, y)


PLANTED: dict[Callable[..., Any], str] = {
    _sum_over_columns: "'total' is carried between iterations",
    _from_the_next: "'y' is not reached as y[i * stride + j]",
    _elsewhere: "'y' is not reached as",
    _deciding: "a condition depends on the column",
    _numbered: "a value is the index of the column",
    _counted: "a range depends on the column",
    _listed: "'row' depends on the column",
    _moving_stride: "'m' is carried between iterations",
    _left_early: "the body has a break",
    _returning: "the body has a return",
    _calling: "the body has a call",
    _integers: "'k' holds ints",
    _nested: "the body has a nested loop over columns",
    _computed_stride: "the stride of columns is a variable or a number",
    _no_stride: "columns(count, stride)",
    _two_names: "_column has two arguments for one array",
}


@pytest.mark.parametrize("function", PLANTED, ids=lambda function: function.__name__)
def test_loops_that_mix_columns_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(ScalarError, match=re.escape(PLANTED[function])):
        parse(function)
