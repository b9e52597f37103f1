"""Interval rows in the interior-point method: stops and dry friction."""

from __future__ import annotations

from rbd.intrinsics.language import divide, fma, select
from rbd.solvers.projections.interior_point_workspace import InteriorPoint, weigh_pairs


def _friction_ratio(w: InteriorPoint, i: int) -> float:
    """Return the entry of D of dry friction; zero without."""
    first = w.m + 2 * w.intervals + 2 * i
    ratios = w.ratio[first] + w.ratio[first + 1]
    return select(w.friction[i] > 0.0, divide(1.0, ratios), 0.0)


def weigh_intervals(w: InteriorPoint, length: float, running: float) -> None:
    """Move the pairs of the interval rows, and add these to the matrix."""
    for k in range(w.intervals):
        w.rates[k] = select(running > 0.0, fma(length, w.rate_step[k], w.rates[k]), w.rates[k])
    weigh_pairs(w, w.m, w.m + 2 * w.intervals + 2 * w.sliders, length, running)
    for k in range(w.intervals):
        w.stiffness[k] = w.ratio[w.m + k] + w.ratio[w.m + w.intervals + k]
    for i in range(w.sliders):
        w.stiffness[w.slider_rows[i]] += _friction_ratio(w, i)
    for k in range(w.intervals):
        for entry in range(w.row_ends[k], w.row_ends[k + 1]):
            scaled = w.stiffness[k] * w.rows[entry]
            for other in range(w.row_ends[k], entry + 1):
                place = w.places[w.row_columns[entry] * w.n + w.row_columns[other]]
                w.matrix[place] = fma(scaled, w.rows[other], w.matrix[place])


def add_interval_forces(w: InteriorPoint, target: float) -> None:
    """Add the forces of the interval rows likewise."""
    for k in range(w.intervals):
        low = w.m + k
        high = low + w.intervals
        force = fma(target, w.by_slack[low] - w.by_slack[high], w.push[high] - w.push[low])
        w.force[k] = fma(-w.ratio[low], w.gap[low], fma(w.ratio[high], w.gap[high], force))
    for i in range(w.sliders):
        first = w.m + 2 * w.intervals + 2 * i
        moved = fma(target, w.by_slack[first] - w.by_slack[first + 1], w.push[first + 1] - w.push[first])
        moved = _friction_ratio(w, i) * (moved - w.rates[w.slider_rows[i]])
        w.force[w.slider_rows[i]] += fma(0.5, w.slack[first] - w.slack[first + 1], moved)
    for k in range(w.intervals):
        for entry in range(w.row_ends[k], w.row_ends[k + 1]):
            w.direction[w.row_columns[entry]] = fma(w.rows[entry], w.force[k], w.direction[w.row_columns[entry]])


def change_intervals(w: InteriorPoint, target: float) -> None:
    """Compute the changes of rates and of the slacks of interval rows along the direction."""
    for k in range(w.intervals):
        rate = 0.0
        for entry in range(w.row_ends[k], w.row_ends[k + 1]):
            rate = fma(w.rows[entry], w.direction[w.row_columns[entry]], rate)
        w.rate_step[k] = rate
        w.slack_step[w.m + k] = w.gap[w.m + k] + rate
        w.slack_step[w.m + w.intervals + k] = w.gap[w.m + w.intervals + k] - rate
    for i in range(w.sliders):
        first = w.m + 2 * w.intervals + 2 * i
        moved = fma(target, w.by_slack[first] - w.by_slack[first + 1], w.push[first + 1] - w.push[first])
        moved = moved - w.rates[w.slider_rows[i]] - w.rate_step[w.slider_rows[i]]
        moved = _friction_ratio(w, i) * moved
        w.slack_step[first] = moved
        w.slack_step[first + 1] = -moved


def change_weights(w: InteriorPoint, target: float) -> None:
    """Compute the changes of the interval rows' multipliers, the longest step, and the products of changes."""
    worst = 0.0
    second = 0.0
    pair = w.m
    while pair < w.m + 2 * w.intervals + 2 * w.sliders:
        change = w.slack_step[pair]
        step = fma(target, w.by_slack[pair], -w.push[pair]) - w.weight[pair]
        step = fma(-w.ratio[pair], change, step)
        share = -change * w.by_slack[pair]
        worst = select(share > worst, share, worst)
        share = -step * w.by_weight[pair]
        worst = select(share > worst, share, worst)
        second = fma(change, step, second)
        w.weight_step[pair] = step
        w.push[pair] = change * step * w.by_slack[pair]
        pair += 1
    w.worst[0] = worst
    w.second[0] = second
