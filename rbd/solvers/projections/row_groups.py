"""Rows in groups, U = W T: those of all contact points of two bodies are products of their relative twist.

With twice as many rows as the twist has entries, most rows are redundant. Also where W and T of all groups are in the
operands of solvers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import chain, pairwise
from typing import Final, NamedTuple, final

import attrs

from rbd.intrinsics.intrinsic import NamedSizes
from rbd.intrinsics.language import Floats, fma
from rbd.intrinsics.workspace import Workspace, operand, table
from rbd.scalars import absolute, less, maximum, sqrt, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.operands import ends_of, entries, parts_between, rows_of
from rbd.solvers.row_pattern import columns_of

TWIST_SIZE: Final = 6
"""Entries of a twist: columns of W, at most."""


@final
class RowGroup(NamedTuple):
    """Rows with these numbers, which are the products of wrenches and `twist_map`: W T.

    The wrenches are those of cones. Without tangents a cone has one row, n; with some it has the rows n + t and n - t
    for each tangent t. Rows are in the order of the cones.
    """

    numbers: tuple[int, ...]
    wrenches: Matrix
    """n of each cone."""
    twist_map: Matrix
    tangents: tuple[Matrix, ...] = ()
    """Of each tangent, t of each cone."""
    counts: tuple[Condition, ...] = ()
    """Whether the rows of each cone count; all do, if this is empty."""

    @property
    def rows(self) -> Matrix:
        """W."""
        return edges(self.wrenches, self.tangents)

    @property
    def cones(self) -> RowGroup:
        """The rows n, one of each cone, with the numbers of the cones."""
        each = max(1, 2 * len(self.tangents))
        return RowGroup(tuple(number // each for number in self.numbers[::each]), self.wrenches, self.twist_map)

    @property
    def is_redundant(self) -> bool:
        """Whether there are twice as many rows as can be independent."""
        return len(self.numbers) >= 2 * len(self.twist_map)

    @property
    def inverse_length(self) -> Scalar:
        """One over the order of the lengths of rows: of those that entries as large as the largest n would have."""
        most = (reduce(maximum, map(absolute, column)) for column in zip(*self.wrenches, strict=True))
        square = dot([x * x for x in most], [dot(row, row) for row in self.twist_map])
        return 1 / sqrt(where(less(0, square), square, 1))

    def whitened(self, factor: Factor) -> RowGroup:
        """Return the group in the coordinates in which a matrix is the identity."""
        return self._replace(twist_map=tuple(factor.whitened(row) for row in self.twist_map))

    def scaled(self, scale: Scalar) -> RowGroup:
        """Return the group with its rows scaled."""
        return self._replace(twist_map=tuple(tuple(x * scale for x in row) for row in self.twist_map))

    def sides(self, twist: Vector, bounds: Mapping[int, Scalar], none: Scalar) -> dict[int, Scalar]:
        """Return bounds less rates of a twist, by number; where rows do not count, `none` less those of tangents."""
        found, numbers = dict[int, Scalar](), iter(self.numbers)
        for cone, n in enumerate(self.wrenches):
            rate, slides = dot(n, twist), [dot(t[cone], twist) for t in self.tangents]
            for slide in [x for t in slides for x in (t, -t)] or [0]:
                j = next(numbers)
                side = bounds[j] - rate
                found[j] = (where(self.counts[cone], side, none) if self.counts else side) - slide
        return found


def edges(wrenches: Matrix, tangents: Sequence[Matrix]) -> Matrix:
    """Return the rows n + t and n - t of cones; n where there are no tangents.

    >>> edges(((1.0, 2.0),), [((0.5, 0),)])
    ((1.5, 2.0), (0.5, 2.0))
    """
    if not tangents:
        return wrenches
    cones = zip(wrenches, zip(*tangents, strict=True), strict=True)
    return tuple(
        tuple(x + sign * y for x, y in zip(n, t, strict=True)) for n, own in cones for t in own for sign in (1, -1)
    )


def has_fewer_twists(groups: Sequence[RowGroup]) -> bool:
    """Return whether the twists of groups are not more than the columns, so that they may be independent."""
    columns, widths = [columns_of(group.twist_map) for group in groups], [len(group.twist_map) for group in groups]
    own = all(width <= len(used) for width, used in zip(widths, columns, strict=True))
    return own and sum(widths) <= len(set[int]().union(*columns))


class GroupedTwists(Workspace):
    """T of groups, and the numbers of their rows, which are in the order of the groups."""

    groups: int
    map_columns: int
    """Columns of all T."""
    map_entries: int
    group_ends = table("groups + 1")
    twist_sizes = table("groups")
    """Entries of the twist of each group: columns of W, rows of T."""
    column_ends = table("groups + 1")
    columns = table("map_columns")
    map_starts = table("groups")
    maps = operand("map_entries")
    """T, row by row, group by group, without columns of zeros."""


def compute_twist(w: GroupedTwists, g: int, point: Floats, twist: Floats) -> None:
    """Compute the twist T z of a group at a point z."""
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(w.twist_sizes[g]):
        x = 0.0
        for i in range(width):
            x = fma(w.maps[w.map_starts[g] + a * width + i], point[w.columns[w.column_ends[g] + i]], x)
        twist[a] = x


class GroupedRows(GroupedTwists):
    """W and T of groups."""

    wrench_entries: int
    wrench_starts = table("groups")
    wrenches = operand("wrench_entries")
    """W, row by row, group by group."""


@final
@attrs.frozen
class GroupPattern:
    """Pattern of W and T of groups in `GroupedTwists` and `GroupedRows`."""

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
        columns = tuple(columns_of(group.twist_map) for group in groups)
        return cls(
            tuple(len(group.numbers) for group in groups), tuple(len(group.twist_map) for group in groups), columns
        )

    @classmethod
    def of_twists(cls, groups: Sequence[RowGroup]) -> GroupPattern:
        """Return the pattern of groups whose twists are the unknowns."""
        found = cls.of(groups)
        spans = pairwise(ends_of(found.widths))
        return attrs.evolve(found, columns=tuple(tuple(range(*span)) for span in spans), has_maps=False)

    @classmethod
    def of_call(cls, tables: Mapping[str, tuple[int, ...]]) -> GroupPattern:
        """Return the pattern of a call with maps, from its tables."""
        rows = tuple(stop - start for start, stop in pairwise(tables["group_ends"]))
        return cls(rows, tables["twist_sizes"], tuple(parts_between(tables["columns"], tables["column_ends"])))

    @property
    def named_sizes(self) -> NamedSizes:
        """Sizes and tables."""
        group_ends, column_ends = ends_of(self.rows), ends_of(map(len, self.columns))
        map_ends, wrench_ends = ends_of(self.map_lengths), ends_of(self.wrench_lengths)
        return {
            "groups": len(self.rows),
            "map_columns": column_ends[-1],
            "map_entries": map_ends[-1],
            "wrench_entries": wrench_ends[-1],
            "group_ends": group_ends,
            "twist_sizes": self.widths,
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

    def operands(self, groups: Sequence[RowGroup]) -> dict[str, Vector]:
        """Return the operand T by name."""
        maps = zip(groups, self.columns, strict=True) if self.has_maps else ()
        return {"maps": tuple(row[i] for group, own in maps for row in group.twist_map for i in own)}

    def operands_with_wrenches(self, groups: Sequence[RowGroup]) -> dict[str, Vector]:
        """Return the operands W and T by name."""
        return {"wrenches": tuple(chain(*(entries(group.rows) for group in groups))), **self.operands(groups)}

    def maps(self, operands: Mapping[str, Vector]) -> list[Matrix]:
        """Return T of each group, without columns of zeros, from the operands or their tangents."""
        entries_of_maps = parts_between(operands["maps"], ends_of(self.map_lengths))
        sizes = zip(self.widths, map(len, self.columns), strict=True)
        return [rows_of(T, width, columns) for (width, columns), T in zip(sizes, entries_of_maps, strict=True)]
