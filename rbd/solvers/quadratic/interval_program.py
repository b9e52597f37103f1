"""Quadratic programs with interval rows, as quadratic programs with more unknowns.

An absolute value becomes two rows and an unknown (Boyd and Vandenberghe 2004). The cost f |u| of dry friction on a rate
u = r x is that of a mass m with w >= |u| that a force f pushes towards zero:

    minimise 1/2 x'(H - m r'r) x - g'x + 1/2 m w² + f w   subject to   w + u >= 0, w - u >= 0

At the minimum w = |u|, so that m adds nothing. H - sum of m r'r must be positive definite: with k masses, m is half of
1/(k r H⁻¹ r'). So everything that solves and differentiates quadratic programs does so for these, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias, final

from rbd.scalars.constants import const
from rbd.scalars.linear_algebra import add, dot, negate, subtract
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import Intervals

ProgramMethod: TypeAlias = Callable[[Matrix, Sequence[Scalar], Matrix, Sequence[Scalar]], tuple[Vector, Vector, Vector]]
"""Maps Hessian, linear term, rows and bounds to the minimum, its multipliers, and 1 for active rows."""


@final
class IntervalSolution(NamedTuple):
    """The minimum, multipliers of rows and interval rows, and 1 for those that are active."""

    x: Vector
    multipliers: Vector
    active: Vector


@final
class _Slider(NamedTuple):
    """A row with friction, and its mass m."""

    number: int
    row: Vector
    friction: Scalar
    mass: Scalar


def solve_interval_program(
    solve: ProgramMethod,
    hessian: Matrix,
    factor: Factor,
    linear: Sequence[Scalar],
    rows: Matrix,
    bounds: Sequence[Scalar],
    intervals: Intervals,
) -> IntervalSolution:
    """Minimise 1/2 x'Hx - `linear`'x + friction |r x| subject to `rows` x >= `bounds` and lower <= r x <= upper.

    `factor` is that of the Hessian; r are the rows of `intervals`, whose multipliers come last.

    >>> from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program
    >>> unit = ((1.0,),)
    >>> factor, sliding = Factor.of(unit, ["x"]), Intervals(unit, (-1.0,), (1.0,), (2.0,), (0.0,))
    >>> solve = lambda *given: solve_quadratic_program(*given)[:3]
    >>> [round(solve_interval_program(solve, unit, factor, (g,), (), (), sliding).x[0], 9) for g in (1.9, 2.5, 4.0)]
    [0.0, 0.5, 1.0]
    """
    if not intervals.rows:
        return IntervalSolution(*solve(hessian, linear, rows, bounds))
    sliders = _sliders(factor, intervals)
    none = [0 for _ in sliders]
    sides = (*bounds, *intervals.lower, *negate(intervals.upper), *none, *none)
    forces = (*linear, *(-each.friction for each in sliders))
    extended = _extended_hessian(hessian, sliders), forces, _extended_rows(rows, intervals, sliders), sides
    found = IntervalSolution(*solve(*extended))
    return _joined_solution(found._replace(x=found.x[: len(linear)]), len(bounds), len(intervals.rows), sliders)


def _extended_rows(rows: Matrix, intervals: Intervals, sliders: Sequence[_Slider]) -> Matrix:
    """Return the rows of x and w: those given, both bounds of interval rows, and both of each w."""
    none = [0 for _ in sliders]
    found = [(*row, *none) for row in (*rows, *intervals.rows)]
    found += [(*negate(row), *none) for row in intervals.rows]
    for sign in (1, -1):
        found += [(*(sign * x for x in each.row), *_unit(i, len(sliders))) for i, each in enumerate(sliders)]
    return tuple(found)


def _joined_solution(found: IntervalSolution, m: int, k: int, sliders: Sequence[_Slider]) -> IntervalSolution:
    """Return one multiplier for each of m rows and k interval rows, from those of the rows of x and w."""
    (x, multipliers, active), last = found, m + 2 * k
    total = list(subtract(multipliers[m : m + k], multipliers[m + k : last]))
    flags = list(add(active[m : m + k], active[m + k : last]))
    for i, each in enumerate(sliders):
        a, b = last + i, last + len(sliders) + i
        total[each.number] = total[each.number] + multipliers[a] - multipliers[b] + each.mass * dot(each.row, x)
        flags[each.number] = flags[each.number] + active[a] * active[b]
    return IntervalSolution(x, (*multipliers[:m], *total), (*active[:m], *flags))


def _sliders(factor: Factor, intervals: Intervals) -> list[_Slider]:
    """Return the rows with friction."""
    with_friction = [(j, f) for j, f in enumerate(intervals.friction) if not is_structural_zero(f)]
    sliders = list[_Slider]()
    for j, friction in with_friction:
        white = factor.whitened(intervals.rows[j])
        mass = const(1, 2 * len(with_friction)) / dot(white, white)
        sliders.append(_Slider(j, intervals.rows[j], friction, mass))
    return sliders


def _extended_hessian(hessian: Matrix, sliders: Sequence[_Slider]) -> Matrix:
    """Return the Hessian of x and w."""
    n, k, reduced = len(hessian), len(sliders), [list(row) for row in hessian]
    for each in sliders:
        places = [i for i, x in enumerate(each.row) if not is_structural_zero(x)]
        for i in places:
            for j in places:
                reduced[i][j] = reduced[i][j] - each.mass * each.row[i] * each.row[j]
    top = [(*row, *(0 for _ in range(k))) for row in reduced]
    return *top, *((*(0 for _ in range(n)), *_unit(i, k, each.mass)) for i, each in enumerate(sliders))


def _unit(place: int, size: int, value: Scalar = 1) -> Vector:
    return tuple(value if i == place else 0 for i in range(size))
