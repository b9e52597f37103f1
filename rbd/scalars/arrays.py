"""From what users hand in to tuples of scalars or float64 arrays, and back. May import: errors, the rest of `rbd.scalars`.

Nothing broadcasts, nothing guesses: a wrong shape, a bool, a string, NaN or infinity is refused with the argument's name.
Shapes are tuples in which None stands for any length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rbd.errors import NotFiniteError, ScalarError, ShapeError, quoted
from rbd.scalars.backends.constant import CONSTANT
from rbd.scalars.backends.real import REAL
from rbd.scalars.functions import is_float, to_float
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.registry import dominant, operations_of

Array: TypeAlias = NDArray[np.float64]
"""A float64 array."""

ScalarArray: TypeAlias = NDArray[np.object_]
"""An array of scalars of any family."""

Shape: TypeAlias = tuple[int | None, ...]

_FLOAT64 = np.dtype(np.float64)
_REAL_KINDS = "iuf"


def float_array(values: object, shape: Shape, name: str, *, copy: bool = True) -> Array:
    """Return `values` as a fresh C-contiguous float64 array of exactly this shape (`copy=False`: itself when it is one).

    Raises ShapeError for another shape or a dtype that is not real numbers, NotFiniteError for NaN, infinity or a masked
    entry, ScalarError for symbols and other scalars that are not floats. The error names the argument.

    >>> float_array([1, 2, 3], (3,), "point")
    array([1., 2., 3.])
    """
    fresh = type(values) is not np.ndarray or values.dtype != _FLOAT64
    array = _converted(values, shape, name) if fresh else cast("Array", values)
    if array.shape != shape:
        _check_shape(array.shape, shape, name)
    flat = array.reshape(-1)
    # One dot product finds NaN and infinity; it may also overflow, so it only acquits.
    if not math.isfinite(flat.dot(flat)):
        _check_finite(array, name)
    return np.array(array, order="C") if copy and not fresh else np.ascontiguousarray(array)


def scalars(values: object, length: int | None, name: str) -> Vector:
    """Return array-like `values` as a flat tuple: real numbers as Python floats, foreign scalars as they are.

    Beside exact scalars (fractions, symbols) integers stay integers and floats become exact members of that family.
    Raises ShapeError, NotFiniteError or ScalarError naming the argument.

    >>> from fractions import Fraction
    >>> scalars([1, 2.5], 2, "q"), scalars([Fraction(1, 3), 0.5, 0], 3, "q")
    ((1.0, 2.5), (Fraction(1, 3), Fraction(1, 2), 0))
    """
    if isinstance(values, (tuple, list)):
        entries = tuple(cast("Sequence[object]", values))
        _check_shape((len(entries),), (length,), name)
        return _checked(entries, name, ())
    array = _as_array(values, (length,), name)
    if array.dtype.kind in _REAL_KINDS:
        return tuple(cast("list[float]", float_array(array, (length,), name, copy=False).tolist()))
    return _checked(tuple(cast("list[object]", array.tolist())), name, ())


def matrix_scalars(values: object, rows: int | None, cols: int | None, name: str) -> Matrix:
    """Return an array-like matrix as a tuple of rows, with the rules of `scalars`.

    >>> matrix_scalars([[1, 0], [0, 1]], 2, 2, "moment")
    ((1.0, 0.0), (0.0, 1.0))
    """
    if isinstance(values, (tuple, list)):
        lines = tuple(_row(row, name) for row in cast("Sequence[object]", values))
    else:
        array = _as_array(values, (rows, cols), name)
        lines = tuple(tuple(row) for row in cast("list[list[object]]", array.tolist()))
    width = len(lines[0]) if lines else cols or 0
    if any(len(line) != width for line in lines):
        raise ShapeError(f"{name} has rows of different lengths", argument=name, expected=(rows, cols), actual=None)
    _check_shape((len(lines), width), (rows, cols), name)
    flat = _checked(tuple(entry for line in lines for entry in line), name, (width,))
    return tuple(flat[i * width : (i + 1) * width] for i in range(len(lines)))


def pack(nested: object) -> Array | ScalarArray | NDArray[np.complex128]:
    """Return nested tuples as an array: float64 if all are real numbers, complex128 if some are complex, else of objects.

    >>> pack(((1.0, 0.0), (0.0, const(1, 2))))
    array([[1. , 0. ],
           [0. , 0.5]])
    """
    array = np.array(nested)
    if array.dtype == _FLOAT64:
        return array
    flat, shape = _flattened(nested)
    if all(is_float(x) for x in flat):
        return np.array([to_float(x) for x in flat], dtype=np.float64).reshape(shape)
    if all(is_float(x) or isinstance(x, complex) for x in flat):
        return np.array([complex(cast("complex", x)) for x in flat], dtype=np.complex128).reshape(shape)
    objects: ScalarArray = np.empty(len(flat), dtype=np.object_)
    objects[:] = flat
    return objects.reshape(shape)


def to_float_array(nested: object) -> Array:
    """Return nested tuples of real numbers as a float64 array; raise ScalarError for other scalars.

    >>> to_float_array((1.0, 0, const(1, 4)))
    array([1.  , 0.  , 0.25])
    """
    array = np.array(nested)
    if array.dtype == _FLOAT64:
        return array
    flat, shape = _flattened(nested)
    for x in flat:
        if not is_float(x):
            raise ScalarError(
                f"an array of floats cannot hold {quoted(x)} of type {type(x).__name__}; use .components",
                scalar=x,
                function="to_float_array",
            )
    return np.array([to_float(x) for x in flat], dtype=np.float64).reshape(shape)


def check_out(out: Array | None, shape: tuple[int, ...], name: str) -> Array:
    """Return `out`, an array results can be written into, or a new one for None.

    Raises ShapeError unless it is a writeable C-contiguous float64 array of exactly this shape.

    >>> check_out(None, (2, 3), "out").shape
    (2, 3)
    """
    if out is None:
        return np.empty(shape)
    given: object = out
    if not isinstance(given, np.ndarray):
        raise ShapeError(f"{name} must be a float64 array, got {type(given).__name__}", argument=name, expected=shape)
    if out.dtype != _FLOAT64:
        raise ShapeError(f"{name} has dtype {out.dtype}, needs float64", argument=name, expected="float64", actual=out.dtype.name)
    _check_shape(out.shape, shape, name)
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise ShapeError(f"{name} must be C-contiguous and writeable", argument=name, expected=shape, actual=out.shape)
    return out


def _as_array(values: object, shape: Shape, name: str) -> NDArray[Any]:
    """Return any array-like as an array of real, complex or object entries of this shape."""
    if isinstance(values, np.ma.MaskedArray):
        masked = np.argwhere(np.ma.getmaskarray(cast("Any", values)))
        if len(masked):
            index = tuple(int(i) for i in masked[0])
            raise NotFiniteError(f"{name}{_subscript(index)} is masked", argument=name, index=index)
    try:
        array: NDArray[Any] = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ShapeError(f"{name} is no regular array of numbers: {error}", argument=name, expected=shape) from error
    if array.dtype.kind not in "iufcO" or _holds_truth_value(values):
        what = "truth values" if array.dtype.kind in "biuf" else f"dtype {array.dtype}"
        raise ShapeError(f"{name} has {what}, needs numbers", argument=name, expected=shape, actual=array.dtype.name)
    _check_shape(array.shape, shape, name)
    return array


def _converted(values: object, shape: Shape, name: str) -> Array:
    """Return a fresh float64 array of real numbers."""
    array = _as_array(values, shape, name)
    if array.dtype.kind in _REAL_KINDS:
        with np.errstate(over="ignore"):
            return array.astype(np.float64, order="C")
    if array.dtype.kind == "c":
        raise ShapeError(f"{name} is complex, needs real numbers", argument=name, expected=shape, actual=array.dtype.name)
    flat = cast("list[object]", array.reshape(-1).tolist())
    for position, x in enumerate(flat):
        _refuse_non_number(x, name, tuple(int(i) for i in np.unravel_index(position, array.shape)))
        if not is_float(x):
            raise ScalarError(
                f"{name} needs floats, got {quoted(x)} of type {type(x).__name__}; states of other scalars are made"
                " with with_scalars",
                argument=name,
                scalar=x,
            )
    return np.array([to_float(cast("float", x)) for x in flat], dtype=np.float64).reshape(array.shape)


def _row(row: object, name: str) -> tuple[object, ...]:
    if isinstance(row, (tuple, list)):
        return tuple(cast("Sequence[object]", row))
    return tuple(cast("list[object]", _as_array(row, (None,), name).tolist()))


def _checked(entries: tuple[object, ...], name: str, widths: Shape) -> Vector:
    """Check entries one by one; `widths` are the trailing lengths their indices are unravelled with."""
    if set(map(type, entries)) == {float} and all(map(math.isfinite, cast("tuple[float, ...]", entries))):
        return cast("Vector", entries)
    numbers = tuple(_number(x, name, _unravelled(i, widths)) for i, x in enumerate(entries))
    found = dominant(numbers)
    if found is None or found[0] in (REAL, CONSTANT):
        return tuple(to_float(x) for x in numbers)
    family, member = found
    return tuple(family.lift(x, member) if family.spoiled_by_floats and type(x) is float else x for x in numbers)


def _number(x: object, name: str, index: tuple[int, ...]) -> Scalar:
    """Return one entry as a scalar, NumPy's numbers as Python's."""
    _refuse_non_number(x, name, index)
    value = cast("Scalar", x.item() if isinstance(x, (np.generic, np.ndarray)) else x)
    try:
        family = operations_of(value)
    except ScalarError as error:
        raise ScalarError(f"{name}{_subscript(index)}: {error}", argument=name, index=index, scalar=x) from None
    if not family.is_finite(value):
        raise NotFiniteError(f"{name}{_subscript(index)} is {value}", argument=name, index=index)
    return float(x) if isinstance(x, np.longdouble) else value


def _refuse_non_number(x: object, name: str, index: tuple[int, ...]) -> None:
    nested = isinstance(x, (tuple, list)) or (isinstance(x, np.ndarray) and x.ndim > 0)
    if nested or x is None or isinstance(x, (bool, np.bool_, str, bytes)):
        kind = type(cast("object", x)).__name__
        raise ShapeError(
            f"{name}{_subscript(index)} is a {kind}, needs a number", argument=name, index=index, actual=kind
        )


def _holds_truth_value(values: object) -> bool:
    if isinstance(values, (tuple, list)):
        return any(_holds_truth_value(v) for v in cast("Sequence[object]", values))
    return isinstance(values, (bool, np.bool_))


def _flattened(nested: object) -> tuple[list[Scalar], tuple[int, ...]]:
    if not isinstance(nested, (tuple, list)):
        return [cast("Scalar", nested)], ()
    parts = [_flattened(part) for part in cast("Sequence[object]", nested)]
    inner = parts[0][1] if parts else ()
    return [x for flat, _ in parts for x in flat], (len(parts), *inner)


def _check_shape(actual: tuple[int, ...], expected: Shape, name: str) -> None:
    fits = len(actual) == len(expected) and all(e is None or a == e for a, e in zip(actual, expected, strict=True))
    if not fits:
        wanted = "(" + ", ".join("any" if e is None else str(e) for e in expected) + ("," if len(expected) == 1 else "") + ")"
        raise ShapeError(f"{name} has shape {actual}, needs {wanted}", argument=name, expected=expected, actual=actual)


def _check_finite(array: Array, name: str) -> None:
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        index = tuple(int(i) for i in bad[0])
        raise NotFiniteError(f"{name}{_subscript(index)} is {array[index]}", argument=name, index=index)


def _unravelled(position: int, widths: Shape) -> tuple[int, ...]:
    return divmod(position, widths[0]) if widths and widths[0] else (position,)


def _subscript(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""
