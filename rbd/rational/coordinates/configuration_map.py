"""Conversion of whole configurations q to variables s, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, final

import numpy as np

from rbd.errors import SingularError
from rbd.program.status import range_error
from rbd.rational.coordinates.coordinate import Coordinate
from rbd.rational.polynomials.polynomial_scalars import HalfTangent, NominalValues
from rbd.rational.polynomials.ring import Kind
from rbd.scalars import Vector, is_float, lift, scalars
from rbd.scalars.arrays import Array, float_array, pack

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rbd.scalars import Scalar

ArrayOf: TypeAlias = "NDArray[Any]"
"""float64 for floats, an object or complex array for other scalars."""
V = TypeVar("V")
Convert: TypeAlias = Callable[[Coordinate, V, NominalValues], V]
Width: TypeAlias = Callable[[Coordinate], int]


@final
class ConfigurationMap:
    """Conversion between configurations q and variables s, coordinate by coordinate, around a nominal q*."""

    def __init__(self, coordinates: Sequence[Coordinate], nq: int) -> None:
        """Set the coordinates of all joints, and the number of entries of q."""
        self._coordinates = coordinates
        self._nq = nq

    def to_s(self, q: ArrayLike | Sequence[Scalar], nominal: NominalValues, *, wrap: bool) -> ArrayOf:
        """Return s of q, which may have leading axes; with `wrap`, infinite for angles half a turn or more away."""
        leading = _leading_axes(q)
        if leading:
            rows = float_array(q, (*leading, self._nq), "q")
            return self._convert_rows(
                rows, nominal, "s", lambda c: c.nq, lambda c, x, x0: c.rows_to_s(x, x0, wrap=wrap)
            )
        row = scalars(q, self._nq, "q")
        return pack(self._convert(row, nominal, "s", lambda c: c.nq, lambda c, x, x0: c.to_s(x, x0, wrap=wrap)))

    def to_q(self, s: Array | Vector, nominal: NominalValues) -> ArrayOf:
        """Return q of checked s, which may have leading axes."""
        if not isinstance(s, tuple) and s.ndim > 1:
            return self._convert_rows(s, nominal, "q", lambda c: c.ns, lambda c, x, x0: c.rows_to_q(x, x0))
        row = s if isinstance(s, tuple) else tuple(cast("list[float]", s.tolist()))
        return pack(self._convert(row, nominal, "q", lambda c: c.ns, lambda c, x, x0: c.to_q(x, x0)))

    def _convert(
        self, row: Vector, nominal: NominalValues, result: str, width: Width, convert: Convert[Vector]
    ) -> Vector:
        """Return the result, "s" or "q", of every coordinate; `width` gives the number of entries of `row` it takes."""
        if not all(map(is_float, row)):  # q* becomes exact beside symbols
            nominal = tuple(x if isinstance(x, HalfTangent) else cast("float", lift(x, row)) for x in nominal)
        try:
            parts = [_checked(c, convert(c, row[i], nominal[j]), result) for c, i, j in self._slices(width)]
        except ZeroDivisionError as error:
            raise SingularError(f"{result} has a pole at these complex numbers", what=result) from error
        return tuple(x for part in parts for x in part)

    def _convert_rows(
        self, rows: Array, nominal: NominalValues, result: str, width: Width, convert: Convert[Array]
    ) -> Array:
        """Return the result, "s" or "q", of every coordinate in every row of an array."""
        flat = rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1])
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [_checked(c, convert(c, flat[:, i], nominal[j]), result) for c, i, j in self._slices(width)]
        converted: Array = np.hstack([np.empty((len(flat), 0)), *parts])
        return converted.reshape(*rows.shape[:-1], converted.shape[1])

    def _slices(self, width: Width) -> Iterator[tuple[Coordinate, slice, slice]]:
        """Yield every coordinate with its entries in a vector where it has `width` ones, and its entries in q*."""
        i = j = 0
        for coordinate in self._coordinates:
            next_i, next_j = i + width(coordinate), j + coordinate.nq
            yield coordinate, slice(i, next_i), slice(j, next_j)
            i, j = next_i, next_j


def _checked(coordinate: Coordinate, values: V, argument: str) -> V:
    """Return values; raise NotFiniteError naming the argument for NaN, and for infinite displacements."""
    vector: object = values  # a tuple, or an array
    numbers = _numbers(cast("Vector", vector)) if type(vector) is tuple else cast("Array", vector)
    wrong = ~np.isfinite(numbers) if coordinate.kind is Kind.LENGTH else np.isnan(numbers)
    if wrong.any():
        raise range_error(argument)
    return values


def _numbers(vector: Vector) -> NDArray[np.complex128]:
    """Return the entries that are plain real or complex numbers."""
    numbers: list[Any] = [x for x in vector if is_float(x) or isinstance(x, complex)]
    return np.array([complex(x) for x in numbers], dtype=np.complex128)


def _leading_axes(q: object) -> tuple[int, ...]:
    """Return all axes of an array-like but the last; none for ragged rows, which raise later."""
    try:
        shape: tuple[int, ...] = np.shape(cast("Any", q))
    except MemoryError:
        raise
    except Exception:  # an object's own `__array__` may raise anything
        return ()
    if isinstance(q, type):
        return ()
    return shape[:-1]
