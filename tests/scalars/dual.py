"""A dual number as an example of a user-defined scalar family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from rbd.scalars import (
    Scalar,
    ScalarFamily,
    absolute,
    acos,
    asin,
    atan2,
    cos,
    divide,
    exp,
    less,
    less_equal,
    log,
    power,
    register_scalar,
    sin,
    sqrt,
    tan,
    tanh,
    to_float,
    where,
)
from rbd.scalars.protocol import Condition


@dataclass(frozen=True, eq=False)
class Dual:
    """value + derivative ε, with ε² = 0; both of any scalar family."""

    value: Scalar
    derivative: Scalar = 0

    def __add__(self, other: Any, /) -> Dual:
        b = dual(other)
        return Dual(self.value + b.value, self.derivative + b.derivative)

    def __sub__(self, other: Any, /) -> Dual:
        return self + -dual(other)

    def __mul__(self, other: Any, /) -> Dual:
        b = dual(other)
        return Dual(self.value * b.value, self.derivative * b.value + self.value * b.derivative)

    def __truediv__(self, other: Any, /) -> Dual:
        b = dual(other)
        quotient = self.value / b.value
        return Dual(quotient, (self.derivative - quotient * b.derivative) / b.value)

    def __rsub__(self, other: Any, /) -> Dual:
        return dual(other) - self

    def __rtruediv__(self, other: Any, /) -> Dual:
        return dual(other) / self

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.derivative)

    def __pos__(self) -> Dual:
        return self

    __radd__ = __add__
    __rmul__ = __mul__


def dual(x: Any) -> Dual:
    """Return any scalar as a dual number with derivative 0."""
    return x if isinstance(x, Dual) else Dual(x)


class DualFamily(ScalarFamily[Dual]):
    """The chain rule, written with the functions for the numbers inside."""

    name = "dual"

    @override
    def lift(self, x: Scalar, like: Dual) -> Dual:
        return dual(x)

    @override
    def to_float(self, x: Dual) -> float:
        return to_float(x.value)

    @override
    def less(self, a: Dual, b: Dual) -> Condition:
        return less(a.value, b.value)

    @override
    def less_equal(self, a: Dual, b: Dual) -> Condition:
        return less_equal(a.value, b.value)

    @override
    def where(self, condition: Condition, a: Dual, b: Dual) -> Dual:
        return Dual(where(condition, a.value, b.value), where(condition, a.derivative, b.derivative))

    @override
    def sin(self, x: Dual) -> Dual:
        return Dual(sin(x.value), cos(x.value) * x.derivative)

    @override
    def cos(self, x: Dual) -> Dual:
        return Dual(cos(x.value), -sin(x.value) * x.derivative)

    @override
    def tan(self, x: Dual) -> Dual:
        t = tan(x.value)
        return Dual(t, (1 + t * t) * x.derivative)

    @override
    def asin(self, x: Dual) -> Dual:
        return Dual(asin(x.value), x.derivative / sqrt(1 - x.value * x.value))

    @override
    def acos(self, x: Dual) -> Dual:
        return Dual(acos(x.value), -x.derivative / sqrt(1 - x.value * x.value))

    @override
    def atan2(self, y: Dual, x: Dual) -> Dual:
        square = x.value * x.value + y.value * y.value
        return Dual(atan2(y.value, x.value), (x.value * y.derivative - y.value * x.derivative) / square)

    @override
    def sqrt(self, x: Dual) -> Dual:
        root = sqrt(x.value)
        return Dual(root, divide(x.derivative, 2 * root))

    @override
    def exp(self, x: Dual) -> Dual:
        return Dual(exp(x.value), exp(x.value) * x.derivative)

    @override
    def log(self, x: Dual) -> Dual:
        return Dual(log(x.value), x.derivative / x.value)

    @override
    def tanh(self, x: Dual) -> Dual:
        t = tanh(x.value)
        return Dual(t, (1 - t * t) * x.derivative)

    @override
    def power(self, x: Dual, n: Dual) -> Dual:
        return Dual(power(x.value, n.value), n.value * power(x.value, n.value - 1) * x.derivative)

    @override
    def divide(self, a: Dual, b: Dual) -> Dual:
        quotient = divide(a.value, b.value)
        return Dual(quotient, divide(a.derivative - quotient * b.derivative, b.value))

    @override
    def absolute(self, x: Dual) -> Dual:
        return Dual(absolute(x.value), x.derivative if less(0, x.value) else -x.derivative)


register_scalar(Dual, DualFamily())
