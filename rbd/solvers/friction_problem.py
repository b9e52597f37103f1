"""A motion under friction that is to be found, and what it begins with.

Functions in the subset of intrinsics; modes and shapes as in `friction_modes.py`. `kinds` says what is to be decided,
three numbers per pair: 1 for a pair that may push, 0 for one that cannot; 1 for a direction that may stick, 0 for one
in which the mode is given.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import divide, fma
from rbd.intrinsics.workspace import floats, ints, operand, result
from rbd.solvers.dense_factors import norm
from rbd.solvers.friction_modes import Pairs

_VANISHING: Final = 1e-14
"""A normal this much shorter than the longest row is zero: it constrains nothing, or everything."""
_FLAT: Final = 1e-12
"""A slope this much shorter than the other, or than its normal, does not move, unless it drifts."""


class Friction(Pairs):
    """Pairs whose modes are sought."""

    slides = operand("p")
    held = result("4 * p")
    free = floats("3 * p")
    """Rates without forces, less what they are to be."""
    signs = floats("3 * p")
    table = floats("5 * p", "5 * p + 2")
    """The complementarity problem: its variables are a pair's push, and a force and a speed for each direction."""
    kinds = ints("3 * p")
    spots = ints("5 * p")
    """The variables of pairs in the table."""
    names = ints("10 * p + 1")
    first = ints("5 * p")
    inside = ints("5 * p")


def shape(w: Friction) -> None:
    """Decide how directions are made of slopes, and which ones may stick."""
    size = norm(w.n, w.rest)
    for k in range(w.p):
        normal = norm(w.n, w.white[3 * k])
        first = norm(w.n, w.white[3 * k + 1])
        second = norm(w.n, w.white[3 * k + 2])
        along = abs(w.bounds[3 * k + 1])
        across = abs(w.bounds[3 * k + 2])
        w.shapes[k] = 2
        w.modes[3 * k + 1] = 1
        w.modes[3 * k + 2] = 1
        if w.slides[k] > 0.0 or (second <= _FLAT * first and across <= _FLAT * (along + first * size)):
            w.shapes[k] = 0
        elif first <= _FLAT * second and along <= _FLAT * (across + second * size):
            w.shapes[k] = 1
        still = _FLAT * (abs(w.bounds[3 * k]) + normal * size)
        if not w.slides[k] > 0.0 and (first + second > _FLAT * normal or along + across > still):
            w.kinds[3 * k + 1] = 1
            if w.shapes[k] == 2:
                w.kinds[3 * k + 2] = 1


def count(w: Friction) -> int:
    """Mark the pairs that may push; return 1 for a normal of zero that asks for something."""
    longest = 0.0
    for a in range(3 * w.p):
        length = norm(w.n, w.white[a])
        if length > longest:
            longest = length
    for k in range(w.p):
        if norm(w.n, w.white[3 * k]) > _VANISHING * longest:
            w.kinds[3 * k] = 1
        elif w.bounds[3 * k] > 0.0:
            return 1
    return 0


def free_rates(w: Friction) -> float:
    """Find the rates without forces, less what they are to be; return the size of the numbers."""
    size = norm(w.n, w.rest)
    for k in range(w.p):
        for a in range(3 * k, 3 * k + 3):
            w.free[a] = 0.0
            if w.kinds[3 * k] == 1:
                asked = divide(w.bounds[a], w.lengths[a])
                size += abs(asked)
                rate = -asked
                for i in range(w.n):
                    rate = fma(w.white[a][i], w.rest[i], rate)
                w.free[a] = rate
    return size
