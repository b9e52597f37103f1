"""Finiteness of results: floats, alone or in nested and framed values."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any, Final

from rbd.program.status import range_error
from rbd.pytrees.flattening import UnsuitableError, flatten


def require_finite_result(value: object, name: str, number: type[Any] = float) -> None:
    """Raise NotFiniteError, naming the result, if a scalar of type `number`, float or complex, is not finite.

    `value` is a result of a kernel: nested tuples, or framed values. Other scalars pass.
    """
    numbers: list[Any] = []
    try:
        flatten(value, numbers, number)
    except UnsuitableError:
        return
    if not all(map(cmath.isfinite if number is complex else math.isfinite, numbers)):
        raise range_error(name.replace("_", " "))


def require_finite_numbers(numbers: Sequence[Any], name: str) -> None:
    """Raise NotFiniteError, naming the result, if a float or a complex number is not finite; other scalars pass."""
    try:
        finite = all(map(math.isfinite, numbers))
    except (TypeError, OverflowError):  # other scalars
        finite = all(cmath.isfinite(x) for x in numbers if type(x) in _INEXACT)
    if not finite:
        raise range_error(name)


_INEXACT: Final = (float, complex)
