"""Constrained accelerations and multipliers by least squares: Udwadia and Kalaba (1992).

By Gauss's principle the accelerations under constraints K vd = -k are the nearest to the free ones in the metric of M:
vd = M^-1/2 (w + (K M^-1/2)^+ (-k - K M^-1/2 w)) with w = M^1/2 vd_free. Here M^1/2 is the triangular factor of M, and
the pseudo-inverse is a rank-revealing factorisation of K M^-1/2, not of K M^-1 K^T, whose condition is squared. Where
there are many loops, K M^-1 K^T is sparse: then it is factored, and the solution refined.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import final

import attrs

from rbd.algorithms.loops.constraint_equations import ConstraintEquations
from rbd.scalars import Matrix, Scalar, Vector, greater, maximum, sqrt, where
from rbd.scalars.linear_algebra import combination, sparse_dot
from rbd.scalars.norms import square_sum
from rbd.solvers import MINIMUM_NORM_SOLVE, minimum_norm_solve
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.equations.sparse_minimum_norm import LEAST_SAVED, BlockStructure, sparse_minimum_norm


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
    """K M^-1/2, scaled, one row per constraint that is not a structural zero."""
    scales: Vector
    """The scale of each row."""
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
        scales: list[Scalar] = []
        residual: list[Scalar] = []
        for block in equations.blocks:
            white = tuple(factor.whitened(equations.K[i]) for i in block)
            scale = _scale_of(white)
            scales += [scale] * len(block)
            rows += [tuple(x * scale for x in row) for row in white]
            residual += [-(equations.k[i] + sparse_dot(row, free)) * scale for i, row in zip(block, white, strict=True)]
        blocks = _numbered(equations.blocks)
        return cls(factor, tuple(rows), tuple(scales), free, tuple(residual), equations.tolerance, blocks)

    def accelerations(self) -> tuple[Vector, Scalar]:
        """Return vd and the rank of K: the free motion plus the smallest correction that satisfies the constraints."""
        structure = _structure(self.rows, self.blocks, len(self.free))
        if structure is None:
            correction, rank = self.dense_correction(self.residual)
        else:
            correction, _, rank = sparse_minimum_norm(structure, self.rows, self.residual, self.tolerance)
        return self.corrected(self.free, correction), rank

    def dense_correction(self, residual: Sequence[Scalar]) -> tuple[Vector, Scalar]:
        """Return the smallest correction of w for a residual, by the rank-revealing factorisation, and the rank."""
        return minimum_norm_solve(self.rows, residual, self.tolerance, columns=len(self.free))

    def corrected(self, free: Vector, correction: Vector) -> Vector:
        """Return the accelerations of the free motion plus a correction, both in whitened coordinates."""
        return self.factor.unwhitened([a + b for a, b in zip(free, correction, strict=True)])


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


def _scale_of(rows: Matrix) -> Scalar:
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
    return ConstrainedSolution(vd, multipliers_of_motion(matrix, vd, equations, right), rank)


def multipliers_of_motion(matrix: Matrix, vd: Vector, equations: ConstraintEquations, right: Vector) -> Vector:
    """Return the smallest multipliers λ with M vd = right - Kᵀ λ."""
    unbalanced = tuple(sparse_dot(row, vd) - torque for row, torque in zip(matrix, right, strict=True))
    multipliers, _ = balancing_multipliers(equations, unbalanced)
    return multipliers


def balancing_multipliers(equations: ConstraintEquations, torques: Vector) -> tuple[Vector, Scalar]:
    """Return the smallest λ that minimises the norm of `torques` + Kᵀ λ, and the rank of K."""
    active = equations.active
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
