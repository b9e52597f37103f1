"""The solution of a time step with contacts: the motion of the mechanism, impulses and forces of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rbd.contact.model.pairs import Pair
from rbd.contact.solver.constrained_motion import (
    ConstrainedMotion,
    SolvedMotion,
    nearest_motion_by_active_set,
    nearest_motion_by_projection,
    nearest_motion_in_cones,
)
from rbd.contact.solver.contact_rows import row_groups
from rbd.contact.solver.impacts import kinetic_energy
from rbd.contact.solver.residuals import kkt_residual
from rbd.contact.stepping.overlaps import push_out
from rbd.contact.stepping.step_problem import ContactStepOptions, StepConstraints, StepProblem, step_problem
from rbd.contact.stepping.transport import transported
from rbd.kinematics.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, less, where
from rbd.spatial.linalg import scale3


class SolvedStep(NamedTuple):
    """A step that is solved: its program, what the rows belong to, the solution, and the motion of the mechanism."""

    problem: StepProblem
    constraints: StepConstraints
    found: SolvedMotion | ConstrainedMotion
    v: Vector
    """The velocities in the frames at the beginning of the step."""
    q_next: Vector
    v_next: Vector


def solved_step(
    pairs: Sequence[Pair],
    state: ScalarState,
    tau: Vector,
    options: ContactStepOptions,
    *,
    by_active_set: bool = False,
) -> SolvedStep:
    """Return the solution of a step.

    By the active-set method, rows with an impulse are linearly independent, as derivatives need them.
    """
    problem, constraints = step_problem(pairs, state, tau, options)
    round_cones = options.mu is not None and constraints.round_cones
    found = _solution(state, problem, constraints, round_cones=round_cones, by_active_set=by_active_set)
    v = found.x[: len(problem.v_free)]
    q_next, v_next = transported(state, v, push_out(problem.overlaps, v), options.dt)
    return SolvedStep(problem, constraints, found, v, q_next, v_next)


def _solution(
    state: ScalarState,
    problem: StepProblem,
    constraints: StepConstraints,
    *,
    round_cones: bool,
    by_active_set: bool,
) -> SolvedMotion | ConstrainedMotion:
    """Return the solution of a step's program by the method for its cones and rows."""
    given = problem.mass, problem.factor, problem.momentum, problem.J, problem.bounds, problem.intervals
    if round_cones:
        return nearest_motion_in_cones(*given)
    if by_active_set:
        return nearest_motion_by_active_set(*given)
    groups = row_groups(state, tuple(point.contact for point in constraints.points))
    return nearest_motion_by_projection(*given, groups)


def step_results(step: SolvedStep, pairs: int) -> Mapping[str, object]:
    """Return what a step computes for so many pairs: q and v after it, impulses, the residual of its program."""
    problem, constraints, found, v, q_next, v_next = step
    bounds = problem.bounds
    impulses = _sums_by_owner(found.lam[: len(bounds)], constraints.owners, pairs)
    return {
        "q_next": q_next,
        "v_next": v_next,
        "impulses": impulses,
        "active": tuple(where(less(0, x), 1, 0) for x in impulses),
        "residual": _residual(problem, found),
        "energy": kinetic_energy(problem.M, v) - kinetic_energy(problem.M, problem.v_free),
    }


def _residual(problem: StepProblem, found: SolvedMotion | ConstrainedMotion) -> Scalar:
    """Return the largest violation of the KKT conditions."""
    if isinstance(found, ConstrainedMotion):
        return found.residual
    _, mass, _, momentum, _, J, bounds, intervals, _ = problem
    return kkt_residual(mass, momentum, J, bounds, found.x, found.lam, intervals)


def pair_forces(step: SolvedStep, pairs: int, dt: Scalar) -> Matrix:
    """Return the force of each pair on its first body, in the root frame: mean over the step."""
    constraints = step.constraints
    shares = [scale3(edge, x / dt) for edge, x in zip(constraints.edges, step.found.lam, strict=False)]
    axes = (_sums_by_owner(tuple(share[k] for share in shares), constraints.owners, pairs) for k in range(3))
    return tuple(zip(*axes, strict=True))


def _sums_by_owner(values: Vector, owners: Sequence[int], count: int) -> Vector:
    """Return the sum of the values of each of `count` owners."""
    totals: list[Scalar] = [0] * count
    for owner, x in zip(owners, values, strict=True):
        totals[owner] = totals[owner] + x
    return tuple(totals)
