"""Augmented Lagrangian method for projections onto cones (`rows.py`), for many problems side by side.

The method is that of Hestenes 1969 and Rockafellar 1976; for second-order cones, Liu and Zhang 2008.
In each round z is the minimum of |z|²/2 + sum of |P(y)|² / (2 rho), where y = lam - rho s; then lam becomes P(y). The
function is convex and once differentiable; Newton's method, with theta = 0 and a line search, finds the minimum from
everywhere. Lanes that are done stay as they are.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import divide, fma, select, some
from rbd.solvers.cones.newton import ACCEPTED
from rbd.solvers.cones.newton_system import compute_stiffness, solve_newton_system
from rbd.solvers.cones.rows import compute_residual, compute_slacks, compute_stationarity_error, project_all
from rbd.solvers.cones.workspace import ConeProjection
from rbd.solvers.scaling import UNBOUNDED

_PENALTY: Final = 1e5
"""rho, for blocks of length one: small enough that rounding of s does not show in y."""
_GROWTH: Final = 100.0
"""Growth of rho, for one round, where rounds make no progress because blocks are nearly dependent."""
_LARGEST_GROWTH: Final = 1e5
_PROGRESS: Final = 0.2
_SETTLED: Final = 2e-16
"""Gradient, relative to rho, at which a round of multipliers ends."""
_ROUND_STEPS: Final = 20.0
"""Steps of a round, at most."""
STEPS: Final = 150
"""Newton steps, at most."""
TRIALS: Final = 20
"""Evaluations of a line search, at most."""
_SLOPE_SHARE: Final = 0.05
"""Slope, relative to that at the beginning, at which the line search ends."""


def _slope(w: ConeProjection, length: float) -> float:
    """Return the slope along the direction after a part of the step."""
    project_all(w, w.penalty[0], length)
    slope = 0.0
    for i in range(w.n):
        slope = fma(fma(length, w.direction[i], w.point[i]), w.direction[i], slope)
    for j in range(3 * w.blocks + w.intervals):
        slope = fma(-w.projected[j], w.slack_changes[j], slope)
    return slope


def _line_search(w: ConeProjection, running: float) -> float:
    """Return a part of the step with a small slope: the whole one, else by false position inside a bracket."""
    low = 0.0
    first = _slope(w, 0.0)
    low_slope = first
    high = 1.0
    high_slope = _slope(w, 1.0)
    length = 1.0
    searching = select(high_slope > -_SLOPE_SHARE * first, running, 0.0)
    trials = 0
    while trials < TRIALS and some(searching > 0.0):
        middle = _false_position(low, high, low_slope, high_slope)
        slope = _slope(w, middle)
        length = select(searching > 0.0, middle, length)
        high_slope = select(slope > 0.0, slope, high_slope)
        high = select(slope > 0.0, middle, high)
        low_slope = select(slope > 0.0, low_slope, slope)
        low = select(slope > 0.0, low, middle)
        searching = select(abs(slope) > -_SLOPE_SHARE * first, searching, 0.0)
        trials += 1
    return length


def _false_position(low: float, high: float, low_slope: float, high_slope: float) -> float:
    """Return the zero of a slope that is linear in a bracket, at least a tenth of that away from its ends."""
    middle = fma(divide(-low_slope, high_slope - low_slope), high - low, low)
    inner = fma(0.1, high - low, low)
    outer = fma(0.9, high - low, low)
    middle = select(middle > inner, middle, inner)
    return select(middle < outer, middle, outer)


def _begin_step(w: ConeProjection) -> float:
    """Compute slacks, P(y) and the right-hand side, which is minus the gradient; return its largest entry."""
    compute_slacks(w)
    for j in range(3 * w.blocks + w.intervals):
        w.slack_changes[j] = 0.0
    project_all(w, w.penalty[0], 0.0)
    return compute_stationarity_error(w, w.projected)


def _end_round(w: ConeProjection, settled: float) -> None:
    """Set the multipliers of lanes that are settled, and choose rho: after a large one it is the first again."""
    for j in range(3 * w.blocks + w.intervals):
        w.multipliers[j] = select(settled > 0.0, w.projected[j], w.multipliers[j])
    before = w.residual[0]
    compute_residual(w)
    w.residual[0] = select(settled > 0.0, w.residual[0], before)
    usual = select(w.penalty[0] > _PENALTY, 0.0, settled)
    stalls = select(w.residual[0] > _PROGRESS * w.best_residual[0], usual, 0.0)
    smaller = select(w.residual[0] < w.best_residual[0], w.residual[0], w.best_residual[0])
    w.best_residual[0] = select(usual > 0.0, smaller, w.best_residual[0])
    grown = select(w.penalty_growth[0] < _LARGEST_GROWTH, w.penalty_growth[0] * _GROWTH, _LARGEST_GROWTH)
    w.penalty_growth[0] = select(stalls > 0.0, grown, w.penalty_growth[0])
    following = select(stalls > 0.0, _PENALTY * w.penalty_growth[0], _PENALTY)
    w.penalty[0] = select(settled > 0.0, following, w.penalty[0])


def _begin(w: ConeProjection) -> float:
    """Start the unsolved lanes again, from the zero point without multipliers; return those to be solved.

    Lanes whose operands are not finite are not: their residual is NaN, which no step changes.
    """
    unsolved = select(w.residual[0] <= ACCEPTED, 0.0, 1.0)
    for i in range(w.n):
        w.point[i] = select(unsolved > 0.0, 0.0, w.point[i])
    for j in range(3 * w.blocks + w.intervals):
        w.multipliers[j] = select(unsolved > 0.0, 0.0, w.multipliers[j])
    w.penalty[0] = _PENALTY
    w.penalty_growth[0] = 1.0
    w.best_residual[0] = UNBOUNDED
    if some(unsolved > 0.0):
        compute_residual(w)
    return select(w.residual[0] > ACCEPTED, unsolved, 0.0)


def solve_by_augmented_lagrangian(w: ConeProjection) -> None:
    """Solve lanes that are not solved."""
    running = _begin(w)
    steps = 0
    while steps < STEPS and some(running > 0.0):
        worst = _begin_step(w)
        settled = select(
            worst > _SETTLED * w.penalty[0], select(w.round_steps[0] < _ROUND_STEPS, 0.0, running), running
        )
        if some(settled > 0.0):
            _end_round(w, settled)
            running = select(w.residual[0] > ACCEPTED, running, 0.0)
            _begin_step(w)
        w.round_steps[0] = select(settled > 0.0, 0.0, w.round_steps[0] + 1.0)
        compute_stiffness(w, w.penalty[0], 0.0)
        solve_newton_system(w)
        length = _line_search(w, running)
        for i in range(w.n):
            moved = fma(length, w.direction[i], w.point[i])
            w.point[i] = select(running > 0.0, moved, w.point[i])
        w.steps[0] += running
        steps += 1
    if some(running > 0.0):
        compute_residual(w)
