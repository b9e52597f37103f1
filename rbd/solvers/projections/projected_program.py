"""Quadratic programs by projection, many of them side by side in vector registers: the whole route.

In the coordinates y = W x of H = W'W the objective is the distance from a point, and the solution is the projection of
that point onto the polyhedron of the constraints. Where the projection is not found to `ACCURACY`, the active-set
method of `rbd/solvers/quadratic` solves the program, or says why there is no solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple, final

from rbd.scalars import absolute, either, invert, less, less_equal, where
from rbd.scalars.constants import const
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import NO_INTERVALS, Intervals
from rbd.solvers.operands import where_each
from rbd.solvers.projections.grouped_projection import project_in_groups
from rbd.solvers.projections.polyhedral_projection import NearestPoint, project_on_polyhedron
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.projections.scaled_program import ScaledProgram
from rbd.solvers.projections.warm_start import warm_start
from rbd.solvers.quadratic.guarded_program import solve_guarded_quadratic_program
from rbd.solvers.quadratic.interval_program import IntervalSolution, solve_interval_program

ACCURACY: Final = const(1, 10**10)
"""Residual of the projection, relative to the size of the problem, up to which it is the solution."""


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
    rows than can be independent, another method of this package begins (`warm_start.py`). Raises SolverError when the
    rows contradict each other.

    >>> hessian = ((2.0,),)
    >>> found = solve_projected_program(hessian, Factor.of(hessian, ["x"]), (2.0,), ((1.0,), (-1.0,)), (3.0, -9.0))
    >>> [round(x, 9) for x in (*found.x, *found.multipliers)]
    [3.0, 4.0, 0.0]
    """
    free = factor.whitened(linear)
    if not rows and not intervals.rows:
        return ProgramSolution(factor.unwhitened(free), (), (), 0)
    white = [group.whitened(factor) for group in groups] if any(group.is_redundant for group in groups) else []
    scaled = ScaledProgram.of(factor, free, rows, white, bounds, intervals)
    nearest = _nearest(scaled)
    fails = either(scaled.contradicts, invert(less_equal(nearest.residual, ACCURACY)))
    needed = where(fails, 1, 0)
    guarded = partial(solve_guarded_quadratic_program, needed)
    exact = solve_interval_program(guarded, hessian, factor, linear, rows, bounds, intervals)
    found = _unscaled(factor, free, scaled, nearest)
    x, multipliers, active = (where_each(fails, a, b) for a, b in zip(exact, found, strict=True))
    return ProgramSolution(x, multipliers, active, needed)


def _nearest(program: ScaledProgram) -> NearestPoint:
    """Return the point of the polyhedron of a program that is nearest to the free one."""
    problem = program.sides, program.intervals, program.interval_sides
    if not program.groups:
        return project_on_polyhedron(program.rows, *problem)
    return project_in_groups(program.groups, *problem, warm_start(program.groups, *problem))


def _unscaled(factor: Factor, free: Vector, program: ScaledProgram, nearest: NearestPoint) -> IntervalSolution:
    """Return the solution of the program that was scaled, from the projection."""
    x = factor.unwhitened([a + program.size * b for a, b in zip(free, nearest.z, strict=True)])
    multipliers = tuple(program.size * a * b for a, b in zip(nearest.multipliers, program.inverses, strict=True))
    active = [where(less(0, multiplier), 1, 0) for multiplier in nearest.multipliers[: len(program.sides)]]
    active += [where(less(absolute(absolute(mode) - 1), 1), 0, 1) for mode in nearest.modes]
    return IntervalSolution(x, multipliers, tuple(active))
