"""Floats that count operations, and the conditions of their comparisons.

Public through `rbd.scalars.counting`, which also registers the family.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any, cast, final

from typing_extensions import override

from rbd.errors import ScalarError
from rbd.scalars.backends.real import REAL
from rbd.scalars.opaque import Opaque
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import operations_of


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


@final
class CountingScalar(Opaque):
    """A float whose operations are counted in a shared `OperationCount`; its value is `.value`."""

    __slots__ = ("count", "value")

    def __init__(self, value: float, count: OperationCount) -> None:
        self.value = float(value)
        self.count = count

    @override
    def __repr__(self) -> str:
        return f"CountingScalar({self.value})"

    def _with(self, name: str, function: Callable[[Any, Any], Any], other: object, *, swapped: bool = False) -> Any:
        """Return the result of a binary operation, or NotImplemented if the other operand is not real."""
        try:
            value = other.value if isinstance(other, CountingScalar) else plain(cast("Scalar", other))
        except ScalarError:
            return NotImplemented
        self.count.add(name)
        return CountingScalar(function(value, self.value) if swapped else function(self.value, value), self.count)

    def __add__(self, other: object, /) -> CountingScalar:
        return cast("CountingScalar", self._with("add", operator.add, other))

    def __radd__(self, other: object, /) -> CountingScalar:
        return cast("CountingScalar", self._with("add", operator.add, other, swapped=True))

    def __sub__(self, other: object, /) -> CountingScalar:
        return cast("CountingScalar", self._with("subtract", operator.sub, other))

    def __rsub__(self, other: object, /) -> CountingScalar:
        return cast("CountingScalar", self._with("subtract", operator.sub, other, swapped=True))

    def __mul__(self, other: object, /) -> CountingScalar:
        return cast("CountingScalar", self._with("multiply", operator.mul, other))

    def __rmul__(self, other: object, /) -> CountingScalar:
        return cast("CountingScalar", self._with("multiply", operator.mul, other, swapped=True))

    def __truediv__(self, other: object, /) -> CountingScalar:
        return cast("CountingScalar", self._with("divide", REAL.divide, other))

    def __rtruediv__(self, other: object, /) -> CountingScalar:
        return cast("CountingScalar", self._with("divide", REAL.divide, other, swapped=True))

    def __neg__(self) -> CountingScalar:
        self.count.add("negate")
        return CountingScalar(-self.value, self.count)

    def __pos__(self) -> CountingScalar:
        return self


@final
class CountingCondition(Opaque):
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


def plain(x: Scalar) -> float:
    """Return a real number of any family as a float."""
    return operations_of(x).to_float(x)
