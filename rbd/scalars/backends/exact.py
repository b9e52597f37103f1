"""Fractions: exact or refused, never silently a float."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

from typing_extensions import override

from rbd.errors import ScalarError
from rbd.scalars.backends.constant import exact_root
from rbd.scalars.backends.real import to_float
from rbd.scalars.operations import Operations
from rbd.scalars.protocol import Scalar

_ZERO, _ONE = Fraction(0), Fraction(1)


class FractionOperations(Operations[Fraction]):
    """Python's `Fraction`. Functions have a value only where it is rational; elsewhere they raise ScalarError."""

    name = "Fraction"
    priority = 20
    spoiled_by_floats = True

    @override
    def lift(self, x: Scalar, like: Fraction) -> Fraction:
        try:
            return Fraction(cast("float", x))  # only real numbers have a lower priority
        except (ValueError, OverflowError):
            raise ScalarError(f"{x} is no fraction", scalar=x, function="lift") from None

    @override
    def to_float(self, x: Fraction) -> float:
        return to_float(x)

    @override
    def less(self, a: Fraction, b: Fraction) -> bool:
        return a < b

    @override
    def less_equal(self, a: Fraction, b: Fraction) -> bool:
        return a <= b

    def _only(self, function: str, x: Fraction, at: Fraction, value: Fraction) -> Fraction:
        if x == at:
            return value
        self.refuse(function, x)

    @override
    def sin(self, x: Fraction) -> Fraction:
        return self._only("sin", x, _ZERO, _ZERO)

    @override
    def cos(self, x: Fraction) -> Fraction:
        return self._only("cos", x, _ZERO, _ONE)

    @override
    def tan(self, x: Fraction) -> Fraction:
        return self._only("tan", x, _ZERO, _ZERO)

    @override
    def asin(self, x: Fraction) -> Fraction:
        return self._only("asin", x, _ZERO, _ZERO)

    @override
    def acos(self, x: Fraction) -> Fraction:
        return self._only("acos", x, _ONE, _ZERO)

    @override
    def exp(self, x: Fraction) -> Fraction:
        return self._only("exp", x, _ZERO, _ONE)

    @override
    def log(self, x: Fraction) -> Fraction:
        return self._only("log", x, _ONE, _ZERO)

    @override
    def tanh(self, x: Fraction) -> Fraction:
        return self._only("tanh", x, _ZERO, _ZERO)

    @override
    def atan2(self, y: Fraction, x: Fraction) -> Fraction:
        if y == 0 and x >= 0:
            return _ZERO
        self.refuse("atan2", y, x)

    @override
    def sqrt(self, x: Fraction) -> Fraction:
        root = exact_root(x)
        if root is None:
            self.refuse("sqrt", x)
        return Fraction(*root)

    @override
    def power(self, x: Fraction, n: Fraction) -> Fraction:
        if n.denominator == 2:
            return self.power(self.sqrt(x), Fraction(n.numerator))
        if n.denominator != 1 or (x == 0 and n < 0):
            self.refuse("power", x, n)
        return Fraction(x ** int(n))

    @override
    def divide(self, a: Fraction, b: Fraction) -> Fraction:
        if b == 0:
            self.refuse("divide", a, b)
        return a / b

    @override
    def absolute(self, x: Fraction) -> Fraction:
        return abs(x)


FRACTION = FractionOperations()
