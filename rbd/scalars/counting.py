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

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, cast, final

from typing_extensions import override

from rbd.errors import ScalarError
from rbd.scalars.binary_operators import BinaryOperators, Operator, divided
from rbd.scalars.families.real import REAL
from rbd.scalars.family import ScalarFamily, not_positive, with_methods
from rbd.scalars.opaque import OpaqueValue, refuse_value_access
from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import family_of, register_scalar


@final
class OperationCount:
    """Counts of operations of the scalars that share it."""

    def __init__(self) -> None:
        self._counter: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """The number of operations."""
        return self._counter.total()

    @property
    def breakdown(self) -> dict[str, int]:
        """The number of operations by name."""
        return dict(self._counter)

    def add(self, operation: str) -> None:
        """Count one operation."""
        self._counter[operation] += 1

    def reset(self) -> None:
        """Reset the counts to zero."""
        self._counter.clear()

    @override
    def __repr__(self) -> str:
        return f"{self.total} operations: " + ", ".join(f"{n} {name}" for name, n in self._counter.most_common())


_OPERATORS: Final[dict[Operator, tuple[str, Operator]]] = {
    operator.add: ("add", operator.add),
    operator.sub: ("subtract", operator.sub),
    operator.mul: ("multiply", operator.mul),
    divided: ("divide", REAL.divide),
}
"""The name of each binary operator, and its function of floats."""


@final
class CountingScalar(BinaryOperators, OpaqueValue):
    """A float whose operations are counted in a shared `OperationCount`; its value is `.value`."""

    __slots__ = ("count", "value")

    def __init__(self, value: float, count: OperationCount) -> None:
        self.value = float(value)
        self.count = count

    @override
    def __repr__(self) -> str:
        return f"CountingScalar({self.value})"

    @override
    def _forward(self, operation: Operator, other: object) -> Any:
        return self._computed(operation, other, swapped=False)

    @override
    def _backward(self, operation: Operator, other: object) -> Any:
        return self._computed(operation, other, swapped=True)

    def _computed(self, operation: Operator, other: object, *, swapped: bool) -> Any:
        """Return the result of a binary operation, or NotImplemented if the other operand is not real."""
        try:
            value = other.value if isinstance(other, CountingScalar) else _plain(cast("Scalar", other))
        except ScalarError:
            return NotImplemented
        name, function = _OPERATORS[operation]
        self.count.add(name)
        return CountingScalar(function(value, self.value) if swapped else function(self.value, value), self.count)

    def __neg__(self) -> CountingScalar:
        self.count.add("negate")
        return CountingScalar(-self.value, self.count)

    def __pos__(self) -> CountingScalar:
        return self


@final
class CountingCondition(OpaqueValue):
    """Condition of a comparison of counted values."""

    __slots__ = ("count", "holds")

    def __init__(self, holds: bool, count: OperationCount) -> None:
        self.holds = holds
        self.count = count

    def __and__(self, other: CountingCondition, /) -> CountingCondition:
        self.count.add("both")
        return CountingCondition(self.holds and other.holds, self.count)

    def __or__(self, other: CountingCondition, /) -> CountingCondition:
        self.count.add("either")
        return CountingCondition(self.holds or other.holds, self.count)

    @override
    def __repr__(self) -> str:
        return "CountingCondition"


def _plain(x: Scalar) -> float:
    """Return a real number of any family as a float."""
    return family_of(x).to_float(x)


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
@with_methods({name: _counted(name) for name in _FUNCTIONS})
class CountingFamily(ScalarFamily[CountingScalar]):
    """Family of floats that count operations."""

    name = "counted"
    priority = 100

    @override
    def lift(self, x: Scalar, like: CountingScalar) -> CountingScalar:
        return CountingScalar(_plain(x), like.count)

    @override
    def to_float(self, x: CountingScalar) -> float:
        refuse_value_access("taking the float of", x)

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
        value = chosen.value if isinstance(chosen, CountingScalar) else _plain(chosen)
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


register_scalar(CountingScalar, CountingFamily(), condition=CountingCondition)
