"""What numbers and pairs of contacts may be, and what is said of anything else (internal).

Every error is an ArgumentError that names the argument, what was given and what would fit. Floats are looked at first:
most arguments are floats, and steps are taken by the thousand.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from numbers import Real
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from rbd.arguments import described, several
from rbd.errors import ArgumentError, ScalarError
from rbd.scalars import is_float
from rbd.scalars.arrays import Array, float_array, scalars
from rbd.scalars.registry import ARRAYS, TRUTHS

_INFINITE, _FLOAT64 = math.inf, np.dtype(np.float64)
_PLAIN: Final[set[type[object]]] = {float, int}
LISTS: tuple[type[object], ...] = (list, tuple)
"""For `isinstance`: narrowing to classes with parameters would leave these unknown."""


def at_least_zero(value: object, argument: str) -> float:
    """Return a finite number that is not negative as a float; raise ArgumentError for anything else."""
    if type(value) is float and 0 <= value < _INFINITE:
        return value
    return _fitting(value, argument, lambda x: 0 <= x < _INFINITE, "a finite number of 0 or more")


def above_zero(value: object, argument: str) -> float:
    """Return a finite number above zero as a float; raise ArgumentError for anything else."""
    if type(value) is float and 0 < value < _INFINITE:
        return value
    return _fitting(value, argument, lambda x: 0 < x < _INFINITE, "a finite number above 0")


def finite(value: object, argument: str) -> float:
    """Return a finite number as a float; raise ArgumentError for anything else."""
    if type(value) is float and -_INFINITE < value < _INFINITE:
        return value
    return _fitting(value, argument, math.isfinite, "a finite number")


def ordered(value: object, argument: str) -> float:
    """Return a number, finite or not, as a float; raise ArgumentError for anything else, NaN included."""
    if type(value) is float and -_INFINITE <= value <= _INFINITE:
        return value
    return _fitting(value, argument, lambda x: not math.isnan(x), "a number")


def share(value: object, argument: str) -> float:
    """Return a number from 0 to 1 as a float; raise ArgumentError for anything else."""
    if type(value) is float and 0 <= value <= 1:
        return value
    return _fitting(value, argument, lambda x: 0 <= x <= 1, "a number from 0 to 1")


def any_number(value: object, argument: str) -> float:
    """Return a real number as a float, NaN included; raise ArgumentError for anything else."""
    return _fitting(value, argument, lambda _: True, "a number")


def float_vector(values: object, length: int | None, argument: str) -> Array:
    """Return numbers as floats; raise ShapeError, NotFiniteError or ScalarError for anything else.

    NumPy is asked at once where no entry could be something else that it takes for a number, as truth values are.
    """
    if isinstance(values, LISTS) and set(map(type, cast("list[object]", values))) <= _PLAIN:
        values = np.array(values)
    if length is None and type(values) in ARRAYS and cast("Array", values).ndim == 1:
        length = len(cast("Array", values))
    try:
        return float_array(values, (length,), argument, copy=False)
    except ScalarError as error:
        return _rounded(values, length, argument, error)


def nearly_checked(values: object, length: int, argument: str) -> Array:
    """Return what `float_vector` does, but for NaN and infinity, which machine code finds faster."""
    if isinstance(values, LISTS) and set(map(type, cast("list[object]", values))) <= _PLAIN:
        values = np.array(values)
    if type(values) in ARRAYS:
        array = cast("Array", values)
        if array.dtype == _FLOAT64 and array.shape == (length,):
            return array
    return float_vector(values, length, argument)


def _rounded(values: object, length: int | None, argument: str, error: ScalarError) -> Array:
    """Return exact numbers, such as fractions, as floats; raise `error` for symbols and other scalars."""
    exact = scalars(values, length, argument)
    try:
        return np.array(exact, dtype=np.float64)
    except (TypeError, ValueError):
        raise error from None


def pair_set(values: object, count: int, argument: str) -> frozenset[int]:
    """Return the numbers of pairs, in no order; raise ArgumentError unless all are whole and from 0 to `count` - 1."""
    listed = several(values, argument, "numbers of pairs")
    return frozenset(_pair_number(value, count, argument) for value in listed)


def pair_numbers(values: object, count: int, argument: str) -> NDArray[np.intp]:
    """Return the numbers of pairs; raise ArgumentError unless all are whole and from 0 to `count` - 1."""
    if type(values) in ARRAYS:
        array = cast("NDArray[np.int64]", values)
        if array.ndim == 1 and array.dtype.kind == "i":
            wrong = array[(array < 0) | (array >= count)]
            if wrong.size:
                raise _no_such_pair(int(wrong[0]), count, argument)
            return array.astype(np.intp)
    listed = several(values, argument, "numbers of pairs")
    return np.array([_pair_number(value, count, argument) for value in listed], dtype=np.intp)


def _pair_number(value: object, count: int, argument: str) -> int:
    try:
        number = operator.index(cast("Any", value))
    except TypeError:
        number = None
    if number is None or isinstance(value, TRUTHS):
        message = f"{argument} holds {described(value)}, needs numbers of pairs"
        raise ArgumentError(message, argument=argument, value=value, allowed="whole numbers")
    if not 0 <= number < count:
        raise _no_such_pair(number, count, argument)
    return number


def _no_such_pair(number: int, count: int, argument: str) -> ArgumentError:
    shown = number if abs(number) < 2**63 else described(number)
    message = f"{argument} names pair {shown}, there are {count} pairs"
    return ArgumentError(message, argument=argument, value=number, allowed=f"0 to {count - 1}")


def _fitting(value: object, argument: str, fits: Callable[[float], bool], allowed: str) -> float:
    number = _as_float(value)
    if number is None or not fits(number):
        shown = described(value) if number is None else f"{number:g}"
        message = f"{argument} is {shown}, must be {allowed}"
        raise ArgumentError(message, argument=argument, value=value, allowed=allowed)
    return number


def _as_float(value: object) -> float | None:
    """Return a real number of any kind, or an array of one without axes; None for anything else."""
    if isinstance(value, ARRAYS) and not cast("NDArray[Any]", value).ndim:
        value = cast("NDArray[Any]", value)[()]
    if isinstance(value, TRUTHS) or not (is_float(value) or isinstance(value, Real)):
        return None
    try:
        return float(cast("float", value))
    except OverflowError:
        return math.copysign(_INFINITE, 1 if cast("float", value) > 0 else -1)
