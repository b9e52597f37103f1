"""Matrices of spatial vectors: six rows, columns as pairs (angular, linear)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np
from typing_extensions import override

from rbd.scalars import Matrix, Vector
from rbd.scalars.arrays import Array, array_of, in_row_order, matrix_scalars, scalars
from rbd.spatial.linalg import Vec3, Vec6, add3, dot3, scale3, zero3
from rbd.spatial.values import MatrixLike, SpatialValue, VectorLike


class LazyColumns(SpatialValue):
    """A value with room for an array, from which its columns are made when they are asked for; abstract."""

    __slots__ = ("_numbers",)
    _numbers: Array | None
    """The matrix in column order; None if it is not set."""

    @staticmethod
    @abstractmethod
    def _columns(numbers: Array) -> tuple[Any, ...]:
        """Return the columns of a matrix."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> tuple[Any, ...] | None:
            """Return an attribute that is not set: the columns, made of the array, or None for the array."""
            if name == "_numbers":
                return None
            if name != "columns":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            columns = self._columns(self._numbers)
            object.__setattr__(self, "columns", columns)
            return columns


set_numbers: Callable[[object, Array], None] = getattr(LazyColumns, "_numbers").__set__  # noqa: B009 - a slot, not a value


@attrs.frozen(eq=False, repr=False)
class ColumnMatrix(LazyColumns):
    """A matrix of six rows, angular ones first, and any number of columns; abstract."""

    columns: tuple[Vec6, ...]

    @property
    def angular(self) -> Array:
        """The upper three rows as a fresh array."""
        return rows_of(tuple(a for a, _ in self.columns))

    @property
    def linear(self) -> Array:
        """The lower three rows as a fresh array."""
        return rows_of(tuple(b for _, b in self.columns))

    @property
    def matrix(self) -> Array:
        """All six rows as a fresh array."""
        numbers = self._numbers
        return rows_of(tuple(a + b for a, b in self.columns), 6) if numbers is None else in_row_order(numbers)

    @staticmethod
    @override
    def _columns(numbers: Array) -> tuple[Vec6, ...]:
        return tuple([((a, b, c), (x, y, z)) for a, b, c, x, y, z in numbers.T.tolist()])

    @property
    def components(self) -> Matrix:
        """The six rows, as scalars."""
        return tuple(tuple(column[i // 3][i % 3] for column in self.columns) for i in range(6))

    @abstractmethod
    def with_columns(self, columns: tuple[Vec6, ...]) -> Self:
        """Return a matrix of the same class and frames with other columns, which need no check."""

    def checked_combination(self, weights: VectorLike, name: str) -> Vec6:
        """Return the sum of the columns times `weights`. Raises ShapeError, NotFiniteError naming `name`."""
        return self.combination(scalars(weights, len(self.columns), name))

    def combination(self, weights: Vector) -> Vec6:
        """Return the sum of the columns times as many scalars, which need no check."""
        angular, linear, first = zero3(), zero3(), True
        for (a, b), factor in zip(self.columns, weights, strict=True):
            if first:
                angular, linear, first = scale3(a, factor), scale3(b, factor), False
            else:
                angular, linear = add3(angular, scale3(a, factor)), add3(linear, scale3(b, factor))
        return angular, linear

    def times(self, matrix: Matrix) -> tuple[Vec6, ...]:
        """Return the columns of the product with a matrix of scalars, which needs no check."""
        return tuple(self.combination(weights) for weights in zip(*matrix, strict=True))

    def products(self, angular: Vec3, linear: Vec3) -> Vector:
        """Return the inner products of the columns with a six-vector."""
        return tuple(dot3(a, angular) + dot3(b, linear) for a, b in self.columns)

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return (
            tuple(x for a, _ in self.columns for x in a),
            tuple(x for _, b in self.columns for x in b),
        )

    def _shape(self) -> str:
        return f"6x{len(self.columns)}"


def angular_columns(vectors: Iterable[Vec3]) -> tuple[Vec6, ...]:
    """Return columns with these angular parts and no linear part."""
    return tuple((v, zero3()) for v in vectors)


def linear_columns(vectors: Iterable[Vec3]) -> tuple[Vec6, ...]:
    """Return columns with these linear parts and no angular part."""
    return tuple((zero3(), v) for v in vectors)


def columns_of(angular: MatrixLike, linear: MatrixLike) -> tuple[Vec6, ...]:
    """Return the columns of two 3xn parts. Raises ShapeError when they do not have three rows and equal lengths."""
    upper = vec3_columns(angular, None, "angular")
    lower = vec3_columns(linear, len(upper), "linear")
    return tuple(zip(upper, lower, strict=True))


def vec3_columns(matrix: MatrixLike, width: int | None, name: str) -> tuple[Vec3, ...]:
    """Return the columns of a matrix of three rows. Raises ShapeError, NotFiniteError naming `name`."""
    a, b, c = matrix_scalars(matrix, 3, width, name)
    return tuple(zip(a, b, c, strict=True))


def rows_of(columns: tuple[Vector, ...], height: int = 3) -> Array:
    """Return columns as an array of `height` rows."""
    if not columns:
        return np.zeros((height, 0))
    return array_of(tuple(zip(*columns, strict=True)))
