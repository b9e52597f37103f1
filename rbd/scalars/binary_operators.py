"""Python's binary operators, defined by two methods."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

Operator: TypeAlias = Callable[[Any, Any], Any]


def divided(a: Any, b: Any) -> Any:
    """Return a / b: `operator.truediv` has no types."""
    return a / b


class BinaryOperators:
    """The operators `+ - * /`, defined by two methods."""

    __slots__ = ()

    @abstractmethod
    def _forward(self, operation: Operator, other: object) -> Any:
        """Return self operation other."""

    @abstractmethod
    def _backward(self, operation: Operator, other: object) -> Any:
        """Return other operation self."""

    def __add__(self, other: Any, /) -> Any:
        return self._forward(operator.add, other)

    def __radd__(self, other: Any, /) -> Any:
        return self._backward(operator.add, other)

    def __sub__(self, other: Any, /) -> Any:
        return self._forward(operator.sub, other)

    def __rsub__(self, other: Any, /) -> Any:
        return self._backward(operator.sub, other)

    def __mul__(self, other: Any, /) -> Any:
        return self._forward(operator.mul, other)

    def __rmul__(self, other: Any, /) -> Any:
        return self._backward(operator.mul, other)

    def __truediv__(self, other: Any, /) -> Any:
        return self._forward(divided, other)

    def __rtruediv__(self, other: Any, /) -> Any:
        return self._backward(divided, other)
