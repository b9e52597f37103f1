"""Universal functions of NumPy on arrays of scalars, by their names.

Those of arithmetic run NumPy's own loops, which use Python's operators. All others apply a function of `rbd.scalars`
to every entry, so that arrays may mix recorded values and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import numpy as np

from rbd import scalars
from rbd.errors import ScalarError
from rbd.recorded_arrays.refusals import refuse_number
from rbd.scalars.norms import norm
from rbd.scalars.registry import TRUTHS, family_of_condition

ARITHMETIC: Final = frozenset(
    ("add", "subtract", "multiply", "negative", "positive", "square", "conjugate")
    + ("matmul", "vecdot", "matvec", "vecmat")
)
"""Universal functions whose own loops serve."""


def _sign(x: Any) -> Any:
    return scalars.where(scalars.less(x, 0), -1, scalars.where(scalars.less(0, x), 1, 0))


def _heaviside(x: Any, at_zero: Any) -> Any:
    return scalars.where(scalars.less(x, 0), 0, scalars.where(scalars.less(0, x), 1, at_zero))


def _copysign(x: Any, y: Any) -> Any:
    size = scalars.absolute(x)
    return scalars.where(scalars.less(y, 0), -size, size)


def _cosh(x: Any) -> Any:
    return (scalars.exp(x) + scalars.exp(-x)) / 2


def _expm1(x: Any) -> Any:
    """Return exp(x) - 1 without cancellation: tanh(x / 2) = (exp(x) - 1) / (exp(x) + 1)."""
    return scalars.tanh(x / 2) * (scalars.exp(x) + 1)


def _reciprocal(x: Any) -> Any:
    return scalars.divide(1, x)


def _hypot(x: Any, y: Any) -> Any:
    return norm((x, y))


def _arctan(x: Any) -> Any:
    return scalars.atan2(x, 1)


def _real(x: Any) -> Any:
    """Return the real part, which is all of x; from NumPy 2.5 on `array.real` calls this."""
    return x


def _imaginary(x: Any) -> Any:
    return 0


def _radians(x: Any) -> Any:
    return x * (math.pi / 180)


def _degrees(x: Any) -> Any:
    return x * (180 / math.pi)


def _exp2(x: Any) -> Any:
    return scalars.power(2, x)


def _log2(x: Any) -> Any:
    return scalars.log(x) / math.log(2)


def _log10(x: Any) -> Any:
    return scalars.log(x) / math.log(10)


def _sinh(x: Any) -> Any:
    return scalars.tanh(x) * _cosh(x)


def condition(x: Any) -> Any:
    """Return a condition; numbers that are known hold where they are not zero."""
    if isinstance(x, TRUTHS):
        return x
    if scalars.is_float(x):
        return scalars.to_float(x) != 0.0
    try:
        family_of_condition(x)
    except ScalarError:
        refuse_number(x)
    return x


def _both(a: Any, b: Any) -> Any:
    return scalars.both(condition(a), condition(b))


def _either(a: Any, b: Any) -> Any:
    return scalars.either(condition(a), condition(b))


def _invert(a: Any) -> Any:
    return scalars.invert(condition(a))


def _clipped(x: Any, low: Any, high: Any) -> Any:
    """Return x limited to [low, high]; bounds that are infinite or None do not limit."""
    above = x if low is None or (scalars.is_float(low) and low == -math.inf) else scalars.maximum(x, low)
    return above if high is None or (scalars.is_float(high) and high == math.inf) else scalars.minimum(above, high)


_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "divide": scalars.divide,
    "reciprocal": _reciprocal,
    "power": scalars.power,
    "float_power": scalars.power,
    "absolute": scalars.absolute,
    "fabs": scalars.absolute,
    "real": _real,
    "imag": _imaginary,
    "sign": _sign,
    "copysign": _copysign,
    "heaviside": _heaviside,
    "minimum": scalars.minimum,
    "fmin": scalars.minimum,
    "maximum": scalars.maximum,
    "fmax": scalars.maximum,
    "clip": _clipped,
    "sqrt": scalars.sqrt,
    "hypot": _hypot,
    "sin": scalars.sin,
    "cos": scalars.cos,
    "tan": scalars.tan,
    "arcsin": scalars.asin,
    "arccos": scalars.acos,
    "arctan": _arctan,
    "arctan2": scalars.atan2,
    "deg2rad": _radians,
    "radians": _radians,
    "rad2deg": _degrees,
    "degrees": _degrees,
    "exp": scalars.exp,
    "exp2": _exp2,
    "expm1": _expm1,
    "log": scalars.log,
    "log2": _log2,
    "log10": _log10,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": scalars.tanh,
    "less": scalars.less,
    "less_equal": scalars.less_equal,
    "greater": scalars.greater,
    "greater_equal": scalars.greater_equal,
    "logical_and": _both,
    "bitwise_and": _both,
    "logical_or": _either,
    "bitwise_or": _either,
    "logical_not": _invert,
    "invert": _invert,
}

_OPERAND_COUNTS: Final = {"clip": 3, "real": 1, "imag": 1}
_IDENTITIES: Final = {
    **dict.fromkeys(("logical_and", "bitwise_and"), True),
    **dict.fromkeys(("logical_or", "bitwise_or"), False),
    **dict.fromkeys(("minimum", "fmin", "maximum", "fmax", "hypot")),
}
"""Functions that reduce several axes, with the result for no entry; None: an error."""


_FROMPYFUNC: Final = cast("Callable[..., Any]", np.frompyfunc)


def ufunc_of(function: Callable[..., Any], operands: int, **identity: Any) -> Any:
    """Return a function of scalars as a universal function of arrays of objects."""
    return _FROMPYFUNC(function, operands, 1, **identity)


def _ufunc(name: str) -> Any:
    operands = _OPERAND_COUNTS.get(name) or getattr(np, name).nin
    return ufunc_of(_FUNCTIONS[name], operands, **({"identity": _IDENTITIES[name]} if name in _IDENTITIES else {}))


ELEMENTWISE: Final[Mapping[str, Any]] = {name: _ufunc(name) for name in _FUNCTIONS}
"""Universal functions of scalars, by the names of NumPy's."""
