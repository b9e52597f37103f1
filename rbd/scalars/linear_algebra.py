"""Linear algebra of any size: vectors and matrices as tuples of scalars.

For vectors and matrices of size three see `spatial/linalg.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero


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


def sparse_dot(a: Vector, b: Vector) -> Scalar:
    """Return the inner product without the terms of structural zeros of `a`."""
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if not is_structural_zero(x):
            total = total + x * y
    return total


def freeze(rows: Iterable[Iterable[Scalar]]) -> Matrix:
    """Return the matrix with these rows, such as lists that were filled."""
    return tuple(map(tuple, rows))


def transpose(matrix: Iterable[Iterable[Scalar]]) -> Matrix:
    """Return the transpose; one without rows for a matrix that is empty.

    >>> transpose(((1, 2), (3, 4)))
    ((1, 3), (2, 4))
    """
    return tuple(zip(*matrix, strict=True))


def symmetric_from_upper(matrix: Sequence[Sequence[Scalar]]) -> Matrix:
    """Return the symmetric matrix with the upper triangle of `matrix` in both halves.

    >>> symmetric_from_upper(((1, 2), (None, 4)))
    ((1, 2), (2, 4))
    """
    size = range(len(matrix))
    return tuple(tuple(matrix[min(i, j)][max(i, j)] for j in size) for i in size)


def add_matrices(a: Iterable[Sequence[Scalar]], b: Iterable[Sequence[Scalar]]) -> Matrix:
    """Return a + b."""
    return tuple(tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True))


def hstack(*matrices: Matrix) -> Matrix:
    """Return matrices of equal height beside each other.

    >>> hstack(((1,), (2,)), ((3, 4), (5, 6)))
    ((1, 3, 4), (2, 5, 6))
    """
    return tuple(tuple(chain(*rows)) for rows in zip(*matrices, strict=True))


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
