"""Scaled programs: quadratic programs in the coordinates in which the Hessian is the identity, from the free point.

Rows have length one, those of groups lengths of the order of one; the largest violation is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple, final

from rbd.scalars import both, either, invert, less, maximum, where
from rbd.scalars.conditions import inverse_or_zero
from rbd.scalars.constants import const
from rbd.scalars.linear_algebra import dot, matvec
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import Intervals
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.scaling import ZERO_ROW, length_of, size_of_program

_ALWAYS_SATISFIED: Final = const(-(10**30), 1)
"""Side of a row that does not count: the row is satisfied wherever the solution may be."""


@final
class ScaledProgram(NamedTuple):
    """The rows and their sides, seen from the free point, in units of `size`."""

    rows: Matrix
    """Of length one; none where there are groups, which have all of them."""
    groups: Sequence[RowGroup]
    sides: Vector
    intervals: Intervals
    interval_sides: Vector
    """u0: products of the interval rows with the solution at which their rates are zero."""
    inverses: Vector
    """One over the length of each row; zero for rows of zeros. That of a group is the same for all its rows."""
    size: Scalar
    contradicts: Condition
    """Whether a row of zeros has a positive bound."""

    @classmethod
    def of(
        cls,
        factor: Factor,
        free: Vector,
        rows: Matrix,
        groups: Sequence[RowGroup],
        bounds: Sequence[Scalar],
        intervals: Intervals,
    ) -> ScaledProgram:
        """Scale a program; `groups`, in the coordinates of `free`, have all `rows`, or there are none."""
        count = 0 if groups else len(rows)
        white = [factor.whitened(row) for row in (*rows[:count], *intervals.rows)]
        unit = _UnitRows.of(white, free, (*bounds[:count], *(0 for _ in intervals.rows)))
        grouped, interval_sides = _UnitGroups.of(groups, free, bounds), unit.sides[count:]
        sides = grouped.sides if groups else unit.sides[:count]
        limits = intervals.scaled(unit.rows[count:], unit.inverses[count:])
        size = size_of_program(free, (*sides, *limits.corrections(interval_sides)))
        share = 1 / size
        if groups:
            sides = tuple(side * share for side in sides)
        else:
            sides = tuple(where(less(0, x), u * share, -1) for u, x in zip(sides, unit.inverses, strict=False))
        return cls(
            rows=unit.rows[:count],
            groups=grouped.groups,
            sides=sides,
            intervals=limits.in_units(lambda x: x * share),
            interval_sides=tuple(x * share for x in interval_sides),
            inverses=(*grouped.inverses, *unit.inverses),
            size=size,
            contradicts=unit.contradicts,
        )


@final
class _UnitRows(NamedTuple):
    """Rows of length one, their sides from the free point, inverse lengths, and whether a row contradicts.

    Rows of zeros have an inverse length of zero; one with a positive bound contradicts.
    """

    rows: Matrix
    sides: Vector
    inverses: Vector
    contradicts: Condition

    @classmethod
    def of(cls, white: Sequence[Vector], free: Vector, bounds: Sequence[Scalar]) -> _UnitRows:
        """Scale rows to the length one."""
        lengths = [length_of(row) for row in white]
        longest = reduce(maximum, lengths) if lengths else 0
        rows, sides, inverses, contradicts = list[Vector](), list[Scalar](), list[Scalar](), less(1, 0)
        for row, bound, length in zip(white, bounds, lengths, strict=True):
            counts = less(longest * ZERO_ROW, length)
            inverse = inverse_or_zero(counts, length)
            rows.append(tuple(x * inverse for x in row))
            sides.append(where(counts, (bound - dot(row, free)) * inverse, 0))
            inverses.append(inverse)
            contradicts = either(contradicts, both(invert(counts), less(0, bound)))
        return cls(tuple(rows), tuple(sides), tuple(inverses), contradicts)


@final
class _UnitGroups(NamedTuple):
    """Groups whose rows have lengths of the order of one; by row, sides from the free point and inverse lengths."""

    groups: Sequence[RowGroup]
    sides: Vector
    inverses: Vector

    @classmethod
    def of(cls, groups: Sequence[RowGroup], free: Vector, bounds: Sequence[Scalar]) -> _UnitGroups:
        """Scale groups."""
        scales = [group.inverse_length for group in groups]
        groups = [group.scaled(scale) for group, scale in zip(groups, scales, strict=True)]
        sides, inverses = dict[int, Scalar](), dict[int, Scalar]()
        for group, scale in zip(groups, scales, strict=True):
            sides |= group.sides(
                matvec(group.twist_map, free), {j: bounds[j] * scale for j in group.numbers}, _ALWAYS_SATISFIED
            )
            inverses |= dict.fromkeys(group.numbers, scale)
        numbers = range(len(sides))
        return cls(groups, tuple(sides[j] for j in numbers), tuple(inverses[j] for j in numbers))
