"""Enumeration of modes, and the test whether modes obey Coulomb's law.

Every choice of modes is a complementary cone (Cottle, Pang and Stone 1992, section 1.3). Functions in the language of
intrinsics; modes as in `modes.py`, `is_undecided` as in `problem.py`.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import fma
from rbd.solvers.friction.lu import lu_factor, lu_solve
from rbd.solvers.friction.modes import assemble_equations, expand_forces
from rbd.solvers.friction.problem import FrictionProblem

_VIOLATION_TOLERANCE: Final = 1e-11
"""Violations below this, relative to the size of the problem, are rounding."""
MAX_COMBINATIONS: Final = 20000.0
"""Combinations that are tried at most."""

# Outcomes of the enumeration.
FOUND: Final = 1
NO_MODES: Final = 0
TOO_MANY: Final = -1


def _max_or_nan(a: float, b: float) -> float:
    """Return the larger number, NaN if one of them is NaN."""
    if a > b or a != a:
        return a
    return b


def _violation(w: FrictionProblem) -> float:
    """Return the largest violation of Coulomb's law by forces and rates."""
    worst = 0.0
    for k in range(w.p):
        for a in range(3 * k, 3 * k + 3):
            rate = w.free_rates[a]
            for b in range(3 * w.p):
                rate = fma(w.gram[a][b], w.force_steps[b], rate)
            if a == 3 * k and w.is_undecided[a] == 1:
                worst = _max_or_nan(-rate, worst)
                if w.modes[a] == 1:
                    worst = _max_or_nan(rate, _max_or_nan(-w.force_steps[a], worst))
            if a > 3 * k and w.is_undecided[a] == 1 and w.modes[3 * k] == 1:
                worst = _max_or_nan(abs(w.force_steps[a]) - w.force_steps[3 * k], worst)
                if w.modes[a] == 0:
                    worst = _max_or_nan(abs(rate), worst)
                else:
                    worst = _max_or_nan(-(float(w.modes[a]) * rate), worst)
    return worst


def satisfies_coulomb(w: FrictionProblem, scale: float) -> int:
    """Compute forces with these modes; return 1 if they obey Coulomb's law, else 0."""
    k = assemble_equations(w)
    rank = lu_factor(k, w.system, w.order)
    for i in range(k):
        w.unknown_forces[i] = -w.free_rates[w.unknowns[i]]
    lu_solve(k, rank, w.system, w.unknown_forces, w.order)
    expand_forces(w)
    size = scale
    for a in range(3 * w.p):
        size = _max_or_nan(abs(w.force_steps[a]), size)
    if _violation(w) <= _VIOLATION_TOLERANCE * size:
        return 1
    return 0


def _next_modes_of_pair(w: FrictionProblem, pair: int) -> int:
    """Set the next modes of a pair; return 1 after the last, which the first follow."""
    at = 3 * pair
    if w.is_undecided[at] == 0:
        return 1
    if w.modes[at] == 0:
        w.modes[at] = 1
        return 0
    for r in range(1, 3):
        if w.is_undecided[at + r] == 1:
            if w.modes[at + r] < 1:
                w.modes[at + r] += 1
                return 0
            w.modes[at + r] = -1
    w.modes[at] = 0
    return 1


def _first_combination(w: FrictionProblem) -> float:
    """Set the first combination, without normal forces; return the number of combinations."""
    total = 1.0
    for k in range(w.p):
        w.modes[3 * k] = 0
        if w.is_undecided[3 * k] == 1:
            pushing = 1.0
            for r in range(1, 3):
                if w.is_undecided[3 * k + r] == 1:
                    pushing = pushing * 3.0
                    w.modes[3 * k + r] = -1
            total = total * (1.0 + pushing)
    return total


def enumerate_modes(w: FrictionProblem, scale: float) -> int:
    """Try all combinations; return FOUND, NO_MODES or TOO_MANY."""
    if _first_combination(w) > MAX_COMBINATIONS:
        return TOO_MANY
    carried = 0
    while carried == 0:
        if satisfies_coulomb(w, scale) == 1:
            return FOUND
        carried = 1
        for pair in range(w.p):
            if carried == 1:
                carried = _next_modes_of_pair(w, pair)
    return NO_MODES
