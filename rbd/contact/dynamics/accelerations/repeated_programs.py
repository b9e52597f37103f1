"""Coulomb's law for contact accelerations, by quadratic programs only: for solvers that users compare with rbd's.

Minimising over forces in the cones lets sliding points rise as well, mu times as fast (Anitescu 2006); subtracting that
rise from the bounds and solving again, until nothing changes, gives Coulomb's law (De Saxcé, Feng, *The bipotential
method*, 1998). This iteration need not converge even where there is a solution.
"""

from __future__ import annotations

from functools import reduce

from rbd.contact.dynamics.accelerations.contact_problem import ContactProblem
from rbd.contact.dynamics.accelerations.solution_fields import Minimise
from rbd.contact.dynamics.friction_cone import EDGES, cone_edges
from rbd.contact.dynamics.gauss_principle import ConstrainedMotion
from rbd.scalars import Matrix, Scalar, Vector, absolute, const, less, maximum, where

_BACKWARD = 1
"""The edge opposite to the sliding direction: n - mu t of the first tangent."""
_EXTRAPOLATIONS = 8
"""Extrapolations, of two quadratic programs each."""
_CONTRACTION = const(9, 10)


def solve_by_quadratic_programs(solve: Minimise, problem: ContactProblem) -> ConstrainedMotion:
    """Return the limit of repeated quadratic programs, whose bounds are lowered by the corrections of the one before.

    The corrections of each pair are extrapolated from every second program (Steffensen's method).
    """
    rows = _edge_rows(problem)

    def solved(corrections: Vector) -> ConstrainedMotion:
        return solve(problem.M, problem.f, rows, _corrected_bounds(problem, corrections))

    corrections: Vector = (0,) * len(problem.slides)
    for _ in range(_EXTRAPOLATIONS):
        first = _de_saxce_corrections(problem, solved(corrections).x)
        second = _de_saxce_corrections(problem, solved(first).x)
        corrections = tuple(_aitken(*three) for three in zip(corrections, first, second, strict=True))
    motion = solved(corrections)
    starts = range(0, len(rows), EDGES)
    return ConstrainedMotion(
        motion.x,
        tuple(x for k in starts for x in _along_rows(motion.lam[k : k + EDGES])),
        tuple(reduce(maximum, motion.active[k : k + EDGES]) for k in starts),
    )


def _along_rows(weights: Vector) -> Vector:
    """Return the forces along normal and tangents, from the weights of the edges of one cone."""
    return reduce(lambda a, b: a + b, weights), weights[0] - weights[1], weights[2] - weights[3]


def _edge_rows(problem: ContactProblem) -> Matrix:
    """Return the rows of all edges for pairs at rest; of the backward edge only for pairs that slide."""
    J_t, rows = problem.J_t, list[Vector]()
    for k, (normal, slides) in enumerate(zip(problem.J_n, problem.slides, strict=True)):
        for edge, row in enumerate(cone_edges(normal, J_t[2 * k : 2 * k + 2])):
            free = less(0, slides)
            rows.append(row if edge == _BACKWARD else tuple(where(free, 0, x) for x in row))
    return tuple(rows)


def _aitken(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """Return the limit of the geometric sequence a, b, c if its differences shrink; else c."""
    before, after = b - a, c - b
    shrinks = less(absolute(after), _CONTRACTION * absolute(before))
    return where(shrinks, c + after * after / where(shrinks, before - after, 1), c)


def _de_saxce_corrections(problem: ContactProblem, vd: Vector) -> Vector:
    """Return, per pair, the normal acceleration that the cone adds to a point that slides with the accelerations vd."""
    rates = problem.tangential_accelerations(vd)
    return tuple(
        where(less(0, slides), rates[2 * k], maximum(absolute(rates[2 * k]), absolute(rates[2 * k + 1])))
        for k, slides in enumerate(problem.slides)
    )


def _corrected_bounds(problem: ContactProblem, corrections: Vector) -> Vector:
    """Return the bounds of the edges less the corrections; of a pair that slides, one edge only has one."""
    bounds: list[Scalar] = []
    for k, (slides, correction) in enumerate(zip(problem.slides, corrections, strict=True)):
        for edge in range(EDGES):
            shift = problem.bias_t[2 * k + edge // 2]
            bound = problem.bounds[k] - correction + (shift if edge % 2 else -shift)
            bounds.append(bound if edge == _BACKWARD else where(less(0, slides), 0, bound))
    return tuple(bounds)
