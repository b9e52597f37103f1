"""Numbers whose squares leave the range of floats, brought back by a power of two.

Squares of floats overflow beyond 1e154, and vanish below 1e-162; the inverse squares that derivatives hold do so much
earlier. Lengths and directions are therefore computed from `rescaled` numbers: multiplying by a power of two is exact,
and ordinary numbers are multiplied by one.
"""

from __future__ import annotations

from typing import Final

from rbd.scalars.conditions import less, where
from rbd.scalars.constants import const
from rbd.scalars.functions import absolute, sqrt
from rbd.scalars.protocol import Scalar, Vector
from rbd.scalars.registry import dominant

_SMALL: Final = ((const(1, 2**600), const(2**850)), (const(1, 2**200), const(2**400)))
_LARGE: Final = ((const(2**600), const(1, 2**800)), (const(2**200), const(1, 2**400)))
"""What is beyond the first number is multiplied by the second; what is beyond both, by the first pair's."""
_ORDINARY: Final = (1 / 2**200, 2.0**200)


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
    """Return the numbers times a power of two, and that power: their length is then between 2^-225 and 2^250.

    It is one where the sum of their absolute values lies between 2^-200 and 2^200, and for families without a range,
    such as fractions and symbols.

    >>> rescaled((3.0, 4.0))
    ((3.0, 4.0), 1)
    >>> (x, y), scale = rescaled((3e200, 4e200))
    >>> (x * x + y * y) ** 0.5 / scale
    5e+200
    """
    return _scaled(values, _power(values, lower_only=False))


def lowered(values: Vector) -> tuple[Vector, Scalar]:
    """Return the numbers times a power of two, and that power: their length is then 2^225 at most.

    It is one where the sum of their absolute values is at most 2^200, and for families without a range.
    """
    return _scaled(values, _power(values, lower_only=True))


def _scaled(values: Vector, scale: Scalar) -> tuple[Vector, Scalar]:
    return (values, 1) if isinstance(scale, int) and scale == 1 else (tuple(scale * x for x in values), scale)


def _power(values: Vector, *, lower_only: bool) -> Scalar:
    """Return the power of two that the numbers are to be multiplied by."""
    found = dominant(values)
    if found is None or not found[0].has_range(found[1]):
        return 1
    size = _size(values)
    if type(size) is float and (size >= _ORDINARY[0] or lower_only) and size <= _ORDINARY[1]:
        return 1
    power: Scalar = 1
    for limit, factor in reversed(_LARGE):
        power = where(less(limit, size), factor, power)
    for limit, factor in () if lower_only else reversed(_SMALL):
        power = where(less(size, limit), factor, power)
    return power


def _size(values: Vector) -> Scalar:
    """Return the sum of the absolute values."""
    total: Scalar = 0
    for x in values:
        total = total + absolute(x)
    return total
