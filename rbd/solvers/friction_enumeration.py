"""Whether modes obey Coulomb's law, and the enumeration of all modes.

Functions in the subset of intrinsics; modes as in `friction_modes.py`, kinds as in `friction_problem.py`.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import fma
from rbd.solvers.friction_modes import equations, forces_of
from rbd.solvers.friction_problem import Friction
from rbd.solvers.lemke import decompose, substitute

_BROKEN: Final = 1e-11
"""Violations below this, relative to the size of the problem, are rounding."""
_MOST: Final = 20000.0
"""Combinations that are tried."""


def _worse(a: float, b: float) -> float:
    """Return the larger one; what is no number is large."""
    if not a <= b:
        return a
    return b


def _violation(w: Friction) -> float:
    """Return by how much forces and rates miss Coulomb's law."""
    worst = 0.0
    for k in range(w.p):
        for a in range(3 * k, 3 * k + 3):
            rate = w.free[a]
            for b in range(3 * w.p):
                rate = fma(w.gram[a][b], w.steps[b], rate)
            if a == 3 * k and w.kinds[a] == 1:
                worst = _worse(-rate, worst)
                if w.modes[a] == 1:
                    worst = _worse(rate, _worse(-w.steps[a], worst))
            if a > 3 * k and w.kinds[a] == 1 and w.modes[3 * k] == 1:
                worst = _worse(abs(w.steps[a]) - w.steps[3 * k], worst)
                if w.modes[a] == 0:
                    worst = _worse(abs(rate), worst)
                else:
                    worst = _worse(-(float(w.modes[a]) * rate), worst)
    return worst


def obeyed(w: Friction, scale: float) -> int:
    """Return 1 if there are forces with these modes that obey Coulomb's law, else 0."""
    k = equations(w)
    rank = decompose(k, w.system, w.order)
    for i in range(k):
        w.part[i] = -w.free[w.unknowns[i]]
    substitute(k, rank, w.system, w.part, w.order)
    forces_of(w)
    size = scale
    for a in range(3 * w.p):
        size = _worse(abs(w.steps[a]), size)
    if _violation(w) <= _BROKEN * size:
        return 1
    return 0


def _next_of(w: Friction, pair: int) -> int:
    """Go to the next mode of a pair; return 1 after the last."""
    at = 3 * pair
    if w.kinds[at] == 0:
        return 1
    if w.modes[at] == 0:
        w.modes[at] = 1
        return 0
    for r in range(1, 3):
        if w.kinds[at + r] == 1:
            if w.modes[at + r] < 1:
                w.modes[at + r] += 1
                return 0
            w.modes[at + r] = -1
    w.modes[at] = 0
    return 1


def _combinations(w: Friction) -> float:
    """Go to the first combination, in which nothing pushes; return how many there are."""
    total = 1.0
    for k in range(w.p):
        w.modes[3 * k] = 0
        if w.kinds[3 * k] == 1:
            pushing = 1.0
            for r in range(1, 3):
                if w.kinds[3 * k + r] == 1:
                    pushing = pushing * 3.0
                    w.modes[3 * k + r] = -1
            total = total * (1.0 + pushing)
    return total


def tried(w: Friction, scale: float) -> int:
    """Try all combinations; return 1 if one obeys Coulomb's law, 0 if none does, -1 if there are too many."""
    if _combinations(w) > _MOST:
        return -1
    carried = 0
    while carried == 0:
        if obeyed(w, scale) == 1:
            return 1
        carried = 1
        for pair in range(w.p):
            if carried == 1:
                carried = _next_of(w, pair)
    return 0
