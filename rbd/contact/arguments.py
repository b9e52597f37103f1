"""Validation of the vectors and pair indices that functions of contacts take.

Every error names the argument, the value and what is allowed.
"""

from __future__ import annotations

import operator
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from rbd.arguments import described, sequence
from rbd.errors import ArgumentError, ScalarError
from rbd.scalars import Scalar, less, positive, where
from rbd.scalars.arrays import Array, float_array, scalars
from rbd.scalars.number_checks import at_least_zero
from rbd.scalars.registry import ARRAYS, TRUTHS

_FLOAT64 = np.dtype(np.float64)
_PLAIN: Final[set[type[object]]] = {float, int}
MAX_FRICTION: Final = 100.0
"""Coulomb's coefficient in steps, at most: with more, bodies that slide sink by centimetres before they stop."""
LISTS: tuple[type[object], ...] = (list, tuple)
"""For `isinstance`, which would narrow to list[Unknown] otherwise."""


def float_vector(values: object, length: int | None, argument: str) -> Array:
    """Return numbers as floats; raise ShapeError, NotFiniteError or ScalarError for anything else.

    Lists of floats and ints go to NumPy at once; others may hold values that NumPy wrongly converts, such as bools.
    """
    values = _array_of_plain_list(values)
    if length is None and type(values) in ARRAYS and cast("Array", values).ndim == 1:
        length = len(cast("Array", values))
    try:
        return float_array(values, (length,), argument, copy=False)
    except ScalarError as error:
        return _converted(values, length, argument, error)


def float_vector_unchecked(values: object, length: int, argument: str) -> Array:
    """Return numbers as floats, without a check for NaN and infinity, which machine code does faster."""
    values = _array_of_plain_list(values)
    if type(values) in ARRAYS:
        array = cast("Array", values)
        if array.dtype == _FLOAT64 and array.shape == (length,):
            return array
    return float_vector(values, length, argument)


def _array_of_plain_list(values: object) -> object:
    """Return a list of floats and ints as an array; other values as they are."""
    if isinstance(values, LISTS) and set(map(type, cast("list[object]", values))) <= _PLAIN:
        return np.array(values)
    return values


def _converted(values: object, length: int | None, argument: str, error: ScalarError) -> Array:
    """Return exact numbers, such as fractions, as floats; raise `error` for symbols and other scalars."""
    exact = scalars(values, length, argument)
    try:
        return np.array(exact, dtype=np.float64)
    except (TypeError, ValueError):
        raise error from None


def friction_coefficient(value: object, argument: str = "friction") -> float:
    """Return Coulomb's coefficient; raise ArgumentError unless it is from 0 to 100."""
    number = at_least_zero(value, argument)
    if number > MAX_FRICTION:
        allowed = f"0 to {MAX_FRICTION:g}"
        message = f"{argument} is {number:g}, allowed is {allowed}: bodies would sink before they stop sliding"
        raise ArgumentError(message, argument=argument, value=value, allowed=allowed)
    return number


def require_friction_coefficients(values: Array, argument: str) -> None:
    """Raise ArgumentError unless all entries of an array are coefficients that `friction_coefficient` allows."""
    for extreme in (values.min(initial=0.0), values.max(initial=0.0)):
        friction_coefficient(float(extreme), argument)


def recorded_friction_coefficient(friction: Scalar) -> Scalar:
    """Return a coefficient that is an input of a recorded function, which fails where it is not allowed."""
    below = positive(where(less(friction, 0), friction, 1), "friction, unless it is zero,")
    above = positive(where(less(MAX_FRICTION, friction), -1, 1), f"{MAX_FRICTION:g} less friction")
    return friction * (below * above)


def pair_indices(values: object, count: int, argument: str) -> NDArray[np.intp]:
    """Return pair indices; raise ArgumentError unless all are whole and from 0 to `count` - 1."""
    if type(values) in ARRAYS:
        array = cast("NDArray[np.int64]", values)
        if array.ndim == 1 and array.dtype.kind == "i":
            wrong = array[(array < 0) | (array >= count)]
            if wrong.size:
                raise _no_such_pair(int(wrong[0]), count, argument)
            return array.astype(np.intp)
    listed = sequence(values, argument, "indices of pairs")
    return np.array([_pair_index(value, count, argument) for value in listed], dtype=np.intp)


def _pair_index(value: object, count: int, argument: str) -> int:
    try:
        index = operator.index(cast("Any", value))
    except MemoryError:
        raise
    except Exception:  # an object's own `__index__` may raise anything
        index = None
    if index is None or isinstance(value, TRUTHS):
        message = f"{argument} holds {described(value)}, needs indices of pairs"
        raise ArgumentError(message, argument=argument, value=value, allowed="whole numbers")
    if not 0 <= index < count:
        raise _no_such_pair(index, count, argument)
    return index


def _no_such_pair(index: int, count: int, argument: str) -> ArgumentError:
    shown = index if abs(index) < 2**63 else described(index)
    message = f"{argument} names pair {shown}, there are {count} pairs"
    return ArgumentError(message, argument=argument, value=index, allowed=f"0 to {count - 1}")
