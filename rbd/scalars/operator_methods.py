"""Operators and NumPy functions of scalars: powers, `abs`, `np.sin` of an array of them.

For an array of objects, a NumPy function calls the method of its name of each entry. Entries that are plain numbers
have no such methods; use the functions of `rbd.scalars` for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from rbd.scalars.conditions import greater, greater_equal, less, less_equal
from rbd.scalars.family import ScalarFamily
from rbd.scalars.protocol import Condition
from rbd.scalars.registry import family_of


class OperatorMethods:
    """Functions of `rbd.scalars` as methods, with the names that Python's operators and NumPy's functions call."""

    __slots__ = ()

    def __pow__(self, exponent: Any, /) -> Any:
        if isinstance(exponent, np.ndarray):
            return NotImplemented  # NumPy iterates over its entries
        return _family(self).power(self, exponent)

    def __rpow__(self, base: Any, /) -> Any:
        return _family(self).power(base, self)

    def __abs__(self) -> Any:
        return _family(self).absolute(self)

    def conjugate(self) -> Any:
        """Return the number itself, which is real."""
        return self

    def arctan(self) -> Any:
        """Return the arc tangent."""
        return _family(self).atan2(self, 1)


def _comparison(compare: Callable[[Any, Any], Condition]) -> Callable[..., Any]:
    def method(self: OperatorMethods, other: Any, /) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else compare(self, other)

    return method


def _family(x: object) -> ScalarFamily[Any]:
    return family_of(x)


def _method(function: str) -> Callable[..., Any]:
    def method(self: OperatorMethods, *operands: Any) -> Any:
        return getattr(_family(self), function)(self, *operands)

    return method


_FUNCTIONS: Final = {
    **{name: name for name in ("sqrt", "sin", "cos", "tan", "exp", "log", "tanh")},
    "fabs": "absolute",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan2": "atan2",
}
"""NumPy's names of functions, and ours."""
_COMPARISONS: Final = {"__lt__": less, "__le__": less_equal, "__gt__": greater, "__ge__": greater_equal}
for _name, _compare in _COMPARISONS.items():
    setattr(OperatorMethods, _name, _comparison(_compare))
for _name, _function in _FUNCTIONS.items():
    setattr(OperatorMethods, _name, _method(_function))
