"""Gauss's principle of least constraint for contacts.

Among the motions x (accelerations, velocities) that the contacts allow, J x >= bounds, the true one is nearest to the
free motion M⁻¹ f in the metric of the mass matrix M:

    minimise 1/2 (x - M⁻¹ f)' M (x - M⁻¹ f)   subject to   J x >= bounds

The KKT conditions are M x = f + J' lam, lam >= 0, J x >= bounds, and lam (J x - bounds) = 0 in each row. Pairs that do
not touch have rows of zeros, which constrain nothing, so that the number of rows never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from rbd.contact.solver.friction_cone import EDGES
from rbd.contact.solver.residuals import cone_residual, kkt_residual
from rbd.scalars import Matrix, Scalar, Vector, const, less, where
from rbd.solvers.cones.program import solve_cone_program
from rbd.solvers.equations.linear import Factor
from rbd.solvers.intervals import NO_INTERVALS, Intervals
from rbd.solvers.projections.projected_program import solve_projected_program
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.quadratic.interval_program import solve_interval_program
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program

_HALF, _QUARTER = const(1, 2), const(1, 4)


class SolvedMotion(NamedTuple):
    """The motion x, the multipliers lam, and 1 for rows that are held."""

    x: Vector
    lam: Vector
    active: Vector


class ConstrainedMotion(NamedTuple):
    """The motion x, the multipliers lam, 1 for rows that are held, and the largest violation of the KKT conditions."""

    x: Vector
    lam: Vector
    active: Vector
    residual: Scalar


def nearest_motion_by_projection(
    M: Matrix,
    factor: Factor,
    f: Vector,
    J: Matrix,
    bounds: Vector,
    intervals: Intervals = NO_INTERVALS,
    groups: Sequence[RowGroup] = (),
) -> SolvedMotion:
    """Return the motion of Gauss's principle from the factor of M: many at a time in vector registers.

    Of rows that depend on each other, all may be active; `groups` has the rows as products. Multipliers of `intervals`
    come last.
    """
    solution = solve_projected_program(M, factor, f, J, bounds, intervals, groups)
    return SolvedMotion(solution.x, solution.multipliers, solution.active)


def nearest_motion(M: Matrix, f: Vector, J: Matrix, bounds: Vector) -> ConstrainedMotion:
    """Return the motion of Gauss's principle: the x nearest to M⁻¹ f with J x >= bounds."""
    x, lam, active, _ = solve_quadratic_program(M, f, J, bounds)
    return ConstrainedMotion(x, lam, active, kkt_residual(M, f, J, bounds, x, lam))


def nearest_motion_by_active_set(
    M: Matrix, factor: Factor, f: Vector, J: Matrix, bounds: Vector, intervals: Intervals
) -> SolvedMotion:
    """Return the motion of Gauss's principle; active rows are linearly independent, as derivatives need them."""
    return SolvedMotion(*solve_interval_program(_by_active_set, M, factor, f, J, bounds, intervals))


def nearest_motion_in_cones(
    M: Matrix, factor: Factor, f: Vector, J: Matrix, bounds: Vector, intervals: Intervals
) -> ConstrainedMotion:
    """Return the nearest motion with round friction cones, whose four edges each contact point has in J.

    Multipliers of edges have the sum of the impulse along the normal; where the impulse is not in the polyhedral cone,
    some are negative.
    """
    starts = range(0, len(J), EDGES)
    cones = [_axes_of(J[k : k + EDGES]) for k in starts]
    solution = solve_cone_program(M, factor, f, cones, [bounds[k] for k in starts], intervals)
    edges = tuple(
        _QUARTER * normal + sign * _HALF * x for normal, *tangent in solution.cones for x in tangent for sign in (1, -1)
    )
    lam = (*edges, *solution.intervals)
    residual = cone_residual(
        M, f, cones, [bounds[k] for k in starts], solution.x, solution.cones, intervals, solution.intervals
    )
    return ConstrainedMotion(solution.x, lam, tuple(where(less(0, x), 1, 0) for x in lam), residual)


def _axes_of(edges: Matrix) -> Matrix:
    """Return the rows of the normal and of both tangents, times the coefficient, from those of four edges."""
    sums = [tuple(_HALF * (a + sign * b) for a, b in zip(edges[k], edges[k + 1], strict=True)) for k, sign in _AXES]
    return tuple(sums)


_AXES: Final = ((0, 1), (0, -1), (2, -1))
"""The first of two edges, and the sign of the other, whose mean is the normal or a tangent."""


def _by_active_set(
    M: Matrix, f: Sequence[Scalar], J: Matrix, bounds: Sequence[Scalar]
) -> tuple[Vector, Vector, Vector]:
    x, lam, active, _ = solve_quadratic_program(M, f, J, bounds)
    return x, lam, active
