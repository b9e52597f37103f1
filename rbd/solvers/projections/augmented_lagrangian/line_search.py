"""Exact line search: the minimum of the augmented Lagrangian, convex and piecewise quadratic, along a step.

Newton's method on the slope, inside a bracket that bisection halves.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import divide, fma, select, some
from rbd.solvers.projections.augmented_lagrangian.workspace import AugmentedLagrangian
from rbd.solvers.scaling import UNBOUNDED

TRIALS: Final = 8
"""Evaluations of the slope, at most."""
_SLOPE_SHARE: Final = 1e-3
"""Slope, relative to that at the beginning, at which the search ends."""


def prepare_line_search(w: AugmentedLagrangian) -> float:
    """Compute rates U d, slope and curvature of |z|²/2; return how many rows a full step switches."""
    slope = 0.0
    curvature = 0.0
    for i in range(w.n):
        slope = fma(w.point[i], w.direction[i], slope)
        curvature = fma(w.direction[i], w.direction[i], curvature)
    w.slope[0] = slope
    w.curvature[0] = curvature
    switches = 0.0
    for j in range(w.m):
        rate = 0.0
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            rate = fma(w.rows[k], w.direction[w.row_columns[k]], rate)
        w.rates[j] = rate
    for j in range(w.m - w.intervals):
        before = fma(w.penalty[0], w.violations[j], w.multipliers[j])
        after = fma(-w.penalty[0], w.rates[j], before)
        switches += abs(select(before > 0.0, 1.0, 0.0) - select(after > 0.0, 1.0, 0.0))
    return switches


def line_search(w: AugmentedLagrangian, searching: float) -> float:
    """Return the length of the step, in lanes that are `searching`; that of a full one in the others."""
    low = 0.0
    high = UNBOUNDED
    length = 1.0
    first = 0.0
    open_lanes = searching
    for j in range(w.m):
        first = fma(-w.trial_multipliers[j], w.rates[j], first)
    first = abs(first + w.slope[0]) * _SLOPE_SHARE
    trials = 0
    while trials < TRIALS and some(open_lanes > 0.0):
        slope = _slope_at(w, length)
        open_lanes = select(abs(slope) > first, open_lanes, 0.0)
        high = select(slope > 0.0, length, high)
        low = select(slope > 0.0, low, length)
        following = length - divide(slope, w.trial_curvature[0])
        middle = select(high < UNBOUNDED, 0.5 * (low + high), 2.0 * length)
        following = select(following > low, following, middle)
        following = select(following < high, following, middle)
        length = select(open_lanes > 0.0, following, length)
        trials += 1
    return length


def _slope_at(w: AugmentedLagrangian, length: float) -> float:
    """Return the slope of the augmented Lagrangian after a part of the step, and set its curvature there."""
    slope = fma(length, w.curvature[0], w.slope[0])
    curvature = w.curvature[0]
    for j in range(w.m - w.intervals):
        y = fma(-w.penalty[0] * length, w.rates[j], fma(w.penalty[0], w.violations[j], w.multipliers[j]))
        rate = select(y > 0.0, w.rates[j], 0.0)
        slope = fma(-rate, y, slope)
        curvature = fma(w.penalty[0] * rate, rate, curvature)
    for j in range(w.m - w.intervals, w.m):
        y = fma(-w.weights[j] * length, w.rates[j], w.trial_multipliers[j])
        slope = fma(-w.rates[j], y, slope)
        curvature = fma(w.weights[j] * w.rates[j], w.rates[j], curvature)
    w.trial_curvature[0] = curvature
    return slope
