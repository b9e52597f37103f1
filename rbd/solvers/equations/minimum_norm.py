"""The least-squares solution of least norm, with the rank.

A complete orthogonal decomposition: Householder reflections with exchanged columns from the left, A P = Q R, until the
largest column left is negligible; then reflections from the right take away what stands beside the triangle. Golub &
Van Loan 2013, sections 5.4 and 5.5. Columns are measured anew after every step, so that nothing cancels. Products
with the pseudo-inverse of Aᵀ use the decomposition of A, too: one of Aᵀ may find another rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.errors import ShapeError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import Floats, divide, fma, sqrt
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result
from rbd.scalars.constants import const
from rbd.scalars.linear_algebra import transpose
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.equations.pseudo_inverse import PseudoInverse, solution_cotangents, solution_tangent
from rbd.solvers.operands import entries, rows_of

LARGEST: Final = 1.7976931348623157e308
SMALLEST: Final = 1e-300
TOLERANCE: Final = const(1, 10**10)
"""A column that is this much shorter than the first pivot counts as dependent on those before it."""


class LeastSquares(Workspace):
    """A least-squares problem, its solution, and the decomposition of its matrix."""

    m: int
    n: int
    matrix = operand("m * n")
    """Row by row."""
    right = operand("m")
    tolerance = operand("1")
    solution = result("n")
    ranks = result("1")
    table = floats("m", "n + 1")
    """The matrix, scaled, then its decomposition; the last column is the right-hand side."""
    norms = floats("n + 1")
    """Squares of the lengths of what is left of the columns."""
    row = floats("n + 1")
    factors = floats("n")
    """Of the reflections from the right."""
    order = ints("n")
    """Permutation of the columns of the matrix."""


def largest_entry(count: int, values: Floats) -> float:
    """Return the largest absolute value; NaN if an entry is not finite."""
    largest = 0.0
    for k in range(count):
        x = abs(values[k])
        if not x <= LARGEST:
            return x - x
        if x > largest:
            largest = x
    return largest


def _load(w: LeastSquares, scale: float) -> None:
    """Fill the table and measure its columns."""
    for i in range(w.m):
        for j in range(w.n):
            x = w.matrix[i * w.n + j] * scale
            w.table[i][j] = x
            w.norms[j] = fma(x, x, w.norms[j])
        w.table[i][w.n] = w.right[i] * scale
    for j in range(w.n):
        w.order[j] = j


def _exchange(w: LeastSquares, a: int, b: int) -> None:
    """Exchange two columns."""
    for i in range(w.m):
        x = w.table[i][a]
        w.table[i][a] = w.table[i][b]
        w.table[i][b] = x
    w.norms[b] = w.norms[a]
    column = w.order[a]
    w.order[a] = w.order[b]
    w.order[b] = column


def _products(w: LeastSquares, k: int) -> None:
    """Multiply the reflected vector, which stands below the diagonal of column k, with the columns behind it."""
    for j in range(k + 1, w.n + 1):
        w.row[j] = w.table[k][j]
    for i in range(k + 1, w.m):
        x = w.table[i][k]
        for j in range(k + 1, w.n + 1):
            w.row[j] = fma(x, w.table[i][j], w.row[j])


def _reflect(w: LeastSquares, k: int, norm: float) -> None:
    """Make column k zero below the diagonal, and measure what is left of the columns behind it."""
    corner = w.table[k][k]
    diagonal = norm
    if corner > 0.0:
        diagonal = -norm
    shift = divide(1.0, corner - diagonal)
    factor = divide(corner - diagonal, diagonal)
    for i in range(k + 1, w.m):
        w.table[i][k] *= shift
    _products(w, k)
    for j in range(k + 1, w.n + 1):
        w.row[j] *= factor
        w.table[k][j] += w.row[j]
        w.norms[j] = 0.0
    for i in range(k + 1, w.m):
        x = w.table[i][k]
        for j in range(k + 1, w.n + 1):
            y = fma(x, w.row[j], w.table[i][j])
            w.table[i][j] = y
            w.norms[j] = fma(y, y, w.norms[j])
    w.table[k][k] = diagonal


def factor_table(w: LeastSquares) -> int:
    """Bring the table into upper trapezoidal form and return its rank."""
    first = 0.0
    for k in range(w.n):
        if k >= w.m:
            return k
        best = k
        for j in range(k + 1, w.n):
            if w.norms[j] > w.norms[best]:
                best = j
        norm = sqrt(w.norms[best])
        if k == 0:
            first = norm
        if not norm > w.tolerance[0] * first:
            return k
        _exchange(w, k, best)
        _reflect(w, k, norm)
    return w.n


def _reflect_right(w: LeastSquares, k: int, rank: int) -> None:
    """Make row k zero behind column `rank` by a reflection from the right; rows above it follow."""
    corner = w.table[k][k]
    square = corner * corner
    for j in range(rank, w.n):
        square = fma(w.table[k][j], w.table[k][j], square)
    diagonal = sqrt(square)
    if corner > 0.0:
        diagonal = -diagonal
    shift = divide(1.0, corner - diagonal)
    factor = divide(corner - diagonal, diagonal)
    for j in range(rank, w.n):
        w.table[k][j] *= shift
    w.factors[k] = factor
    for i in range(k):
        _reflect_row(w, i, k, rank)
    w.table[k][k] = diagonal


def _reflect_row(w: LeastSquares, i: int, k: int, rank: int) -> None:
    """Apply the reflection of row k from the right to row i."""
    product = w.table[i][k]
    for j in range(rank, w.n):
        product = fma(w.table[k][j], w.table[i][j], product)
    product *= w.factors[k]
    w.table[i][k] += product
    for j in range(rank, w.n):
        w.table[i][j] = fma(product, w.table[k][j], w.table[i][j])


def _substitute(w: LeastSquares, rank: int) -> None:
    """Solve the triangular system into `row`."""
    for back in range(rank):
        k = rank - 1 - back
        x = divide(w.table[k][w.n], w.table[k][k])
        w.row[k] = x
        for i in range(k):
            w.table[i][w.n] = fma(-x, w.table[i][k], w.table[i][w.n])


def _apply_reflection(w: LeastSquares, k: int, rank: int) -> None:
    """Apply reflection k from the right to the solution."""
    product = w.row[k]
    for j in range(rank, w.n):
        product = fma(w.table[k][j], w.row[j], product)
    product *= w.factors[k]
    w.row[k] += product
    for j in range(rank, w.n):
        w.row[j] = fma(product, w.table[k][j], w.row[j])


def solve_triangle(w: LeastSquares, rank: int, zero_or_nan: float) -> None:
    """Solve the trapezoidal system into `row`, in the coordinates of the reflections from the right."""
    if rank < w.n:
        for back in range(rank):
            _reflect_right(w, rank - 1 - back, rank)
    _substitute(w, rank)
    for j in range(rank, w.n):
        w.row[j] = zero_or_nan


def load_transposed(w: LeastSquares, rank: int, dual: Floats) -> None:
    """Bring a vector from the columns of the matrix to `row`, in the coordinates of the reflections from the right."""
    for j in range(w.n):
        w.row[j] = dual[w.order[j]]
    if rank < w.n:
        for back in range(rank):
            _apply_reflection(w, rank - 1 - back, rank)


def solve_transposed(w: LeastSquares, rank: int, scale: float, left: Floats, solution: Floats) -> None:
    """Compute Q R⁻ᵀ of the entries in `row`, in the same coordinates, in `left`; store it for the unscaled matrix."""
    for i in range(w.m):
        left[i] = 0.0
    for k in range(rank):
        entry = w.row[k]
        for i in range(k):
            entry = fma(-w.table[i][k], left[i], entry)
        left[k] = divide(entry, w.table[k][k])
    for back in range(rank):
        k = rank - 1 - back
        square = 1.0
        product = left[k]
        for i in range(k + 1, w.m):
            square = fma(w.table[i][k], w.table[i][k], square)
            product = fma(w.table[i][k], left[i], product)
        product *= divide(-2.0, square)
        left[k] += product
        for i in range(k + 1, w.m):
            left[i] = fma(product, w.table[i][k], left[i])
    for i in range(w.m):
        solution[i] = left[i] * scale


def store_solution(w: LeastSquares, rank: int) -> None:
    """Bring the solution from `row` back to the columns of the matrix, and store the rank."""
    if rank < w.n:
        for k in range(rank):
            _apply_reflection(w, k, rank)
    for j in range(w.n):
        w.solution[w.order[j]] = w.row[j]
    w.ranks[0] = float(rank)


def _solve(w: LeastSquares) -> int:
    largest = largest_entry(w.m * w.n, w.matrix)
    zero_or_nan = largest_entry(w.m, w.right) * 0.0
    if not largest > SMALLEST:
        for j in range(w.n):
            w.solution[j] = largest * 0.0 + zero_or_nan
        return 0
    _load(w, divide(1.0, largest))
    rank = factor_table(w)
    solve_triangle(w, rank, zero_or_nan)
    store_solution(w, rank)
    return 0


def _operations(m: int, n: int) -> int:
    """Count the operations of the rank that needs most."""
    checks = 3 * (m * n + m) + 2
    return checks + max(
        1 + 3 * m * n + m + max(_operations_for_rank(m, n, rank) for rank in range(1, min(m, n) + 1)), n
    )


def _operations_for_rank(m: int, n: int, rank: int) -> int:
    """Count the operations from the table on; a sign is changed on the left or on the right, if there is a right."""
    steps = sum(n - k + 2 for k in range(min(rank + 1, m, n)))
    left = sum(6 + (m - k - 1) + (n - k) * (2 + 6 * (m - k - 1)) for k in range(rank))
    beside = n - rank
    right = sum(9 + 7 * beside + k * (4 * beside + 2) for k in range(rank)) if beside else 0
    return steps + left + right + sum(1 + 3 * k for k in range(rank))


@final
class BothProducts(LeastSquares):
    """A least-squares problem, and a vector y for the product (A⁺)ᵀ y with the transposed pseudo-inverse."""

    dual = operand("n")
    dual_solution = result("m")
    left = floats("m")


def _solve_both(w: BothProducts) -> int:
    largest = largest_entry(w.m * w.n, w.matrix)
    zero_or_nan = largest_entry(w.m, w.right) * 0.0 + largest_entry(w.n, w.dual) * 0.0
    if not largest > SMALLEST:
        for j in range(w.n):
            w.solution[j] = largest * 0.0 + zero_or_nan
        for i in range(w.m):
            w.dual_solution[i] = largest * 0.0 + zero_or_nan
        return 0
    scale = divide(1.0, largest)
    _load(w, scale)
    rank = factor_table(w)
    solve_triangle(w, rank, zero_or_nan)
    store_solution(w, rank)
    load_transposed(w, rank, w.dual)
    solve_transposed(w, rank, scale, w.left, w.dual_solution)
    return 0


def _operations_of_both(m: int, n: int) -> int:
    """Count the operations of the rank that needs most."""
    ranks = range(1, min(m, n) + 1)
    most = max(_operations_for_rank(m, n, rank) + _operations_of_transposed(m, n, rank) for rank in ranks)
    return 3 * (m * n + m + n) + 5 + 3 * m * n + m + most


def _operations_of_transposed(m: int, n: int, rank: int) -> int:
    """Count the operations of the product with the transposed pseudo-inverse after the decomposition."""
    beside = n - rank
    right = rank * (4 * beside + 2) if beside else 0
    return right + sum(1 + 3 * k for k in range(rank)) + sum(3 + 6 * (m - k - 1) for k in range(rank)) + m


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
        return BOTH_PRODUCTS((m, n), (*flat, *(0,) * m, tolerance, *dual))[n + 1 :]

    return PseudoInverse(matrix, times, transposed_times)


def minimum_norm_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of x = A⁺ b, the minimum-norm solution, and of its rank, which stays."""
    matrix, right, tolerance, _ = _split(sizes, operands)
    moved, moved_right, _, _ = _split(sizes, tangents)
    return *solution_tangent(pseudo_inverse(matrix, tolerance), moved, outputs[: sizes[1]], right, moved_right), 0


def minimum_norm_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of A and b in x = A⁺ b; that of the tolerance is zero, that of the rank is ignored."""
    n = sizes[1]
    matrix, right, tolerance, _ = _split(sizes, operands)
    of_matrix, of_right = solution_cotangents(pseudo_inverse(matrix, tolerance), outputs[:n], right, cotangents[:n])
    return *entries(of_matrix), *of_right, 0


def _both_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of A⁺ b, of the rank, and of (A⁺)ᵀ y."""
    n = sizes[1]
    matrix, right, tolerance, dual = _split(sizes, operands)
    moved, moved_right, _, moved_dual = _split(sizes, tangents)
    inverse = pseudo_inverse(matrix, tolerance)
    of_solution = solution_tangent(inverse, moved, outputs[:n], right, moved_right)
    return *of_solution, 0, *solution_tangent(inverse.transposed, transpose(moved), outputs[n + 1 :], dual, moved_dual)


def _both_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of A, b, the tolerance and y in A⁺ b and (A⁺)ᵀ y."""
    n = sizes[1]
    matrix, right, tolerance, dual = _split(sizes, operands)
    inverse = pseudo_inverse(matrix, tolerance)
    first, of_right = solution_cotangents(inverse, outputs[:n], right, cotangents[:n])
    second, of_dual = solution_cotangents(inverse.transposed, outputs[n + 1 :], dual, cotangents[n + 1 :])
    of_matrix = (a + b for a, b in zip(entries(first), entries(transpose(second)), strict=True))
    return *of_matrix, *of_right, 0, *of_dual


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

BOTH_PRODUCTS: Final = Intrinsic(
    name="pseudo_inverse_products",
    workspace=BothProducts,
    function=_solve_both,
    operations=_operations_of_both,
    derivative=_both_jvp,
    adjoint=_both_vjp,
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
