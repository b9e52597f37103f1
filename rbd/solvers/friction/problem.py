"""The friction problem: workspace and set-up.

The problem is that of Stewart and Trinkle 1996. Functions in the language of intrinsics; modes and kinds of directions
as in `modes.py`. `is_undecided` has three numbers per pair: 1 if its normal force may be active, and for each direction
1 if it may stick, else 0.
"""

from __future__ import annotations

from typing import Final, final

from rbd.intrinsics.language import divide, fma
from rbd.intrinsics.workspace import floats, ints, operand, result
from rbd.solvers.dense_factors import norm
from rbd.solvers.friction.modes import Pairs

_ZERO_ROW: Final = 1e-14
"""A normal this much shorter than the longest row counts as zero."""
_ZERO_SLOPE: Final = 1e-12
"""A slope this much shorter than the other, or than its normal, counts as zero unless it has a bias."""


@final
class Friction(Pairs):
    """Pairs with unknown modes."""

    slides = operand("p")
    contact_modes = result("4 * p")
    free_rates = floats("3 * p")
    """Rates without forces less the required ones."""
    signs = floats("3 * p")
    tableau = floats("5 * p", "5 * p + 2")
    """The complementarity problem: a normal force per pair, and a force and a backward speed per direction."""
    is_undecided = ints("3 * p")
    variable_index = ints("5 * p")
    """Numbers of the variables of each pair."""
    basis = ints("10 * p + 1")
    leaves_first = ints("5 * p")
    is_basic = ints("5 * p")


def choose_friction_directions(w: Friction) -> None:
    """Choose the kinds of directions, and mark those that may stick."""
    size = norm(w.n, w.residual)
    for k in range(w.p):
        normal = norm(w.n, w.unit_rows[3 * k])
        first = norm(w.n, w.unit_rows[3 * k + 1])
        second = norm(w.n, w.unit_rows[3 * k + 2])
        along = abs(w.bounds[3 * k + 1])
        across = abs(w.bounds[3 * k + 2])
        w.direction_kinds[k] = 2
        w.modes[3 * k + 1] = 1
        w.modes[3 * k + 2] = 1
        if w.slides[k] > 0.0 or (second <= _ZERO_SLOPE * first and across <= _ZERO_SLOPE * (along + first * size)):
            w.direction_kinds[k] = 0
        elif first <= _ZERO_SLOPE * second and along <= _ZERO_SLOPE * (across + second * size):
            w.direction_kinds[k] = 1
        still = _ZERO_SLOPE * (abs(w.bounds[3 * k]) + normal * size)
        if not w.slides[k] > 0.0 and (first + second > _ZERO_SLOPE * normal or along + across > still):
            w.is_undecided[3 * k + 1] = 1
            if w.direction_kinds[k] == 2:
                w.is_undecided[3 * k + 2] = 1


def find_active_normals(w: Friction) -> int:
    """Mark the pairs whose normal force may be active; return 1 for a zero normal with a positive bound."""
    longest = 0.0
    for a in range(3 * w.p):
        length = norm(w.n, w.unit_rows[a])
        if length > longest:
            longest = length
    for k in range(w.p):
        if norm(w.n, w.unit_rows[3 * k]) > _ZERO_ROW * longest:
            w.is_undecided[3 * k] = 1
        elif w.bounds[3 * k] > 0.0:
            return 1
    return 0


def compute_free_rates(w: Friction) -> float:
    """Compute the rates without forces less the required ones; return the magnitude of the problem."""
    size = norm(w.n, w.residual)
    for k in range(w.p):
        for a in range(3 * k, 3 * k + 3):
            w.free_rates[a] = 0.0
            if w.is_undecided[3 * k] == 1:
                wanted = divide(w.bounds[a], w.lengths[a])
                size += abs(wanted)
                rate = -wanted
                for i in range(w.n):
                    rate = fma(w.unit_rows[a][i], w.residual[i], rate)
                w.free_rates[a] = rate
    return size
