"""Warm start of the augmented Lagrangian method for rows in groups: the choice of the method, and its operands.

Where most rows are redundant, Newton steps switch many of them one after the other. So the method begins with the
solution of the dual active-set method in terms of twists (`dual_active_set`), or of the interior-point method
(`interior_point`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from math import gcd
from typing import Final, NamedTuple, final

import attrs

from rbd.intrinsics.intrinsic import NamedSizes
from rbd.scalars import less, minimum, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Condition, Scalar, Vector
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.intervals import Intervals
from rbd.solvers.operands import where_each
from rbd.solvers.projections.cone_rows import ConePattern
from rbd.solvers.projections.dual_active_set.method import PROJECT_BY_DUAL_ACTIVE_SET
from rbd.solvers.projections.interior_point.method import PROJECT_BY_INTERIOR_POINT
from rbd.solvers.projections.interior_point.pairs import FAR_SLACK
from rbd.solvers.projections.polyhedral_projection import WarmStart
from rbd.solvers.projections.row_groups import GroupPattern, RowGroup, has_fewer_twists
from rbd.solvers.projections.twist_space import TwistSpace
from rbd.solvers.row_pattern import RowPattern
from rbd.solvers.weighted_factor import FactorPattern

MOST_TWISTS: Final = 24
"""Entries of all twists, at most, with which the active-set method is used: steps grow with their square."""
_ROWS: Final = 8
"""Rows that are processed together, at most."""


def warm_start(
    groups: Sequence[RowGroup], sides: Sequence[Scalar], intervals: Intervals, interval_sides: Sequence[Scalar]
) -> WarmStart:
    """Return point and multipliers near the solution of `project_on_polyhedron` for the rows of `groups`, all rows.

    If twists are fewer than columns, and not many, the active-set method is used where no interval row is near at
    first, and the interior-point method elsewhere.

    >>> group = RowGroup((0, 1), ((1.0,), (0.6,)), ((1.0, 0),))
    >>> start = warm_start([group], (1.0, 0.3), Intervals(), ())
    >>> [round(x, 9) for x in (*start.point, *start.multipliers)]
    [1.0, 0.0, 1.0, 0.0]
    """
    problem = _GroupedProblem(groups, sides, intervals, interval_sides)
    many = sum(len(group.twist_map) for group in groups) > MOST_TWISTS
    if many or not has_fewer_twists(groups) or not all(map(is_plain_zero, intervals.friction)):
        return problem.by_interior_point(1)
    if not intervals.rows:
        return problem.by_dual_active_set(1)
    near = problem.has_near_intervals
    found = problem.by_interior_point(where(near, 1, 0)), problem.by_dual_active_set(where(near, 0, 1))
    return WarmStart(*(where_each(near, *parts) for parts in zip(*found, strict=True)))


@final
class _GroupedProblem(NamedTuple):
    """Rows in groups with their sides, and interval rows with the products with z at which they have no rate."""

    groups: Sequence[RowGroup]
    sides: Sequence[Scalar]
    intervals: Intervals
    interval_sides: Sequence[Scalar]

    @property
    def order(self) -> list[int]:
        """The numbers of the rows, group by group."""
        return [j for group in self.groups for j in group.numbers]

    @property
    def has_near_intervals(self) -> Condition:
        """Whether the method gives a multiplier to an interval row, without friction, at the beginning."""
        bounds = zip(self.interval_sides, self.intervals.lower, self.intervals.upper, strict=True)
        return less(reduce(minimum, (minimum(-u - low, u + high) for u, low, high in bounds)), FAR_SLACK)

    def by_interior_point(self, needed: Scalar) -> WarmStart:
        """Return the solution, or zeros where it is not `needed`."""
        pattern, intervals = _InteriorPointPattern.of(self.groups, self.intervals), self.intervals
        operands = {
            **intervals._asdict(),
            **pattern.groups.operands_with_wrenches(self.groups),
            **self._common(needed),
            "rows": pattern.intervals.entries(intervals.rows),
            "interval_sides": self.interval_sides,
            "friction": (intervals.friction[k] for k in pattern.sliders),
        }
        found = PROJECT_BY_INTERIOR_POINT.call(PROJECT_BY_INTERIOR_POINT.sizes_of(pattern.named_sizes), operands)
        own, forces = found["multipliers"][: len(self.order)], found["multipliers"][len(self.order) :]
        rates = tuple(u - force for u, force in zip(found["rates"], forces, strict=True))
        return WarmStart(found["point"], (*self._in_order(own), *forces), rates)

    def by_dual_active_set(self, needed: Scalar) -> WarmStart:
        """Return the solution without interval rows, or one without forces where it is not `needed`."""
        space = TwistSpace(tuple(group.twist_map for group in self.groups))
        pattern, cones = GroupPattern.of_twists(self.groups), ConePattern.of(self.groups)
        grouped = {**pattern.operands(self.groups), **cones.operands(self.groups)}
        operands = {**grouped, **self._common(needed), "factor": space.factor_entries}
        own = {
            "n": sum(pattern.widths),
            "m": sum(pattern.rows),
            "chunk": _chunk(cones.counts, _ROWS // cones.edge_count),
            "half": sum(pattern.widths) // 2,
        }
        sizes = PROJECT_BY_DUAL_ACTIVE_SET.sizes_of({**pattern.named_sizes, **cones.named_sizes, **own})
        found = PROJECT_BY_DUAL_ACTIVE_SET.call(sizes, operands)
        point = space.point(found["wrench"])
        rates = (dot(row, point) - u for row, u in zip(self.intervals.rows, self.interval_sides, strict=True))
        return WarmStart(
            point, (*self._in_order(found["multipliers"]), *(0 for _ in self.interval_sides)), tuple(rates)
        )

    def _common(self, needed: Scalar) -> dict[str, Iterable[Scalar]]:
        """Return the operands that both methods have besides groups."""
        return {"sides": (self.sides[j] for j in self.order), "needed": (needed,)}

    def _in_order(self, multipliers: Vector) -> Vector:
        """Return multipliers, group by group, in the order of the rows."""
        return tuple(x for _, x in sorted(zip(self.order, multipliers, strict=True), key=lambda pair: pair[0]))


@final
@attrs.frozen
class _InteriorPointPattern:
    """Pattern of the nonzero entries of groups, interval rows and the factor."""

    groups: GroupPattern
    factor: FactorPattern
    intervals: RowPattern
    sliders: tuple[int, ...]
    """The numbers of the interval rows with friction."""

    @classmethod
    def of(cls, groups: Sequence[RowGroup], intervals: Intervals) -> _InteriorPointPattern:
        """Return the pattern of groups and interval rows."""
        pattern, rows = GroupPattern.of(groups), RowPattern.of(intervals.rows)
        factor = FactorPattern.of(len(groups[0].twist_map[0]), (*pattern.columns, *rows.columns))
        sliders = tuple(k for k, f in enumerate(intervals.friction) if not is_plain_zero(f))
        return cls(pattern, factor, rows, sliders)

    @property
    def named_sizes(self) -> NamedSizes:
        """Sizes and tables."""
        return {
            **self.factor.named_sizes,
            **self.groups.named_sizes,
            "grouped_columns": 1 + max(chain((-1,), *self.groups.columns)),
            "m": sum(self.groups.rows),
            "intervals": len(self.intervals.columns),
            "sliders": len(self.sliders),
            "chunk": _chunk(self.groups.rows, _ROWS),
            "entries": self.intervals.ends[-1],
            "row_ends": self.intervals.ends,
            "row_columns": self.intervals.flat_columns,
            "slider_rows": self.sliders,
        }


def _chunk(counts: Sequence[int], most: int) -> int:
    """Return the number of rows, or cones, processed together: a divisor of the number of those of each group."""
    return reduce(gcd, counts, max(most, 1))
