"""Programs with second-order cones: the nearest motion with round friction cones.

    minimise 1/2 x'Hx - g'x   subject to   a0 x - c >= |(a1 x, a2 x)| for each cone, and rows x >= bounds

In the coordinates y = W x of H = W'W this is a projection (`cone_projection.py`); a row with a bound is a cone whose
other two rows are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple, final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.workspace import Workspace, operand, result
from rbd.scalars.conditions import both, invert
from rbd.scalars.constants import const
from rbd.scalars.functions import less, maximum, sqrt, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.cone_projection import PROJECT_ON_CONES
from rbd.solvers.interval_program import solve_interval_program
from rbd.solvers.linear import Factor
from rbd.solvers.operands import entries, solver_error
from rbd.solvers.polyhedral_projection import NO_INTERVALS, Intervals

ACCURACY: Final = 1e-9
"""Residual, relative to the size of the problem, up to which a point is the solution."""
UNSOLVED: Final = (
    "the method for round friction cones did not end: the constraints contradict each other, or nearly so, or a light "
    'body carries a heavy one, which friction_cone="polyhedral" can solve'
)
_SMALL: Final = const(1, 10**6)
"""Violations and sliding are scaled to one, or, where smaller than this share of the free point, that share is."""
_ZERO_BLOCK: Final = const(1, 10**14)
"""A block this much shorter than the longest counts as zero."""


class _Check(Workspace):
    """A residual."""

    residual = operand("1")
    factor = result("1")
    """1."""


def _check(w: _Check) -> int:
    if not w.residual[0] <= ACCURACY:
        return 1
    w.factor[0] = 1.0
    return 0


def _operations() -> int:
    return 1


def _no_change(*_: object) -> Vector:
    return (0,)


REQUIRE_SOLUTION: Final = Intrinsic(
    name="require_solution_in_cones",
    workspace=_Check,
    function=_check,
    operations=_operations,
    labels=1,
    error=solver_error,
    derivative=_no_change,
)


@final
class ConeSolution(NamedTuple):
    """The minimum, three multipliers of each cone and those of intervals, and the residual, relative to the problem."""

    x: Vector
    cones: tuple[tuple[Scalar, Scalar, Scalar], ...]
    intervals: Vector
    residual: Scalar


def solve_cone_program(
    hessian: Matrix,
    factor: Factor,
    linear: Sequence[Scalar],
    cones: Sequence[Matrix],
    bounds: Sequence[Scalar],
    intervals: Intervals = NO_INTERVALS,
) -> ConeSolution:
    """Minimise 1/2 x'Hx - `linear`'x subject to a0 x - c >= |(a1 x, a2 x)| for rows a of `cones` and c of `bounds`.

    `factor` is that of the Hessian; `intervals` have two bounds and friction. Raises SolverError when the residual
    stays above 1e-9, as it does where constraints contradict each other, and may where light bodies carry heavy ones.

    >>> unit = ((1.0, 0.0), (0.0, 1.0))
    >>> cone = ((0.0, 1.0), (0.5, 0.0), (0.0, 0.0))
    >>> found = solve_cone_program(unit, Factor.of(unit, "ab"), (1.0, -1.0), [cone], (0.0,))
    >>> [round(x, 9) for x in found.x], [round(x, 9) for x in found.cones[0]]
    ([0.4, 0.2], [1.2, -1.2, 0.0])
    """
    residuals: list[Scalar] = []

    def solve(
        matrix: Matrix, forces: Sequence[Scalar], rows: Matrix, sides: Sequence[Scalar]
    ) -> tuple[Vector, Vector, Vector]:
        white = factor if matrix is hessian else Factor.of(matrix, [f"unknown {k}" for k in range(len(matrix))])
        x, multipliers, residual = _projected(white, forces, rows, sides, len(cones))
        residuals.append(residual)
        return x, multipliers, tuple(where(less(0, each), 1, 0) for each in multipliers)

    flat, sides = tuple(row for cone in cones for row in cone), tuple(x for c in bounds for x in (c, 0, 0))
    found = solve_interval_program(solve, hessian, factor, linear, flat, sides, intervals)
    forces, count = found.multipliers, 3 * len(cones)
    triples = tuple((forces[k], forces[k + 1], forces[k + 2]) for k in range(0, count, 3))
    return ConeSolution(found.x, triples, forces[count:], residuals[0])


def _projected(
    factor: Factor, linear: Sequence[Scalar], rows: Matrix, sides: Sequence[Scalar], cones: int
) -> tuple[Vector, Vector, Scalar]:
    """Return the minimum, a multiplier for each row, and the residual; the first rows are those of cones."""
    free = factor.whitened(linear)
    n, zero = len(free), (0,) * len(free)
    blocks = [(rows[3 * k : 3 * k + 3], sides[3 * k]) for k in range(cones)]
    blocks += [((row, zero, zero), side) for row, side in zip(rows[3 * cones :], sides[3 * cones :], strict=True)]
    if not blocks:
        return factor.unwhitened(free), (), 0
    white = [[factor.whitened(row) for row in block] for block, _ in blocks]
    scales = _inverse_lengths(white)
    unit = [[tuple(x * scale for x in row) for row in block] for block, scale in zip(white, scales, strict=True)]
    starts = [_slacks(block, free, side * scale) for block, (_, side), scale in zip(unit, blocks, scales, strict=True)]
    # Violations of cones, and speeds of sliding, whose rounding shows in the multipliers.
    sizes = (maximum(-a, sqrt(b * b + c * c)) for a, b, c in starts)
    size = reduce(maximum, sizes, sqrt(dot(free, free)) * _SMALL)
    size = where(less(0, size), size, 1)
    offsets = [x / size for start in starts for x in start]
    operands = (*entries(tuple(row for block in unit for row in block)), *offsets)
    flat = PROJECT_ON_CONES((n, len(blocks)), operands)
    residual = maximum(flat[-2], _contradiction(scales, [side for _, side in blocks]))
    (passed,) = REQUIRE_SOLUTION((), (residual,), (UNSOLVED,))
    scaled = size * passed
    x = factor.unwhitened([a + scaled * b for a, b in zip(free, flat[:n], strict=True)])
    forces = [scaled * scales[k // 3] * y for k, y in enumerate(flat[n:-2])]
    return x, (*forces[: 3 * cones], *forces[3 * cones :: 3]), residual


def _inverse_lengths(blocks: Sequence[Sequence[Vector]]) -> Vector:
    """Return one over the length of the longest row of each block, zero for blocks that count as zero."""
    squares = [reduce(maximum, (dot(row, row) for row in block)) for block in blocks]
    least = _ZERO_BLOCK * _ZERO_BLOCK * reduce(maximum, squares)
    counts = [less(least, square) for square in squares]
    return tuple(where(c, 1 / sqrt(where(c, square, 1)), 0) for c, square in zip(counts, squares, strict=True))


def _contradiction(scales: Vector, sides: Sequence[Scalar]) -> Scalar:
    """Return 1 if a block that counts as zero has a positive bound, 0 if none has."""
    pairs = zip(scales, sides, strict=True)
    return reduce(maximum, (where(both(less(0, side), invert(less(0, scale))), 1, 0) for scale, side in pairs))


def _slacks(block: Sequence[Vector], free: Vector, side: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return what the rows of a block are at the free point."""
    a, b, c = (dot(row, free) for row in block)
    return a - side, b, c
