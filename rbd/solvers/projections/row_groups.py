"""Rows in groups, U = W T: those of all contact points of two bodies are products of their relative twist.

With twice as many rows as the twist has entries, most rows are redundant. Also where W and T of all groups are in the
operands of solvers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple, final

import attrs

from rbd.intrinsics.intrinsic import NamedSizes
from rbd.intrinsics.workspace import Workspace, operand, table
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.equations.linear import Factor
from rbd.solvers.operands import entries, parts_between, rows_of
from rbd.solvers.projections.twist_space import TwistSpace
from rbd.solvers.row_pattern import columns_of


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


def has_fewer_twists(groups: Sequence[RowGroup]) -> bool:
    """Return whether the twists of groups are not more than the columns, so that they may be independent."""
    columns, widths = [columns_of(group.map) for group in groups], [len(group.map) for group in groups]
    own = all(width <= len(used) for width, used in zip(widths, columns, strict=True))
    return own and sum(widths) <= len(set[int]().union(*columns))


def orthonormal_groups(groups: Sequence[RowGroup]) -> list[RowGroup]:
    """Return groups with twists in which the rows of each map are orthonormal."""
    space = TwistSpace.of([group.wrenches for group in groups], [group.map for group in groups])
    return [RowGroup(group.numbers, *parts) for group, *parts in zip(groups, *space, strict=True)]


class GroupedRows(Workspace):
    """W and T of groups; the rows are in the order of the groups."""

    groups: int
    spans: int
    """Columns of all T."""
    map_entries: int
    wrench_entries: int
    group_ends = table("groups + 1")
    group_sizes = table("groups")
    """Columns of W."""
    column_ends = table("groups + 1")
    columns = table("spans")
    map_starts = table("groups")
    wrench_starts = table("groups")
    wrenches = operand("wrench_entries")
    """W, row by row, group by group."""
    maps = operand("map_entries")
    """T, row by row, group by group, without columns of zeros."""


@final
@attrs.frozen
class GroupPattern:
    """Where W and T of groups are in `GroupedRows`."""

    rows: tuple[int, ...]
    """The number of rows of each W."""
    widths: tuple[int, ...]
    """The number of rows of each T."""
    columns: tuple[tuple[int, ...], ...]
    """Of each T."""
    has_maps: bool = True
    """Whether T is an operand; else its columns are those of the groups' twists."""

    @classmethod
    def of(cls, groups: Sequence[RowGroup]) -> GroupPattern:
        """Return the pattern of groups."""
        columns = tuple(columns_of(group.map) for group in groups)
        return cls(tuple(len(group.wrenches) for group in groups), tuple(len(group.map) for group in groups), columns)

    @classmethod
    def of_twists(cls, groups: Sequence[RowGroup]) -> GroupPattern:
        """Return the pattern of groups whose twists are the unknowns."""
        found = cls.of(groups)
        spans = pairwise(accumulate(found.widths, initial=0))
        return attrs.evolve(found, columns=tuple(tuple(range(*span)) for span in spans), has_maps=False)

    @classmethod
    def read(cls, tables: Mapping[str, tuple[int, ...]]) -> GroupPattern:
        """Return the pattern of a call with maps, from its tables."""
        rows = tuple(stop - start for start, stop in pairwise(tables["group_ends"]))
        return cls(rows, tables["group_sizes"], tuple(parts_between(tables["columns"], tables["column_ends"])))

    @property
    def named_sizes(self) -> NamedSizes:
        """Sizes and tables."""
        group_ends, column_ends = _ends(self.rows), _ends(map(len, self.columns))
        map_ends, wrench_ends = _ends(self.map_lengths), _ends(self.wrench_lengths)
        return {
            "groups": len(self.rows),
            "spans": column_ends[-1],
            "map_entries": map_ends[-1],
            "wrench_entries": wrench_ends[-1],
            "group_ends": group_ends,
            "group_sizes": self.widths,
            "column_ends": column_ends,
            "columns": tuple(chain(*self.columns)),
            "map_starts": map_ends[:-1],
            "wrench_starts": wrench_ends[:-1],
        }

    @property
    def wrench_lengths(self) -> list[int]:
        """The number of entries of each W."""
        return [count * width for count, width in zip(self.rows, self.widths, strict=True)]

    @property
    def map_lengths(self) -> list[int]:
        """The number of entries of each T that are operands."""
        return [width * len(own) if self.has_maps else 0 for width, own in zip(self.widths, self.columns, strict=True)]

    def join(self, groups: Sequence[RowGroup]) -> dict[str, Vector]:
        """Return the operands W and T."""
        maps = zip(groups, self.columns, strict=True) if self.has_maps else ()
        return {
            "wrenches": tuple(chain(*(entries(group.wrenches) for group in groups))),
            "maps": tuple(row[i] for group, own in maps for row in group.map for i in own),
        }

    def cut(self, operands: Mapping[str, Vector]) -> list[tuple[Matrix, Matrix]]:
        """Return W and T of each group, without columns of zeros, from the operands or their tangents."""
        wrenches = parts_between(operands["wrenches"], _ends(self.wrench_lengths))
        maps = parts_between(operands["maps"], _ends(self.map_lengths))
        sizes = zip(self.rows, self.widths, map(len, self.columns), strict=True)
        return [
            (rows_of(W, count, width), rows_of(T, width, columns))
            for (count, width, columns), W, T in zip(sizes, wrenches, maps, strict=True)
        ]


def _ends(lengths: Iterable[int]) -> tuple[int, ...]:
    """Return where parts of these lengths end, zero first."""
    return tuple(accumulate(lengths, initial=0))
