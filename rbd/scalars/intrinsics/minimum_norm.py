"""The least-squares solution of least norm, with the rank. May import: errors, language, intrinsic.

A complete orthogonal decomposition: Householder reflections with exchanged columns from the left, A P = Q R, until the
largest column left is negligible; then reflections from the right take away what stands beside the triangle. Golub &
Van Loan 2013, sections 5.4 and 5.5. Columns are measured anew after every step, so that nothing cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.errors import ShapeError
from rbd.scalars.constants import const
from rbd.scalars.intrinsics.intrinsic import Intrinsic
from rbd.scalars.intrinsics.language import Floats, Ints, divide, fma, sqrt
from rbd.scalars.intrinsics.solve_slopes import change_of_smallest, weights_of_smallest
from rbd.scalars.protocol import Matrix, Scalar, Vector

LARGEST: Final = 1.7976931348623157e308
SMALLEST: Final = 1e-300
TOLERANCE: Final = const(1, 10**10)
"""A column that is this much shorter than the first pivot counts as dependent on those before it."""


def _largest(count: int, values: Floats) -> float:
    """Return the largest absolute value; infinity minus infinity when one is not finite."""
    largest = 0.0
    for k in range(count):
        x = abs(values[k])
        if not x <= LARGEST:
            return x - x
        if x > largest:
            largest = x
    return largest


def _load(m: int, n: int, scale: float, matrix: Floats, right: Floats, table: Floats, norms: Floats) -> None:
    """Fill the table, whose last column is the right-hand side, and measure its columns."""
    for i in range(m):
        for j in range(n):
            x = matrix[i * n + j] * scale
            table[i * (n + 1) + j] = x
            norms[j] = fma(x, x, norms[j])
        table[i * (n + 1) + n] = right[i] * scale


def _exchange(m: int, n: int, a: int, b: int, table: Floats, norms: Floats, order: Ints) -> None:
    """Exchange two columns."""
    for i in range(m):
        x = table[i * (n + 1) + a]
        table[i * (n + 1) + a] = table[i * (n + 1) + b]
        table[i * (n + 1) + b] = x
    norms[b] = norms[a]
    column = order[a]
    order[a] = order[b]
    order[b] = column


def _products(m: int, n: int, k: int, table: Floats, row: Floats) -> None:
    """Multiply the reflected vector, which stands below the diagonal of column k, with the columns behind it."""
    w = n + 1
    for j in range(k + 1, w):
        row[j] = table[k * w + j]
    for i in range(k + 1, m):
        x = table[i * w + k]
        for j in range(k + 1, w):
            row[j] = fma(x, table[i * w + j], row[j])


def _reflect(m: int, n: int, k: int, norm: float, table: Floats, norms: Floats, row: Floats) -> None:
    """Make column k zero below the diagonal, and measure what is left of the columns behind it."""
    w = n + 1
    corner = table[k * w + k]
    diagonal = norm
    if corner > 0.0:
        diagonal = -norm
    shift = divide(1.0, corner - diagonal)
    factor = divide(corner - diagonal, diagonal)
    for i in range(k + 1, m):
        table[i * w + k] = table[i * w + k] * shift
    _products(m, n, k, table, row)
    for j in range(k + 1, w):
        row[j] = row[j] * factor
        table[k * w + j] = table[k * w + j] + row[j]
        norms[j] = 0.0
    for i in range(k + 1, m):
        x = table[i * w + k]
        for j in range(k + 1, w):
            y = fma(x, row[j], table[i * w + j])
            table[i * w + j] = y
            norms[j] = fma(y, y, norms[j])
    table[k * w + k] = diagonal


def _triangle(m: int, n: int, tolerance: float, table: Floats, norms: Floats, row: Floats, order: Ints) -> int:
    """Bring the table into upper trapezoidal form and return its rank."""
    first = 0.0
    for k in range(n):
        if k >= m:
            return k
        best = k
        for j in range(k + 1, n):
            if norms[j] > norms[best]:
                best = j
        norm = sqrt(norms[best])
        if k == 0:
            first = norm
        if not norm > tolerance * first:
            return k
        _exchange(m, n, k, best, table, norms, order)
        _reflect(m, n, k, norm, table, norms, row)
    return n


def _clear_right(n: int, k: int, rank: int, table: Floats, factors: Floats) -> None:
    """Make row k zero behind column `rank` by a reflection from the right; rows above it follow."""
    w = n + 1
    corner = table[k * w + k]
    square = corner * corner
    for j in range(rank, n):
        square = fma(table[k * w + j], table[k * w + j], square)
    diagonal = sqrt(square)
    if corner > 0.0:
        diagonal = -diagonal
    shift = divide(1.0, corner - diagonal)
    factor = divide(corner - diagonal, diagonal)
    for j in range(rank, n):
        table[k * w + j] = table[k * w + j] * shift
    for i in range(k):
        product = table[i * w + k]
        for j in range(rank, n):
            product = fma(table[k * w + j], table[i * w + j], product)
        product = product * factor
        table[i * w + k] = table[i * w + k] + product
        for j in range(rank, n):
            table[i * w + j] = fma(product, table[k * w + j], table[i * w + j])
    table[k * w + k] = diagonal
    factors[k] = factor


def _substitute(n: int, rank: int, table: Floats, row: Floats) -> None:
    """Solve the triangular system into `row`."""
    w = n + 1
    for back in range(rank):
        k = rank - 1 - back
        x = divide(table[k * w + n], table[k * w + k])
        row[k] = x
        for i in range(k):
            table[i * w + n] = fma(-x, table[i * w + k], table[i * w + n])


def _turn_back(n: int, k: int, rank: int, table: Floats, factors: Floats, row: Floats) -> None:
    """Apply reflection k from the right to the solution."""
    w = n + 1
    product = row[k]
    for j in range(rank, n):
        product = fma(table[k * w + j], row[j], product)
    product = product * factors[k]
    row[k] = row[k] + product
    for j in range(rank, n):
        row[j] = fma(product, table[k * w + j], row[j])


def _solve_triangle(n: int, rank: int, missing: float, table: Floats, factors: Floats, row: Floats) -> None:
    """Find the solution of least norm of the trapezoidal system."""
    if rank < n:
        for back in range(rank):
            _clear_right(n, rank - 1 - back, rank, table, factors)
    _substitute(n, rank, table, row)
    for j in range(rank, n):
        row[j] = missing
    if rank < n:
        for k in range(rank):
            _turn_back(n, k, rank, table, factors, row)


def _solve(
    m: int,
    n: int,
    matrix: Floats,
    right: Floats,
    tolerance: Floats,
    solution: Floats,
    ranks: Floats,
    table: Floats,
    norms: Floats,
    row: Floats,
    factors: Floats,
    order: Ints,
) -> int:
    largest = _largest(m * n, matrix)
    missing = _largest(m, right) * 0.0
    if not largest > SMALLEST:
        for j in range(n):
            solution[j] = largest * 0.0 + missing
        return 0
    _load(m, n, divide(1.0, largest), matrix, right, table, norms)
    for j in range(n):
        order[j] = j
    rank = _triangle(m, n, tolerance[0], table, norms, row, order)
    _solve_triangle(n, rank, missing, table, factors, row)
    for j in range(n):
        solution[order[j]] = row[j]
    ranks[0] = float(rank)
    return 0


def _operations(m: int, n: int) -> int:
    """Count the operations of the rank that needs most."""
    checks = 3 * (m * n + m) + 2
    return checks + max(1 + 3 * m * n + m + max(_at(m, n, rank) for rank in range(1, min(m, n) + 1)), n)


def _at(m: int, n: int, rank: int) -> int:
    """Count the operations from the table on; a sign is changed on the left or on the right, if there is a right."""
    steps = sum(n - k + 2 for k in range(min(rank + 1, m, n)))
    left = sum(6 + (m - k - 1) + (n - k) * (2 + 6 * (m - k - 1)) for k in range(rank))
    beside = n - rank
    right = sum(9 + 7 * beside + k * (4 * beside + 2) for k in range(rank)) if beside else 0
    return steps + left + right + sum(1 + 3 * k for k in range(rank))


MINIMUM_NORM_SOLVE: Final = Intrinsic(
    name="minimum_norm_solve",
    function=_solve,
    sizes=("m", "n"),
    inputs=(("matrix", lambda m, n: m * n), ("right", lambda m, n: m), ("tolerance", lambda m, n: 1)),
    outputs=(("solution", lambda m, n: n), ("ranks", lambda m, n: 1)),
    work=(
        ("table", lambda m, n: m * (n + 1)),
        ("norms", lambda m, n: n + 1),
        ("row", lambda m, n: n + 1),
        ("factors", lambda m, n: n),
    ),
    integers=(("order", lambda m, n: n),),
    operations=_operations,
    derivative=change_of_smallest,
    adjoint=weights_of_smallest,
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
    flat = MINIMUM_NORM_SOLVE((m, n), (*(x for row in matrix for x in row), *right, tolerance))
    return flat[:n], flat[n]
