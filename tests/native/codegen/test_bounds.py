"""Outputs that cannot be anything but finite are found; whatever may overflow or be no number is not among them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import scalars as s
from rbd.bench.contender import Quantity
from rbd.bench.rbd_engine import program as quantity_program
from rbd.native.codegen.bounds import outputs_to_test
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.status import BAD_INPUT, BAD_OUTPUT
from rbd.scalars import Scalar
from tests.native import programs


def program_of(formula: str) -> Program:
    graph = Graph()
    x, y = graph.input("x", (2,))
    value: Scalar = eval(formula, {"s": s, "x": x, "y": y})
    return Program.of(graph, "formula", {"z": value})


BOUNDED = (
    "s.sin(x) * s.cos(y) + 3 * s.sin(y)",
    "s.sin(s.cos(x) * 1e10) - s.cos(x)",
    "s.where(s.less(x, y), s.sin(x), 2.0 + s.cos(y))",
    "s.absolute(-s.sin(x)) * 1e299",
    "x",
    "s.const(1, 3)",
)
UNBOUNDED = (
    "x + y",
    "2 * x",
    "-x",
    "s.sin(x + y)",
    "s.sin(x) / s.cos(y)",
    "s.sqrt(s.sin(x))",
    "s.exp(s.sin(x))",
    "s.where(s.less(x, y), s.sin(x), y)",
    "(s.sin(x) + 2) * 1e299 * (s.cos(y) + 2) * 10",
    "s.positive(x, 'x') * s.sin(y)",
    "s.tan(x)",
)


@pytest.mark.parametrize("formula", BOUNDED)
def test_bounded_outputs_are_finite_for_the_largest_inputs(formula: str) -> None:
    program = program_of(formula)
    assert not outputs_to_test(program)
    large = np.finfo(float).max
    for x in (0.0, 1e300, -large, large, 1.5e6):
        _, status = program.interpret_flat([x, -x / 3])
        assert status == 0


@pytest.mark.parametrize("formula", UNBOUNDED)
def test_what_may_overflow_or_be_no_number_is_tested_at_run_time(formula: str) -> None:
    assert outputs_to_test(program_of(formula)) == [range(1)]


def test_inputs_are_tested_whatever_the_outputs_are() -> None:
    program = program_of(BOUNDED[0])
    kernel, out = CompiledProgram(program), np.full((9,), programs.UNTOUCHED)
    rows = np.ones((9, 2))
    rows[3, 1] = np.nan
    assert kernel.run([rows[3]], [out[3, ...]]) == BAD_INPUT
    assert kernel.run_batch([rows], [out], 9) == (3, BAD_INPUT)
    assert list(np.flatnonzero(out == programs.UNTOUCHED)) == [3]


def chain() -> Program:
    """Return a program with three outputs of which each is made of the one before, and one alone in a port."""
    graph = Graph()
    x, y = graph.input("x", (2,))
    first = x * y
    second = s.sin(y) - first * x
    return Program.of(graph, "chain", {"u": (first, second, s.sin(x)), "v": second * y + first, "w": x / y})


def test_of_sums_and_products_of_outputs_the_last_is_tested() -> None:
    assert outputs_to_test(chain()) == [range(3, 4), range(4, 5)]


@pytest.mark.parametrize(("x", "y"), [(1e200, 1e200), (1e160, 1.0), (1.0, 1e308), (1e-5, 1e-320), (2.0, 3.0)])
def test_outputs_that_are_not_tested_give_the_status_of_those_that_are(x: float, y: float) -> None:
    program, rows = chain(), [np.array([[x, y], [1.0, 1.0]])]
    expected = programs.reference(program, rows, 2)
    assert expected[1][1] == (0 if x == 2 else BAD_OUTPUT)
    for lanes in (1, 8):
        programs.assert_same_bits(programs.native_rows(CompiledProgram(program, lanes=lanes), rows, 2), expected)
    programs.assert_same_bits(programs.native_singles(CompiledProgram(program), rows, 2), expected)


def test_of_the_poses_of_a_floating_robot_those_at_the_ends_are_tested() -> None:
    poses = quantity_program(rbd.robots.humanoid(), Quantity.POSES)
    tested = outputs_to_test(poses)
    assert 0 < sum(map(len, tested)) < poses.output_size // 3


@given(st.integers(0, 2**32 - 1))
def test_without_a_value_that_is_not_finite_among_outputs_to_test_there_is_none(seed: int) -> None:
    program = programs.random_program(seed, 40, plain=True)
    tested = {output for each in outputs_to_test(program) for output in each}
    row = np.random.default_rng(seed).normal(size=program.input_size) * 10.0 ** (seed % 200)
    values = programs.all_results(program, row)
    if np.isfinite(values[sorted(tested)]).all():
        assert np.isfinite(values).all()
