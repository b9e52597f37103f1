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
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.interior_point import approach, operations
from rbd.solvers.interior_point_workspace import InteriorPoint
from rbd.solvers.linear import Factor
from rbd.solvers.polyhedral_projection import Intervals, NearSolution
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

    def transformed(self, factor: Factor, scales: Sequence[Scalar]) -> RowGroup:
        """Return the group in the coordinates in which a matrix is the identity, its rows scaled."""
        wrenches = tuple(
            tuple(x * scales[j] for x in row) for j, row in zip(self.numbers, self.wrenches, strict=True)
        )  # fmt: skip
        return RowGroup(self.numbers, wrenches, tuple(factor.whitened(row) for row in self.map))


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
    derivative=_no_tangents,
    adjoint=_no_cotangents,
)


def near_projection(
    groups: Sequence[RowGroup], sides: Sequence[Scalar], intervals: Intervals, rest: Sequence[Scalar]
) -> NearSolution:
    """Return what is near the solution of `project_on_polyhedron` for the rows of `groups`, which are all rows.

    >>> group = RowGroup((0, 1), ((1.0,), (0.6,)), ((1.0, 0),))
    >>> near = near_projection([group], (1.0, 0.3), Intervals(), ())
    >>> [round(x, 9) for x in (*near.point, *near.multipliers)]
    [1.0, 0.0, 1.0, 0.0]
    """
    pattern = _GroupPattern.of(groups, intervals)
    order = list(chain.from_iterable(group.numbers for group in groups))
    wrenches = chain.from_iterable(chain.from_iterable(group.wrenches) for group in groups)
    maps = (
        row[i] for group, columns in zip(groups, pattern.columns, strict=True) for row in group.map for i in columns
    )
    rows = (row[i] for row, columns in zip(intervals.rows, pattern.row_columns, strict=True) for i in columns)
    limits = *intervals.lower, *intervals.upper, *(intervals.friction[k] for k in pattern.sliders)
    found = APPROACH_PROJECTION(
        pattern.sizes, (*wrenches, *maps, *rows, *(sides[j] for j in order), *rest, *limits)
    )  # fmt: skip
    n, m, k = pattern.n, len(order), len(intervals.rows)
    place = {j: position for position, j in enumerate(order)}
    own, forces, rates = found[n : n + m], found[n + m : n + m + k], found[n + m + k : n + m + 2 * k]
    multipliers = *(own[place[j]] for j in range(m)), *forces
    return NearSolution(found[:n], multipliers, tuple(u - force for u, force in zip(rates, forces, strict=True)))


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

    @classmethod
    def of(cls, groups: Sequence[RowGroup], intervals: Intervals) -> _GroupPattern:
        """Return the pattern of groups and interval rows."""
        rows, widths = (tuple(map(len, parts)) for parts in zip(*((g.wrenches, g.map) for g in groups), strict=True))
        columns = tuple(tuple(sorted({i for row in group.map for i in nonzero_columns(row)})) for group in groups)
        row_columns = tuple(nonzero_columns(row) for row in intervals.rows)
        sliders = tuple(k for k, f in enumerate(intervals.friction) if not is_plain_zero(f))
        return cls(len(groups[0].map[0]), rows, widths, columns, row_columns, sliders)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes, then tables."""
        factor = FactorPattern.of(self.n, (*self.columns, *self.row_columns))
        group_ends, column_ends, row_ends = (
            [0, *accumulate(parts)]
            for parts in (self.rows, map(len, self.columns), map(len, self.row_columns))
        )  # fmt: skip
        maps, wrenches = (
            [0, *accumulate(a * b for a, b in zip(self.widths, parts, strict=True))]
            for parts in (map(len, self.columns), self.rows)
        )
        own = len(self.rows), len(self.row_columns), len(self.sliders), reduce(gcd, self.rows)
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
