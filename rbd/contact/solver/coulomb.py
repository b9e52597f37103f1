"""Coulomb's law for contact accelerations: its solution, its solution by quadratic programs, and its residual.

The law is a linear complementarity problem, which `rbd.solvers.friction.solve` solves. For other solvers, which know
quadratic programs only: minimising over forces in the cones lets sliding points rise as well, mu times as fast
(Anitescu 2006); subtracting that rise from the bounds and solving again, until nothing changes, gives Coulomb's law (De
Saxcé, Feng, *The bipotential method*, 1998). This iteration need not converge even where there is a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import NamedTuple, TypeAlias

from rbd.algorithms.loops.least_squares import constraint_torques
from rbd.contact.solver.constrained_motion import ConstrainedMotion, nearest_motion
from rbd.contact.solver.contact_problem import ContactProblem
from rbd.contact.solver.friction_cone import EDGES, cone_edges
from rbd.contact.solver.residuals import kkt_residual
from rbd.scalars import Matrix, Scalar, Vector, absolute, const, less, maximum, where
from rbd.scalars.linear_algebra import add, dot, matvec
from rbd.solvers.friction.solve import solve_friction

_HINT = "; contact_step finds velocities with any friction"
_JAMMED = "no accelerations obey Coulomb's law: with this friction, sliding bodies jam (Painlevé's paradox)" + _HINT
_LOST = "no accelerations found that obey Coulomb's law, and there are too many combinations to try all" + _HINT
_BACKWARD = 1
"""The edge opposite to the sliding direction: n - mu t of the first tangent."""
_EXTRAPOLATIONS = 8
"""Extrapolations, of two quadratic programs each."""
_CONTRACTION = const(9, 10)

Solve: TypeAlias = Callable[[Matrix, Vector, Matrix, Vector], ConstrainedMotion]


class FrictionSolution(NamedTuple):
    """Accelerations, per pair the forces along normal and tangents, and 1 where the pair is held."""

    vd: Vector
    forces: Vector
    active: Vector


def solve_problem(problem: ContactProblem, v: Vector) -> Mapping[str, object]:
    """Return the results of a problem, arrays by name."""
    if not problem.J_t:
        return _frictionless_results(problem, v, nearest_motion)
    return _results(problem, v, solve_coulomb(problem))


def solve_problem_by_quadratic_programs(problem: ContactProblem, v: Vector, solve: Solve) -> Mapping[str, object]:
    """Return the results of a problem, arrays by name; `solve` solves its quadratic programs."""
    if not problem.J_t:
        return _frictionless_results(problem, v, solve)
    return _results(problem, v, solve_by_quadratic_programs(problem, solve))


def _frictionless_results(problem: ContactProblem, v: Vector, solve: Solve) -> Mapping[str, object]:
    program = problem.M, problem.f, problem.J_n, problem.bounds
    x, lam, active = solve(*program)
    return _named(problem.J_n, v, FrictionSolution(x, lam, active), kkt_residual(*program, x, lam), 1)


def _results(problem: ContactProblem, v: Vector, solution: FrictionSolution) -> Mapping[str, object]:
    return _named(_rows(problem), v, solution, coulomb_residual(problem, solution), 3)


def _named(
    rows: Matrix, v: Vector, solution: FrictionSolution, residual: Scalar, rows_per_pair: int
) -> Mapping[str, object]:
    torques = constraint_torques(rows, solution.forces, len(v))
    return {
        "vd": solution.vd,
        "multipliers": solution.forces[::rows_per_pair],
        "active": solution.active,
        "contact_torques": torques,
        "residual": residual,
        "power": dot(torques, v),
    }


def solve_coulomb(problem: ContactProblem) -> FrictionSolution:
    """Return accelerations and forces that obey Coulomb's law."""
    bounds = [x for k, bound in enumerate(problem.bounds) for x in (bound, *problem.bias_t[2 * k : 2 * k + 2])]
    vd, forces, held = solve_friction(
        problem.M, problem.f, _rows(problem), bounds, problem.slides, jammed=_JAMMED, lost=_LOST
    )
    return FrictionSolution(vd, forces, held[::4])


def _rows(problem: ContactProblem) -> Matrix:
    """Return the rows of the pairs: normal and tangents of each."""
    J_t = problem.J_t
    return tuple(row for k, normal in enumerate(problem.J_n) for row in (normal, *J_t[2 * k : 2 * k + 2]))


def coulomb_residual(problem: ContactProblem, solution: FrictionSolution) -> Scalar:
    """Return the largest violation of Coulomb's law and of the KKT conditions along the normals."""
    vd, lam_n = solution.vd, solution.forces[::3]
    lam_t = tuple(x for k, x in enumerate(solution.forces) if k % 3)
    f = add(problem.f, constraint_torques(problem.J_t, lam_t, len(vd)))
    worst = kkt_residual(problem.M, f, problem.J_n, problem.bounds, vd, lam_n)
    rates = _tangential_accelerations(problem, vd)
    for k, slides in enumerate(problem.slides):
        worst = maximum(worst, _violation(slides, solution.forces[3 * k : 3 * k + 3], rates[2 * k : 2 * k + 2]))
    return worst


def _tangential_accelerations(problem: ContactProblem, vd: Vector) -> Vector:
    """Return the accelerations of the points along the tangents, times mu."""
    return add(matvec(problem.J_t, vd), problem.bias_t)


def _violation(slides: Scalar, forces: Vector, rates: Vector) -> Scalar:
    """Return by how much a pair violates the law.

    A pair that slides has the force opposite to its direction; another one a force in the cone with the largest
    dissipation.
    """
    normal, first, second = forces
    opposite = maximum(absolute(normal + first), absolute(second))
    dissipated = first * rates[0] + second * rates[1] + normal * maximum(absolute(rates[0]), absolute(rates[1]))
    in_cone = maximum(absolute(first) + absolute(second) - normal, absolute(dissipated))
    return where(less(0, slides), opposite, in_cone)


# --- by quadratic programs --------------------------------------------------------------------------------------------


def solve_by_quadratic_programs(problem: ContactProblem, solve: Solve) -> FrictionSolution:
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
    return FrictionSolution(
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
    rates = _tangential_accelerations(problem, vd)
    return tuple(
        where(less(0, slides), rates[2 * k], maximum(absolute(rates[2 * k]), absolute(rates[2 * k + 1])))
        for k, slides in enumerate(problem.slides)
    )


def _corrected_bounds(problem: ContactProblem, corrections: Vector) -> Vector:
    """Return the bounds of the edges less the corrections; of a pair that slides, one edge only is held."""
    bounds: list[Scalar] = []
    for k, (slides, correction) in enumerate(zip(problem.slides, corrections, strict=True)):
        for edge in range(EDGES):
            shift = problem.bias_t[2 * k + edge // 2]
            bound = problem.bounds[k] - correction + (shift if edge % 2 else -shift)
            bounds.append(bound if edge == _BACKWARD else where(less(0, slides), 0, bound))
    return tuple(bounds)
