"""Scalar family of mpmath: real and complex numbers of any precision.

Functions of real numbers are real: where mpmath would return a complex number (the root of -1), the result is NaN, as
for floats. Complex numbers compare by real part. Each number has its context, which defines the precision.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from typing_extensions import override

from rbd.errors import ScalarError, quoted
from rbd.scalars.constants import Rational
from rbd.scalars.family import ScalarFamily, with_methods
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import register_family

# mpmath has no type annotations: numbers are Any.
Number = Any


def _is_real(x: Number) -> bool:
    return hasattr(x, "_mpf_")


def _method(name: str) -> Callable[..., Number]:
    def method(self: object, x: Number) -> Number:
        return getattr(x.context, name)(x)

    return method


@final
@with_methods({name: _method(name) for name in ("sin", "cos", "tan", "exp", "tanh")})
class ArbitraryFamily(ScalarFamily[Number]):
    """Family of mpmath's `mpf` and `mpc`, of any context."""

    name = "mpmath"
    priority = 40

    @override
    def lift(self, x: Scalar, like: Number) -> Number:
        convert = like.context.convert
        try:
            if isinstance(x, (Fraction, Rational)):
                return convert(x.numerator) / convert(x.denominator)  # mpmath's own conversion rounds down
            return convert(x)
        except (TypeError, ValueError):
            raise ScalarError(f"mpmath knows no number for {quoted(x)}", scalar=x, function="lift") from None

    @override
    def to_float(self, x: Number) -> float:
        if x.imag != 0:
            raise ScalarError(f"{x} is complex, not a float", scalar=x, function="to_float")
        return float(x.real)

    @override
    def is_finite(self, x: Number) -> bool:
        return bool(x.context.isfinite(x))

    @override
    def less(self, a: Number, b: Number) -> bool:
        return bool(a.real < b.real)

    @override
    def less_equal(self, a: Number, b: Number) -> bool:
        return bool(a.real <= b.real)

    def _kept_real(self, compute: Callable[[], Number], *operands: Number) -> Number:
        """Return a real result for real operands: NaN instead of a complex number."""
        result = compute()
        return result if _is_real(result) or not all(map(_is_real, operands)) else result.context.nan

    @override
    def asin(self, x: Number) -> Number:
        return self._kept_real(lambda: _inverse(x, x.context.asin, 1), x)

    @override
    def acos(self, x: Number) -> Number:
        return self._kept_real(lambda: _inverse(x, x.context.acos, -1), x)

    @override
    def atan2(self, y: Number, x: Number) -> Number:
        angle = y.context.atan2(y.real, x.real)
        return angle if _is_real(y) and _is_real(x) else _analytic_atan2(y.context, y, x, angle)

    @override
    def sqrt(self, x: Number) -> Number:
        return self._kept_real(lambda: x.context.sqrt(x), x)

    @override
    def log(self, x: Number) -> Number:
        return self._kept_real(lambda: x.context.log(x), x)

    @override
    def power(self, x: Number, n: Number) -> Number:
        try:
            return self._kept_real(lambda: x**n, x, n)
        except ZeroDivisionError:
            return x.context.inf

    @override
    def divide(self, a: Number, b: Number) -> Number:
        try:
            return a / b
        except ZeroDivisionError:
            context = a.context
            quotient = context.nan if a.real == 0 or a.real != a.real else context.inf * context.sign(a.real)
            return quotient if _is_real(a) and _is_real(b) else context.mpc(quotient, context.nan)

    @override
    def absolute(self, x: Number) -> Number:
        return -x if x.real < 0 else x

    @override
    def minimum(self, a: Number, b: Number) -> Number:
        return a if a.real < b.real or a.real != a.real else b

    @override
    def maximum(self, a: Number, b: Number) -> Number:
        return a if a.real > b.real or a.real != a.real else b


def _inverse(x: Number, function: Callable[[Number], Number], sign: int) -> Number:
    """Return asin or acos; keep tiny imaginary parts, which mpmath loses, to first order."""
    context, slope = x.context, 1 - x.real * x.real
    if x.imag == 0 or slope <= 0 or x.imag * x.imag > context.eps * slope * slope:
        return function(x)
    return context.mpc(function(x.real), sign * x.imag / context.sqrt(slope))


def _analytic_atan2(context: Any, y: Number, x: Number, angle: Number) -> Number:
    """Continue atan2 analytically, accurately for tiny imaginary parts; backends.complexes has the derivation."""
    square = x.real * x.real + x.imag * x.imag + y.real * y.real + y.imag * y.imag
    if square == 0:
        return context.mpc(angle, 0)
    imaginary = context.atanh(2 * (x.real * y.imag - x.imag * y.real) / square) / 2
    half_turns = (context.arg(x + context.j * y) - context.arg(x - context.j * y)) / 2
    return context.mpc(half_turns + context.pi * context.nint((angle - half_turns) / context.pi), imaginary)


def register() -> None:
    """Register the family; called for the first operand, when mpmath is already imported."""
    mpmath = importlib.import_module("mpmath")
    # The types of all contexts have one base, the last class before `object`.
    register_family(mpmath.mp.mpf.__mro__[-2], ArbitraryFamily())
