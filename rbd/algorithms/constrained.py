"""Solving for motion and forces where loops constrain them.

In coordinates in which the mass matrix is the identity, the constraints allow the motion nearest to the one without
them (Gauss). It is found by a rank-revealing factorisation of the constraints themselves, never of the squared matrix K
M⁻¹ Kᵀ, so that redundant constraints are told from independent ones to half as many digits again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, final

import attrs

from rbd.algorithms.passive import vanishes
from rbd.scalars import Matrix, Scalar, Vector, const, greater, maximum, minimum, sqrt, where
from rbd.solvers import minimum_norm_solve
from rbd.solvers.linear import Factor

_SHARPEST: Final = const(1, 10**9)
_COARSEST: Final = const(1, 10**3)
_SAFETY: Final = 10


@final
@attrs.frozen(eq=False)
class Equations:
    """K vd = -k, and what is known about the loops that make it."""

    jacobian: Matrix
    bias: Vector
    blocks: tuple[tuple[int, ...], ...]
    """The rows of each loop, without those that are zero by structure: out of the plane of a planar loop, for one."""
    tolerance: Scalar
    """A constraint is redundant when what is left of it beside the others is less than this share of the strongest."""


def blocks_of(jacobian: Matrix, loops: Iterable[slice]) -> tuple[tuple[int, ...], ...]:
    """Return, per loop, the rows that are not zero by structure."""
    return tuple(
        tuple(i for i in range(rows.start, rows.stop) if not all(map(vanishes, jacobian[i]))) for rows in loops
    )


def rank_tolerance(jacobian: Matrix, errors: Vector, blocks: tuple[tuple[int, ...], ...]) -> Scalar:
    """Return below which share of the strongest constraint one counts as redundant.

    Constraints that are redundant while loops are closed, as in linkages that move only thanks to their proportions,
    differ in the measure in which the loops are open: to keep them apart then would jam the linkage.
    """
    widest: Scalar = 0
    for rows in blocks:
        gap, size = sum_of_squares(errors[i] for i in rows), sum_of_squares(x for i in rows for x in jacobian[i])
        moves = greater(size, 0)
        widest = maximum(widest, where(moves, gap / where(moves, size, 1), 0))
    return minimum(_COARSEST, _SHARPEST + _SAFETY * sqrt(widest))


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
    """The constraints K vd = -k in white coordinates w, where the motion without them is `free`.

    The rows of each loop are scaled so that the strongest has length one: a loop of fingers counts as much as a loop of
    legs when it is judged what is redundant.
    """

    factor: Factor
    rows: Matrix
    """K in white coordinates, one row per constraint."""
    free: Vector
    missing: Vector
    """How far the free motion is from keeping each constraint."""
    tolerance: Scalar

    @classmethod
    def of(cls, factor: Factor, equations: Equations, right: Vector) -> WhiteProblem:
        """Pose the problem: M vd = `right` less the constraint torques, `factor` being that of M."""
        free = factor.whitened(right)
        rows: list[Vector] = []
        missing: list[Scalar] = []
        for block in equations.blocks:
            white = tuple(factor.whitened(equations.jacobian[i]) for i in block)
            scale = row_scale(white)
            rows += [tuple(x * scale for x in row) for row in white]
            missing += [-(equations.bias[i] + inner(row, free)) * scale for i, row in zip(block, white, strict=True)]
        return cls(factor, tuple(rows), free, tuple(missing), equations.tolerance)

    def accelerations(self) -> tuple[Vector, Scalar]:
        """Return vd, with the smallest change of the free motion that keeps the constraints, and their rank."""
        correction, rank = minimum_norm_solve(self.rows, self.missing, self.tolerance, columns=len(self.free))
        return self.factor.coloured([a + b for a, b in zip(self.free, correction, strict=True)]), rank


def row_scale(rows: Matrix) -> Scalar:
    """Return what makes the longest row one long; 1 when all are zero."""
    longest: Scalar = 0
    for row in rows:
        longest = maximum(longest, sum_of_squares(row))
    moves = greater(longest, 0)
    return where(moves, 1 / sqrt(where(moves, longest, 1)), 1)


def constrained_solution(matrix: Matrix, factor: Factor, equations: Equations, right: Vector) -> Constrained:
    """Return vd, the smallest multipliers λ with M vd = right - Kᵀ λ and K vd = -k, and the rank of K.

    Constraints that contradict each other are kept in the least-squares sense.
    """
    vd, rank = WhiteProblem.of(factor, equations, right).accelerations()
    unbalanced = tuple(inner(row, vd) - torque for row, torque in zip(matrix, right, strict=True))
    multipliers, _ = balancing_multipliers(equations, unbalanced)
    return Constrained(vd, multipliers, rank)


def sum_of_squares(values: Iterable[Scalar]) -> Scalar:
    """Return the sum of squares."""
    total: Scalar = 0
    for x in values:
        total = total + x * x
    return total


def inner(a: Vector, b: Vector) -> Scalar:
    """Return the inner product."""
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def balancing_multipliers(equations: Equations, torques: Vector) -> tuple[Vector, Scalar]:
    """Return the smallest λ for which `torques` + Kᵀ λ is as small as can be, and the rank of K."""
    active = [i for block in equations.blocks for i in block]
    columns = tuple(tuple(equations.jacobian[i][j] for i in active) for j in range(len(torques)))
    right = tuple(-x for x in torques)
    found, rank = minimum_norm_solve(columns, right, equations.tolerance, columns=len(active))
    multipliers: list[Scalar] = [0] * len(equations.jacobian)
    for i, multiplier in zip(active, found, strict=True):
        multipliers[i] = multiplier
    return tuple(multipliers), rank


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


def least_torques(equations: Equations, wanted: Vector, actuated: Sequence[int] | None) -> Balance:
    """Return the smallest torques that do what `wanted` ones would do on every motion that the loops allow.

    `actuated` are the indices of velocities with a motor; None means all.
    """
    motors = (0,) * len(wanted) if actuated is None else _of_motors(equations, wanted, actuated)
    difference = tuple(a - b for a, b in zip(wanted, motors, strict=True))
    multipliers, rank = balancing_multipliers(equations, difference)
    borne = constraint_torques(equations.jacobian, multipliers, len(wanted))
    left = tuple(a + b for a, b in zip(difference, borne, strict=True))
    if actuated is None:
        return Balance(left, multipliers, rank, (0,) * len(wanted))
    return Balance(motors, multipliers, rank, left)


def _of_motors(equations: Equations, wanted: Vector, actuated: Sequence[int]) -> Vector:
    """Return the smallest torques of the actuated velocities whose effect on allowed motions comes nearest."""
    size = len(wanted)
    units = [_allowed_part(equations, tuple(1 if i == j else 0 for i in range(size))) for j in actuated]
    rows = tuple(tuple(unit[i] for unit in units) for i in range(size))
    found, _ = minimum_norm_solve(rows, _allowed_part(equations, wanted), equations.tolerance, columns=len(units))
    torques: list[Scalar] = [0] * size
    for index, torque in zip(actuated, found, strict=True):
        torques[index] = torque
    return tuple(torques)


def _allowed_part(equations: Equations, vector: Vector) -> Vector:
    """Return what is left of a vector when its part along the constraints is taken away."""
    products = tuple(inner(row, vector) for row in equations.jacobian)
    along, _ = minimum_norm_solve(equations.jacobian, products, equations.tolerance, columns=len(vector))
    return tuple(a - b for a, b in zip(vector, along, strict=True))
