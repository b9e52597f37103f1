"""Coulomb's law for contact accelerations, a linear complementarity problem: its solution and its residual.

The problem is that of Stewart and Trinkle 1996, for accelerations. The multipliers of a motion are those of three rows
per pair: forces along the normal and both tangents.
"""

from __future__ import annotations

from rbd.algorithms.loops.least_squares import constraint_torques
from rbd.contact.dynamics.accelerations.contact_problem import ContactProblem
from rbd.contact.dynamics.friction_cone import AXES
from rbd.contact.dynamics.gauss_principle import ConstrainedMotion
from rbd.contact.dynamics.residuals import kkt_residual
from rbd.scalars import Scalar, Vector, absolute, less, maximum, where
from rbd.scalars.linear_algebra import add
from rbd.solvers.friction.solve import solve_friction

_HINT = "; contact_step finds velocities with any friction"
_JAMMED = "no accelerations obey Coulomb's law: with this friction, sliding bodies jam (Painlevé's paradox)" + _HINT
_LOST = "no accelerations found that obey Coulomb's law, and there are too many combinations to try all" + _HINT


def solve_coulomb(problem: ContactProblem) -> ConstrainedMotion:
    """Return accelerations and forces that obey Coulomb's law, and 1 for active pairs."""
    bounds = [x for k, bound in enumerate(problem.bounds) for x in (bound, *problem.bias_t[2 * k : 2 * k + 2])]
    found = solve_friction(problem.M, problem.f, problem.rows, bounds, problem.slides, jammed=_JAMMED, lost=_LOST)
    return ConstrainedMotion(found.x, found.forces, found.active)


def coulomb_residual(problem: ContactProblem, motion: ConstrainedMotion) -> Scalar:
    """Return the largest violation of Coulomb's law and of the KKT conditions along the normals."""
    vd, lam_n = motion.x, motion.lam[::AXES]
    lam_t = tuple(x for k, x in enumerate(motion.lam) if k % AXES)
    f = add(problem.f, constraint_torques(problem.J_t, lam_t, len(vd)))
    worst = kkt_residual(problem.M, f, problem.J_n, problem.bounds, vd, lam_n)
    rates = problem.tangential_accelerations(vd)
    for k, slides in enumerate(problem.slides):
        forces = motion.lam[AXES * k : AXES * (k + 1)]
        worst = maximum(worst, _violation(slides, forces, rates[2 * k : 2 * k + 2]))
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
