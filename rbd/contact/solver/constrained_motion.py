"""Gauss's principle of least constraint for contacts.

Among the motions x (accelerations, velocities) that the contacts allow, J x >= bounds, the true one is nearest to the
free motion M⁻¹ f in the metric of the mass matrix M:

    minimise 1/2 (x - M⁻¹ f)' M (x - M⁻¹ f)   subject to   J x >= bounds

The KKT conditions are M x = f + J' lam, lam >= 0, J x >= bounds, and lam (J x - bounds) = 0 in each row. Pairs that do
not touch have rows of zeros, which constrain nothing, so that the number of rows never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from rbd.algorithms.loops.least_squares import constraint_torques
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.newton_euler import dynamics_bias_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.contact.model.contact_kinematics import distance_and_jacobian, distance_bias
from rbd.contact.model.pairs import Pair
from rbd.contact.solver.friction_cone import EDGES
from rbd.scalars import Condition, Matrix, Scalar, Vector, absolute, const, less, maximum, minimum, sqrt, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.cone_program import solve_cone_program
from rbd.solvers.interval_program import solve_interval_program
from rbd.solvers.linear import Factor
from rbd.solvers.polyhedral_projection import NO_INTERVALS, Intervals
from rbd.solvers.projected_program import solve_projected_program
from rbd.solvers.quadratic_program import solve_quadratic_program
from rbd.solvers.row_groups import RowGroup
from rbd.state import ScalarState

_HALF, _QUARTER = const(1, 2), const(1, 4)


class Contacts(NamedTuple):
    """The pairs of a state: whether they touch, signed distances phi, and contact Jacobian J, zero if they do not."""

    touching: tuple[Condition, ...]
    phi: Vector
    J: Matrix

    def masked(self, values: Sequence[Scalar]) -> Vector:
        """Return values of pairs, zero for those that do not touch."""
        return tuple(where(touches, x, 0) for touches, x in zip(self.touching, values, strict=True))

    def flags(self) -> Vector:
        """Return 1 for pairs that touch, 0 for others."""
        return tuple(where(touches, 1, 0) for touches in self.touching)


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


def contacts_of(state: ScalarState, pairs: Sequence[Pair], touching: Callable[[int, Scalar], Condition]) -> Contacts:
    """Return the contacts of a state; `touching` tells from number and distance of a pair whether it touches."""
    conditions: list[Condition] = []
    distances: list[Scalar] = []
    rows: list[Vector] = []
    for number, pair in enumerate(pairs):
        phi, row = distance_and_jacobian(state, pair)
        condition = touching(number, phi)
        conditions.append(condition)
        distances.append(phi)
        rows.append(masked_row(condition, row))
    return Contacts(tuple(conditions), tuple(distances), tuple(rows))


def masked_row(condition: Condition, row: Vector) -> Vector:
    """Return a row where the condition holds, zeros elsewhere; plain zeros become structural."""
    return tuple(0 if is_plain_zero(x) else where(condition, x, 0) for x in row)


def nearer_than(threshold: Scalar) -> Callable[[int, Scalar], Condition]:
    """Return the rule that pairs nearer than `threshold` touch."""
    return lambda _, phi: less(phi, threshold)


def mass_and_factor(state: ScalarState) -> tuple[Matrix, Factor]:
    """Return the mass matrix and its factor, whose error names joints that move no mass."""
    M = mass_matrix_kernel(state)
    return M, factored(state, M)


def applied_forces(state: ScalarState, tau: Vector) -> Vector:
    """Return f of M vd = f + J' lam: torques and passive torques less the bias c."""
    terms = zip(tau, passive_torques_kernel(state), dynamics_bias_kernel(state), strict=True)
    return tuple(torque + passive - bias for torque, passive, bias in terms)


def acceleration_bounds(state: ScalarState, pairs: Sequence[Pair], contacts: Contacts, *, exact: bool) -> Vector:
    """Return the bounds of J vd: -phi, less the bias b of phi'' = J vd + b if `exact`."""
    bounds = [-phi for phi in contacts.phi]
    if exact:
        bounds = [bound - distance_bias(state, pair) for bound, pair in zip(bounds, pairs, strict=True)]
    return contacts.masked(bounds)


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


def kkt_residual(
    M: Matrix, f: Vector, J: Matrix, bounds: Vector, x: Vector, lam: Vector, intervals: Intervals = NO_INTERVALS
) -> Scalar:
    """Return the largest violation of the KKT conditions: stationarity, feasibility, complementarity."""
    worst = maximum(
        _imbalance(M, f, (*J, *intervals.rows), x, lam), _interval_violation(intervals, x, lam[len(bounds) :])
    )
    for row, bound, multiplier in zip(J, bounds, lam, strict=False):
        slack = dot(row, x) - bound
        worst = maximum(worst, maximum(-slack, maximum(-multiplier, absolute(slack * multiplier))))
    return worst


def cone_residual(
    M: Matrix,
    f: Vector,
    cones: Sequence[Matrix],
    bounds: Sequence[Scalar],
    x: Vector,
    forces: Sequence[tuple[Scalar, Scalar, Scalar]],
    intervals: Intervals = NO_INTERVALS,
    lam: Vector = (),
) -> Scalar:
    """Return the largest violation of the KKT conditions of round cones: of a balance, or of P(force - s) = force.

    P is the projection onto the cone and s are the rates less the bound; `lam` are the multipliers of `intervals`.
    """
    rows = tuple(row for cone in cones for row in cone)
    forces_and_multipliers = (*(part for force in forces for part in force), *lam)
    worst = maximum(
        _imbalance(M, f, (*rows, *intervals.rows), x, forces_and_multipliers), _interval_violation(intervals, x, lam)
    )
    for cone, bound, force in zip(cones, bounds, forces, strict=True):
        rates = [dot(row, x) for row in cone]
        unprojected = force[0] - (rates[0] - bound), force[1] - rates[1], force[2] - rates[2]
        for projected, part in zip(_in_cone(*unprojected), force, strict=True):
            worst = maximum(worst, absolute(projected - part))
    return worst


def _in_cone(a: Scalar, b: Scalar, c: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return the point of the cone a >= |(b, c)| that is nearest to a point."""
    length = sqrt(b * b + c * c)
    upper, lower = maximum(a + length, 0), maximum(a - length, 0)
    turns = less(0, length)
    share = where(turns, _HALF * (upper - lower) / where(turns, length, 1), 0)
    return _HALF * (upper + lower), share * b, share * c


def _imbalance(M: Matrix, f: Vector, rows: Matrix, x: Vector, lam: Vector) -> Scalar:
    """Return the largest torque that is missing in M x = f + rows' lam."""
    worst: Scalar = 0
    for row, torque, force in zip(M, f, constraint_torques(rows, lam, len(f)), strict=True):
        worst = maximum(worst, absolute(dot(row, x) - torque - force))
    return worst


def _interval_violation(intervals: Intervals, x: Vector, lam: Vector) -> Scalar:
    """Return the largest violation of the conditions of intervals."""
    worst: Scalar = 0
    for row, low, high, friction, _, force in zip(*intervals, lam, strict=True):
        rate = dot(row, x)
        friction_impulse = minimum(maximum(force - rate, -friction), friction)
        proximal = maximum(force - rate + low, minimum(force - rate + high, friction_impulse))
        worst = maximum(worst, absolute(proximal - force))
    return worst
