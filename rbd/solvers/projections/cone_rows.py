"""Rows in groups as cones: n + t and n - t for each tangent t, with the twists that they are multiplied with.

A solver that computes n'x and t'x of a twist x has the rates of all rows of a cone; it needs not their entries.
Entries that are plain zeros in all cones of a group are no operands: three of six of a normal, where a foot is on
flat ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, pairwise
from typing import final

import attrs

from rbd.intrinsics.intrinsic import NamedSizes
from rbd.intrinsics.language import Floats, fma
from rbd.intrinsics.workspace import operand, table
from rbd.scalars.linear_algebra import add, subtract
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.operands import ends_of, parts_between
from rbd.solvers.projections.row_groups import GroupedTwists, RowGroup, edges


class GroupedCones(GroupedTwists):
    """The cones of groups. A part is the n, or one of the t, of all cones of a group."""

    tangent_count: int
    """Of each cone."""
    edge_count: int
    """Rows of each cone."""
    part_entries: int
    cone_entries: int
    part_ends = table("groups * (tangent_count + 1) + 1")
    part_columns = table("part_entries")
    """The columns of each part of each group that are operands."""
    cone_counts = table("groups")
    cone_starts = table("groups")
    cones = operand("cone_entries")
    """Cone by cone, its parts one after the other."""


def part_rate(w: GroupedCones, cones: Floats, twist: Floats, first_part: int, part: int, start: int) -> float:
    """Return the product of a part of the cone at `start` with a twist; its group's parts begin at `first_part`."""
    rate = 0.0
    for e in range(w.part_ends[first_part + part], w.part_ends[first_part + part + 1]):
        rate = fma(cones[start + (e - w.part_ends[first_part])], twist[w.part_columns[e]], rate)
    return rate


@final
@attrs.frozen
class ConePattern:
    """Pattern of the wrenches of cones in `GroupedCones`."""

    counts: tuple[int, ...]
    """Of the cones of each group."""
    widths: tuple[int, ...]
    """Of the twists of each group."""
    columns: tuple[tuple[tuple[int, ...], ...], ...]
    """Of each part of each group."""

    @classmethod
    def of(cls, groups: Sequence[RowGroup]) -> ConePattern:
        """Return the pattern of groups, which have as many tangents each."""
        columns = (tuple(map(_columns, (group.wrenches, *group.tangents))) for group in groups)
        counts = tuple(len(group.wrenches) for group in groups)
        return cls(counts, tuple(len(group.twist_map) for group in groups), tuple(columns))

    @classmethod
    def of_call(cls, sizes: Mapping[str, int], tables: Mapping[str, tuple[int, ...]]) -> ConePattern:
        """Return the pattern of a call, from its sizes and tables."""
        parts, ends = parts_between(tables["part_columns"], tables["part_ends"]), tables["group_ends"]
        each = sizes["tangent_count"] + 1
        columns = (tuple(parts[k : k + each]) for k in range(0, len(parts), each))
        counts = ((stop - start) // sizes["edge_count"] for start, stop in pairwise(ends))
        return cls(tuple(counts), tables["twist_sizes"], tuple(columns))

    @property
    def tangent_count(self) -> int:
        """The number of tangents of a cone."""
        return len(self.columns[0]) - 1

    @property
    def edge_count(self) -> int:
        """The number of rows of a cone."""
        return max(1, 2 * self.tangent_count)

    @property
    def named_sizes(self) -> NamedSizes:
        """Sizes and tables."""
        parts, ends = list(chain(*self.columns)), self._ends
        return {
            "tangent_count": self.tangent_count,
            "edge_count": self.edge_count,
            "part_entries": sum(map(len, parts)),
            "cone_entries": ends[-1],
            "part_ends": ends_of(map(len, parts)),
            "part_columns": tuple(chain(*parts)),
            "cone_counts": self.counts,
            "cone_starts": ends[:-1],
        }

    @property
    def _ends(self) -> tuple[int, ...]:
        """Ends of the entries of each group, zero first."""
        return ends_of(count * _size(own) for count, own in zip(self.counts, self.columns, strict=True))

    def operands(self, groups: Sequence[RowGroup]) -> dict[str, Vector]:
        """Return the operand by name."""
        return {"cones": self._entries([(group.wrenches, *group.tangents) for group in groups])}

    def _entries(self, groups: Sequence[Sequence[Matrix]]) -> Vector:
        """Return the entries of the parts of groups, cone by cone."""
        each = zip(groups, self.columns, strict=True)
        return tuple(
            wrench[a]
            for parts, columns in each
            for cone in zip(*parts, strict=True)
            for wrench, own in zip(cone, columns, strict=True)
            for a in own
        )

    def wrenches(self, operands: Mapping[str, Vector]) -> list[Matrix]:
        """Return W of each group from the operand, or its tangents."""
        flat, found = parts_between(operands["cones"], self._ends), list[Matrix]()
        for entries, width, columns in zip(flat, self.widths, self.columns, strict=True):
            own = iter(entries)
            cones = [tuple(_dense(own, part, width) for part in columns) for _ in range(len(entries) // _size(columns))]
            wrenches, *tangents = zip(*cones, strict=True)
            found.append(edges(wrenches, tangents))
        return found

    def cotangents(self, rows: Sequence[Matrix]) -> dict[str, Vector]:
        """Return the cotangents of the operand by name, from those of W of each group."""
        return {"cones": self._entries([_fold(matrix, self.tangent_count) for matrix in rows])}


def _columns(wrenches: Matrix) -> tuple[int, ...]:
    """Return the columns in which wrenches are not plain zeros."""
    return tuple(a for a, column in enumerate(zip(*wrenches, strict=True)) if not all(map(is_plain_zero, column)))


def _size(columns: Sequence[Sequence[int]]) -> int:
    """Return the number of entries of a cone."""
    return sum(map(len, columns))


def _dense(entries: Iterator[Scalar], columns: Sequence[int], width: int) -> Vector:
    """Return a wrench with the next entries in some columns."""
    wrench: list[Scalar] = [0] * width
    for a in columns:
        wrench[a] = next(entries)
    return tuple(wrench)


def _fold(rows: Matrix, tangent_count: int) -> list[Matrix]:
    """Return the sums of the rows of each cone, and for each tangent the differences of its two."""
    if not tangent_count:
        return [rows]
    plus = [rows[2 * k :: 2 * tangent_count] for k in range(tangent_count)]
    minus = [rows[2 * k + 1 :: 2 * tangent_count] for k in range(tangent_count)]
    sums = tuple(reduce(add, cone) for cone in zip(*plus, *minus, strict=True))
    return [sums, *(tuple(map(subtract, *pair)) for pair in zip(plus, minus, strict=True))]
