"""Residual of the conditions of the minimum; violations, trial multipliers and gradient for a Newton step.

The residual is the largest violation, product of a violation and its multiplier, and entry of the stationarity error
z - U'lam; of interval rows, how far the proximal operator moves a multiplier.
"""

from __future__ import annotations

from rbd.intrinsics.language import Floats, fma, select
from rbd.solvers.projections.augmented_lagrangian.interval_rows import check_intervals
from rbd.solvers.projections.augmented_lagrangian.workspace import AugmentedLagrangian


def compute_residual(w: AugmentedLagrangian) -> None:
    """Compute violations, trial multipliers, the gradient and the residual."""
    undefined = compute_violations(w, w.rows, 0)
    worst = 0.0
    for j in range(w.m - w.intervals):
        trial = fma(w.penalty[0], w.violations[j], w.multipliers[j])
        w.trial_multipliers[j] = select(trial > 0.0, trial, 0.0)
        worst = select(w.violations[j] > worst, w.violations[j], worst)
        product = abs(w.violations[j] * w.multipliers[j])
        worst = select(product > worst, product, worst)
    worst = check_intervals(w, worst)
    _compute_gradients(w)
    store_residual(w, worst + undefined)


def compute_violations(w: AugmentedLagrangian, rows: Floats, first: int) -> float:
    """Compute the violations of rows `first` to m, of entries `rows`; return zero, or NaN if one is not finite."""
    undefined = 0.0
    start = w.row_ends[first]
    for j in range(first, w.m):
        violation = w.sides[j]
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            violation = fma(-rows[k - start], w.point[w.row_columns[k]], violation)
        w.violations[j] = violation
        undefined = fma(0.0, violation, undefined)
    return undefined


def _compute_gradients(w: AugmentedLagrangian) -> None:
    """Compute the gradient z - U'y, and the stationarity error z - U'lam in `direction`."""
    for i in range(w.n):
        w.gradient[i] = w.point[i]
        w.direction[i] = w.point[i]
    for j in range(w.m):
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            column = w.row_columns[k]
            w.gradient[column] = fma(-w.trial_multipliers[j], w.rows[k], w.gradient[column])
            w.direction[column] = fma(-w.multipliers[j], w.rows[k], w.direction[column])


def store_residual(w: AugmentedLagrangian, worst: float) -> None:
    """Set the residual from that of the rows and the stationarity error in `direction`; NaN where one is not finite."""
    undefined = fma(0.0, worst, 0.0)
    for i in range(w.n):
        error = abs(w.direction[i])
        undefined = fma(0.0, error, undefined)
        worst = select(error > worst, error, worst)
    w.residual[0] = worst + undefined
