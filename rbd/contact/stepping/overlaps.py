"""Overlaps of contact points, and of joints beyond their bounds, removed from positions only.

A bound on velocities that closes an overlap would leave a velocity of separation behind, with its kinetic energy. So
velocities are those of a step without overlaps, and positions move a little more, down the gradient of the overlaps o:

    x = G Jᵀ D⁻¹ o,   r = J x,   D = diag(J G Jᵀ)

An exact line search, for the smallest o - s r in the metric of D⁻¹, gives its length, up to a limit. The metric G is
diagonal: of each coordinate the mass that it moves, over the entry of the mass matrix. This depends on lengths only, so
that a light body below a heavy one does not slow the descent. Joints that would leave their bounds are held in a second
descent, in which the others move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from rbd.kinematics import passes
from rbd.kinematics.scalar_state import ScalarState
from rbd.scalars import Condition, Matrix, Scalar, Vector, const, either, less, maximum, minimum, where
from rbd.scalars.linear_algebra import combination, dot, matvec
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.intervals import Intervals

SHARE: Final = const(1, 5)
"""Share of an overlap that one step removes."""
_LONGEST: Final = const(10, 1)
"""Largest length of a descent: stacks take about 2, and overlaps that oppose each other any, along a free direction."""


class Overlaps(NamedTuple):
    """Rates at which a step removes overlaps from positions.

    Contact points have rows `J` of the rates of their distances. `back` are the rates of joints that are beyond the
    bounds in `intervals`. `G` is the metric.
    """

    J: Matrix
    rates: Vector
    G: Vector
    intervals: Intervals
    back: Vector


def mobilities(state: ScalarState, M: Matrix) -> Vector:
    """Return the metric G, from the mass matrix."""
    composites = passes.composite_inertias(state)
    masses = [composites[node.index].mass for node in state.nodes for _ in range(node.joint.nv)]
    return tuple(mass * _inverse(M[i][i]) for i, mass in enumerate(masses))


def push_out(overlaps: Overlaps, v: Vector) -> Vector:
    """Return velocities of positions only, which remove overlaps; with `v` they keep the bounds of joints."""
    push = _descent(overlaps, overlaps.G)
    held = _leaving(overlaps.intervals, v, push)
    if held:
        push = _descent(overlaps, [where(held[i], 0, g) if i in held else g for i, g in enumerate(overlaps.G)])
    rows, low, high, *_ = overlaps.intervals
    for row, least, most, back in zip(rows, low, high, overlaps.back, strict=True):
        moves = dot(row, v) + dot(row, push)
        more = (maximum(least - moves, 0) - maximum(moves - most, 0) + back) * _inverse(dot(row, row))
        push = tuple(x + entry * more for x, entry in zip(push, row, strict=True))
    return push


def _descent(overlaps: Overlaps, G: Sequence[Scalar]) -> Vector:
    """Return velocities that remove overlaps as far as one direction can."""
    J, rates = overlaps.J, overlaps.rates
    if not J:
        return (0,) * len(G)
    scales = [_inverse(dot([x * g for x, g in zip(row, G, strict=True)], row)) for row in J]
    weights = [rate * scale for rate, scale in zip(rates, scales, strict=True)]
    x = tuple(g * entry for g, entry in zip(G, combination(J, weights, len(G)), strict=True))
    r = [where(less(0, rate), each, 0) for rate, each in zip(rates, matvec(J, x), strict=True)]
    length = dot(weights, r) * _inverse(dot([each * scale for each, scale in zip(r, scales, strict=True)], r))
    length = minimum(length, _LONGEST)
    return tuple(length * entry for entry in x)


def _leaving(intervals: Intervals, v: Vector, push: Vector) -> dict[int, Condition]:
    """Return, for coordinates whose own rate is an interval row, whether they would leave their bounds."""
    found = dict[int, Condition]()
    for row, low, high in zip(intervals.rows, intervals.lower, intervals.upper, strict=True):
        places = [i for i, entry in enumerate(row) if not is_plain_zero(entry)]
        if len(places) == 1:
            moves = v[places[0]] + push[places[0]]
            found[places[0]] = either(less(moves, low), less(high, moves))
    return found


def _inverse(x: Scalar) -> Scalar:
    """Return 1 / x, or zero for zero."""
    some = less(0, x)
    return where(some, 1 / where(some, x, 1), 0)
