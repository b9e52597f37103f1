"""Solve symmetric positive definite systems. May import: errors, language, workspace, intrinsic.

The factor runs from the last row to the first, A = Lᵀ D L without exchanging rows, as that of `scalars.linear` does:
where rows are those of a tree's joints, pivot k is the inertia that joint k moves. Golub & Van Loan 2013, section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.errors import ShapeError
from rbd.scalars.intrinsics.intrinsic import Intrinsic
from rbd.scalars.intrinsics.language import Floats, Rows, divide, fma
from rbd.scalars.intrinsics.solve_derivatives import change_of_solution, weights_of_solution
from rbd.scalars.intrinsics.workspace import Workspace, floats, operand, result
from rbd.scalars.protocol import Matrix


class Factor(Workspace):
    """A symmetric matrix, packed: its lower triangle row by row."""

    n: int
    lower = operand("n * (n + 1) // 2")
    factor = result("n * (n + 1) // 2")
    matrix = floats("n", "n")


class System(Workspace):
    """Equations with a symmetric matrix, packed, and m right-hand sides."""

    n: int
    m: int
    lower = operand("n * (n + 1) // 2")
    right = operand("n", "m")
    solution = result("n", "m")
    matrix = floats("n", "n")


def _factor(n: int, matrix: Rows) -> int:
    """Leave 1 / D in the diagonal and -L below it; return the number of a pivot that is not positive, from 1."""
    for back in range(n):
        k = n - 1 - back
        pivot = matrix[k][k]
        if not pivot > 0.0:
            return k + 1
        inverse = divide(1.0, pivot)
        minus = -inverse
        for up in range(k):
            i = k - 1 - up
            scaled = matrix[k][i] * minus
            for j in range(i + 1):
                matrix[i][j] = fma(scaled, matrix[k][j], matrix[i][j])
            matrix[k][i] = scaled
        matrix[k][k] = inverse
    return 0


def _unpack(n: int, lower: Floats, matrix: Rows) -> None:
    """Spread the lower triangle over the matrix."""
    start = 0
    for i in range(n):
        for j in range(i + 1):
            matrix[i][j] = lower[start + j]
        start = start + i + 1


def _pack(n: int, matrix: Rows, lower: Floats) -> None:
    """Gather the lower triangle of the matrix."""
    start = 0
    for i in range(n):
        for j in range(i + 1):
            lower[start + j] = matrix[i][j]
        start = start + i + 1


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
    _unpack(w.n, w.lower, w.matrix)
    failed = _factor(w.n, w.matrix)
    if failed > 0:
        return failed
    for i in range(w.n):
        for j in range(w.m):
            w.solution[i][j] = w.right[i][j]
    _backward(w)
    _forward(w)
    return 0


def _factor_packed(w: Factor) -> int:
    _unpack(w.n, w.lower, w.matrix)
    failed = _factor(w.n, w.matrix)
    _pack(w.n, w.matrix, w.factor)
    return failed


def _factor_operations(n: int) -> int:
    """Per pivot a comparison, a quotient and a sign; below it n (n - 1) / 2 factors; the rest is multiply-adds."""
    return 3 * n + n * (n - 1) // 2 + (n - 1) * n * (n + 1) // 3


def _operations(n: int, m: int) -> int:
    return _factor_operations(n) + m * (2 * n * (n - 1) + n)


SOLVE_POSITIVE_DEFINITE: Final = Intrinsic(
    name="solve_positive_definite",
    workspace=System,
    function=_solve,
    operations=_operations,
    labels="n",
    derivative=change_of_solution,
    adjoint=weights_of_solution,
)

FACTOR_POSITIVE_DEFINITE: Final = Intrinsic(
    name="factor_positive_definite",
    workspace=Factor,
    function=_factor_packed,
    operations=_factor_operations,
    labels="n",
)
"""From a lower triangle to -L below the diagonal and 1 / D in it, row by row."""


def solve_positive_definite(matrix: Matrix, right: Matrix, labels: Sequence[str]) -> Matrix:
    """Return X with `matrix` X = `right`, for a symmetric positive definite matrix and any number of right-hand sides.

    The lower triangle is read. Row i of the matrix is called `labels[i]`: SingularError names it when its pivot is not
    positive (or no number). Raises ShapeError when sizes do not fit, ScalarError for scalars that cannot be compared.

    >>> solve_positive_definite(((4.0, 2.0), (2.0, 2.0)), ((2.0,), (1.0,)), ["first", "second"])
    ((0.5,), (0.0,))
    """
    n, m = len(matrix), len(right[0]) if len(right) else 0
    if any(len(row) != n for row in matrix) or len(labels) != n:
        raise ShapeError(f"{n} rows need {n} columns and {n} labels", argument="matrix", expected=(n, n))
    if len(right) != n or any(len(row) != m for row in right):
        raise ShapeError(f"right has {len(right)} rows, needs {n} of one length", argument="right", expected=(n, m))
    lower = [x for i, row in enumerate(matrix) for x in row[: i + 1]]
    flat = SOLVE_POSITIVE_DEFINITE((n, m), (*lower, *(x for row in right for x in row)), labels)
    return tuple(flat[i * m : (i + 1) * m] for i in range(n))
