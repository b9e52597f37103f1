"""Validation of arrays: shapes, dtypes and entries.

Errors name the argument, with its shape and indices.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rbd.arguments import described
from rbd.errors import NotFiniteError, ScalarError, ShapeError, quoted
from rbd.scalars.families.constant import CONSTANT
from rbd.scalars.families.real import REAL
from rbd.scalars.functions import is_float, to_float
from rbd.scalars.protocol import Array, Scalar, Vector
from rbd.scalars.registry import ARRAYS, TRUTHS, dominant_family, family_of, python_number

ExpectedShape: TypeAlias = tuple[int | None, ...]
"""Lengths of the axes; None for any length."""

REAL_KINDS = "iuf"
_NUMERIC_KINDS = "iufcO"
_PLAIN_NUMBERS: Final = frozenset[type[object]]({float, int})
_MAX_DEPTH: Final = 64
"""Largest number of axes of an array of NumPy."""
_NO_NUMBERS: tuple[type[object], ...] = (*TRUTHS, str, bytes, type(None))


def is_masked(values: object) -> bool:
    """Return whether `values` is a masked array."""
    return "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray)  # before its import, nothing is


def require_unmasked(values: object, name: str) -> None:
    """Raise NotFiniteError for a masked entry of an array, or of one in nested sequences: NumPy drops those masks."""
    if "numpy.ma" not in sys.modules or (type(values) is np.ndarray and values.dtype != np.object_):
        return
    index = _masked_index(values, _MAX_DEPTH)
    if index is not None:
        raise NotFiniteError(f"{name}{_subscript(index)} is masked", argument=name, index=index)


def _masked_index(values: object, depth: int) -> tuple[int, ...] | None:
    """Return the index of the first masked entry, in sequences nested up to `depth`."""
    if is_masked(values):
        masked = np.argwhere(np.ma.getmaskarray(cast("Any", values)))
        return tuple(map(int, masked[0])) if len(masked) else None
    nested = cast("Any", values).tolist() if _holds_objects(values) else values
    if not depth or not isinstance(nested, (tuple, list)):
        return None
    parts = cast("Sequence[object]", nested)
    kinds = set(map(type, parts))
    if kinds <= _PLAIN_NUMBERS or not any(map(_may_hold_masks, kinds)):
        return None
    found = ((k, _masked_index(part, depth - 1)) for k, part in enumerate(parts))
    return next(((k, *index) for k, index in found if index is not None), None)


def _holds_objects(values: object) -> bool:
    return isinstance(values, ARRAYS) and cast("NDArray[Any]", values).dtype == np.object_


def _may_hold_masks(kind: type[object]) -> bool:
    return issubclass(kind, (tuple, list, *ARRAYS))


def any_array(
    values: object, name: str, shape: ExpectedShape | None = None, dtype: type[Any] | None = None
) -> NDArray[Any]:
    """Return any array-like as an array; raise ShapeError for what is none, NotFiniteError for masked entries."""
    require_unmasked(values, name)
    try:
        array: NDArray[Any] = np.asarray(values, dtype=dtype)
    except MemoryError:
        raise
    except Exception as error:  # an object's own `__array__` may raise anything
        raise ShapeError(f"{name} is no regular array of numbers: {error}", argument=name, expected=shape) from error
    return array


def as_array(values: object, shape: ExpectedShape, name: str) -> NDArray[Any]:
    """Return any array-like as an array of real, complex or object entries of this shape."""
    if values is None:
        raise ShapeError(f"{name} is None, needs {_shape_text(shape)}", argument=name, expected=shape)
    array = any_array(values, name, shape)
    if array.dtype == object and array.ndim == 0 and shape:
        advice = (
            f"; write {name}.as_matrix()" if callable(getattr(values, "as_matrix", None)) else ""
        )  # SciPy's Rotation
        message = f"{name} is {described(values)}, needs {_shape_text(shape)}{advice}"
        raise ShapeError(message, argument=name, expected=shape, actual=type(values).__name__)
    if array.dtype.kind not in _NUMERIC_KINDS or holds_truth_value(values):
        what = "truth values" if array.dtype.kind in "biuf" else f"dtype {array.dtype}"
        given, wanted = f"has {what}", "numbers"
        if isinstance(values, (str, bytes)):
            given, wanted = f"is {described(values)}", _shape_text(shape)
        message = f"{name} {given}, needs {wanted}"
        raise ShapeError(message, argument=name, expected=shape, actual=array.dtype.name)
    check_shape(array.shape, shape, name)
    return array


def _shape_text(shape: ExpectedShape) -> str:
    """Return a shape in words."""
    lone = shape[0] if len(shape) == 1 else None
    return "numbers" if lone is None else f"{lone} number{'s' * (lone != 1)}"


def as_float64(values: object, shape: ExpectedShape, name: str) -> Array:
    """Return a fresh float64 array of real numbers."""
    array = as_array(values, shape, name)
    if array.dtype.kind in REAL_KINDS:
        with np.errstate(over="ignore"):
            return array.astype(np.float64, order="C")
    if array.dtype.kind == "c":
        message = f"{name} is complex, needs real numbers"
        raise ShapeError(message, argument=name, expected=shape, actual=array.dtype.name)
    flat = cast("list[object]", array.reshape(-1).tolist())
    for position, x in enumerate(flat):
        _refuse_non_number(x, name, tuple(int(i) for i in np.unravel_index(position, array.shape)))
        _refuse_other_scalar(x, name)
    return np.array([to_float(cast("float", x)) for x in flat], dtype=np.float64).reshape(array.shape)


def _refuse_other_scalar(x: object, name: str) -> None:
    """Raise ScalarError for a number that is no float."""
    if not is_float(x):
        message = f"{name} needs floats, got {quoted(x)} of type {type(x).__name__}"
        advice = "states of other scalars are made with with_scalars"
        raise ScalarError(f"{message}; {advice}", argument=name, scalar=x)


def row_of(row: object, name: str) -> tuple[object, ...]:
    """Return one row of a nested sequence, without validation."""
    if isinstance(row, (tuple, list)):
        return tuple(cast("Sequence[object]", row))
    return tuple(cast("list[object]", as_array(row, (None,), name).tolist()))


def check_entries(entries: tuple[object, ...], name: str, widths: ExpectedShape | None) -> Vector:
    """Check entries one by one; `widths` are the trailing lengths to unravel their indices, None if they have none."""
    if set(map(type, entries)) == {float} and all(map(math.isfinite, cast("tuple[float, ...]", entries))):
        return cast("Vector", entries)
    numbers = tuple(_number(x, name, _unravelled(i, widths)) for i, x in enumerate(entries))
    best = dominant_family(numbers)
    if best is None or best[0] in (REAL, CONSTANT):
        floats = [to_float(x) for x in numbers]
        for i, x in enumerate(floats):
            if not math.isfinite(x):
                raise _not_finite(x, name, _unravelled(i, widths))
        return tuple(floats)
    family, member = best
    return tuple(family.lift(x, member) if family.spoiled_by_floats and type(x) is float else x for x in numbers)


def _number(x: object, name: str, index: tuple[int, ...]) -> Scalar:
    """Return one entry as a scalar, NumPy's numbers as Python's."""
    _refuse_non_number(x, name, index)
    value = python_number(cast("Scalar", cast("Any", x)[()] if isinstance(x, ARRAYS) else x))
    try:
        family = family_of(value)
    except ScalarError as error:
        raise ScalarError(f"{name}{_subscript(index)}: {error}", argument=name, index=index, scalar=x) from None
    if not family.is_finite(value):
        raise _not_finite(to_float(value) if isinstance(value, Fraction) else value, name, index)
    return value


def _refuse_non_number(x: object, name: str, index: tuple[int, ...]) -> None:
    kind, phrase = type(x).__name__, described(x)
    nested = isinstance(x, (tuple, list)) or (isinstance(x, ARRAYS) and np.ndim(cast("Any", x)) > 0)
    if nested or isinstance(x, _NO_NUMBERS):
        raise ShapeError(
            f"{name}{_subscript(index)} is {phrase}, needs a number", argument=name, index=index, actual=kind
        )


def holds_truth_value(values: object) -> bool:
    """Return whether a number or nested sequence has a truth value, which NumPy turns into a number beside numbers."""
    if isinstance(values, (tuple, list)):
        return any(holds_truth_value(v) for v in cast("Sequence[object]", values))
    return isinstance(values, TRUTHS)


def flattened(nested: object) -> tuple[list[Scalar], tuple[int, ...]]:
    """Return the entries of nested tuples in order, and their shape."""
    if not isinstance(nested, (tuple, list)):
        return [cast("Scalar", nested)], ()
    parts = [flattened(part) for part in cast("Sequence[object]", nested)]
    inner = parts[0][1] if parts else ()
    return [x for flat, _ in parts for x in flat], (len(parts), *inner)


def check_shape(actual: tuple[int, ...], expected: ExpectedShape, name: str) -> None:
    """Raise ShapeError unless the shape is the expected one."""
    fits = len(actual) == len(expected) and all(e is None or a == e for a, e in zip(actual, expected, strict=True))
    if not fits:
        lengths = ["any" if e is None else str(e) for e in expected]
        wanted = f"({lengths[0]},)" if len(lengths) == 1 else f"({', '.join(lengths)})"
        raise ShapeError(f"{name} has shape {actual}, needs {wanted}", argument=name, expected=expected, actual=actual)


def check_finite(array: Array, name: str) -> None:
    """Raise NotFiniteError naming the first entry that is NaN or infinite."""
    finite = np.isfinite(array)
    if not finite.all():
        index = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise _not_finite(array[index], name, index)


def _not_finite(value: object, name: str, index: tuple[int, ...]) -> NotFiniteError:
    return NotFiniteError(f"{name}{_subscript(index)} is {value}", argument=name, index=index)


def _unravelled(position: int, widths: ExpectedShape | None) -> tuple[int, ...]:
    if widths is None:
        return ()
    return divmod(position, widths[0]) if widths and widths[0] else (position,)


def _subscript(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""
