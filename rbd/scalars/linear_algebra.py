"""Linear algebra of any size: vectors and matrices as tuples of scalars.

For vectors and matrices of size three see `spatial/linalg.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rbd.scalars.protocol import Matrix, Scalar, Vector


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def negate(a: Vector) -> Vector:
    """Return -a."""
    return tuple(-x for x in a)


def dot(a: Sequence[Any], b: Sequence[Any]) -> Scalar:
    """Return the inner product, zero for empty vectors."""
    total: Scalar = 0
    for k, (x, y) in enumerate(zip(a, b, strict=True)):
        total = x * y if k == 0 else total + x * y
    return total


def matvec(matrix: Matrix, vector: Vector) -> Vector:
    """Return matrix times vector; a matrix without rows gives an empty vector."""
    return tuple(dot(row, vector) for row in matrix)


def combination(rows: Iterable[Sequence[Scalar]], weights: Iterable[Scalar], n: int) -> Vector:
    """Return the sum of rows of n entries, times weights: a transposed matrix times a vector."""
    total: list[Scalar] = [0] * n
    for row, weight in zip(rows, weights, strict=True):
        for j, entry in enumerate(row):
            total[j] = total[j] + entry * weight
    return tuple(total)


def unit(n: int, k: int) -> tuple[int, ...]:
    """Return the unit vector of length n along coordinate k."""
    return tuple(int(i == k) for i in range(n))


def identity(n: int) -> tuple[tuple[int, ...], ...]:
    """Return the n by n identity; its rows are the unit vectors."""
    return tuple(unit(n, k) for k in range(n))


def block_diagonal(a: Matrix, b: Matrix) -> Matrix:
    """Return the matrix with blocks a and b on its diagonal; neither may be empty."""
    left, right = len(a[0]), len(b[0])
    return tuple(tuple(row) + (0,) * right for row in a) + tuple((0,) * left + tuple(row) for row in b)
