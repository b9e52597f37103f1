"""Finiteness of results: floats, alone or in nested and framed values."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any, Final

from rbd.program.status import range_error
from rbd.pytrees.flattening import FlatteningError, flatten


def require_finite_result(value: object, name: str, scalar_type: type[Any] = float) -> None:
    """Raise NotFiniteError, naming the result, if a scalar of type `scalar_type`, float or complex, is not finite.

    `value` is a result of a kernel: nested tuples, or framed values. Other scalars pass.
    """
    try:
        numbers = flatten(value, scalar_type).numbers
    except FlatteningError:
        return
    if not all(map(cmath.isfinite if scalar_type is complex else math.isfinite, numbers)):
        raise range_error(name.replace("_", " "))


def require_finite_numbers(numbers: Sequence[Any], name: str) -> None:
    """Raise NotFiniteError, naming the result, if a float or a complex number is not finite; other scalars pass."""
    try:
        finite = all(map(math.isfinite, numbers))
    except (TypeError, ValueError, OverflowError):  # other scalars
        finite = all(cmath.isfinite(x) for x in numbers if type(x) in _INEXACT)
    if not finite:
        raise range_error(name)


_INEXACT: Final = (float, complex)
