"""`contact_step`: time stepping on velocities and impulses, with contact and Coulomb friction.

`step_problem.py` has the quadratic program and its sources, `solved_step.py` its solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rbd.algorithms.trees import require_tree
from rbd.arguments import require_kind
from rbd.compiled import RecordedFunction
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
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import above_zero, at_least_zero
from rbd.state import ScalarState, State

_NAME = "contact_step"


@typed_results(ContactStep[float], ContactStep[Scalar])
def contact_step(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any] | None,
    dt: float,
    *,
    friction: float = 0.0,
    margin: float = MARGIN,
    joints: JointOptions = JOINTS,
) -> ContactStep[Any]:
    """Time step with contacts: return the state a time `dt` later, velocities first, then configurations with them.

    `friction` is Coulomb's coefficient mu of pairs without their own; with 0 no pair has friction. Points nearer than
    `margin` constrain the step; it must be more than the distance that a point moves in one step. Boxes rest on faces
    with all their corners, capsules on planes with both ends. Joints have stops, dry friction and implicit damping;
    `joints` has options for them. The state itself does not change. Raises ShapeError, NotFiniteError, ArgumentError,
    SolverError.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> after = rbd.contact.contact_step(rbd.MechanismState(mechanism), model, [0.0] * 13, 1e-3, friction=0.5)
    >>> after.q.shape, after.active
    ((13,), array([0., 0., 0., 0.]))
    """
    arguments = _checked(state, model, torques, dt, friction, margin, joints)
    function = partial(_step, model.pairs, friction > 0, joints)
    found = evaluate(model, state, _key(friction > 0, joints), function, **arguments)
    return ContactStep(
        found["q_next"],
        found["v_next"],
        found["impulses"],
        found["active"],
        number(found["residual"]),
        number(found["energy"]),
    )


def step_function(model: CollisionModel, frictional: bool, joints: JointOptions, nv: int) -> RecordedFunction:
    """Return the step by the active-set method, as a function of arrays: q, v, torques, and (dt, margin, friction)."""
    inputs = {"torques": nv, "settings": 3}
    function = partial(_step, model.pairs, frictional, joints, by_active_set=True)
    return model.functions.recorded((*_key(frictional, joints), "by active set"), function, inputs)


def step_arguments(state: State[Any], *arguments: Any) -> tuple[Array, ...]:
    """Return the arguments of the step function from those of `contact_step` after the state, checked."""
    named = _checked(state, *arguments)
    require_tree(state, _NAME)
    return tuple(np.asarray(x, dtype=np.float64) for x in (state.q, state.v, *named.values()))


def _key(frictional: bool, joints: JointOptions) -> tuple[str, bool, JointOptions]:
    return _NAME, frictional, joints


def _checked(
    state: State[Any],
    model: CollisionModel,
    torques: object,
    dt: object,
    friction: object,
    margin: object,
    joints: object,
) -> dict[str, Vector | Array]:
    require_model_and_state(state, model, _NAME)
    require_kind(joints, JointOptions, operation=_NAME, argument="joints")
    cast("JointOptions", joints).require(state.layout.nv)
    settings = above_zero(dt, "dt"), at_least_zero(margin, "margin"), at_least_zero(friction, "friction")
    require_within_reach(model, settings[1], "margin")
    return {"torques": torque_vector(state, torques), "settings": settings}


def _step(
    pairs: Sequence[Pair],
    frictional: bool,
    joints: JointOptions,
    state: ScalarState,
    torques: Vector,
    settings: Vector,
    *,
    by_active_set: bool = False,
) -> Mapping[str, object]:
    dt, margin, friction = (state.lifted(x) for x in settings)
    options = ContactStepOptions(dt, margin, friction if frictional else None, joints)
    return step_results(solved_step(pairs, state, tuple(torques), options, by_active_set=by_active_set), len(pairs))
