"""Coulomb's law for contact accelerations, a linear complementarity problem: its solution and its residual."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from rbd.algorithms.loops.least_squares import constraint_torques
from rbd.contact.solver.constrained_motion import ConstrainedMotion, nearest_motion
from rbd.contact.solver.contact_problem import ContactProblem
from rbd.contact.solver.friction_cone import EDGES
from rbd.contact.solver.residuals import kkt_residual
from rbd.scalars import Matrix, Scalar, Vector, absolute, less, maximum, where
from rbd.scalars.linear_algebra import add, dot
from rbd.solvers.friction.solve import solve_friction

_HINT = "; contact_step finds velocities with any friction"
_JAMMED = "no accelerations obey Coulomb's law: with this friction, sliding bodies jam (Painlevé's paradox)" + _HINT
_LOST = "no accelerations found that obey Coulomb's law, and there are too many combinations to try all" + _HINT

Solve: TypeAlias = Callable[[Matrix, Vector, Matrix, Vector], ConstrainedMotion]


class FrictionSolution(NamedTuple):
    """Accelerations, per pair the forces along normal and tangents, and 1 for active pairs."""

    vd: Vector
    forces: Vector
    active: Vector


def solve_problem(problem: ContactProblem, v: Vector) -> Mapping[str, object]:
    """Return the fields of `ContactSolution` for a problem."""
    if not problem.J_t:
        return frictionless_results(problem, v, nearest_motion)
    return frictional_results(problem, v, solve_coulomb(problem))


def frictionless_results(problem: ContactProblem, v: Vector, solve: Solve) -> Mapping[str, object]:
    """Return the fields of `ContactSolution` for a problem without friction."""
    program = problem.M, problem.f, problem.J_n, problem.bounds
    x, lam, active = solve(*program)
    return _fields(problem.J_n, v, FrictionSolution(x, lam, active), kkt_residual(*program, x, lam), 1)


def frictional_results(problem: ContactProblem, v: Vector, solution: FrictionSolution) -> Mapping[str, object]:
    """Return the fields of `ContactSolution` for a solution with friction."""
    return _fields(_rows(problem), v, solution, coulomb_residual(problem, solution), 3)


def _fields(
    rows: Matrix, v: Vector, solution: FrictionSolution, residual: Scalar, rows_per_pair: int
) -> Mapping[str, object]:
    torques = constraint_torques(rows, solution.forces, len(v))
    return {
        "vd": solution.vd,
        "multipliers": solution.forces[::rows_per_pair],
        "active": solution.active,
        "contact_torques": torques,
        "kkt_residual": residual,
        "energy_change": dot(torques, v),
    }


def solve_coulomb(problem: ContactProblem) -> FrictionSolution:
    """Return accelerations and forces that obey Coulomb's law."""
    bounds = [x for k, bound in enumerate(problem.bounds) for x in (bound, *problem.bias_t[2 * k : 2 * k + 2])]
    vd, forces, active = solve_friction(
        problem.M, problem.f, _rows(problem), bounds, problem.slides, jammed=_JAMMED, lost=_LOST
    )
    return FrictionSolution(vd, forces, active[::EDGES])


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
    rates = problem.tangential_accelerations(vd)
    for k, slides in enumerate(problem.slides):
        worst = maximum(worst, _violation(slides, solution.forces[3 * k : 3 * k + 3], rates[2 * k : 2 * k + 2]))
    return worst


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
