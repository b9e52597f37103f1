"""Solutions with a sparse factor and many right-hand sides: NumPy, exact numbers, derivatives."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.program.differentiate import derivative
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.replay import replay
from rbd.scalars import Vector
from rbd.solvers import solve_factored
from rbd.solvers.equations.ltdl_factor import MAX_RECORDED_SOLVES, Factor, symmetric
from tests.scalars.factors import tree_factor

STEP = 1e-30


def matrix_of(rows: Any, inverse: Any) -> np.ndarray:
    """Return A = Lᵀ D L."""
    lower = np.eye(len(inverse))
    for i, row in enumerate(rows):
        for j, entry in row:
            lower[i, j] = entry
    return np.asarray(lower.T @ np.diag(1 / np.array(inverse)) @ lower)


@given(st.integers(1, 12), st.integers(0, 80), st.integers(0, 10**6))
def test_against_numpy(size: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, inverse = tree_factor(rng, size)
    right = [tuple(float(x) if rng.random() < 0.6 else 0 for x in rng.normal(size=size)) for _ in range(count)]
    found = solve_factored(rows, inverse, right)
    assert len(found) == count
    matrix = matrix_of(rows, inverse)
    for x, b in zip(found, right, strict=True):
        np.testing.assert_allclose(
            matrix @ np.array(x), np.array(b), rtol=0, atol=1e-9 * max(1, float(np.abs(x).max()))
        )


def test_exact_numbers_stay_exact() -> None:
    rows = ((), ((0, Fraction(1, 3)),), ((0, Fraction(-2)), (1, Fraction(5, 7))))
    inverse = (Fraction(1, 2), Fraction(3), Fraction(1, 5))
    right: list[Vector] = [(Fraction(1), 0, Fraction(2)), (0, 0, Fraction(1))]
    factor = Factor(rows, inverse)
    assert solve_factored(rows, inverse, right) == [factor.solve(b) for b in right]


def recorded(size: int, count: int) -> tuple[Program, int]:
    """Return a program that solves with a factor and right-hand sides made of its input."""
    rows, _ = tree_factor(np.random.default_rng(3), size)
    entries = sum(map(len, rows))
    graph = Graph()
    x = graph.input("x", (entries + size,))
    values = iter(x)
    lower = [tuple((j, next(values)) for j, _ in row) for row in rows]
    inverse = tuple(2 + v * v for v in values)
    right = [tuple(x[(i + j) % len(x)] * (j + 1) if (i + j) % 3 else 0 for i in range(size)) for j in range(count)]
    program = Program.of(graph, "solve", {"y": tuple(solve_factored(lower, inverse, right))})
    return program, len(x)


@pytest.mark.parametrize(("size", "count"), [(1, 1), (4, 3), (5, 70)])
def test_programs_are_differentiated_through_it(size: int, count: int) -> None:
    program, length = recorded(size, count)
    x = np.random.default_rng(1).uniform(0.2, 0.9, length)
    columns = [replay(program, list(x + 1j * STEP * unit)) for unit in np.eye(length)]
    expected = np.array([[complex(value).imag / STEP for value in column] for column in columns]).T
    (found,) = derivative(program, "y", "x").interpret(x=x).values()
    np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=1e-11, rtol=1e-11)


def test_factors_call_the_intrinsic_for_many_solutions() -> None:
    graph = Graph()
    size = 12
    x = graph.input("x", (size, size))
    square = tuple(tuple(x[i][j] + x[j][i] + (20.0 if i == j else 0) for j in range(size)) for i in range(size))
    factor = Factor.of(square, ["pivot"] * size)
    few = MAX_RECORDED_SOLVES // (size * (size - 1))
    assert not Program.of(graph, "few", {"y": tuple(factor.solve_all([x[0]] * few))}).calls
    many = Program.of(graph, "many", {"y": tuple(factor.solve_all([*x] * 6)), "inverse": factor.inverse()})
    assert [call.intrinsic.name for call in many.calls] == ["solve_factored"]
    values = np.random.default_rng(0).normal(size=(size, size))
    answers = many.interpret(x=values)
    matrix = values + values.T + 20 * np.eye(size)
    np.testing.assert_allclose(answers["inverse"], np.linalg.inv(matrix), rtol=0, atol=1e-12)
    np.testing.assert_allclose(answers["y"][size : 2 * size].T, np.linalg.solve(matrix, values.T), rtol=0, atol=1e-12)


def test_the_negative_of_a_factor() -> None:
    rows, inverse = tree_factor(np.random.default_rng(7), 6)
    factor = Factor(tuple(map(tuple, rows)), tuple(inverse))
    b = [1.0, -2.0, 0.5, 3.0, 0.0, 1.0]
    assert factor.negative().solve(b) == tuple(-x for x in factor.solve(b))


def test_symmetric_takes_the_upper_triangle() -> None:
    assert symmetric([]) == ()
    assert symmetric([(1, 9, 9), (2, 3, 9), (4, 5, 6)]) == ((1, 2, 4), (2, 3, 5), (4, 5, 6))
