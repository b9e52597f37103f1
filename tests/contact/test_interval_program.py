"""Quadratic programs with bounds on both sides and dry friction: conditions of the minimum, bits, derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.native.compiled_program import CompiledProgram
from rbd.program.differentiate import derivative
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import Matrix, Scalar, Vector, to_float
from rbd.scalars.arrays import Array
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import Intervals
from rbd.solvers.projections.projected_program import ProgramSolution, solve_projected_program
from rbd.solvers.quadratic.interval_program import solve_interval_program
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program
from tests.contact.test_projected_program import nested
from tests.contact.test_quadratic_program import Problem, problem
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference


def intervals(seed: int, n: int, k: int) -> Intervals:
    """Return interval rows: some without friction, some that contain only positive speeds."""
    rng = np.random.default_rng(seed)
    lower = -rng.exponential(size=k) * rng.choice([0.1, 1, 1e9], k) + rng.choice([0, 0, 0.3], k)
    upper = np.maximum(lower, -1) + rng.exponential(size=k)
    friction = rng.exponential(size=k) * rng.choice([0, 1, 3], k)
    rows = np.eye(n)[:k] if seed % 2 else rng.normal(size=(k, n))
    limits = lower, upper, friction, rng.normal(size=k)
    return Intervals(nested(rows), *(tuple(each.tolist()) for each in limits))


def floats(values: object) -> Array:
    return np.array(values, dtype=np.float64)


def solve(data: Problem, given: Intervals) -> ProgramSolution:
    hessian, linear, rows, bounds = data
    factor = Factor.of(nested(hessian), ["pivot"] * len(linear))
    return solve_projected_program(nested(hessian), factor, linear.tolist(), nested(rows), bounds.tolist(), given)


def assert_minimum(data: Problem, given: Intervals, x: Array, multipliers: Array, tolerance: float) -> None:
    hessian, linear, rows, bounds = data
    m, every = len(bounds), np.vstack([rows.reshape(-1, len(linear)), floats(given.rows)])
    np.testing.assert_allclose(hessian @ x - linear, every.T @ multipliers, rtol=0, atol=tolerance)
    slack = rows @ x - bounds
    assert (slack > -tolerance).all()
    assert (multipliers[:m] >= 0).all()
    assert np.abs(slack * multipliers[:m]).max(initial=0) < tolerance
    for row, low, high, friction, _, force in zip(*map(floats, given), multipliers[m:], strict=True):
        u = row @ x
        assert low - tolerance < u < high + tolerance
        unbounded = min(max(force - u, -friction), friction)
        proximal = max(force - u + low, min(force - u + high, unbounded))
        assert abs(proximal - force) < tolerance  # friction against the motion, as large as it can be


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 6), st.integers(1, 6))
def test_solutions_are_minima(seed: int, n: int, m: int, k: int) -> None:
    data, given = problem(seed, n, 0), intervals(seed, n, min(k, n))
    rows = np.random.default_rng(seed).normal(size=(m, n))
    inside = np.zeros(n)  # where all rows and intervals hold
    inside[:] = np.linalg.lstsq(np.array(given.rows), (np.array(given.lower) + np.array(given.upper)) / 2)[0]
    data = data[0], data[1], rows, rows @ inside - np.random.default_rng(seed).exponential(size=m)
    found = solve(data, given)
    size = 1 + np.abs(inside).max()
    assert_minimum(data, given, floats(found.x), floats(found.multipliers), 1e-9 * size**2)


def by_active_set(H: Matrix, g: Sequence[Scalar], A: Matrix, b: Sequence[Scalar]) -> tuple[Vector, Vector, Vector]:
    x, multipliers, active, _ = solve_quadratic_program(H, g, A, b)
    return x, multipliers, active


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_the_active_set_method_finds_the_same_minimum(seed: int, n: int, k: int) -> None:
    data, given = problem(seed, n, 0), intervals(seed | 1, n, min(k, n))
    hessian, linear, rows, bounds = data
    factor = Factor.of(nested(hessian), ["pivot"] * n)

    program = nested(hessian), factor, linear.tolist(), nested(rows), bounds.tolist(), given
    exact = solve_interval_program(by_active_set, *program)
    assert_minimum(data, given, floats(exact.x), floats(exact.multipliers), 1e-8 * (1 + np.abs(floats(exact.x)).max()))
    found = solve(data, given)
    assert found.by_active_set == 0
    np.testing.assert_allclose(floats(found.x), floats(exact.x), rtol=1e-8, atol=1e-8)


def test_friction_holds_until_the_force_exceeds_it() -> None:
    unit: Matrix = ((2.0,),)
    rubbing = Intervals(((1.0,),), (-9.0,), (0.5,), (1.5,), (0.0,))
    for force, speed, resistance in ((1.4, 0, -1.4), (-1.4, 0, 1.4), (2.0, 0.25, -1.5), (4.0, 0.5, -3.0)):
        found = solve((np.array(unit), np.array([force]), np.zeros((0, 1)), np.zeros(0)), rubbing)
        assert to_float(found.x[0]) == pytest.approx(speed, abs=1e-12)
        assert to_float(found.multipliers[0]) == pytest.approx(resistance, abs=1e-12)
        assert found.active[0] == (0 if force == 2.0 else 1)


def recorded(n: int, k: int) -> Program:
    """Return the program of a problem with one row, of which nearly all numbers are inputs."""
    graph = Graph()
    rows, bounds, linear = graph.input("rows", (1, n)), graph.input("bounds", (1,)), graph.input("linear", (n,))
    across = graph.input("across", (k, n))
    lower, upper, friction = (graph.input(name, (k,)) for name in ("lower", "upper", "friction"))
    hessian: Matrix = tuple(tuple(2.0 if i == j else 0.5 for j in range(n)) for i in range(n))
    factor, limits = Factor.of(hessian, ["pivot"] * n), Intervals(across, lower, upper, friction, (0,) * k)
    found = solve_projected_program(hessian, factor, linear, rows, bounds, limits)
    outputs: dict[str, tuple[Scalar, ...] | Scalar] = {"x": found.x, "multipliers": found.multipliers}
    return Program.of(graph, "program", outputs)


def inputs(n: int, k: int, count: int) -> list[Array]:
    rng = np.random.default_rng(3)
    linear, lower = rng.normal(size=(count, n)) * 4, -rng.exponential(size=(count, k))
    return [
        rng.normal(size=(count, 1, n)), -rng.exponential(size=(count, 1)), linear, rng.normal(size=(count, k, n)),
        lower, lower + 2 * rng.exponential(size=(count, k)) + 0.1, rng.exponential(size=(count, k)),
    ]  # fmt: skip


@pytest.mark.optimised
def test_one_lane_many_lanes_and_the_interpreter_give_the_same_bits() -> None:
    n, k, count = 4, 3, 21
    program, arrays = recorded(n, k), inputs(n, k, count)
    expected = reference(program, arrays, count)
    assert expected[1] == (-1, 0)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count, threads=2), expected)


Point = dict[str, Array]


@cache
def points_and_differences(wrt: str) -> tuple[Program, list[tuple[Point, Point]]]:
    """Return a program, points, and differences of both outputs there, a column per entry of an input."""
    n, k, h, found = 4, 3, 1e-6, list[tuple[Point, Point]]()
    program = recorded(n, k)
    names = ("rows", "bounds", "linear", "across", "lower", "upper", "friction")
    for case in range(6):
        point = {name: array[case] for name, array in zip(names, inputs(n, k, 6), strict=True)}
        columns: dict[str, list[Array]] = {"x": [], "multipliers": []}
        for place in np.ndindex(point[wrt].shape):
            step = np.zeros_like(point[wrt])
            step[place] = h
            ahead, back = (program.interpret(**(point | {wrt: point[wrt] + sign * step})) for sign in (1, -1))
            for of, column in columns.items():
                column.append((np.asarray(ahead[of]) - np.asarray(back[of])) / (2 * h))
        found.append((point, {of: np.transpose(column) for of, column in columns.items()}))
    return program, found


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("wrt", ["linear", "across", "lower", "upper", "friction", "bounds"])
def test_derivatives_agree_with_finite_differences(mode: Literal["forward", "reverse"], wrt: str) -> None:
    (program, points), seen = points_and_differences(wrt), set[str]()
    slopes = {of: derivative(program, of, wrt, mode=mode) for of in ("x", "multipliers")}
    for point, differences in points:
        forces = np.asarray(program.interpret(**point)["multipliers"])[1:]
        seen |= {_piece(x, f) for x, f in zip(forces, point["friction"], strict=True)}
        for of, slope in slopes.items():
            (matrix,) = slope.interpret(**point).values()
            given = np.asarray(matrix).reshape(differences[of].shape)
            np.testing.assert_allclose(given, differences[of], rtol=0, atol=1e-6)
    assert seen == {"slides", "rests", "at a bound"}


def _piece(force: float, friction: float) -> str:
    return "slides" if abs(force) == friction else "rests" if abs(force) < friction else "at a bound"
