"""Solve symmetric positive definite systems. May import: errors, language, intrinsic.

The factor runs from the last row to the first, A = Lᵀ D L without exchanging rows, as that of `scalars.linear` does:
where rows are those of a tree's joints, pivot k is the inertia that joint k moves. Golub & Van Loan 2013, section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.errors import ShapeError
from rbd.scalars.intrinsics.intrinsic import Intrinsic
from rbd.scalars.intrinsics.language import Floats, divide, fma
from rbd.scalars.intrinsics.solve_slopes import change_of_solution, weights_of_solution
from rbd.scalars.protocol import Matrix


def _factor(n: int, matrix: Floats) -> int:
    """Leave 1 / D in the diagonal and -L below it; return the number of a pivot that is not positive, from 1."""
    for back in range(n):
        k = n - 1 - back
        pivot = matrix[k * n + k]
        if not pivot > 0.0:
            return k + 1
        inverse = divide(1.0, pivot)
        minus = -inverse
        for up in range(k):
            i = k - 1 - up
            scaled = matrix[k * n + i] * minus
            for j in range(i + 1):
                matrix[i * n + j] = fma(scaled, matrix[k * n + j], matrix[i * n + j])
            matrix[k * n + i] = scaled
        matrix[k * n + k] = inverse
    return 0


def _unpack(n: int, lower: Floats, matrix: Floats) -> None:
    """Spread the lower triangle, row by row, over the matrix."""
    start = 0
    for i in range(n):
        for j in range(i + 1):
            matrix[i * n + j] = lower[start + j]
        start = start + i + 1


def _backward(n: int, m: int, matrix: Floats, solution: Floats) -> None:
    """Solve Lᵀ x = b in place."""
    for back in range(n):
        k = n - 1 - back
        for i in range(k):
            minus = matrix[k * n + i]
            for j in range(m):
                solution[i * m + j] = fma(minus, solution[k * m + j], solution[i * m + j])


def _forward(n: int, m: int, matrix: Floats, solution: Floats) -> None:
    """Solve D L x = b in place."""
    for k in range(n):
        inverse = matrix[k * n + k]
        for j in range(m):
            solution[k * m + j] = solution[k * m + j] * inverse
        for i in range(k):
            minus = matrix[k * n + i]
            for j in range(m):
                solution[k * m + j] = fma(minus, solution[i * m + j], solution[k * m + j])


def _solve(n: int, m: int, lower: Floats, right: Floats, solution: Floats, matrix: Floats) -> int:
    _unpack(n, lower, matrix)
    failed = _factor(n, matrix)
    if failed > 0:
        return failed
    for entry in range(n * m):
        solution[entry] = right[entry]
    _backward(n, m, matrix, solution)
    _forward(n, m, matrix, solution)
    return 0


def _pack(n: int, matrix: Floats, lower: Floats) -> None:
    """Gather the lower triangle of the matrix, row by row."""
    start = 0
    for i in range(n):
        for j in range(i + 1):
            lower[start + j] = matrix[i * n + j]
        start = start + i + 1


def _factor_packed(n: int, lower: Floats, factor: Floats, matrix: Floats) -> int:
    _unpack(n, lower, matrix)
    failed = _factor(n, matrix)
    _pack(n, matrix, factor)
    return failed


def _triangle(n: int) -> int:
    return n * (n + 1) // 2


def _square(n: int) -> int:
    return n * n


def _factor_operations(n: int) -> int:
    """Per pivot a comparison, a quotient and a sign; below it n (n - 1) / 2 factors; the rest is multiply-adds."""
    return 3 * n + n * (n - 1) // 2 + (n - 1) * n * (n + 1) // 3


def _operations(n: int, m: int) -> int:
    return _factor_operations(n) + m * (2 * n * (n - 1) + n)


SOLVE_POSITIVE_DEFINITE: Final = Intrinsic(
    name="solve_positive_definite",
    function=_solve,
    sizes=("n", "m"),
    inputs=(("lower", lambda n, m: _triangle(n)), ("right", lambda n, m: n * m)),
    outputs=(("solution", lambda n, m: n * m),),
    work=(("matrix", lambda n, m: n * n),),
    integers=(),
    operations=_operations,
    labels=lambda n, m: n,
    derivative=change_of_solution,
    adjoint=weights_of_solution,
)


FACTOR_POSITIVE_DEFINITE: Final = Intrinsic(
    name="factor_positive_definite",
    function=_factor_packed,
    sizes=("n",),
    inputs=(("lower", _triangle),),
    outputs=(("factor", _triangle),),
    work=(("matrix", _square),),
    integers=(),
    operations=_factor_operations,
    labels=lambda n: n,
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
