"""The fields of `ContactSolution` for a problem, by methods that are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias, final

from rbd.algorithms.loops.least_squares import constraint_torques
from rbd.contact.dynamics.accelerations.contact_problem import ContactProblem
from rbd.contact.dynamics.accelerations.coulomb import coulomb_residual
from rbd.contact.dynamics.friction_cone import AXES
from rbd.contact.dynamics.gauss_principle import ConstrainedMotion
from rbd.contact.dynamics.residuals import kkt_residual
from rbd.scalars import Matrix, Vector
from rbd.scalars.linear_algebra import dot

Minimise: TypeAlias = Callable[[Matrix, Vector, Matrix, Vector], ConstrainedMotion]
"""Gauss's principle: maps M, f, rows and bounds to the nearest motion."""


@final
class ProblemMethods(NamedTuple):
    """Methods for problems without friction, and with Coulomb's law."""

    frictionless: Minimise
    coulomb: Callable[[ContactProblem], ConstrainedMotion]


def solution_fields(problem: ContactProblem, v: Vector, methods: ProblemMethods) -> Mapping[str, object]:
    """Return the fields of `ContactSolution` for a problem, and velocities v."""
    if problem.J_t:
        rows, axes, motion = problem.rows, AXES, methods.coulomb(problem)
        residual = coulomb_residual(problem, motion)
    else:
        program = problem.M, problem.f, problem.J_n, problem.bounds
        rows, axes, motion = problem.J_n, 1, methods.frictionless(*program)
        residual = kkt_residual(*program, motion.x, motion.lam)
    torques = constraint_torques(rows, motion.lam, len(v))
    return {
        "vd": motion.x,
        "multipliers": motion.lam[::axes],
        "active": motion.active,
        "contact_torques": torques,
        "kkt_residual": residual,
        "energy_change": dot(torques, v),
    }
