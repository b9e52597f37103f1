"""Quadratic programs: KKT conditions, degenerate data, other solvers, fifty digits, machine code."""

from __future__ import annotations

from typing import Any, Literal, cast

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.array_functions.function import RecordedFunction
from rbd.contact import solve_qp
from rbd.errors import ArgumentError, NotFiniteError, ShapeError, SolverError
from rbd.intrinsics.comparable import ComparisonContext
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.scalars.counting import CountingFamily, CountingScalar, OperationCount
from rbd.solvers.quadratic import active_set, active_set_method, quadratic_program
from rbd.solvers.quadratic.active_set import append_active
from rbd.solvers.quadratic.active_set_method import QuadraticProgram
from rbd.solvers.quadratic.quadratic_program import INDEFINITE, INFEASIBLE, solve_quadratic_program

Problem = tuple[Array, Array, Array, Array]


def problem(seed: int, n: int, m: int, *, feasible: bool = True, spread: float = 0.0) -> Problem:
    """Return a random problem; `spread` is the number of decades between the scales of the variables."""
    rng = np.random.default_rng(seed)
    scales = np.diag(np.logspace(0, -spread, n))
    root = rng.normal(size=(n, n))
    hessian = scales @ (root @ root.T + np.eye(n)) @ scales
    rows, inside = rng.normal(size=(m, n)), rng.normal(size=n)
    bounds = rows @ inside - rng.exponential(size=m) if feasible else rng.normal(size=m)
    return (hessian + hessian.T) / 2, rng.normal(size=n), rows, bounds


def assert_minimum(data: Problem, x: Array, multipliers: Array, tolerance: float) -> None:
    hessian, linear, rows, bounds = data
    scale = 1 + np.abs(hessian @ x).max(initial=0) + np.abs(linear).max(initial=0)
    assert np.abs(hessian @ x - linear - rows.T @ multipliers).max(initial=0) <= tolerance * scale
    slack = rows @ x - bounds
    reach = 1 + np.abs(bounds).max(initial=0) + np.abs(x).max(initial=0)
    assert slack.min(initial=0) >= -tolerance * reach
    assert multipliers.min(initial=0) >= 0
    assert np.abs(slack * multipliers).max(initial=0) <= tolerance * scale * reach


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(0, 14), st.booleans())
def test_solutions_satisfy_the_kkt_conditions(seed: int, n: int, m: int, copied: bool) -> None:
    data = problem(seed, n, m)
    if copied and m > 2:  # rows that say the same, and one that says nothing
        data[2][1], data[3][1] = data[2][0], data[3][0]
        data[2][2], data[3][2] = 0, -1
    found = solve_qp(*data)
    assert_minimum(data, found.x, found.multipliers, 1e-11)
    assert (found.active[found.multipliers > 0] == 1).all()
    assert found.kkt_residual < 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_variables_with_scales_twelve_decades_apart(seed: int) -> None:
    """Conditioning of 1e12, against the same active rows solved with fifty digits."""
    n, m = 5, 6
    data = problem(seed, n, m, spread=6.0)
    found = solve_qp(*data)
    held = np.flatnonzero(found.active)
    with mpmath.workdps(50):
        size = n + held.size
        matrix, right = mpmath.zeros(size), mpmath.zeros(size, 1)
        for i in range(n):
            right[i] = mpmath.mpf(data[1][i])
            for j in range(n):
                matrix[i, j] = mpmath.mpf(data[0][i, j])
            for k, row in enumerate(held):
                matrix[i, n + k] = -mpmath.mpf(data[2][row, i])
                matrix[n + k, i] = mpmath.mpf(data[2][row, i])
        for k, row in enumerate(held):
            right[n + k] = mpmath.mpf(data[3][row])
        exact = np.array([float(y) for y in mpmath.lu_solve(matrix, right)])
    assert (exact[n:] >= 0).all()
    assert (data[2] @ exact[:n] >= data[3] - 1e-9 * np.abs(exact[:n]).max()).all()
    condition = np.linalg.cond(data[0])
    assert condition > 1e10
    np.testing.assert_allclose(found.x, exact[:n], rtol=0, atol=1e-10 * np.abs(exact[:n]).max())


def test_quadratic_programs_without_rows() -> None:
    hessian, linear, *_ = problem(1, 4, 0)
    for solver in ("rbd", "daqp"):
        found = solve_qp(hessian, linear, [], [], solver=solver)
        np.testing.assert_allclose(hessian @ found.x, linear, rtol=0, atol=1e-12)
        assert found.multipliers.shape == (0,)


@pytest.mark.parametrize("solver", ["rbd", "daqp"])
def test_quadratic_programs_without_variables(solver: Literal["rbd", "daqp"]) -> None:
    """Rows 0 >= bound: they hold, or contradict each other."""
    for hessian in ([], np.zeros((0, 0))):
        found = solve_qp(hessian, [], np.zeros((2, 0)), [0.0, -1.0], solver=solver)
        assert (found.x.shape, found.multipliers.tolist(), found.active.tolist()) == ((0,), [0.0, 0.0], [0.0, 0.0])
        assert found.kkt_residual == 0.0
        with pytest.raises(SolverError, match="contradict"):
            solve_qp(hessian, [], np.zeros((2, 0)), [0.0, 1.0], solver=solver)


def test_more_active_rows_than_unknowns() -> None:
    angles = np.linspace(0, np.pi / 2, 7)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    found = solve_qp(np.eye(2), [0, 0], rows, rows @ [1.0, 2.0])
    np.testing.assert_allclose(found.x, [1, 2], rtol=0, atol=1e-14)
    assert found.active.sum() == 2


@pytest.mark.parametrize(
    ("rows", "bounds"),
    [([[1.0, 0.0], [-1.0, 0.0]], [1.0, 0.0]), ([[0.0, 0.0]], [1.0]), ([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [1, 1, 1])],
)
def test_contradictory_rows_raise(rows: list[list[float]], bounds: list[float]) -> None:
    if len(rows) == 3:
        rows, bounds = [*rows, [-1.0, -1.0]], [*bounds, -1.5]
    with pytest.raises(SolverError, match="contradict") as caught:
        solve_qp(np.eye(2), [0.0, 0.0], rows, bounds)
    assert str(caught.value).startswith(INFEASIBLE)


@pytest.mark.parametrize("rows", [[], [[1.0, 0.0]]])
def test_indefinite_hessian_raises(rows: list[list[float]]) -> None:
    with pytest.raises(SolverError, match=INDEFINITE):
        solve_qp([[1.0, 0.0], [0.0, -1.0]], [1.0, 1.0], rows, [0.0] * len(rows))


def test_the_solver_refuses_shapes_that_do_not_fit() -> None:
    hessian, linear, rows, bounds = (part.tolist() for part in problem(3, 3, 2))
    for wrong, name, expected in (
        ((hessian[:2], linear, rows, bounds), "hessian", (3, 3)),
        (([row[:2] for row in hessian], linear, rows, bounds), "hessian", (3, 3)),
        ((hessian, linear, rows[:1], bounds), "rows", (2, 3)),
        ((hessian, linear, [row[:2] for row in rows], bounds), "rows", (2, 3)),
    ):
        with pytest.raises(ShapeError) as caught:
            solve_quadratic_program(*wrong)
        assert (caught.value.argument, caught.value.expected) == (name, expected)


def test_programs_without_unknowns_may_be_contradictory() -> None:
    """Rows 0 >= bound, for the solver itself."""
    assert solve_quadratic_program((), (), ((), ()), (0.0, -1.0)) == ((), (0, 0), (0, 0), 0)
    with pytest.raises(SolverError, match=INFEASIBLE):
        solve_quadratic_program((), (), ((), ()), (-1.0, 1e-9))
    graph = Graph()
    bounds = graph.input("bounds", (2,))
    _, multipliers, *_ = solve_quadratic_program((), (), ((), ()), bounds)
    function = RecordedFunction(Program.of(graph, "empty", {"multipliers": multipliers}))
    assert function([0.0, -1.0]).tolist() == [0.0, 0.0]
    with pytest.raises(SolverError, match=INFEASIBLE):
        function([-1.0, 1e-9])


def test_invalid_data_raises_before_the_solver_runs() -> None:
    hessian, linear, rows, bounds = problem(2, 3, 4)
    for solver in ("rbd", "daqp"):
        for position, name in enumerate(("hessian", "linear", "rows", "bounds")):
            for bad in (np.nan, np.inf):
                data = [x.copy() for x in (hessian, linear, rows, bounds)]
                data[position].flat[0] = bad
                with pytest.raises(NotFiniteError, match=name):
                    solve_qp(*data, solver=solver)
    with pytest.raises(ShapeError, match="rows"):
        solve_qp(hessian, linear, rows[:, :2], bounds)
    with pytest.raises(ArgumentError, match="not symmetric"):
        solve_qp(hessian + np.triu(np.ones((3, 3)), 1), linear, rows, bounds)
    with pytest.raises(ArgumentError, match="no solver is called 'magic'; there are rbd, daqp"):
        solve_qp(hessian, linear, rows, bounds, solver="magic")


@pytest.mark.optimised
@pytest.mark.parametrize("seed", range(6))
def test_machine_code_has_the_bits_of_the_interpreted_function(seed: int) -> None:
    n, m = 4, 6
    data = problem(seed, n, m)
    graph = Graph()
    inputs = [graph.input(name, x.shape) for name, x in zip(("h", "g", "a", "b"), data, strict=True)]
    program = Program.of(graph, "qp", dict(zip("xmar", solve_quadratic_program(*inputs), strict=True)))
    wanted = program.interpret(**dict(zip(("h", "g", "a", "b"), data, strict=True)))
    found = solve_qp(*data)
    assert (found.x == wanted["x"]).all()
    assert (found.multipliers == wanted["m"]).all()
    plain = solve_quadratic_program(
        *(tuple(map(tuple, x.tolist())) if x.ndim == 2 else tuple(x.tolist()) for x in data)
    )
    assert plain[0] == tuple(found.x.tolist())


@pytest.mark.parametrize("seed", range(40))
def test_daqp_agrees(seed: int) -> None:
    pytest.importorskip("daqp", reason="the extra `contact` is not installed")
    data = problem(seed, 2 + seed % 6, 1 + seed % 9)
    ours, theirs = solve_qp(*data), solve_qp(*data, solver="daqp")
    np.testing.assert_allclose(ours.x, theirs.x, rtol=0, atol=1e-10 * (1 + np.abs(ours.x).max()))


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(200))
def test_quadprog_agrees(seed: int) -> None:
    quadprog = pytest.importorskip("quadprog")
    data = problem(seed, 1 + seed % 8, 1 + seed % 11, feasible=seed % 4 != 0)
    if seed % 3 == 0 and len(data[3]) > 1:
        data[2][1], data[3][1] = data[2][0], data[3][0]
    hessian, linear, rows, bounds = data
    try:
        wanted = quadprog.solve_qp(hessian, linear, rows.T.copy(), bounds)[0]
    except ValueError:
        with pytest.raises(SolverError, match="contradict"):
            solve_qp(*data)
        return
    np.testing.assert_allclose(solve_qp(*data).x, wanted, rtol=0, atol=1e-10 * (1 + np.abs(wanted).max()))


SIZES = pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 5), (3, 3), (5, 2), (4, 7)])


def counting_program(n: int, m: int, count: OperationCount) -> tuple[Any, ComparisonContext]:
    """Return a program whose numbers count, with as many active rows as there can be, and what makes such numbers."""
    rng = np.random.default_rng(n)
    numbers = ComparisonContext(CountingFamily(), CountingScalar(1.0, count), "a test")
    size = n * n + n + m * n + m
    w: Any = QuadraticProgram((n, m), [cast("float", numbers.wrap(1.0))] * size, cast("float", numbers.wrap(0.0)))
    units = np.linalg.qr(rng.normal(size=(n, n)))[0]
    for j in range(m):
        w.lengths[j], w.unit_rows[j] = numbers.wrap(1.0), [numbers.wrap(x) for x in units[j % n].tolist()]
    for k in range(min(n, m)):
        append_active(w, k, k, active_set.orthogonalise(w, k, w.unit_rows[k]))
        w.u[k] = w.r[k] = numbers.wrap(1.0)
    return w, numbers


@SIZES
def test_the_count_of_a_refinement_is_that_with_all_rows_active(n: int, m: int) -> None:
    count = OperationCount()
    w, numbers = counting_program(n, m, count)
    for i in range(n):
        w.factor[i] = [numbers.wrap(1.0)] * n
    before = count.total
    active_set_method._refine(w, min(n, m))
    assert count.total - before == active_set_method._refinement_operations(n, m)


@SIZES
def test_the_count_of_a_round_is_that_with_all_rows_active(n: int, m: int) -> None:
    count, q = OperationCount(), min(n, m)
    w, numbers = counting_program(n, m, count)
    before = count.total
    active_set_method._most_violated(w, cast("float", numbers.wrap(1.0)))
    length = active_set.orthogonalise(w, q, w.unit_rows[0])
    active_set.solve_upper(w, q, w.r)
    for k in range(q):
        w.r[k] = numbers.wrap(1.0 + k)
    assert active_set_method._blocking(w, q) == q - 1
    active_set_method._is_dependent(w, 0, length)
    active_set_method._partial_step(w, 0)
    w.lengths[0] = active_set_method._full_step(w, 0, cast("float", numbers.wrap(1.0)))
    active_set_method._take_step(w, q, cast("float", numbers.wrap(1.0)), 0)
    active_set.drop_active(w, q, 0)
    in_the_loop = 4  # an iteration is added and compared, the two lengths are compared, the multiplier grows
    assert count.total - before + in_the_loop == active_set_method._iteration_operations(n, m)


@pytest.mark.parametrize("seed", range(8))
def test_iterations_need_no_more_operations_than_are_counted(seed: int) -> None:
    n, m = 2 + seed % 4, 3 + seed % 5
    count = OperationCount()
    hessian, linear, rows, bounds = problem(seed, n, m)
    matrices = [
        tuple(tuple(CountingScalar(x, count) for x in row) for row in each.tolist()) for each in (hessian, rows)
    ]
    vectors = [tuple(CountingScalar(x, count) for x in each.tolist()) for each in (linear, bounds)]
    *_, iterations = solve_quadratic_program(matrices[0], vectors[0], matrices[1], vectors[1])
    spared = 100 + 20 * (n + m) - int(cast("CountingScalar", iterations).value)
    bound = quadratic_program.SOLVE_QUADRATIC_PROGRAM.operation_count((n, m))
    assert count.total <= bound - spared * active_set_method._iteration_operations(n, m)
