"""Constrained accelerations, multipliers and torques by least squares: Udwadia and Kalaba (1992).

By Gauss's principle the accelerations under constraints K vd = -k are the nearest to the free ones in the metric of M:
vd = M^-1/2 (w + (K M^-1/2)^+ (-k - K M^-1/2 w)) with w = M^1/2 vd_free. Here M^1/2 is the triangular factor of M, and
the pseudo-inverse is a rank-revealing factorisation of K M^-1/2, not of K M^-1 K^T, whose condition is squared. Where
there are many loops, K M^-1 K^T is sparse: then it is factored, and the solution refined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Final, final

import attrs

from rbd.scalars import Matrix, Scalar, Vector, const, greater, maximum, minimum, sqrt, where
from rbd.scalars.lengths import square_sum
from rbd.scalars.linear_algebra import combination, sparse_dot, unit
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers import MINIMUM_NORM_SOLVE, minimum_norm_solve
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.equations.sparse_minimum_norm import LEAST_SAVED, BlockStructure, sparse_minimum_norm

_MIN_RANK_TOLERANCE: Final = const(1, 10**9)
_MAX_RANK_TOLERANCE: Final = const(1, 10**3)
_SAFETY: Final = 10


@final
@attrs.frozen(eq=False)
class ConstraintEquations:
    """The constraint equations K vd = -k of all loops and couplings."""

    K: Matrix
    k: Vector
    blocks: tuple[tuple[int, ...], ...]
    """The rows of each loop and coupling, without structural zeros, such as those out of the plane of a planar loop."""
    tolerance: Scalar
    """Rank tolerance: a row is redundant when its part independent of the others is below this share of the largest."""


def blocks_of(K: Matrix, constraints: Iterable[slice]) -> tuple[tuple[int, ...], ...]:
    """Return, per loop and coupling, the rows that are not structural zeros."""
    return tuple(
        tuple(i for i in range(rows.start, rows.stop) if not all(map(is_plain_zero, K[i]))) for rows in constraints
    )


def rank_tolerance(K: Matrix, errors: Vector, blocks: tuple[tuple[int, ...], ...]) -> Scalar:
    """Return the rank tolerance: it grows with the loop errors.

    Overconstrained linkages that move only thanks to their proportions have redundant constraints while their loops are
    closed. Once the loops are open by rounding, these rows differ by as much; counted as independent they would jam it.
    """
    widest: Scalar = 0
    for rows in blocks:
        gap, size = square_sum(errors[i] for i in rows), square_sum(x for i in rows for x in K[i])
        moves = greater(size, 0)
        widest = maximum(widest, where(moves, gap / where(moves, size, 1), 0))
    return minimum(_MAX_RANK_TOLERANCE, _MIN_RANK_TOLERANCE + _SAFETY * sqrt(widest))


@final
@attrs.frozen(eq=False)
class ConstrainedSolution:
    """Accelerations under the constraints, and the multipliers."""

    vd: Vector
    multipliers: Vector
    rank: Scalar


@final
@attrs.frozen(eq=False)
class WhitenedProblem:
    """The least-squares problem in whitened coordinates w, in which M is the identity.

    The rows of each loop are scaled so that the longest has length one: the rank does not depend on the loop's size.
    """

    factor: Factor
    rows: Matrix
    """K M^-1/2, scaled, one row per constraint."""
    free: Vector
    """w of the free motion."""
    residual: Vector
    """-k - K M^-1/2 w, scaled: the residual of each constraint in the free motion."""
    tolerance: Scalar
    blocks: tuple[tuple[int, ...], ...]
    """The rows of each loop."""

    @classmethod
    def of(cls, factor: Factor, equations: ConstraintEquations, right: Vector) -> WhitenedProblem:
        """Return the problem M vd = `right` - K^T lambda, K vd = -k; `factor` is that of M."""
        free = factor.whitened(right)
        rows: list[Vector] = []
        residual: list[Scalar] = []
        for block in equations.blocks:
            white = tuple(factor.whitened(equations.K[i]) for i in block)
            scale = row_scale(white)
            rows += [tuple(x * scale for x in row) for row in white]
            residual += [-(equations.k[i] + sparse_dot(row, free)) * scale for i, row in zip(block, white, strict=True)]
        return cls(factor, tuple(rows), free, tuple(residual), equations.tolerance, _numbered(equations.blocks))

    def accelerations(self) -> tuple[Vector, Scalar]:
        """Return vd and the rank of K: the free motion plus the smallest correction that satisfies the constraints."""
        correction, rank = self._correction()
        return self.factor.unwhitened([a + b for a, b in zip(self.free, correction, strict=True)]), rank

    def _correction(self) -> tuple[Vector, Scalar]:
        structure = _structure(self.rows, self.blocks, len(self.free))
        if structure is None:
            return minimum_norm_solve(self.rows, self.residual, self.tolerance, columns=len(self.free))
        correction, _, rank = sparse_minimum_norm(structure, self.rows, self.residual, self.tolerance)
        return correction, rank


def _numbered(blocks: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the rows of each block among the rows of all blocks."""
    ends = list(accumulate(map(len, blocks), initial=0))
    return tuple(tuple(range(a, b)) for a, b in pairwise(ends) if a < b)


def _structure(rows: Matrix, blocks: Sequence[Sequence[int]], columns: int) -> BlockStructure | None:
    """Return the structure of the rows of loops where a sparse solution saves much; None for few loops."""
    size = len(rows), columns
    if not all(size) or MINIMUM_NORM_SOLVE.operation_count(size) < LEAST_SAVED:
        return None
    structure = BlockStructure.of(rows, blocks, columns)
    return structure if structure.saved >= LEAST_SAVED else None


def row_scale(rows: Matrix) -> Scalar:
    """Return the factor by which the longest row gets length one; 1 when all are zero."""
    longest: Scalar = 0
    for row in rows:
        longest = maximum(longest, square_sum(row))
    moves = greater(longest, 0)
    return where(moves, 1 / sqrt(where(moves, longest, 1)), 1)


def constrained_solution(
    matrix: Matrix, factor: Factor, equations: ConstraintEquations, right: Vector
) -> ConstrainedSolution:
    """Return vd, the smallest multipliers λ with M vd = right - Kᵀ λ and K vd = -k, and the rank of K.

    Contradictory constraints are satisfied in the least-squares sense.
    """
    vd, rank = WhitenedProblem.of(factor, equations, right).accelerations()
    unbalanced = tuple(sparse_dot(row, vd) - torque for row, torque in zip(matrix, right, strict=True))
    multipliers, _ = balancing_multipliers(equations, unbalanced)
    return ConstrainedSolution(vd, multipliers, rank)


def balancing_multipliers(equations: ConstraintEquations, torques: Vector) -> tuple[Vector, Scalar]:
    """Return the smallest λ that minimises the norm of `torques` + Kᵀ λ, and the rank of K."""
    active = [i for block in equations.blocks for i in block]
    rows = tuple(equations.K[i] for i in active)
    structure = _structure(rows, _numbered(equations.blocks), len(torques))
    if structure is not None:
        products = tuple(-sparse_dot(row, torques) for row in rows)
        _, multipliers, rank = sparse_minimum_norm(structure, rows, products, equations.tolerance)
        return _spread(active, multipliers, len(equations.K)), rank
    columns = tuple(tuple(equations.K[i][j] for i in active) for j in range(len(torques)))
    right = tuple(-x for x in torques)
    multipliers, rank = minimum_norm_solve(columns, right, equations.tolerance, columns=len(active))
    return _spread(active, multipliers, len(equations.K)), rank


def _spread(active: Sequence[int], active_multipliers: Vector, size: int) -> Vector:
    """Return the multipliers of all rows from those that are active."""
    multipliers: list[Scalar] = [0] * size
    for i, multiplier in zip(active, active_multipliers, strict=True):
        multipliers[i] = multiplier
    return tuple(multipliers)


def constraint_torques(K: Matrix, multipliers: Vector, size: int) -> Vector:
    """Return Kᵀ λ, `size` torques."""
    return combination(K, multipliers, size)


# --- inverse dynamics: Featherstone (2008), section 8.12 --------------------------------------------------------------


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
