"""Whether modes obey Coulomb's law, and trying all of them. May import: friction_modes, language, pivoting.

Functions in the subset of intrinsics; modes as in `friction_modes.py`, kinds as in `friction_pivots.py`.
"""

from __future__ import annotations

from typing import Final

from rbd.scalars.intrinsics.friction_modes import equations, forces_of
from rbd.scalars.intrinsics.language import Floats, Ints, fma
from rbd.scalars.intrinsics.pivoting import decompose, substitute

_BROKEN: Final = 1e-11
"""Violations below this, relative to the size of the problem, are rounding."""
_MOST: Final = 20000.0
"""Combinations that are tried."""


def _worse(a: float, b: float) -> float:
    """Return the larger one; what is no number is large."""
    if not a <= b:
        return a
    return b


def _violation(p: int, gram: Floats, free: Floats, forces: Floats, modes: Ints, kinds: Ints) -> float:
    """Return by how much forces and rates miss Coulomb's law."""
    worst = 0.0
    size = 3 * p
    for k in range(p):
        for r in range(3):
            a = 3 * k + r
            rate = free[a]
            for b in range(size):
                rate = fma(gram[a * size + b], forces[b], rate)
            if r == 0 and kinds[a] == 1:
                worst = _worse(-rate, worst)
                if modes[a] == 1:
                    worst = _worse(rate, _worse(-forces[a], worst))
            if r > 0 and kinds[a] == 1 and modes[3 * k] == 1:
                worst = _worse(abs(forces[a]) - forces[3 * k], worst)
                if modes[a] == 0:
                    worst = _worse(abs(rate), worst)
                else:
                    worst = _worse(-(float(modes[a]) * rate), worst)
    return worst


def obeyed(
    p: int,
    scale: float,
    gram: Floats,
    free: Floats,
    forces: Floats,
    system: Floats,
    part: Floats,
    modes: Ints,
    kinds: Ints,
    unknowns: Ints,
    order: Ints,
) -> int:
    """Return 1 if there are forces with these modes that obey Coulomb's law, else 0."""
    k = equations(p, gram, modes, system, unknowns)
    rank = decompose(k, 3 * p, system, order)
    for i in range(k):
        part[i] = -free[unknowns[i]]
    substitute(k, rank, 3 * p, system, part, order)
    forces_of(p, part, modes, forces)
    size = scale
    for a in range(3 * p):
        size = _worse(abs(forces[a]), size)
    if _violation(p, gram, free, forces, modes, kinds) <= _BROKEN * size:
        return 1
    return 0


def _next_of(pair: int, modes: Ints, kinds: Ints) -> int:
    """Go to the next mode of a pair; return 1 after the last."""
    at = 3 * pair
    if kinds[at] == 0:
        return 1
    if modes[at] == 0:
        modes[at] = 1
        return 0
    for r in range(1, 3):
        if kinds[at + r] == 1:
            if modes[at + r] < 1:
                modes[at + r] = modes[at + r] + 1
                return 0
            modes[at + r] = -1
    modes[at] = 0
    return 1


def _combinations(p: int, modes: Ints, kinds: Ints) -> float:
    """Go to the first combination, in which nothing pushes; return how many there are."""
    total = 1.0
    for k in range(p):
        modes[3 * k] = 0
        if kinds[3 * k] == 1:
            pushing = 1.0
            for r in range(1, 3):
                if kinds[3 * k + r] == 1:
                    pushing = pushing * 3.0
                    modes[3 * k + r] = -1
            total = total * (1.0 + pushing)
    return total


def tried(
    p: int,
    scale: float,
    gram: Floats,
    free: Floats,
    forces: Floats,
    system: Floats,
    part: Floats,
    modes: Ints,
    kinds: Ints,
    unknowns: Ints,
    order: Ints,
) -> int:
    """Try all combinations; return 1 if one obeys Coulomb's law, 0 if none does, -1 if there are too many."""
    if _combinations(p, modes, kinds) > _MOST:
        return -1
    carried = 0
    while carried == 0:
        if obeyed(p, scale, gram, free, forces, system, part, modes, kinds, unknowns, order) == 1:
            return 1
        carried = 1
        for pair in range(p):
            if carried == 1:
                carried = _next_of(pair, modes, kinds)
    return 0
