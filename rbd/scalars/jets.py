"""Jets: a value with its first and second time derivative.

A function of jets is differentiated twice along a motion. The parts are scalars of any family: floats, recorded
scalars, intervals. `where` selects the derivatives with the value.

>>> from rbd.scalars import sin
>>> angle = Jet(0.5, 2.0, 0.0)                    # turning at a constant rate
>>> height = sin(angle)
>>> abs(height.second + 4.0 * sin(0.5)) < 1e-15
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

from typing_extensions import override

from rbd.scalars.conditions import less, less_equal, where
from rbd.scalars.constants import const
from rbd.scalars.elementary import ELEMENTARY, derivative_of_power
from rbd.scalars.family import ScalarFamily, with_methods
from rbd.scalars.functions import absolute, atan2, divide, is_float, log, power, to_float
from rbd.scalars.norms import scaled_into_range
from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import family_of, register_scalar
from rbd.scalars.structural_zeros import is_plain_zero

_TWO = const(2, 1)


@final
class Jet:
    """A value with its first and second time derivative."""

    __slots__ = ("first", "second", "value")

    # NumPy's scalars defer to this class: `np.float64 * jet` is a jet, not an array.
    __array_ufunc__ = None

    def __init__(self, value: Scalar, first: Scalar = 0, second: Scalar = 0) -> None:
        """Take the value, its rate and its acceleration; the integer 0 is a zero derivative."""
        self.value, self.first, self.second = value, first, second

    @override
    def __repr__(self) -> str:
        return f"Jet({self.value!r}, {self.first!r}, {self.second!r})"

    def __add__(self, other: Any, /) -> Jet:
        b = as_jet(other)
        return Jet(self.value + b.value, self.first + b.first, self.second + b.second)

    __radd__ = __add__

    def __sub__(self, other: Any, /) -> Jet:
        b = as_jet(other)
        return Jet(self.value - b.value, self.first - b.first, self.second - b.second)

    def __rsub__(self, other: Any, /) -> Jet:
        return as_jet(other) - self

    def __mul__(self, other: Any, /) -> Jet:
        b = as_jet(other)
        second = self.second * b.value + _TWO * (self.first * b.first) + self.value * b.second
        return Jet(self.value * b.value, self.first * b.value + self.value * b.first, second)

    __rmul__ = __mul__

    def __truediv__(self, other: Any, /) -> Jet:
        b = as_jet(other)
        value = divide(self.value, b.value)
        first = divide(self.first - value * b.first, b.value)
        second = divide(self.second - _TWO * (first * b.first) - value * b.second, b.value)
        return Jet(value, first, second)

    def __rtruediv__(self, other: Any, /) -> Jet:
        return as_jet(other) / self

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.first, -self.second)

    def __pos__(self) -> Jet:
        return self


def as_jet(x: Any) -> Jet:
    """Return `x` as a jet: itself, or a constant."""
    return x if isinstance(x, Jet) else Jet(x)


def _chain(x: Jet, value: Scalar, first: Scalar, second: Scalar) -> Jet:
    """Return f(x) from f, f' and f'' at the value of x."""
    return Jet(value, first * x.first, first * x.second + second * (x.first * x.first))


def _elementary(name: str) -> Callable[..., Jet]:
    """Return an elementary function of jets, by the chain rule."""
    rule = ELEMENTARY[name]

    def function(self: object, x: Jet) -> Jet:
        value = rule.value(x.value)
        first = rule.first(x.value, value)
        return _chain(x, value, first, rule.second(x.value, value, first))

    return function


@final
@with_methods({name: _elementary(name) for name in ELEMENTARY if name != "absolute"})
class JetFamily(ScalarFamily[Jet]):
    """Family of jets over any family: they compare by value."""

    name = "jets"
    priority = 95

    @override
    def lift(self, x: Scalar, like: Jet) -> Jet:
        return Jet(x)

    @override
    def to_float(self, x: Jet) -> float:
        if all(is_float(part) and to_float(part) == 0 for part in (x.first, x.second)):
            return to_float(x.value)
        self.refuse("to_float", x)

    @override
    def is_finite(self, x: Jet) -> bool:
        return all(family_of(part).is_finite(part) for part in (x.value, x.first, x.second))

    @override
    def has_range(self, x: Jet) -> bool:
        return family_of(x.value).has_range(x.value)

    @override
    def less(self, a: Jet, b: Jet) -> Condition:
        return less(a.value, b.value)

    @override
    def less_equal(self, a: Jet, b: Jet) -> Condition:
        return less_equal(a.value, b.value)

    @override
    def where(self, condition: Condition, a: Scalar, b: Scalar) -> Jet:
        first, second = as_jet(a), as_jet(b)
        return Jet(
            where(condition, first.value, second.value),
            where(condition, first.first, second.first),
            where(condition, first.second, second.second),
        )

    @override
    def positive(self, x: Jet, what: str) -> Jet:
        return Jet(family_of(x.value).positive(x.value, what), x.first, x.second)

    @override
    def atan2(self, y: Jet, x: Jet) -> Jet:
        (b, a), scale = scaled_into_range((y.value, x.value))
        square, p, r = a * a + b * b, scale * a, scale * b
        growth = _TWO * (p * x.first + r * y.first)
        first = divide(p * y.first - r * x.first, square)
        second = divide(p * y.second - r * x.second - first * growth, square)
        return Jet(atan2(y.value, x.value), first, second)

    @override
    def power(self, x: Jet, n: Jet) -> Jet:
        result = power(x.value, n.value)
        if is_plain_zero(n.first) and is_plain_zero(n.second):
            first, second = (derivative_of_power(x.value, n.value, order) for order in (1, 2))
            return _chain(x, result, first, second)
        exponent = n * as_jet(log(x))  # x**n is exp(n log x)
        return _chain(exponent, result, result, result)

    @override
    def absolute(self, x: Jet) -> Jet:
        sign = ELEMENTARY["absolute"].first(x.value, None)
        return Jet(absolute(x.value), sign * x.first, sign * x.second)

    @override
    def divide(self, a: Jet, b: Jet) -> Jet:
        return a / b


register_scalar(Jet, JetFamily())
