"""Derivatives of elementary functions: a table of those of one argument, for programs, duals and jets; powers.

>>> from rbd.scalars import tan
>>> rule, y = ELEMENTARY["tan"], tan(0.5)
>>> slope = rule.first(0.5, y)
>>> abs(slope - (1 + y * y)) < 1e-15, abs(rule.second(0.5, y, slope) - 2 * y * slope) < 1e-15
(True, True)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, final

import attrs

from rbd.scalars import functions as f
from rbd.scalars.conditions import less, where
from rbd.scalars.constants import const
from rbd.scalars.protocol import Scalar
from rbd.scalars.structural_zeros import is_plain_zero

_TWO: Final = const(2, 1)
_HALF: Final = const(1, 2)


@final
@attrs.frozen
class ElementaryFunction:
    """A function y = f(x) and its derivatives, for scalars of any family."""

    value: Callable[[Any], Any]
    first: Callable[[Any, Any], Any]
    """Maps x and y to f'(x)."""
    second: Callable[[Any, Any, Any], Any]
    """Maps x, y and f'(x) to f''(x)."""


def _second_of_arc(x: Any, y: Any, slope: Any) -> Any:
    return f.divide(x * slope, 1 - x * x)


ELEMENTARY: Final[Mapping[str, ElementaryFunction]] = {
    "sin": ElementaryFunction(f.sin, lambda x, y: f.cos(x), lambda x, y, slope: -y),
    "cos": ElementaryFunction(f.cos, lambda x, y: -f.sin(x), lambda x, y, slope: -y),
    "tan": ElementaryFunction(f.tan, lambda x, y: 1 + y * y, lambda x, y, slope: _TWO * (y * slope)),
    "asin": ElementaryFunction(f.asin, lambda x, y: f.divide(1, f.sqrt(1 - x * x)), _second_of_arc),
    "acos": ElementaryFunction(f.acos, lambda x, y: f.divide(-1, f.sqrt(1 - x * x)), _second_of_arc),
    "sqrt": ElementaryFunction(
        f.sqrt, lambda x, y: f.divide(_HALF, y), lambda x, y, slope: -f.divide(_HALF * slope, x)
    ),
    "exp": ElementaryFunction(f.exp, lambda x, y: y, lambda x, y, slope: y),
    "log": ElementaryFunction(f.log, lambda x, y: f.divide(1, x), lambda x, y, slope: -(slope * slope)),
    "tanh": ElementaryFunction(f.tanh, lambda x, y: 1 - y * y, lambda x, y, slope: -(_TWO * (y * slope))),
    "absolute": ElementaryFunction(f.absolute, lambda x, y: where(less(x, 0), -1, 1), lambda x, y, slope: 0),
}
"""The functions by the name of the method of scalar families."""


def derivative_of_power(x: Scalar, n: Scalar, order: int = 1) -> Scalar:
    """Return the derivative of x**n by x of this order, for constant n; the integer 0 where x**n is a constant.

    >>> derivative_of_power(0.0, 2.0), derivative_of_power(0.0, 2.0, 2), derivative_of_power(0.0, 0.0)
    (0.0, 2.0, 0)
    """
    if order == 0:
        return f.power(x, n)
    if is_plain_zero(n):
        return 0
    return n * derivative_of_power(x, n - 1, order - 1)
