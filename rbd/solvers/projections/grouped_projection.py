"""Projection onto a polyhedron whose rows come in groups: the intrinsic `project_groups`, and calls of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.scalars.protocol import Scalar
from rbd.solvers.intervals import Intervals
from rbd.solvers.projections.cone_rows import ConePattern
from rbd.solvers.projections.grouped_check import GroupedProjection, operations, project_groups
from rbd.solvers.projections.grouped_projection_derivative import grouped_projection_jvp, grouped_projection_vjp
from rbd.solvers.projections.polyhedral_projection import NearestPoint, ProjectionPattern, WarmStart
from rbd.solvers.projections.row_groups import GroupPattern, RowGroup
from rbd.solvers.row_pattern import RowPattern

PROJECT_GROUPS: Final = Intrinsic(
    name="project_groups",
    workspace=GroupedProjection,
    function=project_groups,
    operations=operations,
    specialised=True,
    derivative=grouped_projection_jvp,
    adjoint=grouped_projection_vjp,
)


def project_in_groups(
    groups: Sequence[RowGroup],
    sides: Sequence[Scalar],
    intervals: Intervals,
    interval_sides: Sequence[Scalar],
    start: WarmStart,
) -> NearestPoint:
    """Return the projection, as `project_on_polyhedron`, for the rows of groups, which are all rows but the intervals.

    >>> group = RowGroup((0, 1), ((1.0,), (0.6,)), ((1.0, 0),))
    >>> start = WarmStart((0.9, 0.0), (0.9, 0.0), ())
    >>> [round(x, 9) for x in project_in_groups([group], (1.0, 0.3), Intervals(), (), start).z]
    [1.0, 0.0]
    """
    order, m = [j for group in groups for j in group.numbers], len(sides)
    pattern, cones, plain = GroupPattern.of(groups), ConePattern.of(groups), RowPattern.of(intervals.rows)
    operands = {
        **intervals._asdict(),
        **pattern.operands(groups),
        **cones.operands(groups),
        "interval_rows": plain.entries(intervals.rows),
        "sides": (*(sides[j] for j in order), *interval_sides),
        "start_rates": start.rates,
        "start_point": start.point,
        "start_multipliers": (*(start.multipliers[j] for j in order), *start.multipliers[m:]),
    }
    found = NearestPoint.of_results(PROJECT_GROUPS.call(_sizes(pattern, cones, plain, len(start.point)), operands))
    multipliers = dict(zip(order, found.multipliers, strict=False))
    return found._replace(multipliers=(*(multipliers[j] for j in range(m)), *found.multipliers[m:]))


def _sizes(groups: GroupPattern, cones: ConePattern, plain: RowPattern, n: int) -> tuple[int, ...]:
    """Return sizes and tables of a call."""
    own = (columns for columns, count in zip(groups.columns, groups.rows, strict=True) for _ in range(count))
    rows = ProjectionPattern.of(n, RowPattern((*own, *plain.columns)), len(plain.columns), has_warm_start=True)
    named = {**rows.named_sizes, **groups.named_sizes, **cones.named_sizes, "interval_entries": plain.ends[-1]}
    return PROJECT_GROUPS.sizes_of(named)
