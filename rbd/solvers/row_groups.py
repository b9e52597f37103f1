"""Rows of contacts in groups, and the interior-point method (`interior_point.py`) as a start for Newton's.

The rows of all contact points of two bodies are products of their relative twist. With twice as many rows as the twist
has entries, most rows are redundant: then Newton's method alone takes many steps, the interior point few iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate, chain
from math import gcd
from typing import Final, NamedTuple, final

import attrs

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.scalars.functions import less, minimum, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.interior_point import approach, operations
from rbd.solvers.interior_point_workspace import FAR, InteriorPoint
from rbd.solvers.linear import Factor
from rbd.solvers.polyhedral_projection import Intervals, NearSolution
from rbd.solvers.twist_space import TwistSpace
from rbd.solvers.weighted_factor import FactorPattern, nonzero_columns


@final
class RowGroup(NamedTuple):
    """Rows with these numbers, which are the products of `wrenches` and `map`: W T."""

    numbers: tuple[int, ...]
    wrenches: Matrix
    map: Matrix

    @property
    def is_redundant(self) -> bool:
        """Whether there are twice as many rows as can be independent."""
        return len(self.wrenches) >= 2 * len(self.map)

    def whitened(self, factor: Factor) -> RowGroup:
        """Return the group in the coordinates in which a matrix is the identity."""
        return self._replace(map=tuple(factor.whitened(row) for row in self.map))

    def scaled(self, scales: Sequence[Scalar]) -> RowGroup:
        """Return the group with its rows scaled."""
        rows = zip(self.numbers, self.wrenches, strict=True)
        return self._replace(wrenches=tuple(tuple(x * scales[j] for x in row) for j, row in rows))


def _no_tangents(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector
) -> Vector:
    """Return zeros: what begins near the solution does not change it."""
    return (0,) * len(outputs)


def _no_cotangents(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    return (0,) * len(operands)


APPROACH_PROJECTION: Final = Intrinsic(
    name="approach_projection",
    workspace=InteriorPoint,
    function=approach,
    operations=operations,
    specialises=True,
    guarded=True,
    derivative=_no_tangents,
    adjoint=_no_cotangents,
)


def near_projection(
    groups: Sequence[RowGroup], sides: Sequence[Scalar], intervals: Intervals, rest: Sequence[Scalar]
) -> NearSolution:
    """Return what is near the solution of `project_on_polyhedron` for the rows of `groups`, which are all rows.

    If twists are fewer than columns, the rows of each map are orthonormal (`orthonormal_groups`). Then twists are the
    unknowns where no interval row is near at first.

    >>> group = RowGroup((0, 1), ((1.0,), (0.6,)), ((1.0, 0),))
    >>> near = near_projection([group], (1.0, 0.3), Intervals(), ())
    >>> [round(x, 9) for x in (*near.point, *near.multipliers)]
    [1.0, 0.0, 1.0, 0.0]
    """
    problem = _GroupedProblem(groups, sides, intervals, rest)
    if not has_fewer_twists(groups) or not all(map(is_plain_zero, intervals.friction)):
        return problem.with_intervals(1)
    if not intervals.rows:
        return problem.in_twists(1)
    near = problem.has_near_intervals
    found = problem.with_intervals(where(near, 1, 0)), problem.in_twists(where(near, 0, 1))
    return NearSolution(*(_chosen(near, *parts) for parts in zip(*found, strict=True)))


def _chosen(condition: Condition, a: Vector, b: Vector) -> Vector:
    """Return a where the condition holds, else b."""
    return tuple(where(condition, x, y) for x, y in zip(a, b, strict=True))


@final
class _GroupedProblem(NamedTuple):
    """Rows in groups with their sides, and interval rows with the products with z at which they have no rate."""

    groups: Sequence[RowGroup]
    sides: Sequence[Scalar]
    intervals: Intervals
    rest: Sequence[Scalar]

    @property
    def order(self) -> list[int]:
        """The numbers of the rows, group by group."""
        return [j for group in self.groups for j in group.numbers]

    @property
    def ordered_sides(self) -> list[Scalar]:
        """The sides, group by group."""
        return [self.sides[j] for j in self.order]

    @property
    def has_near_intervals(self) -> Condition:
        """Whether the method gives a multiplier to an interval row, without friction, at the beginning."""
        bounds = zip(self.rest, self.intervals.lower, self.intervals.upper, strict=True)
        return less(reduce(minimum, (minimum(-u - low, u + high) for u, low, high in bounds)), FAR)

    def with_intervals(self, needed: Scalar) -> NearSolution:
        """Return the solution, or zeros where it is not `needed`."""
        pattern, intervals = _GroupPattern.of(self.groups, self.intervals), self.intervals
        wrenches = (x for group in self.groups for row in group.wrenches for x in row)
        maps = (
            row[i] for group, own in zip(self.groups, pattern.columns, strict=True) for row in group.map for i in own
        )
        rows = (row[i] for row, columns in zip(intervals.rows, pattern.row_columns, strict=True) for i in columns)
        limits = *self.rest, *intervals.lower, *intervals.upper, *(intervals.friction[k] for k in pattern.sliders)
        operands = *wrenches, *maps, *rows, *self.ordered_sides, *limits, needed
        found = APPROACH_PROJECTION(pattern.sizes, operands)
        n, m, k = pattern.n, len(self.order), len(intervals.rows)
        own, forces, rates = found[n : n + m], found[n + m : n + m + k], found[n + m + k : n + m + 2 * k]
        begin = tuple(u - force for u, force in zip(rates, forces, strict=True))
        return NearSolution(found[:n], (*self._in_order(own), *forces), begin)

    def in_twists(self, needed: Scalar) -> NearSolution:
        """Return the solution without interval rows, or one without forces where it is not `needed`."""
        space = TwistSpace(tuple(group.wrenches for group in self.groups), tuple(group.map for group in self.groups))
        pattern = _GroupPattern.of_twists(self.groups)
        wrenches = (x for own in space.wrenches for row in own for x in row)
        operands = *wrenches, *space.metric_entries, *self.ordered_sides, needed
        found = APPROACH_PROJECTION(pattern.sizes, operands)
        own = found[pattern.n : pattern.n + len(self.order)]
        point = space.point(own)
        rates = (dot(row, point) - u for row, u in zip(self.intervals.rows, self.rest, strict=True))
        return NearSolution(point, (*self._in_order(own), *(0 for _ in self.rest)), tuple(rates))

    def _in_order(self, multipliers: Vector) -> Vector:
        """Return multipliers, group by group, in the order of the rows."""
        return tuple(x for _, x in sorted(zip(self.order, multipliers, strict=True), key=lambda pair: pair[0]))


def has_fewer_twists(groups: Sequence[RowGroup]) -> bool:
    """Return whether the twists of groups are not more than the columns, so that they may be independent."""
    columns, widths = [columns_of(group.map) for group in groups], [len(group.map) for group in groups]
    own = all(width <= len(used) for width, used in zip(widths, columns, strict=True))
    return own and sum(widths) <= len(set[int]().union(*columns))


def orthonormal_groups(groups: Sequence[RowGroup]) -> list[RowGroup]:
    """Return groups with twists in which the rows of each map are orthonormal."""
    space = TwistSpace.of([group.wrenches for group in groups], [group.map for group in groups])
    return [RowGroup(group.numbers, *parts) for group, *parts in zip(groups, *space, strict=True)]


def columns_of(rows: Matrix) -> tuple[int, ...]:
    """Return the columns in which rows are not structural zeros."""
    return tuple(sorted({i for row in rows for i in nonzero_columns(row)}))


@final
@attrs.frozen
class _GroupPattern:
    """Sizes and tables of a call."""

    n: int
    rows: tuple[int, ...]
    """The number of rows of each group."""
    widths: tuple[int, ...]
    """The number of rows of each T."""
    columns: tuple[tuple[int, ...], ...]
    """Of each T."""
    row_columns: tuple[tuple[int, ...], ...]
    """Of the interval rows."""
    sliders: tuple[int, ...]
    """The numbers of the interval rows with friction."""
    plain: bool
    """Whether the unknowns are twists."""

    @classmethod
    def of(cls, groups: Sequence[RowGroup], intervals: Intervals) -> _GroupPattern:
        """Return the pattern of groups and interval rows."""
        rows, widths = (tuple(map(len, parts)) for parts in zip(*((g.wrenches, g.map) for g in groups), strict=True))
        columns = tuple(columns_of(group.map) for group in groups)
        row_columns = tuple(nonzero_columns(row) for row in intervals.rows)
        sliders = tuple(k for k, f in enumerate(intervals.friction) if not is_plain_zero(f))
        return cls(len(groups[0].map[0]), rows, widths, columns, row_columns, sliders, plain=False)

    @classmethod
    def of_twists(cls, groups: Sequence[RowGroup]) -> _GroupPattern:
        """Return the pattern of groups whose twists are the unknowns."""
        rows, widths = (tuple(map(len, parts)) for parts in zip(*((g.wrenches, g.map) for g in groups), strict=True))
        ends = list(accumulate(widths))
        columns = tuple(tuple(range(end - width, end)) for width, end in zip(widths, ends, strict=True))
        return cls(ends[-1], rows, widths, columns, (), (), plain=True)

    @property
    def factor(self) -> FactorPattern:
        """The pattern of the factor; the metric of twists is dense."""
        return FactorPattern.of(self.n, [range(self.n)] if self.plain else (*self.columns, *self.row_columns))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes, then tables."""
        factor = self.factor
        group_ends, column_ends, row_ends = (
            [0, *accumulate(parts)]
            for parts in (self.rows, map(len, self.columns), map(len, self.row_columns))
        )  # fmt: skip
        maps, wrenches = (
            [0, *accumulate(a * b for a, b in zip(self.widths, parts, strict=True))]
            for parts in ([0 if self.plain else len(columns) for columns in self.columns], self.rows)
        )
        own = len(self.rows), len(self.row_columns), len(self.sliders), int(self.plain), reduce(gcd, self.rows, 8)
        sizes = group_ends[-1], *own, column_ends[-1], maps[-1], wrenches[-1], row_ends[-1]
        of_groups = *group_ends, *self.widths, *column_ends, *chain(*self.columns), *maps[:-1], *wrenches[:-1]
        return (
            self.n,
            factor.fill,
            1 + max(chain((-1,), *self.columns)),
            *sizes,
            *factor.tables,
            *of_groups,
            *row_ends,
            *chain(*self.row_columns),
            *self.sliders,
        )
