"""Scalar family of exact constants: int and `const`.

Results are exact if they are rational (sin 0, cos 0, square roots of squares, integer powers), and floats otherwise: a
structural zero must not turn exact arithmetic into floating point.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias, cast, final

import numpy as np
from typing_extensions import override

from rbd.scalars.constants import Rational, exact_quotient
from rbd.scalars.families import real
from rbd.scalars.family import ScalarFamily, not_positive, with_methods
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import register_family

Constant: TypeAlias = int | Rational
INTEGERS: Final[tuple[type[object], ...]] = (
    int,
    *(np.byte, np.short, np.intc, np.long, np.longlong),
    *(np.ubyte, np.ushort, np.uintc, np.ulong, np.ulonglong),
)
"""Python's integer and those of C, as NumPy names them: np.integer would admit durations, too."""
_LARGEST_POWER = 4096


def exact_root(x: Constant | Fraction) -> tuple[int, int] | None:
    """Return the square root of x as numerator and denominator if it is rational, else None."""
    top, bottom = int(x.numerator), int(x.denominator)
    if top < 0:
        return None
    root, base = math.isqrt(top), math.isqrt(bottom)
    return (root, base) if root * root == top and base * base == bottom else None


EXACT = {
    "sin": (0, 0),
    "cos": (0, 1),
    "tan": (0, 0),
    "asin": (0, 0),
    "acos": (1, 0),
    "exp": (0, 1),
    "log": (1, 0),
    "tanh": (0, 0),
}
"""Arguments at which functions have an exact value, and this value."""


def _method(name: str) -> Callable[..., Scalar]:
    (at, value), function = EXACT[name], getattr(real.REAL, name)

    def method(self: object, x: Scalar) -> Scalar:
        return value if x == at else function(real.to_float(x))

    return method


@final
@with_methods({name: _method(name) for name in EXACT})
class ConstantFamily(ScalarFamily[Scalar]):
    """Family of Python's and NumPy's integers and `const`; results are exact constants or floats."""

    name = "constant"
    priority = 0

    @override
    def lift(self, x: Scalar, like: Scalar) -> Scalar:
        return x

    @override
    def to_float(self, x: Scalar) -> float:
        return real.to_float(x)

    @override
    def less(self, a: Scalar, b: Scalar) -> bool:
        return bool(operator.lt(cast("float", a), cast("float", b)))

    @override
    def less_equal(self, a: Scalar, b: Scalar) -> bool:
        return bool(operator.le(cast("float", a), cast("float", b)))

    @override
    def positive(self, x: Scalar, what: str) -> Scalar:
        if self.less(0, x):
            return x
        raise not_positive(x, what)

    @override
    def atan2(self, y: Scalar, x: Scalar) -> Scalar:
        if y == 0 and self.less_equal(0, x):
            return 0
        return math.atan2(real.to_float(y), real.to_float(x))

    @override
    def sqrt(self, x: Scalar) -> Scalar:
        root = exact_root(cast("Constant", x))
        return exact_quotient(*root) if root is not None else real.sqrt(real.to_float(x))

    @override
    def power(self, x: Scalar, n: Scalar) -> Scalar:
        base, exponent = cast("Constant", x), cast("Constant", n)
        small = exponent.denominator == 1 and abs(int(exponent.numerator)) <= _LARGEST_POWER
        if not small or (x == 0 and exponent.numerator < 0):
            return real.power(real.to_float(x), real.to_float(n))
        result = Fraction(int(base.numerator), int(base.denominator)) ** int(exponent.numerator)
        return exact_quotient(result.numerator, result.denominator)

    @override
    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        if b == 0:
            return real.divide(real.to_float(a), 0.0)
        top, bottom = cast("Constant", a), cast("Constant", b)
        return exact_quotient(
            int(top.numerator) * int(bottom.denominator),
            int(top.denominator) * int(bottom.numerator),
        )

    @override
    def absolute(self, x: Scalar) -> Scalar:
        return -x if self.less(x, 0) else x


CONSTANT = ConstantFamily()
for _type in (*INTEGERS, Rational):
    register_family(_type, CONSTANT)
