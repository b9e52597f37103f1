"""Programs with second-order cones (Lobo, Vandenberghe, Boyd and Lebret 1998): the nearest motion with round ones.

    minimise 1/2 x'Hx - g'x   subject to   a0 x - c >= |(a1 x, a2 x)| for each cone, and intervals

In the coordinates y = W x of H = W'W this is a projection (`projection.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple, final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.workspace import Workspace, operand, result
from rbd.scalars import both, invert, less, maximum, sqrt, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.cones.projection import project_on_cones
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import NO_INTERVALS, Intervals
from rbd.solvers.operands import solver_error
from rbd.solvers.scaling import inverse_lengths, size_of_program

ACCURACY: Final = 1e-9
"""Residual, relative to the size of the problem, up to which a point is the solution."""
UNSOLVED: Final = (
    "the method for round friction cones did not end: the constraints contradict each other, or nearly so, or a light "
    'body carries a heavy one, which friction_cone="polyhedral" can solve'
)


@final
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


REQUIRE_SOLUTION: Final = Intrinsic(
    name="require_solution_in_cones",
    workspace=_Check,
    function=_check,
    operations=_operations,
    labels=1,
    error=solver_error,
)


@final
class ConeSolution(NamedTuple):
    """The minimum, the forces of each cone's rows and of intervals, and the residual, relative to the problem."""

    x: Vector
    forces: tuple[tuple[Scalar, Scalar, Scalar], ...]
    interval_forces: Vector
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
    >>> [round(x, 9) for x in found.x], [round(x, 9) for x in found.forces[0]]
    ([0.4, 0.2], [1.2, -1.2, 0.0])
    """
    free = factor.whitened(linear)
    if not cones and not intervals.rows:
        return ConeSolution(factor.unwhitened(free), (), (), 0)
    scaled = _ScaledConeProgram.of(factor, free, cones, bounds, intervals)
    found = project_on_cones(scaled.blocks, scaled.offsets, scaled.intervals, scaled.interval_sides)
    residual = maximum(found.residual, _contradiction(scaled.inverses, bounds))
    (passed,) = REQUIRE_SOLUTION((), (residual,), (UNSOLVED,))
    size = scaled.size * passed  # `passed` is 1; recorded programs keep the check, since results depend on it
    x = factor.unwhitened([a + size * b for a, b in zip(free, found.z, strict=True)])
    scales = [size * scale for scale in scaled.inverses]
    forces = (_scaled(found.forces[3 * k : 3 * k + 3], scale) for k, scale in enumerate(scales))
    interval_forces = tuple(
        size * scale * y for scale, y in zip(scaled.row_inverses, found.interval_forces, strict=True)
    )
    return ConeSolution(x, tuple((a, b, c) for a, b, c in forces), interval_forces, residual)


@final
class _ScaledConeProgram(NamedTuple):
    """The program with blocks and rows of length one, seen from the free point, in units of `size`."""

    blocks: tuple[Matrix, ...]
    offsets: Vector
    intervals: Intervals
    interval_sides: Vector
    """u0: products of the interval rows with the solution at which their rates are zero."""
    inverses: Vector
    """One over the length of the longest row of each block; zero for blocks that count as zero."""
    row_inverses: Vector
    size: Scalar

    @classmethod
    def of(
        cls, factor: Factor, free: Vector, cones: Sequence[Matrix], bounds: Sequence[Scalar], intervals: Intervals
    ) -> _ScaledConeProgram:
        """Scale a program."""
        white = [[factor.whitened(row) for row in block] for block in cones]
        inverses = inverse_lengths([reduce(maximum, (dot(row, row) for row in block)) for block in white])
        blocks = tuple(tuple(_scaled(row, x) for row in block) for block, x in zip(white, inverses, strict=True))
        slacks = tuple(_slacks(block, free, c, x) for block, c, x in zip(blocks, bounds, inverses, strict=True))
        limits, interval_sides, row_inverses = _scaled_intervals(factor, free, intervals)
        violations = [maximum(-a, sqrt(b * b + c * c)) for a, b, c in slacks]
        size = size_of_program(free, (*violations, *limits.corrections(interval_sides)))
        offsets = tuple(a / size for slack in slacks for a in slack)
        limits = limits.in_units(lambda x: x / size)
        interval_sides = tuple(x / size for x in interval_sides)
        return cls(blocks, offsets, limits, interval_sides, inverses, row_inverses, size)


def _scaled(row: Sequence[Scalar], scale: Scalar) -> Vector:
    return tuple(x * scale for x in row)


def _scaled_intervals(factor: Factor, free: Vector, intervals: Intervals) -> tuple[Intervals, Vector, Vector]:
    """Return intervals with rows of length one, or zero, their sides at rest from the free point, inverse lengths."""
    white = [factor.whitened(row) for row in intervals.rows]
    inverses = inverse_lengths([dot(row, row) for row in white])
    rows = tuple(_scaled(row, x) for row, x in zip(white, inverses, strict=True))
    return intervals.scaled(rows, inverses), tuple(-dot(row, free) for row in rows), inverses


def _contradiction(inverses: Vector, bounds: Sequence[Scalar]) -> Scalar:
    """Return 1 if a block that counts as zero has a positive bound, 0 if none has."""
    worst: Scalar = 0
    for inverse, bound in zip(inverses, bounds, strict=True):
        worst = maximum(worst, where(both(less(0, bound), invert(less(0, inverse))), 1, 0))
    return worst


def _slacks(block: Matrix, free: Vector, bound: Scalar, inverse: Scalar) -> Vector:
    """Return the slacks of a block's rows at the free point; blocks that count as zero are far from their cones."""
    a, b, c = (dot(row, free) for row in block)
    return where(less(0, inverse), a - bound * inverse, 1), b, c
