"""The friction problem: workspace and set-up.

The problem is that of Stewart and Trinkle 1996. Functions in the language of intrinsics; modes and kinds of directions
as in `modes.py`. `is_undecided` has three numbers per pair: 1 if its normal force may be active, and for each direction
1 if it may stick, else 0.
"""

from __future__ import annotations

from typing import Final, final

from rbd.intrinsics.language import divide, fma
from rbd.intrinsics.workspace import floats, ints, operand, result
from rbd.solvers.cholesky import norm
from rbd.solvers.friction.modes import BOTH_SLIP_ROWS, FIRST_SLIP_ROW, SECOND_SLIP_ROW, Pairs

_ZERO_ROW: Final = 1e-14
"""A normal this much shorter than the longest row counts as zero."""
_ZERO_SLIP_ROW: Final = 1e-12
"""A slip row this much shorter than the other, or than its normal, counts as zero unless it has a bias."""


@final
class FrictionProblem(Pairs):
    """Pairs with unknown modes."""

    slides = operand("p")
    contact_modes = result("4 * p")
    free_point = floats("n")
    """The motion without forces, in coordinates in which the matrix is the identity."""
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


def choose_friction_directions(w: FrictionProblem) -> None:
    """Choose the kinds of directions, and mark those that may stick."""
    size = norm(w.n, w.free_point)
    for k in range(w.p):
        normal = norm(w.n, w.white_rows[3 * k])
        first = norm(w.n, w.white_rows[3 * k + 1])
        second = norm(w.n, w.white_rows[3 * k + 2])
        along = abs(w.bounds[3 * k + 1])
        across = abs(w.bounds[3 * k + 2])
        w.direction_kinds[k] = BOTH_SLIP_ROWS
        w.modes[3 * k + 1] = 1
        w.modes[3 * k + 2] = 1
        if w.slides[k] > 0.0 or (
            second <= _ZERO_SLIP_ROW * first and across <= _ZERO_SLIP_ROW * (along + first * size)
        ):
            w.direction_kinds[k] = FIRST_SLIP_ROW
        elif first <= _ZERO_SLIP_ROW * second and along <= _ZERO_SLIP_ROW * (across + second * size):
            w.direction_kinds[k] = SECOND_SLIP_ROW
        still = _ZERO_SLIP_ROW * (abs(w.bounds[3 * k]) + normal * size)
        if not w.slides[k] > 0.0 and (first + second > _ZERO_SLIP_ROW * normal or along + across > still):
            w.is_undecided[3 * k + 1] = 1
            if w.direction_kinds[k] == BOTH_SLIP_ROWS:
                w.is_undecided[3 * k + 2] = 1


def mark_nonzero_normals(w: FrictionProblem) -> int:
    """Mark the pairs whose normal is not zero as undecided; return 1 for a zero normal with a positive bound."""
    longest = 0.0
    for a in range(3 * w.p):
        length = norm(w.n, w.white_rows[a])
        if length > longest:
            longest = length
    for k in range(w.p):
        if norm(w.n, w.white_rows[3 * k]) > _ZERO_ROW * longest:
            w.is_undecided[3 * k] = 1
        elif w.bounds[3 * k] > 0.0:
            return 1
    return 0


def compute_free_rates(w: FrictionProblem) -> float:
    """Compute the rates without forces less the required ones; return the magnitude of the problem."""
    size = norm(w.n, w.free_point)
    for k in range(w.p):
        for a in range(3 * k, 3 * k + 3):
            w.free_rates[a] = 0.0
            if w.is_undecided[3 * k] == 1:
                wanted = divide(w.bounds[a], w.lengths[a])
                size += abs(wanted)
                rate = -wanted
                for i in range(w.n):
                    rate = fma(w.white_rows[a][i], w.free_point[i], rate)
                w.free_rates[a] = rate
    return size
