"""`select` and `some`: lanes that end at different times go through a loop together, to the interpreter's bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rbd.errors import ScalarError, SolverError
from rbd.export.expressions import sympy_expressions
from rbd.intrinsics import Intrinsic
from rbd.intrinsics.language import divide, select, some, sqrt
from rbd.intrinsics.parser import parse
from rbd.intrinsics.workspace import Workspace, floats, operand, result
from rbd.native.codegen.routine import routine_text
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK
from rbd.scalars import to_float
from rbd.scalars.dual import Dual
from tests.native.programs import assert_same_bits, native_rows, native_singles, random_inputs, reference

pytestmark = pytest.mark.optimised


class Roots(Workspace):
    n: int
    squares = operand("n")
    roots = result("n")
    steps = result("1")
    running = floats("n")


def _open(w: Roots) -> float:
    """Mark the entries that are not settled, and return how many there are."""
    count = 0.0
    for i in range(w.n):
        error = w.roots[i] * w.roots[i] - w.squares[i]
        w.running[i] = select(abs(error) > 1e-12 * w.squares[i], 1.0, 0.0)
        count += w.running[i]
    return count


def _newton(w: Roots) -> int:
    for i in range(w.n):
        w.roots[i] = 1.0
    rounds = 0
    while rounds < 60 and some(_open(w) > 0.0):
        for i in range(w.n):
            better = 0.5 * (w.roots[i] + divide(w.squares[i], w.roots[i]))
            w.roots[i] = select(w.running[i] > 0.0, better, w.roots[i])
        count = _open(w)
        w.steps[0] += select(count > 0.0, 1.0, 0.0)
        rounds += 1
    return 0


ROOTS = Intrinsic(name="roots_for_tests", workspace=Roots, function=_newton, operations=lambda n: 60 * 16 * n)


def roots(n: int) -> Program:
    graph = Graph()
    x = graph.input("x", (n,))
    found = ROOTS((n,), tuple(value * value + 1e-6 for value in x))
    return Program.of(graph, "roots", {"y": found[:n], "steps": found[n]})


@pytest.mark.parametrize("n", [1, 3])
def test_lanes_that_end_at_different_times(n: int) -> None:
    program = roots(n)
    arrays = [np.random.default_rng(n).normal(size=(29, n)) * np.logspace(-2, 3, 29)[:, None]]
    expected = reference(program, arrays, 29)
    steps = expected[0][:, -1]
    assert len(np.unique(steps)) > 3
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, 29), expected)
    for lanes in (2, 4, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, 29), expected)


def test_select_and_some_are_no_branches_but_decide() -> None:
    assert ROOTS.has_uniform_control_flow
    assert ROOTS.depends_on_comparisons
    assert "select <8 x i1>" in routine_text("x", ROOTS.routine.calls[0], 8, 8)
    with pytest.raises(ScalarError, match="results of roots_for_tests depend on comparisons"):
        sympy_expressions(roots(1))


def test_other_scalars_run_them() -> None:
    root, steps = ROOTS((1,), (Dual(4.0, 1.0),))
    assert isinstance(root, Dual)
    assert to_float(root.value) == pytest.approx(2.0)
    assert to_float(root.derivative) == pytest.approx(0.25)
    assert isinstance(steps, Dual)
    assert steps.value == ROOTS((1,), (4.0,))[1]


def _of_ints(n: int, x: float) -> float:
    return select(n > 0, x, 0.0)


def _of_two_conditions(x: float) -> float:
    return select(x > 0.0 and x < 1.0, x, 0.0)


def _of_floats(x: float) -> float:
    return select(x, x, 0.0)  # type: ignore[arg-type]  # what is refused


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_of_ints, "select takes one comparison of floats"),
        (_of_two_conditions, "select takes one comparison of floats"),
        (_of_floats, "select takes truth, float, float"),
    ],
)
def test_other_conditions_are_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(ScalarError, match=message):
        parse(function)


class Guarded(Workspace):
    x = operand("1")
    needed = operand("1")
    y = result("1")


def _root_if_needed(w: Guarded) -> int:
    if w.needed[0] == 0.0:
        return 0
    if w.x[0] < 0.0:
        return 1
    w.y[0] = sqrt(w.x[0])
    return 0


GUARDED = Intrinsic(
    name="guarded_for_tests",
    workspace=Guarded,
    function=_root_if_needed,
    operations=lambda: 3,
    guarded=True,
    labels=1,
    error=lambda label: SolverError(label, status=label),
)


def test_guarded_calls_are_skipped_row_by_row() -> None:
    graph = Graph()
    x = graph.input("x", (2,))
    found = GUARDED((), x, ["negative"])
    program = Program.of(graph, "guarded", {"y": found[0]})
    arrays = random_inputs(program, 19, seed=0)
    arrays[0][:, 0] = np.abs(arrays[0][:, 0])
    arrays[0][::3, 0] *= -1
    arrays[0][:, 1] = np.arange(19) % 3 > 0  # negative numbers only where the call is skipped
    expected = reference(program, arrays, 19)
    assert expected[0].ravel().tolist() == [0.0 if k % 3 == 0 else float(np.sqrt(arrays[0][k, 0])) for k in range(19)]
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, 19), expected)
    for lanes in (1, 2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, 19), expected)
    arrays[0][6, 1] = 1.0
    for lanes in (1, 8):
        assert native_rows(CompiledProgram(program, lanes), arrays, 19)[1] == (6, FIRST_CHECK)


class Selected(Workspace):
    x = operand("1")
    needed = operand("1")
    y = result("1")


def _root_where_needed(w: Selected) -> int:
    if some(w.needed[0] > 0.0):
        w.y[0] = select(w.needed[0] > 0.0, sqrt(abs(w.x[0])), 0.0)
    return 0


SELECTED = Intrinsic(
    name="selected_for_tests", workspace=Selected, function=_root_where_needed, operations=lambda: 3, guarded=True
)


def test_guarded_calls_of_all_lanes_are_skipped_together() -> None:
    graph = Graph()
    program = Program.of(graph, "selected", {"y": SELECTED((), graph.input("x", (2,)))[0]})
    arrays = random_inputs(program, 19, seed=0)
    arrays[0][:, 1] = np.arange(19) % 11 > 8  # no lane of the first vector, two of the second
    expected = reference(program, arrays, 19)
    assert np.count_nonzero(expected[0]) == 2
    for lanes in (1, 2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, 19), expected)
