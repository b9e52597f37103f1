"""Systems with any square matrix, and determinants: elimination with partial pivoting.

The pivot of a column is its largest entry (Golub & Van Loan 2013, section 3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.errors import SingularError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide, fma
from rbd.intrinsics.workspace import Workspace, operand, result
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.operands import count_columns, entries, require_rows, rows_of


class SquareMatrix(Workspace):
    """A square matrix, which elimination makes upper triangular."""

    n: int
    matrix = operand("n", "n")


@final
class SquareSystem(SquareMatrix):
    """A square system with m right-hand sides."""

    m: int
    right = operand("n", "m")
    solution = result("n", "m")


@final
class Determinant(SquareMatrix):
    """The determinant of a square matrix."""

    value = result("1")


def _pivot_row(w: SquareMatrix, k: int) -> int:
    """Return the row, from row k on, of the largest entry in column k."""
    row = k
    for i in range(k + 1, w.n):
        if abs(w.matrix[i][k]) > abs(w.matrix[row][k]):
            row = i
    return row


def _exchange(w: SquareMatrix, a: int, b: int) -> None:
    for j in range(w.n):
        x = w.matrix[a][j]
        w.matrix[a][j] = w.matrix[b][j]
        w.matrix[b][j] = x


def _exchange_solution(w: SquareSystem, a: int, b: int) -> None:
    for j in range(w.m):
        x = w.solution[a][j]
        w.solution[a][j] = w.solution[b][j]
        w.solution[b][j] = x


def _add_row(w: SquareMatrix, k: int, i: int, factor: float) -> None:
    """Add `factor` times row k to row i, behind column k."""
    for j in range(k + 1, w.n):
        w.matrix[i][j] = fma(factor, w.matrix[k][j], w.matrix[i][j])


def _add_solution(w: SquareSystem, k: int, i: int, factor: float) -> None:
    """Add `factor` times row k to row i of the right-hand sides."""
    for j in range(w.m):
        w.solution[i][j] = fma(factor, w.solution[k][j], w.solution[i][j])


def _substitute(w: SquareSystem) -> None:
    """Solve the triangular system, whose diagonal holds the inverse pivots."""
    for back in range(w.n):
        k = w.n - 1 - back
        inverse = w.matrix[k][k]
        for j in range(w.m):
            w.solution[k][j] *= inverse
        for i in range(k):
            _add_solution(w, k, i, -w.matrix[i][k])


def _solve(w: SquareSystem) -> int:
    for i in range(w.n):
        for j in range(w.m):
            w.solution[i][j] = w.right[i][j]
    for k in range(w.n):
        row = _pivot_row(w, k)
        if not abs(w.matrix[row][k]) > 0.0:
            return 1
        if row > k:
            _exchange(w, k, row)
            _exchange_solution(w, k, row)
        minus = -divide(1.0, w.matrix[k][k])
        w.matrix[k][k] = -minus
        for i in range(k + 1, w.n):
            factor = w.matrix[i][k] * minus
            _add_row(w, k, i, factor)
            _add_solution(w, k, i, factor)
    _substitute(w)
    return 0


def _determinant(w: Determinant) -> int:
    product = 1.0
    for k in range(w.n):
        row = _pivot_row(w, k)
        if row > k:
            _exchange(w, k, row)
            product = -product
        pivot = w.matrix[k][k]
        product *= pivot
        if abs(pivot) > 0.0:
            minus = -divide(1.0, pivot)
            for i in range(k + 1, w.n):
                _add_row(w, k, i, w.matrix[i][k] * minus)
    w.value[0] = product
    return 0


def _elimination_operations(n: int) -> int:
    """Count two absolute values, a comparison and a factor per entry below a pivot, five per pivot, multiply-adds."""
    return 4 * (n * (n - 1) // 2) + (n - 1) * n * (2 * n - 1) // 3


def _solve_operations(n: int, m: int) -> int:
    return _elimination_operations(n) + 5 * n + n * (n - 1) // 2 + m * (2 * n * (n - 1) + n)


def _determinant_operations(n: int) -> int:
    """Count per pivot an absolute value, a comparison, a quotient, its sign, a product; signs of exchanges."""
    return _elimination_operations(n) + 5 * n + max(n - 2, 0)  # the first sign is that of a constant


def singular_error(label: str) -> SingularError:
    """Return the error of a matrix without a pivot."""
    return SingularError(f"{label} is singular", what=label)


def solve_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangent of X in A X = B for tangents of A and B: A dX = dB - dA X."""
    n, m = sizes
    columns = tuple(zip(*rows_of(results, n, m), strict=True))
    dA = rows_of(tangents, n, n)
    right = [tangents[n * n + i * m + j] - dot(dA[i], columns[j]) for i in range(n) for j in range(m)]
    return SOLVE_SQUARE(sizes, (*operands[: n * n], *right), labels)


def solve_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of A and B in A X = B, with AᵀY = cotangents: -Y Xᵀ for A, Y for B."""
    n, m = sizes
    flat = SOLVE_SQUARE(sizes, (*_transposed(operands, n), *cotangents), labels)
    y, x = rows_of(flat, n, m), rows_of(results, n, m)
    return (*(-dot(y[i], x[j]) for i in range(n) for j in range(n)), *flat)


def determinant_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangent of det A, which is det A tr(A⁻¹ dA)."""
    n = sizes[0]
    found = SOLVE_SQUARE((n, n), (*operands, *tangents), (_DIFFERENTIATED,))
    trace: Scalar = sum((found[i * n + i] for i in range(1, n)), found[0])
    return (results[0] * trace,)


def determinant_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangent of A in det A: det A A⁻ᵀ."""
    n = sizes[0]
    weight = results[0] * cotangents[0]
    scaled = tuple(weight if i == j else 0 for i in range(n) for j in range(n))
    return SOLVE_SQUARE((n, n), (*_transposed(operands, n), *scaled), (_DIFFERENTIATED,))


_DIFFERENTIATED: Final = "the matrix of a differentiated determinant"


def _transposed(operands: Vector, n: int) -> Vector:
    return tuple(operands[j * n + i] for i in range(n) for j in range(n))


SOLVE_SQUARE: Final = Intrinsic(
    name="solve_square",
    workspace=SquareSystem,
    function=_solve,
    operations=_solve_operations,
    labels=1,
    error=singular_error,
    derivative=solve_jvp,
    adjoint=solve_vjp,
)

DETERMINANT: Final = Intrinsic(
    name="determinant",
    workspace=Determinant,
    function=_determinant,
    operations=_determinant_operations,
    derivative=determinant_jvp,
    adjoint=determinant_vjp,
)


def solve_square(matrix: Matrix, right: Matrix, label: str = "the matrix") -> Matrix:
    """Return X with `matrix` X = `right`, for any square matrix and any number of right-hand sides.

    `label` names the matrix: SingularError contains it if a pivot is zero. Raises ShapeError when sizes do not fit,
    ScalarError for scalars that cannot be compared. For symmetric positive definite matrices
    `solve_positive_definite` takes half the operations.

    >>> solve_square(((0.0, 2.0), (4.0, 2.0)), ((2.0,), (6.0,)))
    ((1.0,), (1.0,))
    """
    n = _require_square(matrix)
    m = count_columns(right, n)
    return rows_of(SOLVE_SQUARE((n, m), (*entries(matrix), *entries(right)), (label,)), n, m) if n * m else right


def determinant(matrix: Matrix) -> Scalar:
    """Return the determinant of a square matrix; up to three rows it is expanded, by the first.

    >>> determinant(((1.0, 2.0), (3.0, 4.0)))
    -2.0
    """
    n = _require_square(matrix)
    if n == 0:
        return 1
    return _expanded(matrix) if n <= _EXPANDED else DETERMINANT((n,), entries(matrix))[0]


_EXPANDED: Final = 3
"""Expanded determinants have derivatives where they are zero, too."""


def _expanded(matrix: Matrix) -> Scalar:
    if len(matrix) == 1:
        return matrix[0][0]
    total: Scalar = 0
    for k, entry in enumerate(matrix[0]):
        minor = entry * _expanded(tuple((*row[:k], *row[k + 1 :]) for row in matrix[1:]))
        total = minor if k == 0 else total - minor if k % 2 else total + minor
    return total


def _require_square(matrix: Matrix) -> int:
    """Return the number of rows; raise ShapeError for other numbers of columns."""
    n = len(matrix)
    require_rows(matrix, n, n, "matrix", f"the matrix has {n} rows, needs {n} columns")
    return n
