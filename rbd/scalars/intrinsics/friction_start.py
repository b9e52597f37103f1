"""What pairs under friction begin with. May import: friction_modes, language.

Functions in the subset of intrinsics; modes and shapes as in `friction_modes.py`, kinds as in `friction_pivots.py`.
"""

from __future__ import annotations

from typing import Final

from rbd.scalars.intrinsics.friction_modes import length_of
from rbd.scalars.intrinsics.language import Floats, Ints, divide, fma

_VANISHING: Final = 1e-14
"""A normal this much shorter than the longest row is zero: it constrains nothing, or everything."""
_FLAT: Final = 1e-12
"""A slope this much shorter than the other, or than its normal, does not move, unless it drifts."""


def shape(
    n: int,
    p: int,
    size: float,
    bounds: Floats,
    white: Floats,
    slides: Floats,
    shapes: Ints,
    modes: Ints,
    kinds: Ints,
) -> None:
    """Decide how directions are made of slopes, and which ones may stick; `size` is that of the free motion."""
    for k in range(p):
        normal = length_of(n, 3 * k, white)
        first = length_of(n, 3 * k + 1, white)
        second = length_of(n, 3 * k + 2, white)
        along = abs(bounds[3 * k + 1])
        across = abs(bounds[3 * k + 2])
        shapes[k] = 2
        modes[3 * k + 1] = 1
        modes[3 * k + 2] = 1
        if slides[k] > 0.0 or (second <= _FLAT * first and across <= _FLAT * (along + first * size)):
            shapes[k] = 0
        elif first <= _FLAT * second and along <= _FLAT * (across + second * size):
            shapes[k] = 1
        still = _FLAT * (abs(bounds[3 * k]) + normal * size)
        if not slides[k] > 0.0 and (first + second > _FLAT * normal or along + across > still):
            kinds[3 * k + 1] = 1
            if shapes[k] == 2:
                kinds[3 * k + 2] = 1


def count(n: int, p: int, bounds: Floats, white: Floats, kinds: Ints) -> int:
    """Mark the pairs that may push; return 1 for a normal of zero that asks for something."""
    longest = 0.0
    for row in range(3 * p):
        length = length_of(n, row, white)
        if length > longest:
            longest = length
    for k in range(p):
        if length_of(n, 3 * k, white) > _VANISHING * longest:
            kinds[3 * k] = 1
        elif bounds[3 * k] > 0.0:
            return 1
    return 0


def free_rates(
    n: int, p: int, bounds: Floats, start: Floats, white: Floats, lengths: Floats, free: Floats, kinds: Ints
) -> float:
    """Find the rates without forces, less what they are to be; return the size of the numbers."""
    size = length_of(n, 0, start)
    for k in range(p):
        for a in range(3 * k, 3 * k + 3):
            free[a] = 0.0
            if kinds[3 * k] == 1:
                asked = divide(bounds[a], lengths[k])
                size = size + abs(asked)
                rate = -asked
                for i in range(n):
                    rate = fma(white[a * n + i], start[i], rate)
                free[a] = rate
    return size
