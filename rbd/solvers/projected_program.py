"""Quadratic programs as projections: many of them side by side in vector registers.

In the coordinates y = W x of H = W'W the objective is the distance from a point, and the solution is the projection of
that point onto the polyhedron of the constraints. Where the projection is not found to `ACCURACY`, the active-set
method of `quadratic_program.py` solves the program, or says why there is no solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple, final

from rbd.scalars.constants import const
from rbd.scalars.functions import both, either, invert, less, less_equal, maximum, sqrt, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector
from rbd.solvers.linear import Factor
from rbd.solvers.operands import entries
from rbd.solvers.polyhedral_projection import project_on_polyhedron
from rbd.solvers.quadratic_program import INDEFINITE, INFEASIBLE, SOLVE_GUARDED_QUADRATIC_PROGRAM, STUCK

ACCURACY: Final = const(1, 10**10)
"""Residual of the projection, relative to the size of the problem, up to which it is the solution."""
_ZERO_ROW: Final = const(1, 10**14)
"""A row this much shorter than the longest counts as zero."""
_SMALL: Final = const(1, 10**6)
"""Violations are scaled to one, or, where they are smaller than this share of the free point, that share is."""


@final
class ProgramSolution(NamedTuple):
    """The minimum, its multipliers, 1 for active rows, and whether the active-set method found it."""

    x: Vector
    multipliers: Vector
    active: Vector
    by_active_set: Scalar


def solve_projected_program(
    hessian: Matrix, factor: Factor, linear: Sequence[Scalar], rows: Matrix, bounds: Sequence[Scalar]
) -> ProgramSolution:
    """Minimise 1/2 x'Hx - `linear`'x subject to `rows` x >= `bounds`, as `solve_quadratic_program`.

    `factor` is that of the Hessian. Of linearly dependent rows, all may be active. Raises SolverError when the rows
    contradict each other.

    >>> hessian = ((2.0,),)
    >>> found = solve_projected_program(hessian, Factor.of(hessian, ["x"]), (2.0,), ((1.0,), (-1.0,)), (3.0, -9.0))
    >>> [round(x, 9) for x in (*found.x, *found.multipliers)]
    [3.0, 4.0, 0.0]
    """
    free = factor.whitened(linear)
    if not rows:
        return ProgramSolution(factor.unwhitened(free), (), (), 0)
    unit, sides, inverses, contradicts = _normalised([factor.whitened(row) for row in rows], bounds, free)
    scale = reduce(maximum, sides, sqrt(dot(free, free)) * _SMALL)
    scale = where(less(0, scale), scale, 1)
    used = [where(less(0, inverse), side / scale, -1) for side, inverse in zip(sides, inverses, strict=True)]
    z, weights, residual, _ = project_on_polyhedron(unit, used)
    fails = either(contradicts, invert(less_equal(residual, ACCURACY)))
    needed = where(fails, 1, 0)
    n, m = len(linear), len(bounds)
    operands = (*entries(hessian), *linear, *entries(rows), *bounds, needed)
    exact = SOLVE_GUARDED_QUADRATIC_PROGRAM((n, m), operands, (INDEFINITE, INFEASIBLE, STUCK))
    x = factor.unwhitened([a + scale * b for a, b in zip(free, z, strict=True)])
    multipliers = [scale * weight * inverse for weight, inverse in zip(weights, inverses, strict=True)]
    found = (*x, *multipliers, *(where(less(0, weight), 1, 0) for weight in weights))
    chosen = tuple(where(fails, a, b) for a, b in zip(exact[:-1], found, strict=True))
    return ProgramSolution(chosen[:n], chosen[n : n + m], chosen[n + m :], needed)


def _normalised(
    white: Sequence[Vector], bounds: Sequence[Scalar], free: Vector
) -> tuple[Matrix, Vector, Vector, Condition]:
    """Return rows of length one, their sides from the free point, inverse lengths, and whether a row contradicts.

    Rows of zeros have an inverse length of zero; one with a positive bound contradicts.
    """
    lengths = [sqrt(dot(row, row)) for row in white]
    longest = reduce(maximum, lengths)
    rows, sides, inverses, contradicts = list[Vector](), list[Scalar](), list[Scalar](), less(1, 0)
    for row, bound, length in zip(white, bounds, lengths, strict=True):
        counts = less(longest * _ZERO_ROW, length)
        inverse = where(counts, 1 / where(counts, length, 1), 0)
        rows.append(tuple(x * inverse for x in row))
        sides.append(where(counts, (bound - dot(row, free)) * inverse, 0))
        inverses.append(inverse)
        contradicts = either(contradicts, both(invert(counts), less(0, bound)))
    return tuple(rows), tuple(sides), tuple(inverses), contradicts
