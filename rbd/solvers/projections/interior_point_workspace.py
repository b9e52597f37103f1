"""Workspace of the interior-point method (`interior_point.py`): rows, and pairs of a slack and a multiplier.

Interval rows are sparse; u is their rate. Each has a pair for both bounds, and two for dry friction: f + phi with the
positive part of u, f - phi with the negative part, for the force phi of the friction f. Pairs are those of the rows, of
lower bounds, of upper bounds, and twos of dry friction. Those whose slack is far from zero at first have no multiplier.
"""

from __future__ import annotations

from typing import Final, final

from rbd.intrinsics.language import divide, fma, select
from rbd.intrinsics.workspace import floats, operand, result, table
from rbd.solvers.projections.row_groups import GroupedRows
from rbd.solvers.weighted_factor import WeightedFactor

_FIRST: Final = 0.05
"""Slacks at the beginning, at least; products of slacks and multipliers are its square."""
FAR: Final = 16.0
"""Slacks at the beginning from which on there is no multiplier; the largest violation is one."""
LARGEST_RATIO: Final = 1e14
"""Largest entry of D, beyond which a factor has no correct digits."""


@final
class InteriorPoint(WeightedFactor, GroupedRows):
    """The rows in groups and the interval rows, with their sides; the iterate and its changes."""

    body: int
    """The first columns, behind which no group has columns."""
    m: int
    intervals: int
    sliders: int
    """Interval rows with friction."""
    chunk: int
    """A divisor of the number of rows of each group; as many rows are processed together."""
    entries: int
    row_ends = table("intervals + 1")
    row_columns = table("entries")
    slider_rows = table("sliders")
    rows = operand("entries")
    sides = operand("m")
    """c."""
    rest = operand("intervals")
    """The product of an interval row and z at which it has no rate."""
    lower = operand("intervals")
    upper = operand("intervals")
    friction = operand("sliders")
    needed = operand("1")
    """1 in lanes that are to be solved, else 0."""
    point = result("n")
    multipliers = result("m + intervals")
    rates = result("intervals")
    """u."""
    iterations = result("1")
    slack = floats("m + 2 * intervals + 2 * sliders")
    weight = floats("m + 2 * intervals + 2 * sliders")
    """Multipliers."""
    gap = floats("m + 2 * intervals + 2 * sliders")
    """What is missing to a slack; zero for friction."""
    by_slack = floats("m + 2 * intervals + 2 * sliders")
    """1 / s."""
    by_weight = floats("m + 2 * intervals + 2 * sliders")
    """1 / lam."""
    ratio = floats("m + 2 * intervals + 2 * sliders")
    """lam / s."""
    push = floats("m + 2 * intervals + 2 * sliders")
    """Product of the predictor's changes, over s."""
    slack_step = floats("m + 2 * intervals + 2 * sliders")
    weight_step = floats("m + 2 * intervals + 2 * sliders")
    rate_step = floats("intervals")
    stiffness = floats("intervals")
    """Entry of D of an interval row."""
    force = floats("intervals")
    """Force of an interval row that keeps its rate."""
    twist = floats("6")
    wrench = floats("6 * groups")
    """W' times the forces of rows whose slacks stay, for products of zero."""
    wrench_of_target = floats("6 * groups")
    """What it grows with the products."""
    wrench_of_push = floats("6 * groups")
    inner = floats("36")
    """W'DW."""
    left = floats("1")
    """The share of the first gaps that is left."""
    count = floats("1")
    """The number of pairs with multipliers."""
    awake = floats("1")
    """How many of them belong to interval rows."""
    total = floats("1")
    """The sum of the products of slacks and multipliers."""
    largest = floats("1")
    worst = floats("1")
    """One over the longest step inside."""
    second = floats("1")
    """The sum of the products of changes."""


def begin(w: InteriorPoint) -> None:
    """Begin at zero, with equal products of slacks and multipliers."""
    row = 0
    while row < w.m:
        w.gap[row] = -w.sides[row]
        row += 1
    for k in range(w.intervals):
        w.rates[k] = 0.0 - w.rest[k]
        w.gap[w.m + k] = w.rates[k] - w.lower[k]
        w.gap[w.m + w.intervals + k] = w.upper[k] - w.rates[k]
    pair = 0
    while pair < w.m + 2 * w.intervals:
        slack = select(w.gap[pair] > _FIRST, w.gap[pair], _FIRST)
        w.slack[pair] = slack
        w.weight[pair] = select(slack < FAR, divide(_FIRST * _FIRST, slack), 0.0)
        w.gap[pair] -= slack
        w.count[0] += select(slack < FAR, 1.0, 0.0)
        if pair >= w.m:
            w.awake[0] += select(slack < FAR, 1.0, 0.0)
        pair += 1
    _begin_friction(w)


def _begin_friction(w: InteriorPoint) -> None:
    """Begin with dry friction that does nothing."""
    for i in range(w.sliders):
        first = w.m + 2 * w.intervals + 2 * i
        rate = w.rates[w.slider_rows[i]]
        rubs = select(w.friction[i] > 0.0, 1.0, 0.0)
        force = select(rubs > 0.0, w.friction[i], 1.0)
        least = divide(_FIRST, 1.0 + force)
        w.slack[first] = force
        w.slack[first + 1] = force
        w.weight[first] = rubs * select(rate > 0.0, least + rate, least)
        w.weight[first + 1] = rubs * select(rate < 0.0, least - rate, least)
        w.count[0] += 2.0 * rubs
        w.awake[0] += 2.0 * rubs


def weigh_pairs(w: InteriorPoint, first: int, last: int, length: float, running: float) -> None:
    """Go a step in lanes that are running; compute inverses, ratios and products."""
    total = w.total[0]
    largest = w.largest[0]
    left = select(running > 0.0, 1.0 - length, 1.0)
    pair = first
    while pair < last:
        slack = select(running > 0.0, fma(length, w.slack_step[pair], w.slack[pair]), w.slack[pair])
        weight = select(running > 0.0, fma(length, w.weight_step[pair], w.weight[pair]), w.weight[pair])
        product = slack * weight
        inverse = divide(1.0, select(product > 0.0, product, 1.0))
        by_slack = weight * inverse
        ratio = weight * by_slack
        w.slack[pair] = slack
        w.weight[pair] = weight
        w.gap[pair] *= left
        w.by_slack[pair] = by_slack
        w.by_weight[pair] = slack * inverse
        w.ratio[pair] = select(ratio > LARGEST_RATIO, LARGEST_RATIO, ratio)
        w.push[pair] = 0.0
        total += product
        largest = select(product > largest, product, largest)
        pair += 1
    w.total[0] = total
    w.largest[0] = largest
