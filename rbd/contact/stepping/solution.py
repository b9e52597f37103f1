"""The solution of a time step with contacts: the motion of the mechanism, impulses and forces of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from rbd.contact.dynamics.gauss_principle import (
    ConstrainedMotion,
    GaussProgram,
    nearest_motion_by_projection,
    nearest_motion_in_cones,
)
from rbd.contact.dynamics.impacts import kinetic_energy
from rbd.contact.dynamics.residuals import cone_residual, kkt_residual
from rbd.contact.model.pairs import Pair
from rbd.contact.stepping.options import ContactStepOptions
from rbd.contact.stepping.overlaps import position_correction
from rbd.contact.stepping.problem import StepConstraints, StepProblem, step_problem
from rbd.contact.stepping.transport import advance
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, less, where
from rbd.spatial.linalg import scale3


class SolvedStep(NamedTuple):
    """A step that is solved: its program, what the rows belong to, the solution, and the motion of the mechanism."""

    problem: StepProblem
    constraints: StepConstraints
    solution: ConstrainedMotion
    v: Vector
    """The velocities in the frames at the beginning of the step."""
    q_next: Vector
    v_next: Vector


Method: TypeAlias = Callable[[GaussProgram], ConstrainedMotion]
"""Solves the program of a step: one of `rbd.contact.dynamics.gauss_principle`."""


def solved_step(
    pairs: Sequence[Pair],
    state: ScalarState,
    tau: Vector,
    dt: Scalar,
    options: ContactStepOptions,
    method: Method | None = None,
) -> SolvedStep:
    """Return the solution of a step by a method, by default that for many steps at a time."""
    problem, constraints = step_problem(pairs, state, tau, dt, options)
    solve = method or (nearest_motion_in_cones if constraints.has_round_cones else nearest_motion_by_projection)
    solution = solve(problem.program)
    v = solution.x[: len(problem.v_free)]
    q_next, v_next = advance(state, v, position_correction(problem.overlaps, v), dt)
    return SolvedStep(problem, constraints, solution, v, q_next, v_next)


def step_results(step: SolvedStep, pairs: int) -> Mapping[str, object]:
    """Return the fields of `ContactStep`, for so many pairs."""
    problem, constraints = step.problem, step.constraints
    along_normal = tuple(share * x for share, x in zip(constraints.shares, step.solution.lam, strict=False))
    impulses = _sums_by_pair(along_normal, constraints.pair_indices, pairs)
    return {
        "q": step.q_next,
        "v": step.v_next,
        "impulses": impulses,
        "active": tuple(where(less(0, x), 1, 0) for x in impulses),
        "kkt_residual": _residual(step),
        "energy_change": kinetic_energy(problem.M, step.v) - kinetic_energy(problem.M, problem.v_free),
    }


def _residual(step: SolvedStep) -> Scalar:
    """Return the largest violation of the KKT conditions."""
    program, solution = step.problem.program, step.solution
    residual = cone_residual if step.constraints.has_round_cones else kkt_residual
    return residual(program.M, program.f, program.J, program.bounds, solution.x, solution.lam, program.intervals)


def pair_forces(step: SolvedStep, pairs: int, dt: Scalar) -> Matrix:
    """Return the force of each pair on its first body, in the root frame: mean over the step."""
    constraints = step.constraints
    forces = [scale3(force, x / dt) for force, x in zip(constraints.forces, step.solution.lam, strict=False)]
    axes = (_sums_by_pair(tuple(force[k] for force in forces), constraints.pair_indices, pairs) for k in range(3))
    return tuple(zip(*axes, strict=True))


def _sums_by_pair(values: Vector, pair_indices: Sequence[int], count: int) -> Vector:
    """Return the sum of the values of each of `count` pairs."""
    totals: list[Scalar] = [0] * count
    for pair_index, x in zip(pair_indices, values, strict=True):
        totals[pair_index] = totals[pair_index] + x
    return tuple(totals)
