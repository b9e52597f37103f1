"""`contact_step`: time stepping on velocities and impulses, with contact and Coulomb friction.

`step_problem.py` has the quadratic program and its sources, `solved_step.py` its solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from numpy.typing import NDArray

from rbd.arguments import require_kind
from rbd.contact.arguments import LARGEST_FRICTION, friction_coefficient
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.evaluation import (
    evaluate,
    number,
    require_model_and_state,
    require_within_reach,
    torque_vector,
    typed_results,
)
from rbd.contact.model.pairs import Pair
from rbd.contact.solver.results import ContactStep
from rbd.contact.stepping.joint_options import JointOptions
from rbd.contact.stepping.solved_step import solved_step, step_results
from rbd.contact.stepping.step_problem import JOINTS, MARGIN, ContactStepOptions
from rbd.kinematics.queries import State
from rbd.kinematics.scalar_state import ScalarState
from rbd.program.graph import Recorded
from rbd.scalars import Scalar, Vector, less, positive, where
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import above_zero, at_least_zero
from rbd.state import MechanismState

_NAME = "contact_step"


@typed_results(ContactStep[float], ContactStep[Scalar])
def contact_step(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any] | None,
    dt: float | Scalar,
    *,
    friction: float | Scalar = 0.0,
    margin: float = MARGIN,
    joints: JointOptions = JOINTS,
) -> ContactStep[Any]:
    """Time step with contacts: return the state a time `dt` later, velocities first, then configurations with them.

    `friction` is Coulomb's coefficient mu, up to 100, of pairs without their own; with 0 no pair has friction. Points
    nearer than `margin` constrain the step; it must be more than the distance that a point moves in one step. Faces of
    boxes and convex hulls rest with all their corners, on planes and on each other, capsules on planes, boxes and hulls
    with both ends. Joints have stops, dry friction and implicit damping; `joints` has options for them. The state
    itself does not change. In recorded functions dt and friction may be inputs; rows whose dt is not positive or whose
    friction is not allowed fail with a status. Raises ShapeError, NotFiniteError, ArgumentError, SolverError; recorded
    functions SingularError for a wrong dt or friction.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> after = rbd.contact.contact_step(rbd.MechanismState(mechanism), model, [0.0] * 13, 1e-3, friction=0.5)
    >>> after.q.shape, after.active
    ((13,), array([0., 0., 0., 0.]))
    """
    arguments = checked_arguments(_NAME, state, model, torques, dt, friction, margin, joints)
    frictional = has_friction(arguments)
    function = partial(_step, model.pairs, frictional, joints)
    found = evaluate(model, state, (_NAME, frictional, joints), function, **arguments)
    return ContactStep(
        found["q_next"],
        found["v_next"],
        found["impulses"],
        found["active"],
        number(found["residual"]),
        number(found["energy"]),
    )


def checked_arguments(
    operation: str,
    state: State[Any],
    model: CollisionModel,
    torques: object,
    dt: float | Scalar,
    friction: float | Scalar,
    margin: object,
    joints: object,
) -> dict[str, Vector | Array]:
    """Return the arguments of a recorded step, torques and (dt, margin, friction), from those of `contact_step`."""
    require_model_and_state(state, model, operation)
    require_kind(joints, JointOptions, operation=operation, argument="joints")
    cast("JointOptions", joints).require(state.layout.nv)
    distance = at_least_zero(margin, "margin")
    require_within_reach(model, distance, "margin")
    settings = _time_step(state, dt), distance, _friction(state, friction)
    return {"torques": torque_vector(state, torques), "settings": settings}


def has_friction(arguments: Mapping[str, Vector | Array]) -> bool:
    """Return whether the friction of a recorded step may be more than zero."""
    friction = arguments["settings"][2]
    return isinstance(friction, Recorded) or cast("float", friction) > 0


def _time_step(state: State[Any], dt: float | Scalar) -> Scalar:
    """Return the length of the step, checked; that of an input of a recorded function is checked when this runs."""
    return positive(dt, "dt") if _is_input(state, dt) else above_zero(dt, "dt")


def _friction(state: State[Any], friction: float | Scalar) -> Scalar:
    """Return the coefficient of friction, checked as the length of the step."""
    if not _is_input(state, friction):
        return friction_coefficient(friction)
    below = positive(where(less(friction, 0), friction, 1), "friction, unless it is zero,")
    above = positive(where(less(LARGEST_FRICTION, friction), -1, 1), f"{LARGEST_FRICTION:g} less friction")
    return friction * (below * above)


def _is_input(state: State[Any], value: object) -> bool:
    """Return whether a value is an input of a function that is being recorded."""
    return isinstance(value, Recorded) and not isinstance(state, MechanismState)


def _step(
    pairs: Sequence[Pair],
    frictional: bool,
    joints: JointOptions,
    state: ScalarState,
    torques: Vector,
    settings: Vector,
) -> Mapping[str, object]:
    dt, margin, friction = (state.lifted(x) for x in settings)
    options = ContactStepOptions(dt, margin, friction if frictional else None, joints)
    return step_results(solved_step(pairs, state, tuple(torques), options), len(pairs))
