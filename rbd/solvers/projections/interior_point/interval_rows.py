"""Interval rows, which are stops and dry friction: their share of the matrix, of the right-hand side, and of the step.

The force of a row that keeps its rate, and its stiffness, are those of the pairs of both bounds, and those of the two
pairs of dry friction in series: phi is eliminated.
"""

from __future__ import annotations

from rbd.intrinsics.language import divide, fma, select
from rbd.solvers.projections.interior_point.pairs import move_pairs
from rbd.solvers.projections.interior_point.workspace import InteriorPoint


def _friction_ratio(w: InteriorPoint, i: int) -> float:
    """Return the entry of D of dry friction, that of both pairs in series; zero without."""
    first = w.m + 2 * w.intervals + 2 * i
    ratios = w.ratio[first] + w.ratio[first + 1]
    return select(w.friction[i] > 0.0, divide(1.0, ratios), 0.0)


def move_intervals(w: InteriorPoint, length: float, running: float) -> None:
    """Take a step in rates and pairs of the interval rows; add the rows to the matrix."""
    for k in range(w.intervals):
        w.rates[k] = select(running > 0.0, fma(length, w.rate_step[k], w.rates[k]), w.rates[k])
    move_pairs(w, w.m, w.m + 2 * w.intervals + 2 * w.sliders, length, running)
    for k in range(w.intervals):
        w.stiffness[k] = w.ratio[w.m + k] + w.ratio[w.m + w.intervals + k]
    for i in range(w.sliders):
        w.stiffness[w.slider_rows[i]] += _friction_ratio(w, i)
    _add_interval_matrix(w)


def _add_interval_matrix(w: InteriorPoint) -> None:
    """Add V'DV to the matrix."""
    for k in range(w.intervals):
        for entry in range(w.row_ends[k], w.row_ends[k + 1]):
            scaled = w.stiffness[k] * w.rows[entry]
            for other in range(w.row_ends[k], entry + 1):
                place = w.places[w.row_columns[entry] * w.n + w.row_columns[other]]
                w.matrix[place] = fma(scaled, w.rows[other], w.matrix[place])


def add_interval_forces(w: InteriorPoint, target: float) -> None:
    """Add the forces of interval rows that keep their rates, for products `target`, to the right-hand side."""
    for k in range(w.intervals):
        low = w.m + k
        high = low + w.intervals
        force = fma(target, w.inverse_slack[low] - w.inverse_slack[high], w.correction[high] - w.correction[low])
        w.force[k] = fma(-w.ratio[low], w.infeasibility[low], fma(w.ratio[high], w.infeasibility[high], force))
    for i in range(w.sliders):
        first = w.m + 2 * w.intervals + 2 * i
        moved = _friction_ratio(w, i) * (_friction_target(w, first, target) - w.rates[w.slider_rows[i]])
        w.force[w.slider_rows[i]] += fma(0.5, w.slack[first] - w.slack[first + 1], moved)
    for k in range(w.intervals):
        for entry in range(w.row_ends[k], w.row_ends[k + 1]):
            w.direction[w.row_columns[entry]] = fma(w.rows[entry], w.force[k], w.direction[w.row_columns[entry]])


def _friction_target(w: InteriorPoint, first: int, target: float) -> float:
    """Return the rate at which dry friction, whose pairs begin at `first`, keeps its force for products `target`."""
    correction = w.correction[first + 1] - w.correction[first]
    return fma(target, w.inverse_slack[first] - w.inverse_slack[first + 1], correction)


def step_intervals(w: InteriorPoint, target: float) -> None:
    """Compute the steps of rates and of the slacks of interval rows along the direction."""
    for k in range(w.intervals):
        rate = 0.0
        for entry in range(w.row_ends[k], w.row_ends[k + 1]):
            rate = fma(w.rows[entry], w.direction[w.row_columns[entry]], rate)
        w.rate_step[k] = rate
        w.slack_step[w.m + k] = w.infeasibility[w.m + k] + rate
        w.slack_step[w.m + w.intervals + k] = w.infeasibility[w.m + w.intervals + k] - rate
    for i in range(w.sliders):
        first = w.m + 2 * w.intervals + 2 * i
        moved = _friction_target(w, first, target) - w.rates[w.slider_rows[i]] - w.rate_step[w.slider_rows[i]]
        moved = _friction_ratio(w, i) * moved
        w.slack_step[first] = moved
        w.slack_step[first + 1] = -moved


def step_interval_multipliers(w: InteriorPoint, target: float) -> None:
    """Compute the steps of the interval rows' multipliers, the longest step, products of steps, and corrections."""
    inverse_length = 0.0
    products = 0.0
    pair = w.m
    while pair < w.m + 2 * w.intervals + 2 * w.sliders:
        change = w.slack_step[pair]
        step = fma(target, w.inverse_slack[pair], -w.correction[pair]) - w.multiplier[pair]
        step = fma(-w.ratio[pair], change, step)
        share = -change * w.inverse_slack[pair]
        inverse_length = select(share > inverse_length, share, inverse_length)
        share = -step * w.inverse_multiplier[pair]
        inverse_length = select(share > inverse_length, share, inverse_length)
        products = fma(change, step, products)
        w.multiplier_step[pair] = step
        w.correction[pair] = change * step * w.inverse_slack[pair]
        pair += 1
    w.inverse_step_length[0] = inverse_length
    w.step_product_sum[0] = products
