"""`solve_contact`: accelerations with contacts and friction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias, final, get_args

from numpy.typing import NDArray

from rbd.algorithms.torques import Torques
from rbd.arguments import require_choice
from rbd.contact.dynamics.accelerations.contact_problem import ContactProblem, contact_problem
from rbd.contact.dynamics.accelerations.coulomb import solve_coulomb
from rbd.contact.dynamics.accelerations.repeated_programs import solve_by_quadratic_programs
from rbd.contact.dynamics.accelerations.solution_fields import ProblemMethods, solution_fields
from rbd.contact.dynamics.contacts import CONTACT_DISTANCE
from rbd.contact.dynamics.gauss_principle import ConstrainedMotion, nearest_motion
from rbd.contact.dynamics.results import ContactSolution
from rbd.contact.dynamics.solve_qp import SOLVERS, SolverName, solve_qp, to_tuples
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.evaluation import (
    array_or_number,
    evaluate,
    require_model_and_state,
    require_within_reach,
    torque_vector,
    typed_results,
)
from rbd.contact.model.pairs import Pair
from rbd.errors import ArgumentError, SolverError
from rbd.kinematics.queries import State
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, is_float, to_float
from rbd.scalars.arrays import pack
from rbd.scalars.number_checks import at_least_zero, finite
from rbd.state import MechanismState

Bias: TypeAlias = Literal["exact", "tutorial"]
"""Of distances, in the bounds of accelerations: exact, or neglected as in Pinocchio's exercise on contacts."""
BIASES: Final[tuple[str, ...]] = get_args(Bias)
_COULOMB_TOLERANCE = 1e-6
"""Residual of Coulomb's law, relative to the forces, above which there is no solution."""
_KKT_TOLERANCE = 1e-9
"""Residual of the KKT conditions, relative to forces times accelerations, above which there is no solution."""


@final
class ProblemTemplate(NamedTuple):
    """Options of `solve_contact` without their numbers: part of the key of its recorded function."""

    exact: bool
    frictional: bool


@typed_results(ContactSolution[float], ContactSolution[Scalar])
def solve_contact(
    state: State[Any],
    model: CollisionModel,
    torques: Torques | None,
    *,
    bias: Bias = "exact",
    friction: float | None = None,
    threshold: float = CONTACT_DISTANCE,
    solver: SolverName = "rbd",
) -> ContactSolution[Any]:
    """Forward dynamics with contacts, by Gauss's principle: accelerations nearest to the free ones.

    Minimises 1/2 (vd - free)' M (vd - free) subject to J vd >= bound, one row per pair nearer than `threshold`. With
    `bias="exact"` the whole second derivative of the distance is bounded: J vd >= -phi - b, where b is
    `model.bias(state)`. "tutorial" neglects b, as Pinocchio's exercise on contacts: the bound -phi pushes overlapping
    pairs apart. A row that vanishes, as for shapes in line and for overlaps that no joint changes, constrains nothing.

    Contacts push along normals. With a coefficient `friction` they obey Coulomb's law as well: pairs that slide faster
    than a millimetre per second are braked opposite to their direction, others stick if a force in the cone suffices.
    A pair touches at one point, its witness, in the second body's frame; for a box on its face use `contact_step`,
    which has all corners. The cone has four edges, the first along the sliding direction. Large friction on sliding
    pairs may leave no solution (Painlevé's paradox): SolverError with status "friction". If several solutions exist,
    returns the first found as bounds rise from zero contact force; where none is needed, zero force.

    `solver` is rbd's own, in the machine code, or "daqp", for comparison on live states; with friction it solves
    seventeen quadratic programs, which may miss an existing solution or find another one. Raises ShapeError,
    NotFiniteError, ArgumentError, TopologyError for mechanisms with loops, and SolverError when the conditions
    contradict each other, or when the residual of the KKT conditions exceeds 1e-9 (1 + f) (1 + a), where f is the
    largest multiplier or contact torque and a the largest acceleration; with friction, 1e-6 (1 + m), where m is the
    largest multiplier.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> solution = rbd.contact.solve_contact(state, model, np.zeros(13), threshold=0.02)
    >>> solution.active
    array([0., 0., 0., 0.])
    """
    require_model_and_state(state, model, "solve_contact")
    require_choice(bias, BIASES, "bias", "bias")
    require_choice(solver, SOLVERS, "solver", "solver")
    settings = finite(threshold, "threshold"), 0.0 if friction is None else at_least_zero(friction, "friction")
    require_within_reach(model, settings[0], "threshold")
    arguments = {"torques": torque_vector(state, torques), "settings": settings}
    template = ProblemTemplate(exact=bias == "exact", frictional=friction is not None)
    solution = ContactSolution(**_solution(state, model, solver, template, arguments))
    if friction is None:
        _require_kkt(solution)
    else:
        _require_coulomb(solution)
    return solution


def _solution(
    state: State[Any], model: CollisionModel, solver: SolverName, template: ProblemTemplate, arguments: dict[str, Any]
) -> Mapping[str, Any]:
    """Return the fields of `ContactSolution` that a solver finds."""
    if solver == "rbd":
        function = partial(_accelerations, model.pairs, template)
        return evaluate(model, state, ("solve_contact", template), function, **arguments)
    function = partial(recorded_fields, model.pairs, template)
    problem = evaluate(model, state, ("solve_contact", "problem", template), function, **arguments)
    return _by_other_solver(state, solver, problem)


def _require_kkt(solution: ContactSolution[Any]) -> None:
    """Raise SolverError where the KKT conditions are violated by more than rounding."""
    residual = solution.kkt_residual
    if not is_float(residual):
        return
    force = 1 + max(_largest(solution.multipliers), _largest(solution.contact_torques))
    acceleration = 1 + _largest(solution.vd)
    if not to_float(residual) / force <= _KKT_TOLERANCE * acceleration:
        raise SolverError(
            f"the solution violates the KKT conditions by {to_float(residual):.1e}: the numbers differ too much in size"
            " for the solver",
            status="inaccurate",
        )


def _largest(values: NDArray[Any]) -> float:
    """Return the largest absolute value."""
    return max((abs(to_float(x)) for x in values.tolist()), default=0.0)


def _require_coulomb(solution: ContactSolution[Any]) -> None:
    """Raise SolverError where Coulomb's law is violated."""
    residual = solution.kkt_residual
    if not is_float(residual):
        return
    if not to_float(residual) <= _COULOMB_TOLERANCE * (1 + _largest(solution.multipliers)):
        raise SolverError(
            f"the solution violates Coulomb's law by {to_float(residual):.1e}: with this friction, sliding bodies may "
            "jam; contact_step finds velocities with any friction",
            status="friction",
        )


def _recorded_problem(
    pairs: Sequence[Pair], template: ProblemTemplate, state: ScalarState, torques: Vector, settings: Vector
) -> ContactProblem:
    """Return the problem of contacts; `settings` are the threshold and the coefficient of friction."""
    threshold, mu = (state.lifted(x) for x in settings)
    friction = mu if template.frictional else None
    return contact_problem(state, pairs, tuple(torques), threshold, exact=template.exact, friction=friction)


def recorded_fields(
    pairs: Sequence[Pair], template: ProblemTemplate, state: ScalarState, torques: Vector, settings: Vector
) -> Mapping[str, object]:
    """Return the fields of the problem, which another solver gets as arrays."""
    return _recorded_problem(pairs, template, state, torques, settings)._asdict()


def _accelerations(
    pairs: Sequence[Pair], template: ProblemTemplate, state: ScalarState, torques: Vector, settings: Vector
) -> Mapping[str, object]:
    """Return the fields of `ContactSolution` by rbd's solver."""
    problem = _recorded_problem(pairs, template, state, torques, settings)
    return solution_fields(problem, tuple(state.v), ProblemMethods(nearest_motion, solve_coulomb))


def _by_other_solver(state: State[Any], solver: SolverName, problem: Mapping[str, Any]) -> dict[str, Any]:
    """Solve a problem given as arrays with another solver."""
    if not isinstance(state, MechanismState):
        message = f"solver={solver!r} needs a live state, rbd.MechanismState; leave solver out for other states"
        raise ArgumentError(message, argument="solver", value=solver)

    def solve(M: Matrix, f: Vector, J: Matrix, bounds: Vector) -> ConstrainedMotion:
        solution = solve_qp(pack(M), pack(f), pack(J), pack(bounds), solver=solver)
        return ConstrainedMotion(*map(to_tuples, (solution.x, solution.multipliers, solution.active)))

    tuples = ContactProblem(**{name: to_tuples(array) for name, array in problem.items()})
    methods = ProblemMethods(solve, partial(solve_by_quadratic_programs, solve))
    fields = solution_fields(tuples, to_tuples(state.v), methods)
    return {name: array_or_number(pack(value)) for name, value in fields.items()}
