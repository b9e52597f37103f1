"""Interval rows: rows with two bounds and dry friction, whose mode is chosen by a proximal operator.

Such a row costs f |u| for its rate u = V z - u0, lower <= u <= upper. It is at rest (u = 0), at a bound, or slides with
the constant force ±f. At the minimum its multiplier y is the proximal operator of that cost at y - u. A round of
multipliers keeps the mode of a row; then the operator says what the next mode is (Hintermüller, Ito, Kunisch 2003).
"""

from __future__ import annotations

from rbd.intrinsics.language import fma, select
from rbd.solvers.projections.augmented_lagrangian.workspace import AT_LOWER, AT_REST, AT_UPPER, AugmentedLagrangian


def proximal_multiplier(low: float, y: float, high: float, friction: float) -> float:
    """Return the proximal operator of f |u| with bounds at y; `low` and `high` are y plus the bounds."""
    x = select(y > friction, friction, y)
    x = select(x < -friction, -friction, x)
    x = select(x > high, high, x)
    return select(x < low, low, x)


def mode_of(low: float, y: float, high: float, friction: float) -> float:
    """Return the mode (`AugmentedLagrangian.modes`) of the row that has the multiplier `proximal_multiplier`."""
    mode = select(y < friction, AT_REST, 1.0)
    x = select(y < friction, y, friction)
    mode = select(x > -friction, mode, -1.0)
    x = select(x > -friction, x, -friction)
    mode = select(x > high, AT_UPPER, mode)
    x = select(x > high, high, x)
    return select(x < low, AT_LOWER, mode)


def guess_modes(w: AugmentedLagrangian) -> None:
    """Choose the first modes, from rates and multipliers near those of the solution."""
    for k in range(w.intervals):
        y = -w.start_rates[k]
        w.modes[k] = mode_of(y + w.lower[k], y, y + w.upper[k], w.friction[k])


def choose_modes(w: AugmentedLagrangian, choosing: float) -> float:
    """Choose the next modes in lanes that are `choosing`; return a positive number where one changes."""
    change = 0.0
    for k in range(w.intervals):
        j = w.m - w.intervals + k
        y = w.violations[j] + w.interval_multipliers[k]
        mode = mode_of(y + w.lower[k], y, y + w.upper[k], w.friction[k])
        mode = select(choosing > 0.0, mode, w.modes[k])
        change += abs(mode - w.modes[k])
        w.modes[k] = mode
    return change


def check_intervals(w: AugmentedLagrangian, worst: float) -> float:
    """Set the trial multipliers of interval rows, and return the larger of `worst` and their residual.

    The residual is how far the proximal operator, with rho = 1, moves a multiplier.
    """
    for k in range(w.intervals):
        j = w.m - w.intervals + k
        low = w.violations[j] + w.lower[k]
        high = w.violations[j] + w.upper[k]
        mode = w.modes[k]
        violation = select(mode == AT_LOWER, low, select(mode == AT_UPPER, high, w.violations[j]))
        held = fma(w.penalty[0], violation, w.multipliers[j])
        w.trial_multipliers[j] = select(abs(mode) == 1.0, w.friction[k] * mode, held)
        y = w.multipliers[j]
        error = abs(proximal_multiplier(low + y, w.violations[j] + y, high + y, w.friction[k]) - y)
        worst = select(error > worst, error, worst)
    return worst
