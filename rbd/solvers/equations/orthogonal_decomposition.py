"""Complete orthogonal decomposition of a least-squares problem, in the language of intrinsics.

Householder reflections with exchanged columns from the left, A P = Q R, until the largest column left is negligible;
then reflections from the right take away what stands beside the triangle. Golub & Van Loan 2013, sections 5.4 and 5.5.
Columns are measured anew after every step, so that nothing cancels. Products with the pseudo-inverse of Aᵀ use the
decomposition of A, too: one of Aᵀ may find another rank.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, divide, fma, sqrt
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result

_LARGEST: Final = 1.7976931348623157e308
SMALLEST: Final = 1e-300
"""A matrix whose entries are all at most so large counts as zero."""


class LeastSquares(Workspace):
    """A least-squares problem, its solution, and the decomposition of its matrix."""

    m: int
    n: int
    matrix = operand("m * n")
    """Row by row."""
    right = operand("m")
    tolerance = operand("1")
    solution = result("n")
    rank = result("1")
    qr = floats("m", "n + 1")
    """The matrix, scaled, then its decomposition; the last column is the right-hand side."""
    norms = floats("n + 1")
    """Squares of the lengths of what remains of the columns."""
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
        if not x <= _LARGEST:
            return x - x
        if x > largest:
            largest = x
    return largest


def load_dense(w: LeastSquares, scale: float) -> None:
    """Fill the array and measure its columns."""
    for i in range(w.m):
        for j in range(w.n):
            x = w.matrix[i * w.n + j] * scale
            w.qr[i][j] = x
            w.norms[j] = fma(x, x, w.norms[j])
        w.qr[i][w.n] = w.right[i] * scale
    for j in range(w.n):
        w.order[j] = j


def _exchange(w: LeastSquares, a: int, b: int) -> None:
    """Exchange two columns."""
    for i in range(w.m):
        x = w.qr[i][a]
        w.qr[i][a] = w.qr[i][b]
        w.qr[i][b] = x
    w.norms[b] = w.norms[a]
    column = w.order[a]
    w.order[a] = w.order[b]
    w.order[b] = column


def _products(w: LeastSquares, k: int) -> None:
    """Multiply the reflected vector, which stands below the diagonal of column k, with the columns behind it."""
    for j in range(k + 1, w.n + 1):
        w.row[j] = w.qr[k][j]
    for i in range(k + 1, w.m):
        x = w.qr[i][k]
        for j in range(k + 1, w.n + 1):
            w.row[j] = fma(x, w.qr[i][j], w.row[j])


def _reflect(w: LeastSquares, k: int, norm: float) -> None:
    """Make column k zero below the diagonal, and measure what remains of the columns behind it."""
    corner = w.qr[k][k]
    diagonal = norm
    if corner > 0.0:
        diagonal = -norm
    shift = divide(1.0, corner - diagonal)
    factor = divide(corner - diagonal, diagonal)
    for i in range(k + 1, w.m):
        w.qr[i][k] *= shift
    _products(w, k)
    for j in range(k + 1, w.n + 1):
        w.row[j] *= factor
        w.qr[k][j] += w.row[j]
        w.norms[j] = 0.0
    for i in range(k + 1, w.m):
        x = w.qr[i][k]
        for j in range(k + 1, w.n + 1):
            y = fma(x, w.row[j], w.qr[i][j])
            w.qr[i][j] = y
            w.norms[j] = fma(y, y, w.norms[j])
    w.qr[k][k] = diagonal


def decompose(w: LeastSquares) -> int:
    """Bring the array into upper trapezoidal form by reflections from the left; return its rank."""
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
    corner = w.qr[k][k]
    square = corner * corner
    for j in range(rank, w.n):
        square = fma(w.qr[k][j], w.qr[k][j], square)
    diagonal = sqrt(square)
    if corner > 0.0:
        diagonal = -diagonal
    shift = divide(1.0, corner - diagonal)
    factor = divide(corner - diagonal, diagonal)
    for j in range(rank, w.n):
        w.qr[k][j] *= shift
    w.factors[k] = factor
    for i in range(k):
        _reflect_row(w, i, k, rank)
    w.qr[k][k] = diagonal


def _reflect_row(w: LeastSquares, i: int, k: int, rank: int) -> None:
    """Apply the reflection of row k from the right to row i."""
    product = w.qr[i][k]
    for j in range(rank, w.n):
        product = fma(w.qr[k][j], w.qr[i][j], product)
    product *= w.factors[k]
    w.qr[i][k] += product
    for j in range(rank, w.n):
        w.qr[i][j] = fma(product, w.qr[k][j], w.qr[i][j])


def _substitute(w: LeastSquares, rank: int) -> None:
    """Solve the triangular system into `row`."""
    for back in range(rank):
        k = rank - 1 - back
        x = divide(w.qr[k][w.n], w.qr[k][k])
        w.row[k] = x
        for i in range(k):
            w.qr[i][w.n] = fma(-x, w.qr[i][k], w.qr[i][w.n])


def _apply_reflection(w: LeastSquares, k: int, rank: int) -> None:
    """Apply reflection k from the right to the solution."""
    product = w.row[k]
    for j in range(rank, w.n):
        product = fma(w.qr[k][j], w.row[j], product)
    product *= w.factors[k]
    w.row[k] += product
    for j in range(rank, w.n):
        w.row[j] = fma(product, w.qr[k][j], w.row[j])


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


def solve_transposed(w: LeastSquares, rank: int, scale: float, vector: Floats, solution: Floats) -> None:
    """Compute Q R⁻ᵀ of the entries in `row`, in the same coordinates, in `vector`; store it for the unscaled matrix."""
    for i in range(w.m):
        vector[i] = 0.0
    for k in range(rank):
        entry = w.row[k]
        for i in range(k):
            entry = fma(-w.qr[i][k], vector[i], entry)
        vector[k] = divide(entry, w.qr[k][k])
    for back in range(rank):
        k = rank - 1 - back
        square = 1.0
        product = vector[k]
        for i in range(k + 1, w.m):
            square = fma(w.qr[i][k], w.qr[i][k], square)
            product = fma(w.qr[i][k], vector[i], product)
        product *= divide(-2.0, square)
        vector[k] += product
        for i in range(k + 1, w.m):
            vector[i] = fma(product, w.qr[i][k], vector[i])
    for i in range(w.m):
        solution[i] = vector[i] * scale


def store_solution(w: LeastSquares, rank: int) -> None:
    """Bring the solution from `row` back to the columns of the matrix, and store the rank."""
    if rank < w.n:
        for k in range(rank):
            _apply_reflection(w, k, rank)
    for j in range(w.n):
        w.solution[w.order[j]] = w.row[j]
    w.rank[0] = float(rank)


def operations_for_rank(m: int, n: int, rank: int) -> int:
    """Count the operations from the loaded array on; signs change on the left, or on the right if there is one."""
    steps = sum(n - k + 2 for k in range(min(rank + 1, m, n)))
    left = sum(6 + (m - k - 1) + (n - k) * (2 + 6 * (m - k - 1)) for k in range(rank))
    beside = n - rank
    right = sum(9 + 7 * beside + k * (4 * beside + 2) for k in range(rank)) if beside else 0
    return steps + left + right + sum(1 + 3 * k for k in range(rank))


def operations_of_transposed(m: int, n: int, rank: int) -> int:
    """Count the operations of the product with the transposed pseudo-inverse after the decomposition."""
    beside = n - rank
    right = rank * (4 * beside + 2) if beside else 0
    return right + sum(1 + 3 * k for k in range(rank)) + sum(3 + 6 * (m - k - 1) for k in range(rank)) + m
