"""Factorisation and solution of positive definite systems of any scalars."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import SingularError
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.solvers.equations.ltdl_factor import Factor


def _tuples(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_solves_as_numpy_does(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((size, size))
    matrix, right = root @ root.T + np.eye(size), rng.standard_normal(size)
    factor = Factor.of(_tuples(matrix), ["pivot"] * size)
    np.testing.assert_allclose(factor.solve(right.tolist()), np.linalg.solve(matrix, right), rtol=1e-10, atol=1e-12)
    inverse = np.array(factor.inverse())
    np.testing.assert_allclose(inverse @ matrix, np.eye(size), rtol=0, atol=1e-10)
    assert (inverse == inverse.T).all()


def test_exact_scalars_stay_exact() -> None:
    hilbert = tuple(tuple(Fraction(1, i + j + 1) for j in range(5)) for i in range(5))
    inverse = Factor.of(hilbert, ["pivot"] * 5).inverse()
    product = [[sum(hilbert[i][k] * inverse[k][j] for k in range(5)) for j in range(5)] for i in range(5)]
    assert product == [[int(i == j) for j in range(5)] for i in range(5)]
    assert inverse[4][4] == 44100


def test_a_bad_pivot_is_named() -> None:
    with pytest.raises(SingularError, match="the second"):
        Factor.of(((1.0, 2.0), (2.0, 0.0)), ["the first", "the second"])
    with pytest.raises(SingularError, match="the first"):
        Factor.of(((1.0, 1.0), (1.0, 1.0)), ["the first", "the second"])


def test_structural_zeros_cost_no_operations() -> None:
    """A star of five branches of one joint each has an arrow-shaped matrix: no fill-in, few operations."""
    count = OperationCount()
    size = 6
    matrix = [[0] * size for _ in range(size)]
    for i in range(size):
        matrix[i][i] = CountingScalar(100.0 + i, count)
        matrix[i][0] = matrix[0][i] = CountingScalar(1.0 + i, count)
    factor = Factor.of(tuple(tuple(row) for row in matrix), ["pivot"] * size)
    assert all(len(row) == 1 for row in factor.rows[1:])
    assert count.total <= 4 * size


def test_empty_system() -> None:
    assert Factor.of((), []).solve(()) == ()
    assert Factor.of((), []).inverse() == ()


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_whitening_makes_the_matrix_the_identity(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((size, size))
    matrix, a, b = root @ root.T + np.eye(size), rng.standard_normal(size), rng.standard_normal(size)
    factor = Factor.of(_tuples(matrix), ["pivot"] * size)
    white_a, white_b = np.array(factor.whitened(a.tolist())), np.array(factor.whitened(b.tolist()))
    assert white_a @ white_b == pytest.approx(a @ np.linalg.solve(matrix, b), rel=1e-10, abs=1e-12)
    np.testing.assert_allclose(factor.unwhitened(white_a.tolist()), np.linalg.solve(matrix, a), rtol=1e-10, atol=1e-12)
