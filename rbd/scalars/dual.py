"""Dual numbers: exact directional derivatives of any formula.

A dual number is value + derivative e with e^2 = 0. Both parts are scalars of any family, so that a derivative can be
recorded, symbolic, or dual itself: for nested duals, a dual of lower `level` is a constant to one of higher level.
`value_and_derivatives` computes the derivatives along several directions in one run.

>>> from rbd.scalars import sin
>>> values, derivatives = value_and_derivative(lambda q: (sin(q[0]) * q[1],), (0.0, 3.0), (1.0, 0.0))
>>> values, derivatives
((0.0,), (3.0,))
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, final

from typing_extensions import override

from rbd.scalars.conditions import less, less_equal, where
from rbd.scalars.elementary import ELEMENTARY, derivative_of_power
from rbd.scalars.family import ScalarFamily, with_methods
from rbd.scalars.functions import atan2, divide, lift, log, power, sqrt
from rbd.scalars.norms import scaled_into_range
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector
from rbd.scalars.registry import family_of, register_scalar
from rbd.scalars.sparse_tangents import (
    SparseTangents,
    all_finite,
    divide_tangents,
    entries_of,
    scale_tangents,
    select_tangents,
)
from rbd.scalars.structural_zeros import is_plain_zero

_levels: Final = itertools.count(1)  # the inner of two nested derivatives starts later, and has the higher level


@final
class Dual:
    """A value and its derivative, or sparse tangents; the integer 0 is a zero derivative."""

    __slots__ = ("derivative", "level", "value")

    # NumPy's scalars defer to this class: `np.float64 * dual` is a dual, not an array.
    __array_ufunc__ = None

    def __init__(self, value: Scalar, derivative: Scalar = 0, level: int = 0) -> None:
        """Set value and derivative; `level` distinguishes nested duals."""
        self.value, self.derivative, self.level = value, derivative, level

    @override
    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.derivative!r})"

    def __add__(self, other: Any, /) -> Dual:
        a, b = _as_duals(self, other)
        return Dual(a.value + b.value, a.derivative + b.derivative, a.level)

    __radd__ = __add__

    def __sub__(self, other: Any, /) -> Dual:
        a, b = _as_duals(self, other)
        return Dual(a.value - b.value, a.derivative - b.derivative, a.level)

    def __rsub__(self, other: Any, /) -> Dual:
        a, b = _as_duals(self, other)
        return Dual(b.value - a.value, b.derivative - a.derivative, a.level)

    def __mul__(self, other: Any, /) -> Dual:
        a, b = _as_duals(self, other)
        return Dual(a.value * b.value, a.derivative * b.value + scale_tangents(a.value, b.derivative), a.level)

    __rmul__ = __mul__

    def __truediv__(self, other: Any, /) -> Dual:
        return _quotient(*_as_duals(self, other))

    def __rtruediv__(self, other: Any, /) -> Dual:
        a, b = _as_duals(self, other)
        return _quotient(b, a)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.derivative, self.level)

    def __pos__(self) -> Dual:
        return self


def value_and_derivative(
    function: Callable[[Vector], Iterable[Scalar]], point: Vector, direction: Vector
) -> tuple[Vector, Vector]:
    """Return the values of `function` at `point` and their derivatives along `direction`."""
    level = next(_levels)
    results = tuple(function(tuple(Dual(x, d, level) for x, d in zip(point, direction, strict=True))))
    pairs = [_as_dual(x, level) for x in results]
    return tuple(x.value for x in pairs), tuple(x.derivative for x in pairs)


def value_and_derivatives(
    function: Callable[[Vector], Iterable[Scalar]], point: Vector, directions: Sequence[Vector]
) -> tuple[Vector, Matrix]:
    """Return the values of `function` at `point` and, per value, its derivative along each of the directions.

    >>> value_and_derivatives(lambda x: (x[0] * x[1],), (2.0, 3.0), [(1, 0), (0, 1), (0, 0)])
    ((6.0,), ((3.0, 2.0, 0),))
    """
    level = next(_levels)
    tangents = [
        SparseTangents({k: d[i] for k, d in enumerate(directions) if not is_plain_zero(d[i])})
        for i in range(len(point))
    ]
    results = tuple(function(tuple(Dual(x, tangent, level) for x, tangent in zip(point, tangents, strict=True))))
    pairs = [_as_dual(x, level) for x in results]
    rows = [entries_of(x.derivative) for x in pairs]
    count = range(len(directions))
    return tuple(x.value for x in pairs), tuple(tuple(row.get(k, 0) for k in count) for row in rows)


def _as_dual(x: Scalar, level: int) -> Dual:
    """Return `x` as a dual of this level; other numbers are constants."""
    return x if isinstance(x, Dual) and x.level == level else Dual(x, 0, level)


def _as_duals(a: Scalar, b: Scalar) -> tuple[Dual, Dual]:
    level = max(x.level for x in (a, b) if isinstance(x, Dual))
    return _as_dual(a, level), _as_dual(b, level)


def _quotient(a: Dual, b: Dual) -> Dual:
    value = divide(a.value, b.value)
    return Dual(value, divide_tangents(a.derivative - scale_tangents(value, b.derivative), b.value), a.level)


def _without_zero_derivatives(x: Scalar) -> Scalar:
    """Return the value of a dual that is a constant; other scalars unchanged."""
    return _without_zero_derivatives(x.value) if isinstance(x, Dual) and is_plain_zero(x.derivative) else x


def _elementary(name: str) -> Callable[..., Dual]:
    """Return an elementary function of duals, by the chain rule."""
    rule = ELEMENTARY[name]

    def function(self: object, x: Dual) -> Dual:
        value = rule.value(x.value)
        return Dual(value, scale_tangents(rule.first(x.value, value), x.derivative), x.level)

    return function


@final
@with_methods({name: _elementary(name) for name in ELEMENTARY if name not in ("sqrt", "log")})
class DualFamily(ScalarFamily[Dual]):
    """Family of duals over any other family: they compare by value; `where` also selects the derivative."""

    name = "dual"
    priority = 110  # above all families of the parts

    @override
    def lift(self, x: Scalar, like: Dual) -> Dual:
        return Dual(lift(x, like.value), 0, like.level)

    @override
    def to_float(self, x: Dual) -> float:
        self.refuse("to_float", x)

    @override
    def is_finite(self, x: Dual) -> bool:
        return family_of(x.value).is_finite(x.value) and all_finite(x.derivative)

    @override
    def has_range(self, x: Dual) -> bool:
        return family_of(x.value).has_range(x.value)

    @override
    def less(self, a: Dual, b: Dual) -> Condition:
        a, b = _as_duals(a, b)
        return less(a.value, b.value)

    @override
    def less_equal(self, a: Dual, b: Dual) -> Condition:
        a, b = _as_duals(a, b)
        return less_equal(a.value, b.value)

    @override
    def where(self, condition: Condition, a: Dual, b: Dual) -> Dual:
        a, b = _as_duals(a, b)
        return Dual(where(condition, a.value, b.value), select_tangents(condition, a.derivative, b.derivative), a.level)

    @override
    def positive(self, x: Dual, what: str) -> Dual:
        return Dual(family_of(x.value).positive(x.value, what), x.derivative, x.level)

    @override
    def atan2(self, y: Dual, x: Dual) -> Dual:
        y, x = _as_duals(y, x)
        (b, a), scale = scaled_into_range((y.value, x.value))
        rate = scale_tangents(scale * a, y.derivative) - scale_tangents(scale * b, x.derivative)
        return Dual(atan2(y.value, x.value), divide_tangents(rate, a * a + b * b), x.level)

    # Quotients of the derivative take one operation, and round once.

    @override
    def sqrt(self, x: Dual) -> Dual:
        root = sqrt(x.value)
        return Dual(root, divide_tangents(x.derivative, 2 * root), x.level)

    @override
    def log(self, x: Dual) -> Dual:
        return Dual(log(x.value), divide_tangents(x.derivative, x.value), x.level)

    @override
    def power(self, x: Dual, n: Dual) -> Dual:
        x, n = _as_duals(x, n)
        result = power(x.value, n.value)
        by_base = scale_tangents(derivative_of_power(x.value, _without_zero_derivatives(n.value)), x.derivative)
        if is_plain_zero(n.derivative):
            return Dual(result, by_base, x.level)
        return Dual(result, by_base + scale_tangents(result * log(x.value), n.derivative), x.level)

    @override
    def divide(self, a: Dual, b: Dual) -> Dual:
        return _quotient(*_as_duals(a, b))


register_scalar(Dual, DualFamily())
