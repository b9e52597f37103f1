"""Validation of numbers: a check returns a float, or raises ArgumentError with the argument, the value and the rule.

Checks named `require_...` are of scalars of any family, of which symbols and the like pass.

Floats are checked first: most arguments are floats, and a simulation takes thousands of steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, cast

from numpy.typing import NDArray

from rbd.arguments import described
from rbd.errors import ArgumentError
from rbd.scalars.arrays import scalar
from rbd.scalars.functions import is_float
from rbd.scalars.registry import ARRAYS, TRUTHS


def _as_float(value: object) -> float | None:
    """Return a real number of any type, or that of an array without axes, as a float; None for anything else."""
    if isinstance(value, ARRAYS) and not cast("NDArray[Any]", value).ndim:
        value = cast("NDArray[Any]", value)[()]
    if isinstance(value, TRUTHS) or not (is_float(value) or isinstance(value, Real)):
        return None
    try:
        return float(cast("float", value))
    except TypeError:  # NumPy's durations
        return None
    except OverflowError:
        return math.copysign(math.inf, 1 if cast("float", value) > 0 else -1)


def _number_check(fits: Callable[[float], bool], allowed: str) -> Callable[[object, str], float]:
    """Return a check that returns a number as a float, and raises ArgumentError for anything that does not fit."""

    def check(value: object, argument: str) -> float:
        number = value if type(value) is float else _as_float(value)
        if number is None or not fits(number):
            shown = described(value) if number is None else f"{number:g}"
            message = f"{argument} is {shown}, must be {allowed}"
            raise ArgumentError(message, argument=argument, value=value, allowed=allowed)
        return number

    return check


at_least_zero = _number_check(lambda x: 0 <= x < math.inf, "a finite number of 0 or more")
above_zero = _number_check(lambda x: 0 < x < math.inf, "a finite number above 0")
finite = _number_check(math.isfinite, "a finite number")
at_least_zero_or_infinite = _number_check(lambda x: x >= 0, "a number of 0 or more")
not_nan = _number_check(lambda x: not math.isnan(x), "a number")
fraction_of_one = _number_check(lambda x: 0 <= x <= 1, "a number from 0 to 1")
any_number = _number_check(lambda _: True, "a number")


def require_number(value: object, argument: str) -> None:
    """Raise ShapeError, NotFiniteError or ScalarError, naming `argument`, unless `value` is a scalar of any family."""
    scalar(value, argument)


def _scalar_check(check: Callable[[object, str], float]) -> Callable[[object, str], None]:
    """Return a check of scalars of any family, which raises as `check` does for floats."""

    def require(value: object, argument: str) -> None:
        if is_float(value):
            check(value, argument)
        else:
            require_number(value, argument)

    return require


require_at_least_zero = _scalar_check(at_least_zero)
require_above_zero = _scalar_check(above_zero)
