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

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from rbd.kinematics import passes
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Condition, Matrix, Scalar, Vector, const, either, less, maximum, minimum, where
from rbd.scalars.conditions import inverse_or_zero
from rbd.scalars.linear_algebra import combination, dot, matvec
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.intervals import Intervals
from rbd.solvers.projections.row_groups import RowGroup

CORRECTION_SHARE: Final = const(1, 5)
"""Share of an overlap that one step removes."""
_MAX_LENGTH: Final = const(10, 1)
"""Largest length of a descent. Stacks take about 2; overlaps that oppose each other take any, in free directions."""


class Overlaps(NamedTuple):
    """Rates at which a step removes overlaps from positions.

    Contact points have rows `J` of the rates of their distances. Joints beyond the bounds in `intervals` return at the
    rates `return_rates`. `G` is the metric. `groups` has all rows again, as products, or nothing.
    """

    J: Matrix
    rates: Vector
    G: Vector
    intervals: Intervals
    return_rates: Vector
    groups: Sequence[RowGroup] = ()

    @property
    def products(self) -> Sequence[RowGroup]:
        """The rows as products of wrenches and twists."""
        return self.groups or [RowGroup((j,), ((1,),), (row,)) for j, row in enumerate(self.J)]


def position_metric(state: ScalarState, M: Matrix) -> Vector:
    """Return the metric G of positions, from the mass matrix."""
    composites = passes.composite_inertias(state)
    masses = [composites[node.index].mass for node in state.nodes for _ in range(node.joint.nv)]
    return tuple(mass * _inverse(M[i][i]) for i, mass in enumerate(masses))


def position_correction(overlaps: Overlaps, v: Vector) -> Vector:
    """Return velocities of positions only, which remove overlaps; with `v` they keep the bounds of joints."""
    correction = _descent(overlaps, overlaps.G)
    leaves = _bound_violations(overlaps.intervals, v, correction)
    if leaves:
        G = [where(leaves[i], 0, g) if i in leaves else g for i, g in enumerate(overlaps.G)]
        correction = _descent(overlaps, G)
    rows, lower, upper, *_ = overlaps.intervals
    for row, low, high, return_rate in zip(rows, lower, upper, overlaps.return_rates, strict=True):
        rate = dot(row, v) + dot(row, correction)
        missing = (maximum(low - rate, 0) - maximum(rate - high, 0) + return_rate) * _inverse(dot(row, row))
        correction = tuple(x + entry * missing for x, entry in zip(correction, row, strict=True))
    return correction


def _descent(overlaps: Overlaps, G: Sequence[Scalar]) -> Vector:
    """Return velocities that remove overlaps as far as one direction can."""
    rates, groups = overlaps.rates, overlaps.products
    if not rates:
        return (0,) * len(G)
    scales = _by_number((group, map(_inverse, _squares(group, G))) for group in groups)
    weights = [rate * scale for rate, scale in zip(rates, scales, strict=True)]
    wrenches = [
        combination(group.wrenches, [weights[j] for j in group.numbers], len(group.twist_map)) for group in groups
    ]  # of each group, times weights
    maps = [row for group in groups for row in group.twist_map]
    x = tuple(g * entry for g, entry in zip(G, combination(maps, chain(*wrenches), len(G)), strict=True))
    row_rates = _by_number((group, matvec(group.wrenches, matvec(group.twist_map, x))) for group in groups)
    r = [where(less(0, rate), row_rate, 0) for rate, row_rate in zip(rates, row_rates, strict=True)]
    length = dot(weights, r) * _inverse(dot([row_rate * scale for row_rate, scale in zip(r, scales, strict=True)], r))
    length = minimum(length, _MAX_LENGTH)
    return tuple(length * entry for entry in x)


def _squares(group: RowGroup, G: Sequence[Scalar]) -> Vector:
    """Return the squares of the lengths of rows w'T in the metric G, by T G T' for all of them."""
    moved = [[x * g for x, g in zip(row, G, strict=True)] for row in group.twist_map]
    size = range(len(moved))
    K = tuple(tuple(dot(moved[max(i, k)], group.twist_map[min(i, k)]) for k in size) for i in size)
    return tuple(dot(matvec(K, w), w) for w in group.wrenches)


def _by_number(groups: Iterable[tuple[RowGroup, Iterable[Scalar]]]) -> Vector:
    """Return values of the rows of groups in the order of the rows."""
    values = {j: x for group, own in groups for j, x in zip(group.numbers, own, strict=True)}
    return tuple(values[j] for j in range(len(values)))


def _bound_violations(intervals: Intervals, v: Vector, correction: Vector) -> dict[int, Condition]:
    """Return, for coordinates whose own rate is an interval row, whether they would leave their bounds."""
    leaves = dict[int, Condition]()
    for row, low, high in zip(intervals.rows, intervals.lower, intervals.upper, strict=True):
        coordinates = [i for i, entry in enumerate(row) if not is_plain_zero(entry)]
        if len(coordinates) == 1:
            [i] = coordinates
            rate = v[i] + correction[i]
            leaves[i] = either(less(rate, low), less(high, rate))
    return leaves


def _inverse(x: Scalar) -> Scalar:
    """Return 1 / x, or zero for zero."""
    return inverse_or_zero(less(0, x), x)
