"""Newton step on the augmented Lagrangian: the matrix I + rho A'A, its factor, the direction, and the step along it.

A has the rows with positive trial multipliers, and the interval rows that do not slide. The matrix is factored again
only where these rows or rho have changed in some lane.
"""

from __future__ import annotations

from rbd.intrinsics.language import fma, select, some
from rbd.solvers.projections.augmented_lagrangian.line_search import line_search, prepare_line_search
from rbd.solvers.projections.augmented_lagrangian.workspace import AugmentedLagrangian
from rbd.solvers.weighted_factor import eliminate, factor_rows, reset_to_identity, substitute


def newton_step(w: AugmentedLagrangian, running: float, has_factor: int) -> None:
    """Take a step: a full one, which ends the round, if it switches no row, else one of the line search."""
    # Lanes whose rows are those of their factor get the same factor again if another lane needs a new one.
    stale = select(_update_weights(w) > 0.0, running, 0.0)
    if has_factor == 0 or some(stale > 0.0):
        _assemble_matrix(w)
        factor_rows(w, 0, w.n)
    _newton_direction(w)
    switches = prepare_line_search(w)
    length = line_search(w, select(switches > 0.0, running, 0.0))
    _take_step(w, length, running, select(switches > 0.0, 0.0, running))


def _update_weights(w: AugmentedLagrangian) -> float:
    """Set the weights D of I + A'DA; return a positive number where the factor has others."""
    change = 0.0
    for j in range(w.m - w.intervals):
        weight = select(w.trial_multipliers[j] > 0.0, w.penalty[0], 0.0)
        change += abs(weight - w.weights[j])
        w.weights[j] = weight
    for k in range(w.intervals):
        weight = select(abs(w.modes[k]) == 1.0, 0.0, w.penalty[0])
        change += abs(weight - w.weights[w.m - w.intervals + k])
        w.weights[w.m - w.intervals + k] = weight
    return change


def _assemble_matrix(w: AugmentedLagrangian) -> None:
    """Compute the lower triangle of I + rho A'A; interval rows that slide in all lanes are skipped."""
    reset_to_identity(w)
    for j in range(w.m):
        if j < w.m - w.intervals or some(w.weights[j] > 0.0):
            for k in range(w.row_ends[j], w.row_ends[j + 1]):
                scaled = w.weights[j] * w.rows[k]
                for other in range(w.row_ends[j], k + 1):
                    place = w.places[w.row_columns[k] * w.n + w.row_columns[other]]
                    w.matrix[place] = fma(scaled, w.rows[other], w.matrix[place])


def _newton_direction(w: AugmentedLagrangian) -> None:
    """Solve (I + rho A'A) d = -gradient."""
    for i in range(w.n):
        w.direction[i] = -w.gradient[i]
    eliminate(w, 0, w.n)
    substitute(w, 0, w.n)


def _take_step(w: AugmentedLagrangian, length: float, running: float, ends_round: float) -> None:
    """Move the point, and set multipliers to max(0, y) in lanes whose round ends."""
    for i in range(w.n):
        w.point[i] = select(running > 0.0, fma(length, w.direction[i], w.point[i]), w.point[i])
    for j in range(w.m - w.intervals):
        multiplier = fma(-w.penalty[0], w.rates[j], w.trial_multipliers[j])
        multiplier = select(w.trial_multipliers[j] > 0.0, multiplier, 0.0)
        multiplier = select(multiplier > 0.0, multiplier, 0.0)
        w.multipliers[j] = select(ends_round > 0.0, multiplier, w.multipliers[j])
    for j in range(w.m - w.intervals, w.m):
        # A row that slides keeps its friction; one that is held has that of the minimum.
        multiplier = fma(-w.weights[j] * length, w.rates[j], w.trial_multipliers[j])
        w.interval_multipliers[j - w.m + w.intervals] = multiplier
        w.multipliers[j] = select(ends_round > 0.0, multiplier, w.multipliers[j])
    w.round_ended[0] = ends_round
    w.steps[0] += running
