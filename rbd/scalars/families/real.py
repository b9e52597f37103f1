"""Scalar family of floats, with IEEE 754 semantics: NaN and infinities where `math` raises."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast, final

import numpy as np
from typing_extensions import override

from rbd.scalars.family import ScalarFamily, not_positive, with_methods
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import register_family

NAN = math.nan
INF = math.inf


def _nan_outside_domain(function: Callable[[float], float]) -> Callable[[float], float]:
    """Return a function of `math` that is NaN where `math` raises ValueError."""

    def value(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return NAN

    value.__name__ = function.__name__
    return value


sin = _nan_outside_domain(math.sin)
cos = _nan_outside_domain(math.cos)
tan = _nan_outside_domain(math.tan)
asin = _nan_outside_domain(math.asin)
acos = _nan_outside_domain(math.acos)
sqrt = _nan_outside_domain(math.sqrt)


def exp(x: float) -> float:
    """Return the exponential; infinity on overflow."""
    try:
        return math.exp(x)
    except OverflowError:
        return INF


def log(x: float) -> float:
    """Return the natural logarithm; minus infinity at zero, NaN below."""
    try:
        return math.log(x)
    except ValueError:
        return -INF if x == 0 else NAN


def power(x: float, n: float) -> float:
    """Return x to the power n as C's `pow` does."""
    odd = math.fmod(n, 2.0) in (1.0, -1.0) if math.isfinite(n) else False
    try:
        return math.pow(x, n)
    except OverflowError:
        return -INF if x < 0 and odd else INF
    except ValueError:
        return NAN if x != 0 else math.copysign(INF, x) if odd else INF


def divide(a: float, b: float) -> float:
    """Return a / b; infinity or NaN when b is zero."""
    try:
        return a / b
    except ZeroDivisionError:
        return NAN if a == 0 or a != a else math.copysign(INF, a) * math.copysign(1.0, b)


def minimum(a: float, b: float) -> float:
    """Return the smaller; NaN if either is NaN."""
    return a if a < b or a != a else b


def maximum(a: float, b: float) -> float:
    """Return the larger; NaN if either is NaN."""
    return a if a > b or a != a else b


def to_float(x: Scalar) -> float:
    """Return a real number as the nearest float; large integers become infinite."""
    try:
        return float(cast("float", x))
    except OverflowError:
        return INF if cast("float", x) > 0 else -INF


def _method(function: Callable[..., float]) -> Callable[..., float]:
    return staticmethod(function)


_FUNCTIONS = (sin, cos, tan, asin, acos, math.atan2, sqrt, exp, log, math.tanh, power)


@final
@with_methods({function.__name__: _method(function) for function in _FUNCTIONS} | {"absolute": _method(math.fabs)})
class RealFamily(ScalarFamily[float]):
    """Family of Python's and NumPy's floats; results are Python floats."""

    name = "float"
    priority = 10

    @override
    def lift(self, x: Scalar, like: float) -> float:
        return to_float(x)

    @override
    def to_float(self, x: float) -> float:
        return to_float(x)

    @override
    def is_finite(self, x: float) -> bool:
        return math.isfinite(to_float(x))

    @override
    def has_range(self, x: float) -> bool:
        return True

    @override
    def less(self, a: float, b: float) -> bool:
        return bool(a < b)

    @override
    def less_equal(self, a: float, b: float) -> bool:
        return bool(a <= b)

    @override
    def positive(self, x: float, what: str) -> float:
        if x > 0:
            return x
        raise not_positive(x, what)

    @override
    def divide(self, a: float, b: float) -> float:
        return divide(float(a), float(b))

    @override
    def minimum(self, a: float, b: float) -> float:
        return minimum(float(a), float(b))

    @override
    def maximum(self, a: float, b: float) -> float:
        return maximum(float(a), float(b))


REAL = RealFamily()
register_family(float, REAL)
register_family(np.floating, REAL)
