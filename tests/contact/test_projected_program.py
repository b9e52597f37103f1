"""Quadratic programs as projections: KKT conditions, the active-set method's solutions, sparsity, bits, derivatives."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.errors import SolverError
from rbd.native.compiled_program import CompiledProgram
from rbd.program.differentiate import derivative
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import Matrix, Scalar, const, to_float
from rbd.scalars.arrays import Array, pack
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.projections import projected_program
from rbd.solvers.projections.polyhedral_projection import project_on_polyhedron
from rbd.solvers.projections.projected_program import ProgramSolution, solve_projected_program
from rbd.solvers.quadratic.quadratic_program import INFEASIBLE, solve_quadratic_program
from tests.contact.test_quadratic_program import Problem, assert_minimum, problem
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference


def nested(array: Array) -> Matrix:
    return tuple(tuple(row) for row in array.tolist())


def solve(data: Problem) -> ProgramSolution:
    hessian, linear, rows, bounds = data
    factor = Factor.of(nested(hessian), ["pivot"] * len(linear))
    return solve_projected_program(nested(hessian), factor, linear.tolist(), nested(rows), bounds.tolist())


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(0, 12), st.booleans())
def test_solutions_are_those_of_the_active_set_method(seed: int, n: int, m: int, copied: bool) -> None:
    data = problem(seed, n, m)
    if copied and m > 2:  # rows that say the same, and one that says nothing
        data[2][1], data[3][1] = data[2][0], data[3][0]
        data[2][2], data[3][2] = 0, -1
    found = solve(data)
    assert_minimum(data, pack(found.x), pack(found.multipliers), 1e-9)
    hessian, linear, rows, bounds = data
    exact = solve_quadratic_program(nested(hessian), linear.tolist(), nested(rows), bounds.tolist())[0]
    np.testing.assert_allclose(pack(found.x), pack(exact), rtol=1e-8, atol=1e-8 * np.abs(pack(exact)).max(initial=1))
    assert [flag == 1 for flag in found.active] == [weight > 0 for weight in found.multipliers]


def box_on_its_face(pull: float) -> Problem:
    """Return the step of a box of mass one on a face: four cones of four edges each, in six coordinates."""
    rows, bounds, mu = list[Array](), list[float](), 0.5
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            point = np.array([x, y, -0.5])
            for edge in ((mu, 0, 1), (-mu, 0, 1), (0, mu, 1), (0, -mu, 1)):
                rows.append(np.concatenate([np.cross(point, edge), edge]))
                bounds.append(0.0)
    free = np.array([0, 0, 0, pull, 0, -1.0])
    return np.eye(6), free, np.array(rows), np.array(bounds)


@pytest.mark.parametrize("pull", [0.0, 0.3, 0.7])
def test_sixteen_rows_of_rank_six(pull: float) -> None:
    data = box_on_its_face(pull)
    found = solve(data)
    assert_minimum(data, pack(found.x), pack(found.multipliers), 1e-11)
    assert found.by_active_set == 0
    if pull < 0.5:
        np.testing.assert_allclose(pack(found.x), 0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 3e-6, 1e-8])
def test_nearly_parallel_rows(angle: float) -> None:
    """Multipliers along the difference of such rows converge slowly unless the penalty grows."""
    rows = ((1.0, 0.0), (float(np.cos(angle)), float(np.sin(angle))))
    point = np.array([0.2, 0.8]) @ np.array(rows)
    sides = (np.array(rows) @ point).tolist()
    z, _, _, residual, steps = project_on_polyhedron(rows, sides)
    assert to_float(residual) <= 1e-12
    assert to_float(steps) <= 6
    np.testing.assert_allclose(pack(z), point, rtol=0, atol=2e-12 / angle)  # as well as the residual determines it


def test_contradicting_rows_raise_the_error_of_the_active_set_method() -> None:
    with pytest.raises(SolverError, match=INFEASIBLE):
        solve((np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([1.0, 1.0])))
    with pytest.raises(SolverError, match=INFEASIBLE):
        solve((np.eye(1), np.zeros(1), np.array([[1.0], [0.0]]), np.array([-1.0, 1.0])))


def test_what_the_projection_does_not_find_the_active_set_method_does(monkeypatch: pytest.MonkeyPatch) -> None:
    data = problem(3, 4, 7)
    monkeypatch.setattr(projected_program, "ACCURACY", const(-1, 1))
    found = solve(data)
    assert found.by_active_set == 1
    hessian, linear, rows, bounds = data
    exact = solve_quadratic_program(nested(hessian), linear.tolist(), nested(rows), bounds.tolist())
    assert (found.x, found.multipliers, found.active) == exact[:3]


def test_rows_along_one_branch_cause_no_fill_in() -> None:
    """The trunk is the first two columns; two legs have two columns each, and one row each."""
    rows = ((1.0, 2.0, 3.0, 4.0, 0, 0), (1.0, 2.0, 0, 0, 3.0, 4.0))
    graph = Graph()
    sides = graph.input("sides", (2,))
    lengths = [sum(float(x) ** 2 for x in row) ** 0.5 for row in rows]
    unit = tuple(tuple(x and x / length for x in row) for row, length in zip(rows, lengths, strict=True))
    program = Program.of(graph, "projection", {"z": project_on_polyhedron(unit, sides)[0]})
    n, fill, m, _, entries, *_ = program.calls[0].sizes
    assert (n, m, entries) == (6, 2, 8)
    assert fill == 1 + 2 * (2 + 3)  # of fifteen entries below the diagonal


def recorded(n: int, m: int) -> Program:
    """Return the program of a problem with the rows and the bounds as inputs."""
    graph = Graph()
    rows, bounds = graph.input("rows", (m, n)), graph.input("bounds", (m,))
    linear = graph.input("linear", (n,))
    hessian: Matrix = tuple(tuple(2.0 if i == j else 0.5 for j in range(n)) for i in range(n))
    factor = Factor.of(hessian, ["pivot"] * n)
    found = solve_projected_program(hessian, factor, linear, rows, bounds)
    outputs: dict[str, tuple[Scalar, ...] | Scalar] = {"x": found.x, "multipliers": found.multipliers}
    return Program.of(graph, "program", outputs | {"exact": found.by_active_set})


@pytest.mark.optimised
def test_one_lane_many_lanes_and_the_interpreter_give_the_same_bits() -> None:
    """Some rows need many steps, some none, and one contradicts itself."""
    n, m, count = 3, 5, 21
    program = recorded(n, m)
    rng = np.random.default_rng(0)
    inside = rng.normal(size=(count, n))
    rows = rng.normal(size=(count, m, n))
    rows[5, 1] = 0
    bounds = np.einsum("kmn,kn->km", rows, inside) - rng.exponential(size=(count, m)) * (rng.random((count, 1)) < 0.8)
    arrays = [rows, bounds, rng.normal(size=(count, n)) * 3]
    expected = reference(program, arrays, count)
    assert expected[1] == (-1, 0)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count), expected)
    assert_same_bits(native_rows(CompiledProgram(program, 8), arrays, count, threads=2), expected)
    rows[13, 1], bounds[13, :2] = -rows[13, 0], 1
    expected = reference(program, arrays, count)
    assert expected[1][0] == 13
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count), expected)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_agree_with_finite_differences(mode: Literal["forward", "reverse"]) -> None:
    n, m = 3, 4
    program = recorded(n, m)
    data = problem(8, n, m)
    point = {"rows": data[2], "bounds": data[3] + 1, "linear": data[1]}
    assert np.asarray(program.interpret(**point)["multipliers"]).max() > 0
    found = derivative(program, "x", "bounds", mode=mode).interpret(**point)
    steps, h = list[Array](), 1e-6
    for k in range(m):
        ends = list[Array]()
        for sign in (1, -1):
            bounds = point["bounds"].copy()
            bounds[k] += sign * h
            ends.append(program.interpret(**{**point, "bounds": bounds})["x"])
        steps.append((ends[0] - ends[1]) / (2 * h))
    (matrix,) = found.values()
    np.testing.assert_allclose(np.asarray(matrix), np.transpose(steps), rtol=0, atol=1e-7)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_exist_where_the_free_point_is_the_origin(mode: Literal["forward", "reverse"]) -> None:
    """x >= 0.5 holds x, or x >= -0.5 does not: the slopes of x by the linear term are 0 and H^-1."""
    graph = Graph()
    linear, bounds = graph.input("linear", (1,)), graph.input("bounds", (1,))
    hessian = ((2.0,),)
    found = solve_projected_program(hessian, Factor.of(hessian, ["x"]), linear, ((1.0,),), bounds)
    slopes = derivative(Program.of(graph, "program", {"x": found.x}), "x", "linear", mode=mode)
    for bound, expected in ((0.5, 0.0), (-0.5, 0.5)):
        (slope,) = slopes.interpret(linear=[0.0], bounds=[bound]).values()
        assert np.asarray(slope).ravel() == pytest.approx([expected], abs=1e-12)
