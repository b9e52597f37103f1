"""Scalar family of fractions: results are exact, or raise ScalarError."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import cast, final

from typing_extensions import override

from rbd.arguments import is_finite
from rbd.errors import ScalarError, quoted
from rbd.scalars.families.constant import EXACT, exact_root
from rbd.scalars.families.real import to_float
from rbd.scalars.family import ScalarFamily, with_methods
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import register_family


def _method(name: str) -> Callable[..., Fraction]:
    at, value = EXACT[name]

    def method(self: ScalarFamily[Fraction], x: Fraction) -> Fraction:
        if x == at:
            return Fraction(value)
        self.refuse(name, x)

    return method


@final
@with_methods({name: _method(name) for name in EXACT})
class FractionFamily(ScalarFamily[Fraction]):
    """Family of Python's `Fraction`; functions with irrational values raise ScalarError."""

    name = "Fraction"
    priority = 20
    spoiled_by_floats = True

    @override
    def lift(self, x: Scalar, like: Fraction) -> Fraction:
        try:
            return Fraction(cast("float", x))  # only real numbers have a lower priority
        except (ValueError, OverflowError):
            raise ScalarError(f"{quoted(x)} is no fraction", scalar=x, function="lift") from None

    @override
    def to_float(self, x: Fraction) -> float:
        return to_float(x)

    @override
    def is_finite(self, x: Fraction) -> bool:
        return is_finite(x)  # Python's arithmetic with floats raises OverflowError above their range

    @override
    def less(self, a: Fraction, b: Fraction) -> bool:
        return a < b

    @override
    def less_equal(self, a: Fraction, b: Fraction) -> bool:
        return a <= b

    @override
    def atan2(self, y: Fraction, x: Fraction) -> Fraction:
        if y == 0 and x >= 0:
            return Fraction(0)
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


register_family(Fraction, FractionFamily())
