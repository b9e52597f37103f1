"""`contact_step`: time stepping on velocities and impulses, with contact and Coulomb friction.

`step_problem.py` has the quadratic program and its sources, `solved_step.py` its solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rbd.contact.dynamics.results import ContactStep
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.evaluation import typed_results
from rbd.contact.model.pairs import Pair
from rbd.contact.stepping.joint_options import JointOptions
from rbd.contact.stepping.solved_step import solved_step, step_results
from rbd.contact.stepping.step_call import StepCall, StepKind, Torques
from rbd.contact.stepping.step_options import JOINTS, MARGIN, ContactStepOptions
from rbd.kinematics.queries import State
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector

_NAME: Final = "contact_step"


@typed_results(ContactStep[float], ContactStep[Scalar])
def contact_step(
    state: State[Any],
    model: CollisionModel,
    torques: Torques,
    dt: float | Scalar,
    *,
    friction: float | Scalar = 0.0,
    margin: float = MARGIN,
    joints: JointOptions = JOINTS,
) -> ContactStep[Any]:
    """Time step with contacts: return the state a time `dt` later, velocities first, then configurations with them.

    `friction` is Coulomb's coefficient mu, up to 100, of pairs without their own. Points nearer than `margin` constrain
    the step, and those that would approach by more than half their distance in it. Faces of boxes and convex hulls rest
    with all their corners, on planes and on each other; capsules with both ends, on planes, boxes, hulls and parallel
    capsules. Joints have stops, dry friction and implicit damping; `joints` has options for them. The state itself does
    not change. In recorded functions dt and friction may be inputs; rows whose dt is not positive or whose
    friction is not allowed fail with a status. Raises ShapeError, NotFiniteError, ArgumentError, SolverError; recorded
    functions SingularError for a wrong dt or friction.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> after = rbd.contact.contact_step(rbd.MechanismState(mechanism), model, [0.0] * 13, 1e-3, friction=0.5)
    >>> after.q.shape, after.active
    ((13,), array([0., 0., 0., 0.]))
    """
    call = StepCall.checked(_NAME, state, model, torques, ContactStepOptions(dt, margin, friction, joints))
    return ContactStep(**call.evaluate(_step))


def _step(
    pairs: Sequence[Pair], kind: StepKind, state: ScalarState, torques: Vector, settings: Vector
) -> Mapping[str, object]:
    options = kind.options(tuple(state.lifted(x) for x in settings))
    return step_results(solved_step(pairs, state, tuple(torques), options), len(pairs))
