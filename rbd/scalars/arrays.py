"""Conversion of array-likes to tuples of scalars or float64 arrays, and back.

Arguments are not broadcast. Wrong shapes, bools, strings, NaN and infinity raise errors that name the argument. In a
shape, None stands for any length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from rbd.errors import ScalarError, ShapeError, quoted
from rbd.scalars.entries import (
    REAL_KINDS,
    ExpectedShape,
    as_array,
    as_float64,
    check_entries,
    check_finite,
    check_shape,
    flattened,
    is_masked,
    row_of,
)
from rbd.scalars.functions import is_float, to_float
from rbd.scalars.native_functions import NATIVE_FUNCTIONS
from rbd.scalars.protocol import Array, Matrix, Scalar, ScalarArray, Vector
from rbd.scalars.registry import ARRAYS, dominant_family

__all__ = [
    "Array",
    "ScalarArray",
    "array_of",
    "check_out",
    "float_array",
    "matrix_scalars",
    "pack",
    "scalars",
    "to_float_array",
]

_FLOAT64 = np.dtype(np.float64)
_SEQUENCES: Final = frozenset({tuple, list})
_ONLY_FLOATS: Final = frozenset({float})
# Up to this size a Python loop is faster than NumPy at finding NaN and infinity.
_SMALL_SIZE = 48


def float_array(values: object, shape: ExpectedShape, name: str, *, copy: bool = True) -> Array:
    """Return `values` as a fresh C-contiguous float64 array of exactly this shape (`copy=False`: itself if it is one).

    Raises ShapeError for another shape or a dtype that is not real numbers, NotFiniteError for NaN, infinity or a
    masked entry, ScalarError for symbols and other scalars that are not floats. The error names the argument.

    >>> float_array([1, 2, 3], (3,), "point")
    array([1., 2., 3.])
    """
    fresh = type(values) not in ARRAYS or cast("Array", values).dtype != _FLOAT64
    array = as_float64(values, shape, name) if fresh else cast("Array", values)
    if array.shape != shape:
        check_shape(array.shape, shape, name)
    is_finite = array.size <= _SMALL_SIZE and all(map(math.isfinite, array.reshape(-1).tolist()))
    if not is_finite:
        check_finite(array, name)
    return np.array(array, order="C") if copy and not fresh else np.ascontiguousarray(array)


def scalars(values: object, length: int | None, name: str) -> Vector:
    """Return array-like `values` as a flat tuple: real numbers as Python floats, other scalars unchanged.

    With exact scalars (fractions, symbols), integers stay integers and floats are converted exactly to that family.
    Raises ShapeError, NotFiniteError or ScalarError naming the argument.

    >>> from fractions import Fraction
    >>> scalars([1, 2.5], 2, "q"), scalars([Fraction(1, 3), 0.5, 0], 3, "q")
    ((1.0, 2.5), (Fraction(1, 3), Fraction(1, 2), 0))
    """
    plain = _plain_entries(values, length)
    if plain is not None and _ONLY_FLOATS.issuperset(map(type, plain)) and all(map(math.isfinite, plain)):
        return plain
    if isinstance(values, (tuple, list)):
        entries = tuple(cast("Sequence[object]", values))
        check_shape((len(entries),), (length,), name)
        return check_entries(entries, name, ())
    array = as_array(values, (length,), name)
    if array.dtype.kind in REAL_KINDS:
        return tuple(cast("list[float]", float_array(array, (length,), name, copy=False).tolist()))
    return check_entries(tuple(cast("list[object]", array.tolist())), name, ())


def scalar(value: object, name: str) -> Scalar:
    """Return one number: a real number as a Python float, another scalar unchanged.

    Raises ShapeError, NotFiniteError or ScalarError naming the argument.

    >>> scalar(2, "mass")
    2.0
    """
    return check_entries((value,), name, None)[0]


def matrix_scalars(values: object, rows: int | None, cols: int | None, name: str) -> Matrix:
    """Return an array-like matrix as a tuple of rows; entries as in `scalars`.

    >>> matrix_scalars([[1, 0], [0, 1]], 2, 2, "moment")
    ((1.0, 0.0), (0.0, 1.0))
    """
    plain = _plain_rows(values, rows, cols)
    if plain is not None:
        return plain
    lines = _matrix_rows(values, rows, cols, name)
    width = len(lines[0]) if lines else cols or 0
    if any(len(line) != width for line in lines):
        raise ShapeError(f"{name} has rows of different lengths", argument=name, expected=(rows, cols), actual=None)
    check_shape((len(lines), width), (rows, cols), name)
    flat = check_entries(tuple(entry for line in lines for entry in line), name, (width,))
    return tuple(flat[i * width : (i + 1) * width] for i in range(len(lines)))


def _matrix_rows(values: object, rows: int | None, cols: int | None, name: str) -> tuple[tuple[object, ...], ...]:
    """Return the rows of an array-like matrix, of any lengths and without validation of their entries."""
    if isinstance(values, (tuple, list)):
        given = cast("Sequence[object]", values)
        if given and all(isinstance(row, (int, float)) for row in given):
            check_shape((len(given),), (rows, cols), name)
        return tuple(row_of(row, name) for row in given)
    array = as_array(values, (rows, cols), name)
    return tuple(tuple(row) for row in cast("list[list[object]]", array.tolist()))


def _plain_entries(values: Any, length: int | None) -> tuple[Any, ...] | None:
    """Return the entries of an array of float64, a list or a tuple of this length; None for all other values."""
    if type(values) in ARRAYS:
        return tuple(values.tolist()) if values.dtype == _FLOAT64 and values.shape == (length,) else None
    return tuple(values) if type(values) in _SEQUENCES and len(values) == length else None


def _plain_rows(values: object, rows: int | None, cols: int | None) -> Matrix | None:
    """Return rows of finite floats, of an array or of nested lists and tuples; None for all other values."""
    if type(values) in ARRAYS:
        array = cast("Array", values)
        lists: Sequence[Any] = array.tolist() if array.dtype == _FLOAT64 and array.ndim == 2 else ()
    else:
        lists = cast("Sequence[Any]", values) if type(values) in _SEQUENCES else ()
    if len(lists) != rows or not _SEQUENCES.issuperset(map(type, lists)):
        return None
    lines: tuple[tuple[Any, ...], ...] = tuple(map(tuple, lists))
    flat = tuple(chain.from_iterable(lines))
    is_plain = (
        set(map(len, lines)) == {cols} and _ONLY_FLOATS.issuperset(map(type, flat)) and all(map(math.isfinite, flat))
    )
    return lines if is_plain else None


def pack(nested: object) -> Array | ScalarArray | NDArray[np.complex128]:
    """Return nested tuples as an array of float64, complex128 or objects, whichever holds all entries.

    Of recorded scalars it is an array on which NumPy's functions run.

    >>> from rbd.scalars import const
    >>> pack(((1.0, 0.0), (0.0, const(1, 2))))
    array([[1. , 0. ],
           [0. , 0.5]])
    """
    array = np.array(nested)
    if array.dtype == _FLOAT64:
        return array
    flat, shape = flattened(nested)
    if all(is_float(x) for x in flat):
        return np.array([to_float(x) for x in flat], dtype=np.float64).reshape(shape)
    if all(is_float(x) or isinstance(x, complex) for x in flat):
        return np.array([complex(cast("complex", x)) for x in flat], dtype=np.complex128).reshape(shape)
    objects: ScalarArray = np.empty(len(flat), dtype=np.object_)
    objects[:] = flat
    return _family_array(objects, flat).reshape(shape)


def _family_array(objects: ScalarArray, flat: list[Scalar]) -> ScalarArray:
    """Return an array of objects as the type of arrays of their scalar family."""
    best = dominant_family(flat)
    return objects if best is None else best[0].array(objects)


def array_of(nested: object) -> Array:
    """Return nested tuples as `pack` does, typed as the float64 array they are unless scalars are of another kind.

    >>> array_of((1.0, 0))
    array([1., 0.])
    """
    array: Array = NATIVE_FUNCTIONS.array_of_tuples(nested)
    return array if array is not NotImplemented else cast("Array", pack(nested))


def in_row_order(matrix: Array) -> Array:
    """Return a copy of a matrix in row order.

    >>> in_row_order(np.ones((2, 3), order="F")).flags.c_contiguous
    True
    """
    array: Array = NATIVE_FUNCTIONS.copy_in_row_order(matrix)
    return array if array is not NotImplemented else matrix.copy()


def array_of_shape(numbers: tuple[object, ...], shape: tuple[int, ...]) -> Array:
    """Return numbers as an array of a shape, as `array_of` does; NumPy converts flat tuples faster than nested ones.

    >>> array_of_shape((1.0, 0, 2.0, 3.0), (2, 2))
    array([[1., 0.],
           [2., 3.]])
    """
    return array_of(numbers).reshape(shape)


def to_float_array(nested: object) -> Array:
    """Return nested tuples of real numbers as a float64 array; raise ScalarError for other scalars.

    >>> from rbd.scalars import const
    >>> to_float_array((1.0, 0, const(1, 4)))
    array([1.  , 0.  , 0.25])
    """
    array = np.array(nested)
    if array.dtype == _FLOAT64:
        return array
    flat, shape = flattened(nested)
    for x in flat:
        if not is_float(x):
            raise ScalarError(
                f"an array of floats cannot hold {quoted(x)} of type {type(x).__name__}; use .components",
                scalar=x,
                function="to_float_array",
            )
    return np.array([to_float(x) for x in flat], dtype=np.float64).reshape(shape)


def check_out(out: object, shape: tuple[int, ...], name: str) -> Array:
    """Return `out`, a valid array for results, or a new one for None.

    Raises ShapeError unless it is a writeable C-contiguous float64 array of exactly this shape.

    >>> check_out(None, (2, 3), "out").shape
    (2, 3)
    """
    if out is None:
        return np.empty(shape)
    if not isinstance(out, ARRAYS) or is_masked(out):
        raise ShapeError(f"{name} must be a float64 array, got {type(out).__name__}", argument=name, expected=shape)
    array = cast("Array", out)
    if array.dtype != _FLOAT64:
        raise ShapeError(
            f"{name} has dtype {array.dtype}, needs float64", argument=name, expected="float64", actual=array.dtype.name
        )
    check_shape(array.shape, shape, name)
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ShapeError(
            f"{name} must be C-contiguous and writeable", argument=name, expected=shape, actual=array.shape
        )
    return array


def read_only_view(array: Array) -> Array:
    """Return a view of an array through which it cannot be written.

    >>> read_only_view(np.zeros(2)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view
