"""Scalar family of complex numbers, compared by real part for complex-step differentiation.

For an analytic f, f(x + ih) has imaginary part h f'(x). `absolute`, `minimum` and `maximum` therefore select by real
part, without a modulus. Where `cmath` raises, the real part is that of floats and the imaginary part NaN.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import cast, final

import numpy as np
from typing_extensions import override

from rbd.errors import ScalarError
from rbd.scalars.families import real
from rbd.scalars.family import ScalarFamily, not_positive, with_methods
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import register_family

_I = complex(0, 1)


def _guarded(function: Callable[[complex], complex], fallback: Callable[[float], float], z: complex) -> complex:
    try:
        return function(z)
    except (ValueError, OverflowError, ZeroDivisionError):
        return complex(fallback(z.real), math.nan)


def _method(name: str, fallback: Callable[[float], float]) -> Callable[..., complex]:
    """Return a function of cmath as a method."""
    function = getattr(cmath, name)

    def method(self: object, x: complex) -> complex:
        return _guarded(function, fallback, x)

    return method


def analytic_atan2(y: complex, x: complex) -> complex:
    """Return the analytic continuation of atan2, accurate for imaginary parts of any size.

    With w = x + iy and u = x - iy it is (log w - log u) / 2i; the imaginary part is written as an inverse hyperbolic
    tangent because the difference of the moduli of w and u would cancel.
    """
    angle = math.atan2(y.real, x.real)
    scale = max(abs(y.real), abs(y.imag), abs(x.real), abs(x.imag))
    if not (0.0 < scale < math.inf):
        return complex(angle, 0.0 if scale == 0.0 else math.nan)
    y, x = y / scale, x / scale
    cross = x.real * y.imag - x.imag * y.real
    ratio = 2 * cross / ((x.real * x.real + x.imag * x.imag) + (y.real * y.real + y.imag * y.imag))
    imaginary = math.atanh(ratio) / 2 if abs(ratio) < 1.0 else math.copysign(math.inf, ratio)
    w, u = x + _I * y, x - _I * y
    half_turns = (cmath.phase(w) - cmath.phase(u)) / 2
    if math.isnan(half_turns - angle):
        return complex(math.nan, math.nan)
    # The half difference is correct up to multiples of half turns, which the real parts determine.
    return complex(half_turns + math.pi * round((angle - half_turns) / math.pi), imaginary)


_FALLBACKS = (real.sin, real.cos, real.tan, real.asin, real.acos, real.exp, real.log, math.tanh)


@final
@with_methods({fallback.__name__: _method(fallback.__name__, fallback) for fallback in _FALLBACKS})
class ComplexFamily(ScalarFamily[complex]):
    """Family of Python's and NumPy's complex numbers."""

    name = "complex"
    priority = 30

    @override
    def lift(self, x: Scalar, like: complex) -> complex:
        return complex(cast("float", x))  # only real numbers have a lower priority

    @override
    def to_float(self, x: complex) -> float:
        if x.imag == 0:
            return float(x.real)
        raise ScalarError(f"{x} is complex, not a float", scalar=x, function="to_float")

    @override
    def is_finite(self, x: complex) -> bool:
        return cmath.isfinite(x)

    @override
    def has_range(self, x: complex) -> bool:
        return True

    @override
    def less(self, a: complex, b: complex) -> bool:
        return bool(a.real < b.real)

    @override
    def less_equal(self, a: complex, b: complex) -> bool:
        return bool(a.real <= b.real)

    @override
    def positive(self, x: complex, what: str) -> complex:
        if x.real > 0:
            return x
        raise not_positive(x, what)

    @override
    def atan2(self, y: complex, x: complex) -> complex:
        return analytic_atan2(complex(y), complex(x))

    @override
    def sqrt(self, x: complex) -> complex:
        return cmath.sqrt(x)

    @override
    def power(self, x: complex, n: complex) -> complex:
        return _guarded(lambda base: complex(base) ** complex(n), lambda base: real.power(base, n.real), x)

    @override
    def divide(self, a: complex, b: complex) -> complex:
        return _guarded(lambda top: complex(top) / complex(b), lambda top: real.divide(top, b.real), a)

    @override
    def absolute(self, x: complex) -> complex:
        return -x if x.real < 0 else x


_COMPLEX = ComplexFamily()
register_family(complex, _COMPLEX)
register_family(np.complexfloating, _COMPLEX)
