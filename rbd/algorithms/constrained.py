"""Solving for motion and forces where loops constrain them.

Room: algorithms; may import state and above. In coordinates in which the mass matrix is the identity, the constraints
allow the motion nearest to the one without them (Gauss). It is found by a rank-revealing factorisation of the
constraints themselves, never of the squared matrix K M⁻¹ Kᵀ, so that redundant constraints are told from independent
ones to half as many digits again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import attrs

from rbd.scalars import Matrix, Scalar, Vector, const
from rbd.scalars.intrinsics import minimum_norm_solve
from rbd.scalars.linear import Factor

RANK_TOLERANCE: Final = const(1, 10**6)
"""A constraint counts as redundant when less than this share of the strongest one is left of it beside the others."""


@final
@attrs.frozen(eq=False)
class Constrained:
    """Accelerations that keep the loops, and the multipliers of their constraints."""

    vd: Vector
    multipliers: Vector
    rank: Scalar


@final
@attrs.frozen(eq=False)
class WhiteProblem:
    """The constraints K vd = -k in white coordinates w, where the motion without them is `free`."""

    factor: Factor
    rows: Matrix
    """K in white coordinates, one row per constraint."""
    free: Vector
    missing: Vector
    """How far the free motion is from keeping each constraint."""

    @classmethod
    def of(cls, factor: Factor, jacobian: Matrix, bias: Vector, right: Vector) -> WhiteProblem:
        """Pose the problem: M vd = `right` less the constraint torques, `factor` being that of M."""
        rows = tuple(factor.whitened(row) for row in jacobian)
        free = factor.whitened(right)
        missing = tuple(-(k + inner(row, free)) for k, row in zip(bias, rows, strict=True))
        return cls(factor, rows, free, missing)

    def correction(self) -> tuple[Vector, Scalar]:
        """Return the smallest change of the free motion that keeps the constraints, and their rank."""
        return minimum_norm_solve(self.rows, self.missing, RANK_TOLERANCE, columns=len(self.free))

    def accelerations(self, correction: Vector) -> Vector:
        """Return vd for a change of the free motion."""
        return self.factor.coloured([a + b for a, b in zip(self.free, correction, strict=True)])

    def multipliers(self, correction: Vector) -> Vector:
        """Return the smallest multipliers whose torques make a change of the free motion."""
        return balancing_multipliers(self.rows, correction)[0]


def constrained_accelerations(problem: WhiteProblem) -> Vector:
    """Return vd with M vd = right - Kᵀ λ and K vd = -k (in the least-squares sense where constraints contradict)."""
    correction, _ = problem.correction()
    return problem.accelerations(correction)


def constrained_solution(problem: WhiteProblem) -> Constrained:
    """Return vd, the smallest multipliers λ with M vd = right - Kᵀ λ and K vd = -k, and the rank of K."""
    correction, rank = problem.correction()
    return Constrained(problem.accelerations(correction), problem.multipliers(correction), rank)


def inner(a: Vector, b: Vector) -> Scalar:
    """Return the inner product."""
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def balancing_multipliers(rows: Matrix, vector: Vector) -> tuple[Vector, Scalar]:
    """Return the smallest λ for which `vector` + rowsᵀ λ is as small as can be, and the rank of the rows."""
    columns = tuple(tuple(row[j] for row in rows) for j in range(len(vector)))
    return minimum_norm_solve(columns, tuple(-x for x in vector), RANK_TOLERANCE, columns=len(rows))


def constraint_torques(jacobian: Matrix, multipliers: Vector, size: int) -> Vector:
    """Return Kᵀ λ, `size` torques."""
    torques: list[Scalar] = [0] * size
    for row, weight in zip(jacobian, multipliers, strict=True):
        for j, entry in enumerate(row):
            torques[j] = torques[j] + entry * weight
    return tuple(torques)


# --- torques for a given motion --------------------------------------------------------------------------------------


@final
@attrs.frozen(eq=False)
class Balance:
    """Torques that make a motion, with the multipliers that go with them."""

    torques: Vector
    multipliers: Vector
    rank: Scalar
    missing: Vector
    """What no torque of the actuated joints can make; zero where they can make the motion."""


def least_torques(jacobian: Matrix, wanted: Vector, actuated: Sequence[int] | None) -> Balance:
    """Return the smallest torques that do what `wanted` ones would do on every motion that the loops allow.

    `actuated` are the indices of velocities with a motor; None means all.
    """
    motors = (0,) * len(wanted) if actuated is None else _of_motors(jacobian, wanted, actuated)
    difference = tuple(a - b for a, b in zip(wanted, motors, strict=True))
    multipliers, rank = balancing_multipliers(jacobian, difference)
    borne = constraint_torques(jacobian, multipliers, len(wanted))
    left = tuple(a + b for a, b in zip(difference, borne, strict=True))
    if actuated is None:
        return Balance(left, multipliers, rank, (0,) * len(wanted))
    return Balance(motors, multipliers, rank, left)


def _of_motors(jacobian: Matrix, wanted: Vector, actuated: Sequence[int]) -> Vector:
    """Return the smallest torques of the actuated velocities whose effect on allowed motions comes nearest."""
    size = len(wanted)
    units = [allowed_part(jacobian, tuple(1 if i == j else 0 for i in range(size))) for j in actuated]
    rows = tuple(tuple(unit[i] for unit in units) for i in range(size))
    found, _ = minimum_norm_solve(rows, allowed_part(jacobian, wanted), RANK_TOLERANCE, columns=len(units))
    torques: list[Scalar] = [0] * size
    for index, torque in zip(actuated, found, strict=True):
        torques[index] = torque
    return tuple(torques)


def allowed_part(jacobian: Matrix, vector: Vector) -> Vector:
    """Return what is left of a vector when its part along the constraints is taken away."""
    products = tuple(inner(row, vector) for row in jacobian)
    along, _ = minimum_norm_solve(jacobian, products, RANK_TOLERANCE, columns=len(vector))
    return tuple(a - b for a, b in zip(vector, along, strict=True))
