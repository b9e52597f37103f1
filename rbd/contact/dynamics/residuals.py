"""Residuals of constrained motions: violations of the KKT conditions, for linear rows and for round friction cones."""

from __future__ import annotations

from rbd.algorithms.loops.least_squares import constraint_torques
from rbd.contact.dynamics.friction_cone import AXES
from rbd.scalars import Matrix, Scalar, Vector, absolute, const, less, maximum, minimum, sqrt, where
from rbd.scalars.linear_algebra import dot
from rbd.solvers.intervals import NO_INTERVALS, Intervals

_HALF = const(1, 2)


def kkt_residual(
    M: Matrix, f: Vector, J: Matrix, bounds: Vector, x: Vector, lam: Vector, intervals: Intervals = NO_INTERVALS
) -> Scalar:
    """Return the largest violation of the KKT conditions: stationarity, feasibility, complementarity."""
    worst = _violation_without_contacts(M, f, J, x, lam, intervals)
    for row, bound, multiplier in zip(J, bounds, lam, strict=False):
        slack = dot(row, x) - bound
        worst = maximum(worst, maximum(-slack, maximum(-multiplier, absolute(slack * multiplier))))
    return worst


def cone_residual(
    M: Matrix, f: Vector, J: Matrix, bounds: Vector, x: Vector, lam: Vector, intervals: Intervals = NO_INTERVALS
) -> Scalar:
    """Return the largest violation of the KKT conditions of round cones: of a balance, or of P(force - s) = force.

    P is the projection onto the cone and s are the rates less the bound, which is that of the first of three rows.
    """
    worst = _violation_without_contacts(M, f, J, x, lam, intervals)
    for k in range(0, len(J), AXES):
        rates, force = [dot(row, x) for row in J[k : k + AXES]], lam[k : k + AXES]
        unprojected = force[0] - (rates[0] - bounds[k]), force[1] - rates[1], force[2] - rates[2]
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


def _violation_without_contacts(
    M: Matrix, f: Vector, J: Matrix, x: Vector, lam: Vector, intervals: Intervals
) -> Scalar:
    """Return the largest torque that is missing in M x = f + J' lam, or violation of the conditions of intervals."""
    return maximum(_imbalance(M, f, (*J, *intervals.rows), x, lam), _interval_violation(intervals, x, lam[len(J) :]))


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
