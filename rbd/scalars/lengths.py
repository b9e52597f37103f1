"""Numbers whose squares leave the range of floats, brought back by a power of two. May import: functions, registry.

Squares of floats overflow beyond 1e154, and lose digits below 1e-154. Lengths and directions are therefore computed
from `rescaled` numbers: multiplying by a power of two is exact, and ordinary numbers are multiplied by one.
"""

from __future__ import annotations

from typing import Final

from rbd.scalars.conditions import less, where
from rbd.scalars.constants import const
from rbd.scalars.functions import sqrt
from rbd.scalars.protocol import Condition, Scalar, Vector
from rbd.scalars.registry import decided, operations_of_condition

_UP: Final[Scalar] = const(2**600)
_DOWN: Final[Scalar] = const(1, 2**600)
_LEAST: Final[Scalar] = const(1, 2**900)
LARGEST_SQUARE: Final[Scalar] = const(2**900)


def square_sum(values: Vector) -> Scalar:
    """Return the sum of the squares.

    >>> square_sum((3.0, 4.0))
    25.0
    """
    total: Scalar = 0
    for k, x in enumerate(values):
        total = x * x if k == 0 else total + x * x
    return total


def length(values: Vector) -> Scalar:
    """Return the root of the sum of the squares.

    >>> length((3e-200, 4e-200))
    5e-200
    """
    scaled, scale = rescaled(values)
    return sqrt(square_sum(scaled)) / scale


def rescaled(values: Vector) -> tuple[Vector, Scalar]:
    """Return the numbers times a power of two, and that power: the sum of their squares neither overflows nor vanishes.

    It is one unless the sum is below 2^-900 or above 2^900, and for families that decide no comparisons, such as
    symbols: they have no such range.

    >>> rescaled((3.0, 4.0))
    ((3.0, 4.0), 1)
    >>> (x, y), scale = rescaled((3e200, 4e200))
    >>> (x * x + y * y) ** 0.5 / scale
    5e+200
    """
    square = square_sum(values)
    small, large = less(square, _LEAST), less(LARGEST_SQUARE, square)
    if (small is False and large is False) or not (_is_known(small) and _is_known(large)):
        return values, 1
    scale = where(small, _UP, where(large, _DOWN, 1))
    return tuple(scale * x for x in values), scale


def lowered(values: Vector, largest: Scalar = LARGEST_SQUARE) -> tuple[Vector, Scalar]:
    """Return the numbers times 2^-600 where the sum of their squares exceeds `largest`, and that power; else and one."""
    large = less(largest, square_sum(values))
    if large is False or not _is_known(large):
        return values, 1
    scale = where(large, _DOWN, 1)
    return tuple(scale * x for x in values), scale


def _is_known(condition: Condition) -> bool:
    """Return whether a comparison has an outcome, or will have one when a recording runs."""
    return decided(condition) is not None or operations_of_condition(condition).has_range
