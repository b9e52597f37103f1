"""Inverse dynamics of mechanisms with loops: Featherstone (2008), section 8.12.

The torques of the spanning tree are divided among actuators and constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import attrs

from rbd.algorithms.loops.constraint_equations import ConstraintEquations
from rbd.algorithms.loops.least_squares import balancing_multipliers, constraint_torques
from rbd.scalars import Scalar, Vector
from rbd.scalars.linear_algebra import sparse_dot, unit
from rbd.solvers import minimum_norm_solve


@final
@attrs.frozen(eq=False)
class TorqueBalance:
    """Torques of actuators and multipliers of constraints for a given motion."""

    torques: Vector
    multipliers: Vector
    rank: Scalar
    residual: Vector
    """The torques that actuated joints cannot make up for; zero where they can make the motion."""


def least_torques(equations: ConstraintEquations, tau: Vector, actuated: Sequence[int] | None) -> TorqueBalance:
    """Return the smallest torques with the same power as `tau` on every velocity that the loops allow.

    `actuated` are the indices of actuated velocities; None means all.
    """
    actuator_torques = (0,) * len(tau) if actuated is None else _actuator_torques(equations, tau, actuated)
    difference = tuple(a - b for a, b in zip(tau, actuator_torques, strict=True))
    multipliers, rank = balancing_multipliers(equations, difference)
    K_T_lam = constraint_torques(equations.K, multipliers, len(tau))
    left = tuple(a + b for a, b in zip(difference, K_T_lam, strict=True))
    if actuated is None:
        return TorqueBalance(left, multipliers, rank, (0,) * len(tau))
    return TorqueBalance(actuator_torques, multipliers, rank, left)


def _actuator_torques(equations: ConstraintEquations, tau: Vector, actuated: Sequence[int]) -> Vector:
    """Return the smallest torques of the actuated velocities nearest to `tau` on allowed velocities."""
    size = len(tau)
    units = [_allowed_part(equations, unit(size, j)) for j in actuated]
    rows = tuple(tuple(column[i] for column in units) for i in range(size))
    amplitudes, _ = minimum_norm_solve(rows, _allowed_part(equations, tau), equations.tolerance, columns=len(units))
    torques: list[Scalar] = [0] * size
    for index, torque in zip(actuated, amplitudes, strict=True):
        torques[index] = torque
    return tuple(torques)


def _allowed_part(equations: ConstraintEquations, vector: Vector) -> Vector:
    """Return the projection of a vector on the null space of K."""
    products = tuple(sparse_dot(row, vector) for row in equations.K)
    along, _ = minimum_norm_solve(equations.K, products, equations.tolerance, columns=len(vector))
    return tuple(a - b for a, b in zip(vector, along, strict=True))
