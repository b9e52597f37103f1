"""Floats that count operations, and refuse what a recorded value refuses.

An algorithm that runs on `CountingScalar` does not branch on values or convert them to floats: it can be recorded.

>>> from rbd.scalars import less, sin, where
>>> count = OperationCount()
>>> x = CountingScalar(0.5, count)
>>> y = where(less(x, 1), 2 * sin(x), x)
>>> y.value, count.total, count.breakdown
(0.958851077208406, 4, {'less': 1, 'sin': 1, 'multiply': 1, 'select': 1})
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from typing_extensions import override

from rbd.scalars.backends.counted import CountingCondition, CountingScalar, OperationCount, plain
from rbd.scalars.backends.real import REAL
from rbd.scalars.opaque import refuse
from rbd.scalars.operations import Operations, defined, not_positive
from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import register_scalar

__all__ = ["CountingCondition", "CountingOperations", "CountingScalar", "OperationCount"]


_FUNCTIONS: Final = (
    *("sin", "cos", "tan", "asin", "acos", "atan2", "sqrt", "exp", "log", "tanh", "power"),
    *("absolute", "divide", "minimum", "maximum"),
)
"""Functions that count as one operation with this name."""


def _counted(name: str) -> Callable[..., CountingScalar]:
    """Return the function of this name, with counting."""

    def function(self: object, *operands: CountingScalar) -> CountingScalar:
        operands[0].count.add(name)
        return CountingScalar(getattr(REAL, name)(*(x.value for x in operands)), operands[0].count)

    return function


@final
@defined({name: _counted(name) for name in _FUNCTIONS})
class CountingOperations(Operations[CountingScalar]):
    """Operations of floats that count."""

    name = "counted"
    priority = 100

    @override
    def lift(self, x: Scalar, like: CountingScalar) -> CountingScalar:
        return CountingScalar(plain(x), like.count)

    @override
    def to_float(self, x: CountingScalar) -> float:
        refuse("taking the float of", x)

    @override
    def is_finite(self, x: CountingScalar) -> bool:
        return REAL.is_finite(x.value)

    @override
    def has_range(self, x: CountingScalar) -> bool:
        return True

    @override
    def less(self, a: CountingScalar, b: CountingScalar) -> CountingCondition:
        a.count.add("less")
        return CountingCondition(a.value < b.value, a.count)

    @override
    def less_equal(self, a: CountingScalar, b: CountingScalar) -> CountingCondition:
        a.count.add("less_equal")
        return CountingCondition(a.value <= b.value, a.count)

    @override
    def where(self, condition: Condition, a: Scalar, b: Scalar) -> CountingScalar:
        condition = self._counted(condition)
        condition.count.add("select")
        chosen = a if condition.holds else b
        value = chosen.value if isinstance(chosen, CountingScalar) else plain(chosen)
        return CountingScalar(value, condition.count)

    @override
    def both(self, c: Condition, d: Condition) -> Condition:
        return self._counted(c) & self._counted(d)

    @override
    def either(self, c: Condition, d: Condition) -> Condition:
        return self._counted(c) | self._counted(d)

    @override
    def invert(self, c: Condition) -> Condition:
        condition = self._counted(c)
        condition.count.add("invert")
        return CountingCondition(not condition.holds, condition.count)

    def _counted(self, condition: Condition) -> CountingCondition:
        if isinstance(condition, CountingCondition):
            return condition
        raise self.foreign_condition(condition)

    @override
    def decided(self, condition: Condition) -> bool | None:
        return self._counted(condition).holds

    @override
    def positive(self, x: CountingScalar, what: str) -> CountingScalar:
        if x.value > 0:
            return x
        raise not_positive(x.value, what)


register_scalar(CountingScalar, CountingOperations(), condition=CountingCondition)
