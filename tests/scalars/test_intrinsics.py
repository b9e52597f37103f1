"""Solvers with control flow at run time: NumPy, all scalar families, recording, counts, pickling."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import attrs
import mpmath as untyped_mpmath
import numpy as np
import pytest
import sympy as untyped_sympy
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ArgumentError, RecordingError, ScalarError, ShapeError, SingularError
from rbd.intrinsics import INTRINSICS, Intrinsic
from rbd.intrinsics.workspace import Workspace, operand, result, table
from rbd.program.graph import Graph
from rbd.program.opcodes import Op
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK
from rbd.scalars import Matrix, const
from rbd.scalars.arrays import Array
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.solvers import (
    DETERMINANT,
    MINIMUM_NORM_SOLVE,
    SOLVE_POSITIVE_DEFINITE,
    SOLVE_SQUARE,
    determinant,
    minimum_norm_solve,
    solve_positive_definite,
    solve_square,
)
from rbd.solvers.equations.minimum_norm import PSEUDO_INVERSE_PRODUCTS
from tests.scalars.dual import Dual

# Both libraries are typed in part only.
mpmath: Any = untyped_mpmath
sympy: Any = untyped_sympy


def rows(array: Array) -> Matrix:
    return tuple(map(tuple, array.tolist()))


def low_rank(rng: np.random.Generator, m: int, n: int, rank: int) -> Array:
    """Return a matrix of this rank whose singular values lie between 1 and 10."""
    u = np.linalg.qr(rng.normal(size=(m, m)))[0][:, :rank]
    v = np.linalg.qr(rng.normal(size=(n, n)))[0][:, :rank]
    return np.asarray(u * rng.uniform(1, 10, rank) @ v.T)


# ---------------------------------------------------------------- positive definite


@given(st.integers(1, 8), st.integers(1, 4), st.integers(0, 10**6))
def test_positive_definite_against_numpy(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    matrix, right = root @ root.T + np.eye(n), rng.normal(size=(n, m))
    got = solve_positive_definite(rows(matrix), rows(right), ["row"] * n)
    np.testing.assert_allclose(np.array(got), np.linalg.solve(matrix, right), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_nonpositive_pivots_are_named(bad: float) -> None:
    for k in range(3):
        matrix = np.eye(3)
        matrix[k, k] = bad
        with pytest.raises(SingularError, match=f"row {k} must be positive") as caught:
            solve_positive_definite(rows(matrix), rows(np.ones((3, 1))), [f"row {i}" for i in range(3)])
        assert caught.value.what == f"row {k}"


def test_wrong_sizes_raise() -> None:
    square = ((1.0, 0.0), (0.0, 1.0))
    with pytest.raises(ShapeError):
        solve_positive_definite(square, ((1.0,),), ["a", "b"])
    with pytest.raises(ShapeError):
        solve_positive_definite(square, ((1.0,), (1.0,)), ["a"])
    with pytest.raises(ShapeError):
        minimum_norm_solve(square, (1.0,))
    with pytest.raises(ShapeError):
        minimum_norm_solve(((1.0, 2.0), (3.0,)), (1.0, 2.0))
    with pytest.raises(ShapeError):
        minimum_norm_solve(square, (1.0, 2.0), columns=3)
    with pytest.raises(ArgumentError, match="operands"):
        SOLVE_POSITIVE_DEFINITE((2, 1), (1.0, 2.0), ["a", "b"])


# ---------------------------------------------------------------- minimum norm


@given(st.integers(1, 7), st.integers(1, 7), st.data())
def test_minimum_norm_against_the_pseudo_inverse(m: int, n: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    rank = data.draw(st.integers(0, min(m, n)))
    scale = 10.0 ** data.draw(st.integers(-200, 200))
    matrix, right = scale * low_rank(rng, m, n, rank), rng.normal(size=m)
    solution, found = minimum_norm_solve(rows(matrix), tuple(right.tolist()))
    assert found == rank
    np.testing.assert_allclose(
        scale * np.array(solution), scale * np.linalg.pinv(matrix, rcond=1e-9) @ right, rtol=1e-9, atol=1e-12
    )


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_minimum_norm_of_structured_matrices(m: int, n: int, data: st.DataObject) -> None:
    entries = st.lists(st.sampled_from([0.0, 0.0, 1.0, -1.0, 2.0]), min_size=m * n, max_size=m * n)
    matrix = np.array(data.draw(entries)).reshape(m, n)
    right = np.arange(1.0, m + 1)
    solution, found = minimum_norm_solve(rows(matrix), tuple(right.tolist()))
    assert found == np.linalg.matrix_rank(matrix)
    expected, *_ = np.linalg.lstsq(matrix, right, rcond=1e-10)
    np.testing.assert_allclose(np.array(solution, dtype=float), expected, rtol=1e-9, atol=1e-9)


def test_empty_systems() -> None:
    assert minimum_norm_solve((), (), columns=3) == ((0, 0, 0), 0)
    assert minimum_norm_solve(((), ()), (1.0, 2.0)) == ((), 0)
    assert minimum_norm_solve(((0.0, 0.0),), (1.0,)) == ((0.0, 0.0), 0.0)
    assert minimum_norm_solve(((1e-301, 0.0),), (1.0,)) == ((0.0, 0.0), 0.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_propagate(bad: float) -> None:
    for matrix, right in ((((bad, 1.0),), (1.0,)), (((0.0, 1.0),), (bad,)), (((0.0, 0.0),), (bad,))):
        solution, _ = minimum_norm_solve(matrix, right)
        assert all(map(math.isnan, solution))  # type: ignore[arg-type]  # floats in, floats out


def test_the_tolerance_decides_the_rank() -> None:
    matrix = ((1.0, 0.0), (0.0, 1e-6))
    assert minimum_norm_solve(matrix, (1.0, 1.0))[1] == 2.0
    assert minimum_norm_solve(matrix, (1.0, 1.0), 1e-5) == ((1.0, 0.0), 1.0)
    assert minimum_norm_solve(matrix, (1.0, 1.0), const(1, 10**5))[1] == 1.0


# ---------------------------------------------------------------- families


def test_exact_numbers() -> None:
    third = Fraction(1, 3)
    got = solve_positive_definite(((2, third), (third, 1.5)), ((1,), (third,)), ["a", "b"])
    x = [row[0] for row in got]
    assert [2 * x[0] + third * x[1], third * x[0] + Fraction(3, 2) * x[1]] == [1, third]
    with pytest.raises(SingularError, match="b must"):
        solve_positive_definite(((third, third), (third, Fraction(0))), ((1,), (1,)), ["a", "b"])


def test_complex_steps_and_duals_differentiate() -> None:
    def solve(x: Any) -> Any:
        return minimum_norm_solve(((x, 1.0, 0.5), (2.0, x * x, 0.25)), (1.0, x))[0][0]

    step = 1e-6
    slope = (solve(1.5 + step) - solve(1.5 - step)) / (2 * step)
    assert solve(1.5 + 1e-30j).imag / 1e-30 == pytest.approx(slope, rel=1e-8)
    assert solve(Dual(1.5, 1.0)).derivative == pytest.approx(slope, rel=1e-8)


def test_minimum_norm_with_mpmath_precision() -> None:
    with mpmath.workdps(50):
        matrix = ((mpmath.mpf(1), 2, 3), (4, mpmath.mpf(5), 6))
        solution, rank = minimum_norm_solve(matrix, (mpmath.mpf(1) / 3, 1))
        for row, right in zip(matrix, (mpmath.mpf(1) / 3, 1), strict=True):
            assert abs(sum(a * x for a, x in zip(row, solution, strict=True)) - right) < 1e-48
        assert rank == 2


@pytest.mark.parametrize("bad", [sympy.Symbol("x"), mpmath.iv.mpf([-1, 3])])
def test_families_without_decided_comparisons_raise(bad: Any) -> None:
    kind = type(bad).__name__
    with pytest.raises(ScalarError, match=f"minimum_norm_solve.*{kind}"):
        minimum_norm_solve(((bad, 1.0), (1.0, 2.0)), (1.0, 1.0))
    with pytest.raises(ScalarError, match=f"solve_positive_definite.*{kind}"):
        solve_positive_definite(((bad, 1.0), (1.0, 2.0)), ((1.0,), (1.0,)), ["a", "b"])


def test_decided_intervals_enclose() -> None:
    matrix = ((mpmath.iv.mpf([3.9, 4.1]), 2), (2, mpmath.iv.mpf([2.9, 3.1])))
    got = solve_positive_definite(matrix, ((2.0,), (4.0,)), ["a", "b"])
    for a, b in ((3.9, 2.9), (4.1, 3.1), (4.0, 3.0)):
        for x, y in zip(got, np.linalg.solve([[a, 2.0], [2.0, b]], [2.0, 4.0]), strict=True):
            assert y in x[0]  # type: ignore[operator]  # an interval


# ---------------------------------------------------------------- counting


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 2), (6, 6)])
def test_the_count_of_positive_definite_solves_is_exact(n: int, m: int) -> None:
    count = OperationCount()
    matrix = tuple(tuple(CountingScalar(4.0 if i == j else 0.5, count) for j in range(n)) for i in range(n))
    right = tuple((CountingScalar(1.0, count),) * m for _ in range(n))
    solve_positive_definite(matrix, right, ["row"] * n)
    assert count.total == SOLVE_POSITIVE_DEFINITE.operation_count((n, m))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 2), (6, 6)])
def test_the_counts_of_square_systems_and_determinants_are_those_of_the_worst_case(n: int, m: int) -> None:
    totals: tuple[list[int], list[int]] = ([], [])
    matrices = [np.random.default_rng(seed).normal(size=(n, n)) for seed in range(20)]
    for matrix in (*matrices, np.roll(np.eye(n), 1, axis=0) + 1e-3 * matrices[0]):
        for total, solve in zip(totals, (lambda a: solve_square(a, ((1.0,) * m,) * n), _determinant), strict=True):
            count = OperationCount()
            solve(tuple(tuple(CountingScalar(x, count) for x in row) for row in matrix.tolist()))
            total.append(count.total)
    assert max(totals[0]) == SOLVE_SQUARE.operation_count((n, m))
    assert max(totals[1]) == DETERMINANT.operation_count((n,))


def _determinant(matrix: Any) -> Any:
    return DETERMINANT((len(matrix),), [x for row in matrix for x in row])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_square_systems_and_determinants(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        a, b = rng.normal(size=(n, n)), rng.normal(size=(n, 2))
        np.testing.assert_allclose(solve_square(rows(a), rows(b)), np.linalg.solve(a, b), rtol=1e-8, atol=1e-8)
        assert determinant(rows(a)) == pytest.approx(np.linalg.det(a), rel=1e-10)
    singular = np.outer(np.arange(n) + 1.0, np.arange(n) + 1.0)
    singular[-1] = 0.0
    assert determinant(rows(singular)) == 0.0
    with pytest.raises(SingularError, match="the table is singular"):
        solve_square(rows(singular), rows(b), "the table")
    with pytest.raises(ShapeError, match="matrix"):
        determinant(rows(a[:, 1:]) if n > 1 else ((),))
    with pytest.raises(ShapeError, match="right"):
        solve_square(rows(a), rows(b[1:]) if n > 1 else ())
    exact = tuple(tuple(Fraction(x).limit_denominator(99) for x in row) for row in a.tolist())
    (solution,) = zip(*solve_square(exact, tuple((Fraction(1),) for _ in exact)), strict=True)
    assert [sum(x * y for x, y in zip(row, solution, strict=True)) for row in exact] == [1] * n


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 5), (5, 2), (3, 3), (2, 3)])
def test_the_count_of_minimum_norm_solves_is_that_of_the_worst_case(m: int, n: int) -> None:
    totals = list[int]()
    for seed in range(20):
        for rank in range(min(m, n) + 1):
            count = OperationCount()
            matrix = low_rank(np.random.default_rng(seed), m, n, rank)
            counted = tuple(tuple(CountingScalar(x, count) for x in row) for row in matrix.tolist())
            minimum_norm_solve(counted, tuple(CountingScalar(1.0, count) for _ in range(m)))
            totals.append(count.total)
    assert max(totals) == MINIMUM_NORM_SOLVE.operation_count((m, n))


@pytest.mark.parametrize(("m", "n"), [(3, 3), (2, 5), (5, 2), (3, 4)])
def test_products_with_the_pseudo_inverse_and_its_transpose(m: int, n: int) -> None:
    rng, totals = np.random.default_rng(m), list[int]()
    for rank in (*range(min(m, n) + 1),) * 5:
        matrix, b, y = low_rank(rng, m, n, rank), rng.normal(size=m), rng.normal(size=n)
        operands = [*matrix.ravel().tolist(), *b.tolist(), 1e-10, *y.tolist()]
        found, inverse = PSEUDO_INVERSE_PRODUCTS((m, n), operands), np.linalg.pinv(matrix, rcond=1e-10)
        assert found[n] == rank
        np.testing.assert_allclose(np.array(found[:n]), inverse @ b, rtol=0, atol=1e-12)
        np.testing.assert_allclose(np.array(found[n + 1 :]), y @ inverse, rtol=0, atol=1e-12)
        count = OperationCount()
        PSEUDO_INVERSE_PRODUCTS((m, n), [CountingScalar(x, count) for x in operands])
        totals.append(count.total)
    bound = PSEUDO_INVERSE_PRODUCTS.operation_count((m, n))
    assert bound - 1 <= max(totals) <= bound  # a division by the length 1.0 of a last reflection is of plain floats


# ---------------------------------------------------------------- recording


def recorded() -> Program:
    graph = Graph()
    a, b = graph.input("a", (2, 2)), graph.input("b", (2,))
    x, rank = minimum_norm_solve(a, b)
    y = solve_positive_definite(((a[0][0], 0), (a[1][0], a[1][1])), tuple((e,) for e in b), ["one", "two"])
    return Program.of(graph, "solves", {"x": x, "rank": rank, "y": y[0][0] + 1})


def test_a_recorded_call() -> None:
    program = recorded()
    assert str(program).splitlines()[2:9] == [
        "  t0 = minimum_norm_solve[m=2, n=2](a[0, 0], a[0, 1], a[1, 0], a[1, 1], b[0], b[1], 1e-10)",
        "  t1 = t0[0]",
        "  t2 = t0[1]",
        "  t3 = t0[2]",
        "  t4 = solve_positive_definite[n=2, m=1](a[0, 0], a[1, 0], a[1, 1], b[0], b[1])",
        "  t5 = t4[0]",
        "  t6 = t5 + 1.0",
    ]
    assert program.labels == ("one", "two")
    assert program.count().breakdown == {
        "minimum_norm_solve": MINIMUM_NORM_SOLVE.operation_count((2, 2)),
        "solve_positive_definite": SOLVE_POSITIVE_DEFINITE.operation_count((2, 1)),
        "add": 1,
    }


def test_recorded_equals_direct() -> None:
    program, rng = recorded(), np.random.default_rng(3)
    root = rng.normal(size=(2, 2))
    a, b = root @ root.T + np.eye(2), rng.normal(size=2)
    got = program.interpret(a=a, b=b)
    x, rank = minimum_norm_solve(rows(a), tuple(b.tolist()))
    y = solve_positive_definite(rows(a), tuple((e,) for e in b.tolist()), ["one", "two"])
    assert (got["x"].tolist(), got["rank"], got["y"]) == (list(x), rank, y[0][0] + 1)


def test_a_failed_call_names_its_label() -> None:
    program = recorded()
    with pytest.raises(SingularError, match="two must be positive"):
        program.interpret(a=[[1, 0], [0, 0]], b=[1, 1])
    assert program.interpret_flat([-1.0, 0, 0, 1, 1, 1]) == ([], FIRST_CHECK)


def test_programs_with_calls_pickle_and_have_digests_of_their_own() -> None:
    program = recorded()
    again = pickle.loads(pickle.dumps(program))
    assert again == program
    assert isinstance(again, Program)
    assert again.digest == program.digest
    assert again.calls[0].intrinsic is MINIMUM_NORM_SOLVE
    other = attrs.evolve(program, calls=program.calls[::-1])
    assert other.digest != program.digest


def test_equal_calls_are_recorded_once_and_unused_ones_not_at_all() -> None:
    graph = Graph()
    (x,) = graph.input("x", (1,))
    first, _ = minimum_norm_solve(((x,),), (x + 1,))
    second, _ = minimum_norm_solve(((x,),), (1 + x,))
    minimum_norm_solve(((x,),), (x,))
    assert first[0] is second[0]
    program = Program.of(graph, "once", {"y": first[0] + second[0]})
    assert [code[0] for code in program.code] == [Op.ADD, Op.CALL, Op.PICK, Op.MUL]


def test_scalars_of_two_recordings_raise() -> None:
    (x,), (y,) = Graph().input("x", (1,)), Graph().input("y", (1,))
    with pytest.raises(RecordingError, match="two recordings"):
        minimum_norm_solve(((x,),), (y,))


def test_labels_of_checks_and_calls_are_separate() -> None:
    from rbd.scalars import positive

    graph = Graph()
    x, y = graph.input("x", (2,))
    one = solve_positive_definite(((x,),), ((1.0,),), ["pivot"])[0][0]
    program = Program.of(graph, "checks", {"z": one + positive(y, "pivot") + positive(x * y, "pivot")})
    assert program.labels == ("pivot", "pivot")
    assert program.interpret_flat([1.0, -1.0])[1] != program.interpret_flat([-1.0, 1.0])[1]


def test_every_intrinsic_is_in_the_subset() -> None:
    ours = [intrinsic for intrinsic in INTRINSICS.values() if intrinsic.function.__module__.startswith("rbd.")]
    assert len(ours) >= 4
    for intrinsic in ours:
        assert intrinsic.routine.returns == "int"


class Sized(Workspace):
    n: int


class Shifted(Sized):
    shift: int
    order = table("n")
    x = operand("n")
    y = result("n")


class Scaled(Sized):
    factor = operand("1")
    total = result("1")


class ShiftedAndScaled(Shifted, Scaled):
    pass


def _shifted_and_scaled(w: ShiftedAndScaled) -> int:
    for i in range(w.n):
        w.y[w.order[i]] = w.x[i] * w.factor[0]
        w.total[0] += w.x[i]
    return 0


def test_a_workspace_has_what_its_bases_have_and_calls_may_name_it() -> None:
    assert ShiftedAndScaled.layout.sizes == ("n", "shift")
    assert list(ShiftedAndScaled.layout.arrays) == ["order", "x", "y", "factor", "total"]
    turned = Intrinsic("turned", ShiftedAndScaled, _shifted_and_scaled, lambda n, shift: 2 * n)
    sizes = turned.sizes_of({"order": (1, 2, 0), "shift": 7, "n": 3})
    assert sizes == (3, 7, 1, 2, 0)
    assert turned.layout.tables(sizes) == {"order": (1, 2, 0)}
    found = turned.call(sizes, {"factor": [2.0], "x": iter([1.0, 2.0, 3.0])})
    assert found == {"y": (6.0, 2.0, 4.0), "total": (6.0,)}
    for factor, x in (([2.0], [1.0]), ([2.0, 3.0], [1.0, 2.0])):
        with pytest.raises(ShapeError, match=r"must have \d entries"):
            turned.call(sizes, {"factor": factor, "x": x})
    with pytest.raises(ArgumentError, match="'factor' is missing"):
        turned.call(sizes, {"x": [1.0, 2.0, 3.0]})


def test_duplicate_names_raise() -> None:
    with pytest.raises(ArgumentError, match="another intrinsic"):
        Intrinsic("minimum_norm_solve", Workspace, test_duplicate_names_raise, lambda: 0)  # type: ignore[arg-type]  # never run


class Single(Workspace):
    n: int
    x = operand("n")
    y = result("n")


class Flipped(Workspace):
    n: int
    y = result("n")
    x = operand("n")


def _copied(w: Single) -> int:
    for i in range(w.n):
        w.y[i] = w.x[i]
    return 0


def _doubled(w: Single) -> int:
    for i in range(w.n):
        w.y[i] = w.x[i] + w.x[i]
    return 0


_GAIN = 2.0


def _amplify(w: Single, i: int) -> None:
    w.y[i] = _GAIN * w.x[i]


def _amplified(w: Single) -> int:
    for i in range(w.n):
        _amplify(w, i)
    return 0


def test_a_number_of_the_module_that_changes_after_the_first_use_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checked tree has the old number, Python would read the new one."""
    amplified = Intrinsic("amplified_for_tests", Single, _amplified, lambda n: n)
    graph = Graph()
    program = Program.of(graph, "amplified", {"y": amplified((1,), graph.input("x", (1,)))})
    assert program.interpret(x=[3.0])["y"].tolist() == [6.0]
    assert amplified.digest
    monkeypatch.setitem(globals(), "_GAIN", 5.0)
    with pytest.raises(ScalarError, match=r"amplified_for_tests: _GAIN was 2\.0 when the intrinsic was first used"):
        program.interpret(x=[3.0])
    with pytest.raises(ScalarError, match=r"_GAIN was 2\.0"):
        amplified((1,), Graph().input("x", (1,)))
    monkeypatch.undo()
    assert program.interpret(x=[3.0])["y"].tolist() == [6.0]


def test_duplicate_names_in_one_module_raise() -> None:
    """Recordings tell calls apart by the name: two functions of one name would share them."""
    first = Intrinsic("single_for_tests", Single, _copied, lambda n: n)
    for workspace, function in ((Single, _doubled), (Flipped, _copied)):
        with pytest.raises(ArgumentError, match="another intrinsic 'single_for_tests'"):
            Intrinsic("single_for_tests", workspace, function, lambda n: n)
    assert INTRINSICS["single_for_tests"] is first
    Intrinsic("single_for_tests", Single, _copied, lambda n: n)
    assert INTRINSICS["single_for_tests"] is first


def test_an_intrinsic_whose_module_runs_again_takes_its_name() -> None:
    def define() -> Intrinsic:
        def again(w: Single) -> int:
            return 0

        return Intrinsic("again_for_tests", Single, again, lambda n: n)

    _, last = define(), define()
    assert INTRINSICS["again_for_tests"] is last
