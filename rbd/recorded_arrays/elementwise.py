"""Universal functions of NumPy on arrays of scalars, by their names.

Those of arithmetic run NumPy's own loops, which use Python's operators. All others apply a function of `rbd.scalars`
to every entry, so that arrays may mix recorded values and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import numpy as np

from rbd.errors import ScalarError
from rbd.recorded_arrays.refusals import refuse_number
from rbd.scalars import conditions as c
from rbd.scalars import functions as f
from rbd.scalars.lengths import length
from rbd.scalars.registry import TRUTHS, family_of_condition

ARITHMETIC: Final = frozenset(
    ("add", "subtract", "multiply", "negative", "positive", "square", "conjugate")
    + ("matmul", "vecdot", "matvec", "vecmat")
)
"""Universal functions whose own loops serve."""


def _sign(x: Any) -> Any:
    return c.where(c.less(x, 0), -1, c.where(c.less(0, x), 1, 0))


def _heaviside(x: Any, at_zero: Any) -> Any:
    return c.where(c.less(x, 0), 0, c.where(c.less(0, x), 1, at_zero))


def _copysign(x: Any, y: Any) -> Any:
    size = f.absolute(x)
    return c.where(c.less(y, 0), -size, size)


def _cosh(x: Any) -> Any:
    return (f.exp(x) + f.exp(-x)) / 2


def _expm1(x: Any) -> Any:
    """Return exp(x) - 1 without cancellation: tanh(x / 2) = (exp(x) - 1) / (exp(x) + 1)."""
    return f.tanh(x / 2) * (f.exp(x) + 1)


def _reciprocal(x: Any) -> Any:
    return f.divide(1, x)


def _hypot(x: Any, y: Any) -> Any:
    return length((x, y))


def _arctan(x: Any) -> Any:
    return f.atan2(x, 1)


def _radians(x: Any) -> Any:
    return x * (math.pi / 180)


def _degrees(x: Any) -> Any:
    return x * (180 / math.pi)


def _exp2(x: Any) -> Any:
    return f.power(2, x)


def _log2(x: Any) -> Any:
    return f.log(x) / math.log(2)


def _log10(x: Any) -> Any:
    return f.log(x) / math.log(10)


def _sinh(x: Any) -> Any:
    return f.tanh(x) * _cosh(x)


def condition(x: Any) -> Any:
    """Return a condition; numbers that are known hold where they are not zero."""
    if isinstance(x, TRUTHS):
        return x
    if f.is_float(x):
        return f.to_float(x) != 0.0
    try:
        family_of_condition(x)
    except ScalarError:
        refuse_number(x)
    return x


def _both(a: Any, b: Any) -> Any:
    return c.both(condition(a), condition(b))


def _either(a: Any, b: Any) -> Any:
    return c.either(condition(a), condition(b))


def _invert(a: Any) -> Any:
    return c.invert(condition(a))


def _clipped(x: Any, low: Any, high: Any) -> Any:
    """Return x limited to [low, high]; bounds that are infinite or None do not limit."""
    above = x if low is None or (f.is_float(low) and low == -math.inf) else f.maximum(x, low)
    return above if high is None or (f.is_float(high) and high == math.inf) else f.minimum(above, high)


_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "divide": f.divide,
    "reciprocal": _reciprocal,
    "power": f.power,
    "float_power": f.power,
    "absolute": f.absolute,
    "fabs": f.absolute,
    "sign": _sign,
    "copysign": _copysign,
    "heaviside": _heaviside,
    "minimum": f.minimum,
    "fmin": f.minimum,
    "maximum": f.maximum,
    "fmax": f.maximum,
    "clip": _clipped,
    "sqrt": f.sqrt,
    "hypot": _hypot,
    "sin": f.sin,
    "cos": f.cos,
    "tan": f.tan,
    "arcsin": f.asin,
    "arccos": f.acos,
    "arctan": _arctan,
    "arctan2": f.atan2,
    "deg2rad": _radians,
    "radians": _radians,
    "rad2deg": _degrees,
    "degrees": _degrees,
    "exp": f.exp,
    "exp2": _exp2,
    "expm1": _expm1,
    "log": f.log,
    "log2": _log2,
    "log10": _log10,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": f.tanh,
    "less": c.less,
    "less_equal": c.less_equal,
    "greater": c.greater,
    "greater_equal": c.greater_equal,
    "logical_and": _both,
    "bitwise_and": _both,
    "logical_or": _either,
    "bitwise_or": _either,
    "logical_not": _invert,
    "invert": _invert,
}

_OPERANDS: Final = {"clip": 3}
_REDUCTIONS: Final = {
    **dict.fromkeys(("logical_and", "bitwise_and"), True),
    **dict.fromkeys(("logical_or", "bitwise_or"), False),
    **dict.fromkeys(("minimum", "fmin", "maximum", "fmax", "hypot")),
}
"""Functions that reduce several axes, with the result for no entry; None: an error."""


_FROM_FUNCTION: Final = cast("Callable[..., Any]", np.frompyfunc)


def ufunc_of(function: Callable[..., Any], operands: int, **identity: Any) -> Any:
    """Return a function of scalars as a universal function of arrays of objects."""
    return _FROM_FUNCTION(function, operands, 1, **identity)


def _ufunc(name: str) -> Any:
    operands = _OPERANDS.get(name) or getattr(np, name).nin
    return ufunc_of(_FUNCTIONS[name], operands, **({"identity": _REDUCTIONS[name]} if name in _REDUCTIONS else {}))


ELEMENTWISE: Final[Mapping[str, Any]] = {name: _ufunc(name) for name in _FUNCTIONS}
"""Universal functions of scalars, by the names of NumPy's."""
