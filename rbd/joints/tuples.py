"""Vectors and matrices of any length, as tuples of scalars: the handful of operations joint types need.

Three-element ones live in `spatial/linalg.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rbd.scalars import Matrix, Scalar, Vector
    from rbd.spatial.linalg import Vec3

Column = tuple["Vec3", "Vec3"]


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def negate(a: Vector) -> Vector:
    """Return -a."""
    return tuple(-x for x in a)


def dot(a: Vector, b: Vector) -> Scalar:
    """Return the inner product; zero for empty vectors."""
    total: Scalar = 0
    for k, (x, y) in enumerate(zip(a, b, strict=True)):
        total = x * y if k == 0 else total + x * y
    return total


def matvec(matrix: Matrix, vector: Vector) -> Vector:
    """Return matrix times vector; a matrix without rows gives an empty vector."""
    return tuple(dot(row, vector) for row in matrix)


def identity(n: int) -> Matrix:
    """Return the n by n identity."""
    return tuple(tuple(int(i == j) for j in range(n)) for i in range(n))


def block_diagonal(a: Matrix, b: Matrix) -> Matrix:
    """Return the matrix with blocks a and b on its diagonal; neither may be empty."""
    left, right = len(a[0]), len(b[0])
    return tuple(tuple(row) + (0,) * right for row in a) + tuple((0,) * left + tuple(row) for row in b)


def combine(columns: Sequence[Column], matrix: Matrix) -> tuple[Column, ...]:
    """Return the columns of a Jacobian (angular, linear pairs) times a matrix with as many rows."""
    width = len(matrix[0]) if matrix else 0
    return tuple(_combination(columns, tuple(row[k] for row in matrix)) for k in range(width))


def _combination(columns: Sequence[Column], weights: Vector) -> Column:
    angular = tuple(dot(tuple(c[0][i] for c in columns), weights) for i in range(3))
    linear = tuple(dot(tuple(c[1][i] for c in columns), weights) for i in range(3))
    return (angular[0], angular[1], angular[2]), (linear[0], linear[1], linear[2])
