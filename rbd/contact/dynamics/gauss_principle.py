"""Gauss's principle of least constraint for contacts.

Gauss 1829; the multipliers of contacts: Moreau 1966. Among the motions x (accelerations, velocities) that the contacts
allow, J x >= bounds, the true one is nearest to the free motion M⁻¹ f in the metric of the mass matrix M:

    minimise 1/2 (x - M⁻¹ f)' M (x - M⁻¹ f)   subject to   J x >= bounds

The KKT conditions are M x = f + J' lam, lam >= 0, J x >= bounds, and lam (J x - bounds) = 0 in each row. Pairs that do
not touch have rows of zeros, which constrain nothing, so that the number of rows never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from rbd.contact.dynamics.friction_cone import AXES
from rbd.scalars import Matrix, Scalar, Vector, less, where
from rbd.solvers.cones.program import solve_cone_program
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import Intervals
from rbd.solvers.projections.projected_program import solve_projected_program
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.quadratic.interval_program import solve_interval_program
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program


class ConstrainedMotion(NamedTuple):
    """The motion x, the multipliers lam, and 1 for active rows."""

    x: Vector
    lam: Vector
    active: Vector


class GaussProgram(NamedTuple):
    """Gauss's principle with the factor of M and intervals, whose multipliers come last.

    `groups` has the rows of J again, as wrenches times twist maps, or nothing.
    """

    M: Matrix
    factor: Factor
    f: Vector
    J: Matrix
    bounds: Vector
    intervals: Intervals
    groups: Sequence[RowGroup] = ()


def nearest_motion_by_projection(program: GaussProgram) -> ConstrainedMotion:
    """Return the motion of a program: many at a time in vector registers.

    Rows that depend on each other may all be active.
    """
    solution = solve_projected_program(*program)
    return ConstrainedMotion(solution.x, solution.multipliers, solution.active)


def nearest_motion(M: Matrix, f: Sequence[Scalar], J: Matrix, bounds: Sequence[Scalar]) -> ConstrainedMotion:
    """Return the motion of Gauss's principle: the x nearest to M⁻¹ f with J x >= bounds."""
    return ConstrainedMotion(*solve_quadratic_program(M, f, J, bounds)[:3])


def nearest_motion_by_active_set(program: GaussProgram) -> ConstrainedMotion:
    """Return the motion of a program; active rows are linearly independent, as derivatives need them."""
    M, factor, f, J, bounds, intervals, _ = program
    return ConstrainedMotion(*solve_interval_program(nearest_motion, M, factor, f, J, bounds, intervals))


def nearest_motion_in_cones(program: GaussProgram) -> ConstrainedMotion:
    """Return the nearest motion with round friction cones, of which each has three rows in J: normal and tangents.

    A cone has the bound of its normal; its multipliers are a force along each row.
    """
    M, factor, f, J, bounds, intervals, _ = program
    cones = [J[k : k + AXES] for k in range(0, len(J), AXES)]
    solution = solve_cone_program(M, factor, f, cones, bounds[::AXES], intervals)
    lam = (*chain.from_iterable(solution.forces), *solution.interval_forces)
    return ConstrainedMotion(solution.x, lam, tuple(where(less(0, x), 1, 0) for x in lam))
