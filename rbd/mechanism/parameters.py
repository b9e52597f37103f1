"""Validation of joint parameters: bounds, and numbers given once or once per velocity.

Floats are checked; symbols and other scalars pass unchecked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

import numpy as np

from rbd.errors import ArgumentError, NotFiniteError, ShapeError
from rbd.scalars import Scalar, is_float, to_float
from rbd.scalars.arrays import scalar

Bound: TypeAlias = tuple[Scalar, Scalar]
Bounds: TypeAlias = tuple[Bound, ...]
BoundsLike: TypeAlias = Sequence[Scalar] | Sequence[Sequence[Scalar]] | None
PerVelocity: TypeAlias = Scalar | Sequence[Scalar]

UNBOUNDED: Bound = (-math.inf, math.inf)


def number(value: object, argument: str) -> Scalar:
    """Return one number; booleans and text are no numbers."""
    given = value  # isinstance narrows `value` to types that are partly unknown
    if isinstance(value, (bool, np.bool_, str, bytes, Iterable)) or value is None:
        raise ArgumentError(f"{argument} holds {type(given).__name__}, not a number", argument=argument, value=given)
    x = cast("Scalar", value)
    if not is_float(x):
        return scalar(x, argument)  # ScalarError for what is no scalar at all
    x = to_float(x)
    if math.isnan(x):
        raise NotFiniteError(f"{argument} holds NaN", argument=argument)
    return x


def is_zero(value: Scalar) -> bool:
    """Return whether a scalar is a number equal to zero; symbols are not."""
    return is_float(value) and to_float(value) == 0


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def per_velocity(value: PerVelocity, nv: int, argument: str, *, positive: bool = False) -> tuple[Scalar, ...]:
    """Return one number per velocity; a single number holds for all. Numbers must be finite and not negative.

    With `positive`, zero is refused too. Raises ShapeError, NotFiniteError or ArgumentError, naming `argument`.
    """
    if _is_list(value):
        numbers = tuple(cast("Sequence[Scalar]", value))
        if len(numbers) != nv:
            raise ShapeError(
                f"{argument} has {len(numbers)} numbers, needs {nv}, one per velocity",
                argument=argument,
                expected=(nv,),
                actual=(len(numbers),),
            )
    else:
        numbers = (cast("Scalar", value),) * nv
    return tuple(_nonnegative(number(entry, argument), argument, positive) for entry in numbers)


def _nonnegative(x: Scalar, argument: str, positive: bool) -> Scalar:
    if not is_float(x):
        return x
    value = cast("float", x)
    if math.isinf(value):
        raise NotFiniteError(f"{argument} holds infinity", argument=argument)
    if value < 0 or (positive and value == 0):
        allowed = "> 0" if positive else ">= 0"
        raise ArgumentError(
            f"{argument} must be {allowed}, not {value}", argument=argument, value=value, allowed=allowed
        )
    return x


def bounds(value: BoundsLike, count: int, argument: str) -> Bounds:
    """Return one (lower, upper) pair per coordinate; None is unbounded, for one coordinate, a bare pair is accepted.

    Raises ShapeError, NotFiniteError (NaN) or ArgumentError (lower > upper), naming `argument`.
    """
    if value is None:
        return (UNBOUNDED,) * count
    pairs = tuple(cast("Sequence[Sequence[Scalar]]", value)) if _is_list(value) else ()
    if count == 1 and len(pairs) == 2 and not _is_list(pairs[0]):
        pairs = (cast("Sequence[Scalar]", value),)
    if not _is_list(value) or len(pairs) != count or not all(_is_list(pair) and len(pair) == 2 for pair in pairs):
        raise ShapeError(
            f"{argument} must be {count} pair{'s' * (count != 1)} (lower, upper), not {value!r}",
            argument=argument,
            expected=(count, 2),
            actual=(len(pairs),),
        )
    return tuple(_bound(pair[0], pair[1], argument) for pair in pairs)


def _bound(lower: object, upper: object, argument: str) -> Bound:
    low, high = number(lower, argument), number(upper, argument)
    if is_float(low) and is_float(high):
        _check_range(cast("float", low), cast("float", high), argument)
    return low, high


def _check_range(low: float, high: float, argument: str) -> None:
    """Raise ArgumentError unless some finite number lies between the bounds."""
    if low > high:
        message = f"{argument}: the lower bound {low} is above the upper bound {high}"
    elif low == math.inf or high == -math.inf:
        message = f"{argument}: no number lies between {low} and {high}"
    else:
        return
    raise ArgumentError(message, argument=argument, value=(low, high))
