"""Norms without overflow or underflow: numbers are scaled by a power of two.

Squares of floats overflow above 1e154 and underflow below 1e-162; the inverse squares in derivatives do so much
earlier. Norms, directions and derivatives of angles are therefore computed from numbers that are `scaled_into_range`.
Multiplication by a power of two is exact, and numbers of ordinary size are multiplied by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rbd.scalars.conditions import less, where
from rbd.scalars.constants import const
from rbd.scalars.functions import absolute, sqrt
from rbd.scalars.protocol import Scalar, Vector
from rbd.scalars.registry import dominant_family

_SMALL: Final = ((const(1, 2**700), const(2**850)), (const(1, 2**200), const(2**450)))
_LARGE: Final = ((const(2**600), const(1, 2**800)), (const(2**200), const(1, 2**400)))
"""Thresholds with factors: a sum beyond a threshold is multiplied by its factor; the first pair takes precedence.

Fourth powers of scaled numbers are in range, and products of a scaled number and its factor: derivatives have them.
"""
_ONLY_FLOATS: Final = frozenset({float})
_ORDINARY: Final = (1 / 2**200, 2.0**200)


def square_sum(values: Iterable[Scalar]) -> Scalar:
    """Return the sum of the squares.

    >>> square_sum((3.0, 4.0))
    25.0
    """
    total: Scalar = 0
    for k, x in enumerate(values):
        total = x * x if k == 0 else total + x * x
    return total


def norm(values: Vector) -> Scalar:
    """Return the Euclidean norm.

    >>> norm((3e-200, 4e-200))
    5e-200
    """
    scaled, scale = scaled_into_range(values)
    return sqrt(square_sum(scaled)) / scale


def scaled_into_range(values: Vector) -> tuple[Vector, Scalar]:
    """Return the numbers times a power of two, and this power: their norm is between 2^-255 and 2^255.

    The power is one if the sum of absolute values is between 2^-200 and 2^200, and for families without a range,
    such as fractions and symbols.

    >>> scaled_into_range((3.0, 4.0))
    ((3.0, 4.0), 1)
    >>> (x, y), scale = scaled_into_range((3e200, 4e200))
    >>> (x * x + y * y) ** 0.5 / scale
    5e+200
    """
    return _apply_scale(values, _scale_factor(values, lower_only=False))


def scaled_down(values: Vector) -> tuple[Vector, Scalar]:
    """Return the numbers times a power of two, and this power: their norm is at most 2^225.

    The power is one if the sum of absolute values is at most 2^200, and for families without a range.
    """
    return _apply_scale(values, _scale_factor(values, lower_only=True))


def _apply_scale(values: Vector, scale: Scalar) -> tuple[Vector, Scalar]:
    return (values, 1) if isinstance(scale, int) and scale == 1 else (tuple(scale * x for x in values), scale)


def _scale_factor(values: Vector, *, lower_only: bool) -> Scalar:
    """Return the power of two by which the numbers are multiplied."""
    if _is_ordinary(values):
        return 1
    best = dominant_family(values)
    if best is None or not best[0].has_range(best[1]):
        return 1
    size = _absolute_sum(values)
    if type(size) is float and (size >= _ORDINARY[0] or lower_only) and size <= _ORDINARY[1]:
        return 1
    power: Scalar = 1
    for limit, factor in reversed(_LARGE):
        power = where(less(limit, size), factor, power)
    for limit, factor in () if lower_only else reversed(_SMALL):
        power = where(less(size, limit), factor, power)
    return power


def _is_ordinary(values: tuple[Any, ...]) -> bool:
    """Return whether these are floats with a sum of absolute values between 2^-200 and 2^200."""
    return _ONLY_FLOATS.issuperset(map(type, values)) and _ORDINARY[0] <= sum(map(abs, values)) <= _ORDINARY[1]


def _absolute_sum(values: Vector) -> Scalar:
    """Return the sum of the absolute values."""
    total: Scalar = 0
    for x in values:
        total = total + absolute(x)
    return total
