"""The least-squares solution of least norm, with the rank.

The algorithm of Golub and Van Loan 2013, sections 5.4 and 5.5, is in `orthogonal_decomposition.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.errors import ShapeError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide
from rbd.intrinsics.workspace import floats, operand, result
from rbd.scalars.constants import const
from rbd.scalars.linear_algebra import add, transpose
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.equations.orthogonal_decomposition import (
    SMALLEST,
    LeastSquares,
    decompose,
    largest_entry,
    load_dense,
    load_transposed,
    operations_for_rank,
    operations_of_transposed,
    solve_transposed,
    solve_triangle,
    store_solution,
)
from rbd.solvers.equations.pseudo_inverse import PseudoInverse, solution_cotangents, solution_tangent
from rbd.solvers.operands import entries, rows_of

TOLERANCE: Final = const(1, 10**10)
"""A column that is this much shorter than the first pivot counts as dependent on those before it."""


def _solve(w: LeastSquares) -> int:
    largest = largest_entry(w.m * w.n, w.matrix)
    zero_or_nan = largest_entry(w.m, w.right) * 0.0
    if not largest > SMALLEST:
        for j in range(w.n):
            w.solution[j] = largest * 0.0 + zero_or_nan
        return 0
    load_dense(w, divide(1.0, largest))
    rank = decompose(w)
    solve_triangle(w, rank, zero_or_nan)
    store_solution(w, rank)
    return 0


def _operations(m: int, n: int) -> int:
    """Count the operations of the rank that needs most."""
    checks = 3 * (m * n + m) + 2
    return checks + max(1 + 3 * m * n + m + max(operations_for_rank(m, n, rank) for rank in range(1, min(m, n) + 1)), n)


@final
class PseudoInverseProducts(LeastSquares):
    """A least-squares problem, and a vector y for the product (A⁺)ᵀ y with the transposed pseudo-inverse."""

    dual = operand("n")
    dual_solution = result("m")
    range_vector = floats("m")
    """A vector in the range of the matrix."""


def _solve_products(w: PseudoInverseProducts) -> int:
    largest = largest_entry(w.m * w.n, w.matrix)
    zero_or_nan = largest_entry(w.m, w.right) * 0.0 + largest_entry(w.n, w.dual) * 0.0
    if not largest > SMALLEST:
        for j in range(w.n):
            w.solution[j] = largest * 0.0 + zero_or_nan
        for i in range(w.m):
            w.dual_solution[i] = largest * 0.0 + zero_or_nan
        return 0
    scale = divide(1.0, largest)
    load_dense(w, scale)
    rank = decompose(w)
    solve_triangle(w, rank, zero_or_nan)
    store_solution(w, rank)
    load_transposed(w, rank, w.dual)
    solve_transposed(w, rank, scale, w.range_vector, w.dual_solution)
    return 0


def _operations_of_products(m: int, n: int) -> int:
    """Count the operations of the rank that needs most."""
    ranks = range(1, min(m, n) + 1)
    most = max(operations_for_rank(m, n, rank) + operations_of_transposed(m, n, rank) for rank in ranks)
    return 3 * (m * n + m + n) + 5 + 3 * m * n + m + most


def pseudo_inverse(matrix: Matrix, tolerance: Scalar) -> PseudoInverse:
    """Return the pseudo-inverse of a matrix that is not empty; both products have the rank of its decomposition.

    >>> inverse = pseudo_inverse(((1.0, 1.0), (2.0, 2.0)), 1e-10)
    >>> [round(x, 12) for x in inverse.times((2.0, 4.0))], [round(x, 12) for x in inverse.transposed_times((5.0, 5.0))]
    ([1.0, 1.0], [1.0, 2.0])
    """
    m, n = len(matrix), len(matrix[0])
    flat = entries(matrix)

    def times(right: Vector) -> Vector:
        if all(map(is_structural_zero, right)):
            return (0,) * n
        return MINIMUM_NORM_SOLVE((m, n), (*flat, *right, tolerance))[:n]

    def transposed_times(dual: Vector) -> Vector:
        if all(map(is_structural_zero, dual)):
            return (0,) * m
        return PSEUDO_INVERSE_PRODUCTS((m, n), (*flat, *(0,) * m, tolerance, *dual))[n + 1 :]

    return PseudoInverse(matrix, times, transposed_times)


def minimum_norm_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of x = A⁺ b, the minimum-norm solution, and of its rank, which stays."""
    matrix, right, tolerance, _ = _split(sizes, operands)
    dA, db, _, _ = _split(sizes, tangents)
    return *solution_tangent(pseudo_inverse(matrix, tolerance), dA, results[: sizes[1]], right, db), 0


def minimum_norm_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of A and b in x = A⁺ b; that of the tolerance is zero, that of the rank is ignored."""
    n = sizes[1]
    matrix, right, tolerance, _ = _split(sizes, operands)
    of_matrix, of_right = solution_cotangents(pseudo_inverse(matrix, tolerance), results[:n], right, cotangents[:n])
    return *entries(of_matrix), *of_right, 0


def _products_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of A⁺ b, of the rank, and of (A⁺)ᵀ y."""
    n = sizes[1]
    matrix, right, tolerance, dual = _split(sizes, operands)
    dA, db, _, dy = _split(sizes, tangents)
    inverse = pseudo_inverse(matrix, tolerance)
    of_solution = solution_tangent(inverse, dA, results[:n], right, db)
    return *of_solution, 0, *solution_tangent(inverse.transposed, transpose(dA), results[n + 1 :], dual, dy)


def _products_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of A, b, the tolerance and y in A⁺ b and (A⁺)ᵀ y."""
    n = sizes[1]
    matrix, right, tolerance, dual = _split(sizes, operands)
    inverse = pseudo_inverse(matrix, tolerance)
    first, of_right = solution_cotangents(inverse, results[:n], right, cotangents[:n])
    second, of_dual = solution_cotangents(inverse.transposed, results[n + 1 :], dual, cotangents[n + 1 :])
    return *add(entries(first), entries(transpose(second))), *of_right, 0, *of_dual


def _split(sizes: tuple[int, ...], operands: Vector) -> tuple[Matrix, Vector, Scalar, Vector]:
    """Return A, b, the tolerance and, if there is one, y."""
    m, n = sizes
    start = m * n
    return rows_of(operands, m, n), operands[start : start + m], operands[start + m], operands[start + m + 1 :]


MINIMUM_NORM_SOLVE: Final = Intrinsic(
    name="minimum_norm_solve",
    workspace=LeastSquares,
    function=_solve,
    operations=_operations,
    derivative=minimum_norm_jvp,
    adjoint=minimum_norm_vjp,
)

PSEUDO_INVERSE_PRODUCTS: Final = Intrinsic(
    name="pseudo_inverse_products",
    workspace=PseudoInverseProducts,
    function=_solve_products,
    operations=_operations_of_products,
    derivative=_products_jvp,
    adjoint=_products_vjp,
)


def minimum_norm_solve(
    matrix: Matrix, right: Sequence[Scalar], tolerance: Scalar = TOLERANCE, *, columns: int | None = None
) -> tuple[Vector, Scalar]:
    """Return (x, rank): of all x that make |`matrix` x - `right`| least, the one with the least norm.

    Serves any shape: more rows than columns, fewer, none (then `columns` says how many unknowns there are), dependent
    rows, contradicting ones. `tolerance` is relative: columns whose remainder is at most `tolerance` times the largest
    column count as dependent. The rank is a scalar (a float for floats). A matrix whose entries are all at most 1e-300
    counts as zero; entries that are not finite make the result NaN. Raises ShapeError when sizes do not fit,
    ScalarError for scalars that cannot be compared.

    >>> x, rank = minimum_norm_solve(((1.0, 1.0), (2.0, 2.0)), (2.0, 4.0))
    >>> [round(entry, 12) for entry in x], rank
    ([1.0, 1.0], 1.0)
    """
    m, n = len(matrix), len(matrix[0]) if len(matrix) else columns or 0
    if any(len(row) != n for row in matrix) or (columns is not None and columns != n):
        raise ShapeError(f"rows of the matrix differ in length or from {columns}", argument="matrix", expected=(m, n))
    if len(right) != m:
        raise ShapeError(f"right has {len(right)} entries, needs {m}", argument="right", expected=(m,))
    if m == 0 or n == 0:
        return (0,) * n, 0
    flat = MINIMUM_NORM_SOLVE((m, n), (*entries(matrix), *right, tolerance))
    return flat[:n], flat[n]
