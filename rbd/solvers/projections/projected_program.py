"""Quadratic programs as projections: many of them side by side in vector registers.

In the coordinates y = W x of H = W'W the objective is the distance from a point, and the solution is the projection of
that point onto the polyhedron of the constraints. Where the projection is not found to `ACCURACY`, the active-set
method of `quadratic_program.py` solves the program, or says why there is no solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Final, NamedTuple, final

from rbd.scalars.constants import const
from rbd.scalars.functions import absolute, both, either, invert, less, less_equal, maximum, minimum, sqrt, where
from rbd.scalars.linear_algebra import dot, matvec
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector
from rbd.solvers.equations.linear import Factor
from rbd.solvers.intervals import NO_INTERVALS, Intervals
from rbd.solvers.projections.grouped_projection import project_in_groups
from rbd.solvers.projections.near_projection import near_projection
from rbd.solvers.projections.polyhedral_projection import Projected, project_on_polyhedron
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.quadratic.interval_program import solve_interval_program
from rbd.solvers.quadratic.quadratic_program import solve_guarded_quadratic_program

ACCURACY: Final = const(1, 10**10)
"""Residual of the projection, relative to the size of the problem, up to which it is the solution."""
_ZERO_ROW: Final = const(1, 10**14)
"""A row this much shorter than the longest counts as zero."""
_FAR: Final = const(-(10**30), 1)
"""Side of rows that do not count."""
_SMALL: Final = const(1, 10**6)
"""Violations are scaled to one, or, where they are smaller than this share of the free point, that share is."""


@final
class ProgramSolution(NamedTuple):
    """The minimum, its multipliers, 1 for active rows, and whether the active-set method found it."""

    x: Vector
    multipliers: Vector
    active: Vector
    by_active_set: Scalar


def solve_projected_program(
    hessian: Matrix,
    factor: Factor,
    linear: Sequence[Scalar],
    rows: Matrix,
    bounds: Sequence[Scalar],
    intervals: Intervals = NO_INTERVALS,
    groups: Sequence[RowGroup] = (),
) -> ProgramSolution:
    """Minimise 1/2 x'Hx - `linear`'x subject to `rows` x >= `bounds`, as `solve_quadratic_program`.

    `factor` is that of the Hessian. Of linearly dependent rows, all may be active. `intervals` have two bounds and
    friction; their multipliers come last. `groups` has all rows again, as products; where one of them has many more
    rows than can be independent, an interior-point method begins. Raises SolverError when the rows contradict each
    other.

    >>> hessian = ((2.0,),)
    >>> found = solve_projected_program(hessian, Factor.of(hessian, ["x"]), (2.0,), ((1.0,), (-1.0,)), (3.0, -9.0))
    >>> [round(x, 9) for x in (*found.x, *found.multipliers)]
    [3.0, 4.0, 0.0]
    """
    free = factor.whitened(linear)
    if not rows and not intervals.rows:
        return ProgramSolution(factor.unwhitened(free), (), (), 0)
    white = _white_groups(factor, groups)
    scaled = _Scaled.of(factor, free, rows, white, bounds, intervals)
    nearest = scaled.nearest()
    fails = either(scaled.contradicts, invert(less_equal(nearest.residual, ACCURACY)))
    needed = where(fails, 1, 0)
    guarded = partial(solve_guarded_quadratic_program, needed)
    exact = solve_interval_program(guarded, hessian, factor, linear, rows, bounds, intervals)
    x = factor.unwhitened([a + scaled.size * b for a, b in zip(free, nearest.z, strict=True)])
    multipliers = [scaled.size * a * b for a, b in zip(nearest.multipliers, scaled.inverses, strict=True)]
    held = [where(less(0, weight), 1, 0) for weight in nearest.multipliers[: len(rows)]]
    held += [where(less(absolute(absolute(piece) - 1), 1), 0, 1) for piece in nearest.pieces]
    found = (*x, *multipliers, *held)
    flat = (*exact.x, *exact.multipliers, *exact.active)
    chosen, n, m = tuple(where(fails, a, b) for a, b in zip(flat, found, strict=True)), len(linear), len(multipliers)
    return ProgramSolution(chosen[:n], chosen[n : n + m], chosen[n + m :], needed)


def _length(row: Vector) -> Scalar:
    """Return the length of a row, whose derivatives are zero where it is zero."""
    square = dot(row, row)
    is_zero = less_equal(square, 0)
    return where(is_zero, 0, sqrt(where(is_zero, 1, square)))


@final
class _Scaled(NamedTuple):
    """The program with rows of length one, seen from the free point, in units of `size`.

    Rows of groups have lengths of the order of one.
    """

    unit: Matrix
    """Those that are in no group."""
    groups: Sequence[RowGroup]
    sides: Vector
    intervals: Intervals
    rest: Vector
    """Sides of the interval rows at which they have no speed."""
    inverses: Vector
    """One over the length of each row; zero for rows of zeros. That of a group is the same for all its rows."""
    size: Scalar
    contradicts: Condition
    """Whether a row of zeros has a positive bound."""

    def nearest(self) -> Projected:
        """Return the projection."""
        if not self.groups:
            return project_on_polyhedron(self.unit, self.sides, self.intervals, self.rest)
        near = near_projection(self.groups, self.sides, self.intervals, self.rest)
        return project_in_groups(self.groups, self.sides, self.intervals, self.rest, near)

    @classmethod
    def of(
        cls,
        factor: Factor,
        free: Vector,
        rows: Matrix,
        groups: Sequence[RowGroup],
        bounds: Sequence[Scalar],
        intervals: Intervals,
    ) -> _Scaled:
        """Scale a program; the size is that of the largest violation, or of what friction can do."""
        plain = [] if groups else [factor.whitened(row) for row in rows]
        count, white = len(plain), [*plain, *(factor.whitened(row) for row in intervals.rows)]
        found = _normalised(white, free, (*bounds[:count], *(0 for _ in intervals.rows)))
        unit, rest, factors = found.rows[:count], found.sides[count:], found.inverses[count:]
        scales = [group.inverse_length for group in groups]
        groups = [group.scaled(scale) for group, scale in zip(groups, scales, strict=True)]
        own = _sides_of_groups(groups, scales, free, bounds) if groups else found.sides[:count]
        efforts = [f / x for f, x in zip(intervals.friction, factors, strict=True)]
        speeds = intervals.lower, intervals.upper, intervals.begin
        low, high, begin = ([x * y for x, y in zip(each, factors, strict=True)] for each in speeds)
        rubbed = [minimum(absolute(side), f) for side, f in zip(rest, efforts, strict=True)]
        stops = [maximum(side + a, -side - b) for side, a, b in zip(rest, low, high, strict=True)]
        size = reduce(maximum, (*own, *rubbed, *stops), _length(free) * _SMALL)
        size = where(less(0, size), size, 1)
        share = 1 / size
        if groups:
            used = [side * share for side in own]
        else:
            used = [where(less(0, x), side * share, -1) for side, x in zip(own, found.inverses, strict=False)]
        limits = [tuple(x * share for x in each) for each in (low, high, efforts, begin)]
        scaled = Intervals(found.rows[count:], *limits)
        inverses = (*_by_number(groups, scales), *found.inverses)
        at_rest = tuple(x * share for x in rest)
        return cls(unit, groups, tuple(used), scaled, at_rest, inverses, size, found.contradicts)


def _white_groups(factor: Factor, groups: Sequence[RowGroup]) -> list[RowGroup]:
    """Return groups in which most rows are redundant."""
    if not any(group.is_redundant for group in groups):
        return []
    return [group.whitened(factor) for group in groups]


def _sides_of_groups(
    groups: Sequence[RowGroup], scales: Sequence[Scalar], free: Vector, bounds: Sequence[Scalar]
) -> Vector:
    """Return the sides of the rows of groups from the free point."""
    found = dict[int, Scalar]()
    for group, scale in zip(groups, scales, strict=True):
        found |= group.sides(matvec(group.map, free), {j: bounds[j] * scale for j in group.numbers}, _FAR)
    return tuple(found[j] for j in range(len(found)))


def _by_number(groups: Sequence[RowGroup], values: Sequence[Scalar]) -> Vector:
    """Return the value of the group of each row."""
    found = {j: value for group, value in zip(groups, values, strict=True) for j in group.numbers}
    return tuple(found[j] for j in range(len(found)))


@final
class _UnitRows(NamedTuple):
    """Rows of length one, their sides from the free point, inverse lengths, and whether a row contradicts.

    Rows of zeros have an inverse length of zero; one with a positive bound contradicts.
    """

    rows: Matrix
    sides: Vector
    inverses: Vector
    contradicts: Condition


def _normalised(white: Sequence[Vector], free: Vector, bounds: Sequence[Scalar]) -> _UnitRows:
    """Return rows scaled to the length one."""
    lengths = [_length(row) for row in white]
    longest = reduce(maximum, lengths) if lengths else 0
    rows, sides, inverses, contradicts = list[Vector](), list[Scalar](), list[Scalar](), less(1, 0)
    for row, bound, length in zip(white, bounds, lengths, strict=True):
        counts = less(longest * _ZERO_ROW, length)
        inverse = where(counts, 1 / where(counts, length, 1), 0)
        rows.append(tuple(x * inverse for x in row))
        sides.append(where(counts, (bound - dot(row, free)) * inverse, 0))
        inverses.append(inverse)
        contradicts = either(contradicts, both(invert(counts), less(0, bound)))
    return _UnitRows(tuple(rows), tuple(sides), tuple(inverses), contradicts)
