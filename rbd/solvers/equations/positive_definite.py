"""Solve symmetric positive definite systems.

The factor runs from the last row to the first, A = Lᵀ D L without exchanging rows, as that of `ltdl_factor.py`:
where rows are those of a tree's joints, pivot k is the inertia that joint k moves. Golub & Van Loan 2013, section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.errors import ShapeError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide, fma
from rbd.intrinsics.workspace import Workspace, floats, operand, result
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.equations.factor_derivative import factor_jvp, factor_vjp
from rbd.solvers.operands import count_columns, entries, rows_of


class Symmetric(Workspace):
    """A symmetric matrix, of which the lower triangle is given row by row."""

    n: int
    lower = operand("n * (n + 1) // 2")
    matrix = floats("n", "n")


@final
class FactorSystem(Symmetric):
    """Its factor, row by row as well."""

    factor = result("n * (n + 1) // 2")


@final
class System(Symmetric):
    """Equations with it, and m right-hand sides."""

    m: int
    right = operand("n", "m")
    solution = result("n", "m")


def _factor(w: Symmetric) -> int:
    """Leave 1 / D in the diagonal and -L below it; return the number of a pivot that is not positive, from 1."""
    start = 0
    for i in range(w.n):
        for j in range(i + 1):
            w.matrix[i][j] = w.lower[start + j]
        start += i + 1
    for back in range(w.n):
        k = w.n - 1 - back
        pivot = w.matrix[k][k]
        if not pivot > 0.0:
            return k + 1
        inverse = divide(1.0, pivot)
        minus = -inverse
        for up in range(k):
            row = k - 1 - up
            scaled = w.matrix[k][row] * minus
            for j in range(row + 1):
                w.matrix[row][j] = fma(scaled, w.matrix[k][j], w.matrix[row][j])
            w.matrix[k][row] = scaled
        w.matrix[k][k] = inverse
    return 0


def _backward(w: System) -> None:
    """Solve Lᵀ x = b in place."""
    for back in range(w.n):
        k = w.n - 1 - back
        for i in range(k):
            minus = w.matrix[k][i]
            for j in range(w.m):
                w.solution[i][j] = fma(minus, w.solution[k][j], w.solution[i][j])


def _forward(w: System) -> None:
    """Solve D L x = b in place."""
    for k in range(w.n):
        inverse = w.matrix[k][k]
        for j in range(w.m):
            w.solution[k][j] *= inverse
        for i in range(k):
            minus = w.matrix[k][i]
            for j in range(w.m):
                w.solution[k][j] = fma(minus, w.solution[i][j], w.solution[k][j])


def _solve(w: System) -> int:
    failed = _factor(w)
    if failed > 0:
        return failed
    for i in range(w.n):
        for j in range(w.m):
            w.solution[i][j] = w.right[i][j]
    _backward(w)
    _forward(w)
    return 0


def _factor_packed(w: FactorSystem) -> int:
    failed = _factor(w)
    start = 0
    for i in range(w.n):
        for j in range(i + 1):
            w.factor[start + j] = w.matrix[i][j]
        start += i + 1
    return failed


def _factor_operations(n: int) -> int:
    """Per pivot a comparison, a quotient and a sign; below it n (n - 1) / 2 factors; the rest is multiply-adds."""
    return 3 * n + n * (n - 1) // 2 + (n - 1) * n * (n + 1) // 3


def _operations(n: int, m: int) -> int:
    return _factor_operations(n) + m * (2 * n * (n - 1) + n)


def positive_definite_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangent of X in A X = B, A positive definite, for tangents of A and B: A dX = dB - dA X."""
    n, m = sizes
    packed = n * (n + 1) // 2
    columns = tuple(tuple(results[i * m + j] for i in range(n)) for j in range(m))
    right: list[Scalar] = []
    for i in range(n):
        row = tuple(tangents[_packed(i, k)] for k in range(n))
        right += [tangents[packed + i * m + j] - dot(row, column) for j, column in enumerate(columns)]
    return SOLVE_POSITIVE_DEFINITE(sizes, (*operands[:packed], *right), labels)


def positive_definite_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of A and B in A X = B, with A Y = cotangents: Y for B, the triangle of -Y X' for A."""
    n, m = sizes
    packed = n * (n + 1) // 2
    flat = SOLVE_POSITIVE_DEFINITE(sizes, (*operands[:packed], *cotangents), labels)
    y, x = rows_of(flat, n, m), rows_of(results, n, m)
    triangle = [
        -dot(y[i], x[j]) - (dot(y[j], x[i]) if i != j else 0)
        for i in range(n)
        for j in range(i + 1)
    ]  # fmt: skip
    return (*triangle, *flat)


def _packed(i: int, j: int) -> int:
    """Return the index of an entry of a symmetric matrix in its packed lower triangle."""
    return max(i, j) * (max(i, j) + 1) // 2 + min(i, j)


SOLVE_POSITIVE_DEFINITE: Final = Intrinsic(
    name="solve_positive_definite",
    workspace=System,
    function=_solve,
    operations=_operations,
    labels="n",
    derivative=positive_definite_jvp,
    adjoint=positive_definite_vjp,
)

FACTOR_POSITIVE_DEFINITE: Final = Intrinsic(
    name="factor_positive_definite",
    workspace=FactorSystem,
    function=_factor_packed,
    operations=_factor_operations,
    labels="n",
    derivative=factor_jvp,
    adjoint=factor_vjp,
)
"""From a lower triangle to -L below the diagonal and 1 / D in it, row by row."""


def solve_positive_definite(matrix: Matrix, right: Matrix, labels: Sequence[str]) -> Matrix:
    """Return X with `matrix` X = `right`, for a symmetric positive definite matrix and any number of right-hand sides.

    The lower triangle is read. Row i of the matrix is called `labels[i]`: SingularError names it when its pivot is not
    positive (or no number). Raises ShapeError when sizes do not fit, ScalarError for scalars that cannot be compared.

    >>> solve_positive_definite(((4.0, 2.0), (2.0, 2.0)), ((2.0,), (1.0,)), ["first", "second"])
    ((0.5,), (0.0,))
    """
    n = len(matrix)
    if any(len(row) != n for row in matrix) or len(labels) != n:
        raise ShapeError(f"{n} rows need {n} columns and {n} labels", argument="matrix", expected=(n, n))
    m = count_columns(right, n)
    lower = [x for i, row in enumerate(matrix) for x in row[: i + 1]]
    flat = SOLVE_POSITIVE_DEFINITE((n, m), (*lower, *entries(right)), labels)
    return rows_of(flat, n, m)
