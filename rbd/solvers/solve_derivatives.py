"""How solutions of linear equations move with their data.

Rules for `Intrinsic.derivative` and, backwards, for `Intrinsic.adjoint`: each solves again, with another right-hand
side. Pseudo-inverses are differentiated at constant rank (Golub and Pereyra, 1973).
"""

from __future__ import annotations

from collections.abc import Sequence

from rbd.intrinsics.intrinsic import TABLE
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import inner


def change_of_solution(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, changes: Vector
) -> Vector:
    """Return how X of A X = B, A positive definite, answers changes of A and B: A dX = dB - dA X."""
    n, m = sizes
    packed = n * (n + 1) // 2
    columns = tuple(tuple(outputs[i * m + j] for i in range(n)) for j in range(m))
    right: list[Scalar] = []
    for i in range(n):
        row = tuple(changes[_packed(i, k)] for k in range(n))
        right += [changes[packed + i * m + j] - inner(row, column) for j, column in enumerate(columns)]
    return TABLE["solve_positive_definite"](sizes, (*operands[:packed], *right), labels)


def weights_of_solution(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, weights: Vector
) -> Vector:
    """Return what A and B of A X = B weigh: Y for B and, entry by entry of the triangle, -Y X' for A, A Y = weights."""
    n, m = sizes
    packed = n * (n + 1) // 2
    flat = TABLE["solve_positive_definite"](sizes, (*operands[:packed], *weights), labels)
    y, x = _rows(flat, n, m), _rows(outputs, n, m)
    triangle = [
        -inner(y[i], x[j]) - (inner(y[j], x[i]) if i != j else 0)
        for i in range(n)
        for j in range(i + 1)
    ]  # fmt: skip
    return (*triangle, *flat)


def change_of_smallest(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, changes: Vector
) -> Vector:
    """Return how x = A^+ b, the smallest of the best solutions, and the rank answer changes of A and b.

    With r = b - A x, u = (A^T)^+ x and z = dA^T u: dx = A^+ (db - dA x + (A^T)^+ dA^T r - A z) + z. The rank stays.
    """
    m, n = sizes
    matrix, right, tolerance = _rows(operands, m, n), operands[m * n : m * n + m], operands[m * n + m]
    moved, moved_right = _rows(changes, m, n), changes[m * n : m * n + m]
    across, moved_across = tuple(zip(*matrix, strict=True)), tuple(zip(*moved, strict=True))
    x = outputs[:n]
    left_over = tuple(b - inner(row, x) for b, row in zip(right, matrix, strict=True))
    turned = _times(moved_across, _smallest(across, x, tolerance))
    spread = _smallest(across, _times(moved_across, left_over), tolerance)
    rows = zip(moved_right, _times(moved, x), spread, _times(matrix, turned), strict=True)
    found = _smallest(matrix, tuple(a - b + c - d for a, b, c, d in rows), tolerance)
    return (*(a + b for a, b in zip(found, turned, strict=True)), 0)


def weights_of_smallest(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, weights: Vector
) -> Vector:
    """Return what A and b of x = A^+ b weigh; the tolerance weighs nothing, nor does the rank count.

    With p = (A^T)^+ w, u = (A^T)^+ x and r = b - A x: p for b, and -p x' + r (A^+ p)' + u (w - A^T p)' for A.
    """
    m, n = sizes
    matrix, right, tolerance = _rows(operands, m, n), operands[m * n : m * n + m], operands[m * n + m]
    across, x, w = tuple(zip(*matrix, strict=True)), outputs[:n], weights[:n]
    p, u = _smallest(across, w, tolerance), _smallest(across, x, tolerance)
    back, kept = _smallest(matrix, p, tolerance), _times(across, p)
    left_over = [b - inner(row, x) for b, row in zip(right, matrix, strict=True)]
    spare = [a - b for a, b in zip(w, kept, strict=True)]
    entries = [
        rest * back[j] + lift * spare[j] - push * x[j]
        for rest, lift, push in zip(left_over, u, p, strict=True)
        for j in range(n)
    ]
    return (*entries, *p, 0)


def _smallest(matrix: Matrix, right: Vector, tolerance: Scalar) -> Vector:
    """Return the pseudo-inverse of a matrix times a vector."""
    m, n = len(matrix), len(matrix[0])
    if all(type(x) is int and x == 0 for x in right):
        return (0,) * n
    flat = (*(x for row in matrix for x in row), *right, tolerance)
    return TABLE["minimum_norm_solve"]((m, n), flat)[:n]


def _packed(i: int, j: int) -> int:
    """Return where an entry of a symmetric matrix stands in its lower triangle."""
    return max(i, j) * (max(i, j) + 1) // 2 + min(i, j)


def _rows(flat: Vector, m: int, n: int) -> Matrix:
    return tuple(tuple(flat[i * n : (i + 1) * n]) for i in range(m))


def _times(matrix: Matrix, vector: Vector) -> Vector:
    return tuple(inner(row, vector) for row in matrix)
