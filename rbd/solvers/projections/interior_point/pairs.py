"""Pairs of a slack and a multiplier: where they begin, and how they move along a step."""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import divide, fma, select
from rbd.solvers.projections.interior_point.workspace import InteriorPoint

_FIRST_SLACK: Final = 0.05
"""Slacks at the beginning, at least; products of slacks and multipliers are its square."""
FAR_SLACK: Final = 16.0
"""Slacks at the beginning from which on there is no multiplier; the largest violation is one."""
_LARGEST_RATIO: Final = 1e14
"""Largest entry of D, beyond which a factor has no correct digits."""


def begin(w: InteriorPoint) -> None:
    """Begin at zero, with equal products of slacks and multipliers, and dry friction that does nothing."""
    _begin_infeasibilities(w)
    _begin_bounds(w)
    _begin_friction(w)


def _begin_infeasibilities(w: InteriorPoint) -> None:
    """Set rates at zero, and infeasibilities for slacks of zero."""
    row = 0
    while row < w.m:
        w.infeasibility[row] = -w.sides[row]
        row += 1
    for k in range(w.intervals):
        w.rates[k] = 0.0 - w.interval_sides[k]
        w.infeasibility[w.m + k] = w.rates[k] - w.lower[k]
        w.infeasibility[w.m + w.intervals + k] = w.upper[k] - w.rates[k]


def _begin_bounds(w: InteriorPoint) -> None:
    """Set the pairs of rows and bounds; what the slacks are is subtracted from infeasibilities."""
    pair = 0
    while pair < w.m + 2 * w.intervals:
        slack = select(w.infeasibility[pair] > _FIRST_SLACK, w.infeasibility[pair], _FIRST_SLACK)
        w.slack[pair] = slack
        w.multiplier[pair] = select(slack < FAR_SLACK, divide(_FIRST_SLACK * _FIRST_SLACK, slack), 0.0)
        w.infeasibility[pair] -= slack
        w.pair_count[0] += select(slack < FAR_SLACK, 1.0, 0.0)
        if pair >= w.m:
            w.interval_pair_count[0] += select(slack < FAR_SLACK, 1.0, 0.0)
        pair += 1


def _begin_friction(w: InteriorPoint) -> None:
    """Set the pairs of dry friction without a force."""
    for i in range(w.sliders):
        first = w.m + 2 * w.intervals + 2 * i
        rate = w.rates[w.slider_rows[i]]
        rubs = select(w.friction[i] > 0.0, 1.0, 0.0)
        force = select(rubs > 0.0, w.friction[i], 1.0)
        least = divide(_FIRST_SLACK, 1.0 + force)
        w.slack[first] = force
        w.slack[first + 1] = force
        w.multiplier[first] = rubs * select(rate > 0.0, least + rate, least)
        w.multiplier[first + 1] = rubs * select(rate < 0.0, least - rate, least)
        w.pair_count[0] += 2.0 * rubs
        w.interval_pair_count[0] += 2.0 * rubs


def move_pairs(w: InteriorPoint, first: int, last: int, length: float, running: float) -> None:
    """Take a step in the pairs of interval rows, in lanes that are running; compute inverses, ratios and products."""
    total = w.product_sum[0]
    largest = w.largest_product[0]
    remaining = select(running > 0.0, 1.0 - length, 1.0)
    pair = first
    while pair < last:
        slack = select(running > 0.0, fma(length, w.slack_step[pair], w.slack[pair]), w.slack[pair])
        multiplier = select(running > 0.0, fma(length, w.multiplier_step[pair], w.multiplier[pair]), w.multiplier[pair])
        product = slack * multiplier
        inverse = divide(1.0, select(product > 0.0, product, 1.0))
        inverse_slack = multiplier * inverse
        ratio = multiplier * inverse_slack
        w.slack[pair] = slack
        w.multiplier[pair] = multiplier
        w.infeasibility[pair] *= remaining
        w.inverse_slack[pair] = inverse_slack
        w.inverse_multiplier[pair] = slack * inverse
        w.ratio[pair] = select(ratio > _LARGEST_RATIO, _LARGEST_RATIO, ratio)
        w.correction[pair] = 0.0
        total += product
        largest = select(product > largest, product, largest)
        pair += 1
    w.product_sum[0] = total
    w.largest_product[0] = largest


def move_rows(w: InteriorPoint, row: int, length: float, running: float) -> None:
    """Take a step in the pairs of a chunk of rows; compute inverses, ratios and products.

    One division is for the whole chunk: the inverse of a product of all, times the products of all others.
    """
    total = w.product_sum[0]
    largest = w.largest_product[0]
    # slacks and multipliers; the products s lam, and of each the product of those before it
    every = 1.0
    for k in range(w.chunk):
        slack = w.slack[row + k]
        multiplier = w.multiplier[row + k]
        slack = select(running > 0.0, fma(length, w.slack_step[row + k], slack), slack)
        multiplier = select(running > 0.0, fma(length, w.multiplier_step[row + k], multiplier), multiplier)
        product = slack * multiplier
        w.slack[row + k] = slack
        w.multiplier[row + k] = multiplier
        w.inverse_slack[row + k] = every
        total += product
        largest = select(product > largest, product, largest)
        product = select(product > 0.0, product, 1.0)
        w.inverse_multiplier[row + k] = product
        every *= product
    w.product_sum[0] = total
    w.largest_product[0] = largest
    # backwards, each inverse from that of the product of all up to here
    every = divide(1.0, every)
    for back in range(w.chunk):
        k = w.chunk - 1 - back
        inverse = every * w.inverse_slack[row + k]
        every *= w.inverse_multiplier[row + k]
        inverse_slack = w.multiplier[row + k] * inverse
        ratio = w.multiplier[row + k] * inverse_slack
        w.inverse_slack[row + k] = inverse_slack
        w.inverse_multiplier[row + k] = w.slack[row + k] * inverse
        w.ratio[row + k] = select(ratio > _LARGEST_RATIO, _LARGEST_RATIO, ratio)
