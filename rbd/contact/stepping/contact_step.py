"""`contact_step`: time stepping on velocities and impulses, with contact and Coulomb friction.

`problem.py` has the quadratic program and its sources, `solution.py` its solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, final

import attrs
from numpy.typing import NDArray
from typing_extensions import override

from rbd.algorithms.torques import Torques
from rbd.contact.dynamics.results import result_repr
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.evaluation import typed_results
from rbd.contact.model.pairs import N_co, Pair
from rbd.contact.stepping.calls import OptionsTemplate, StepCall
from rbd.contact.stepping.options import JOINTS, MARGIN, ContactStepOptions, JointOptions
from rbd.contact.stepping.solution import solved_step, step_results
from rbd.kinematics.queries import State
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector

_NAME: Final = "contact_step"


@final
@attrs.frozen(eq=False, repr=False)
class ContactStep(Generic[N_co]):
    """State after a time step with contacts: q and v, with A v = momentum + J' impulses + impulses of joints.

    A is the mass matrix M with implicit damping and gains, momentum that of the step without contacts. Without damping,
    gains, stops and dry friction of joints, friction and compliance of pairs it is M v = M free + J' impulses. Both are
    for velocities in the frames at the beginning of the step; those of floating, spherical and planar joints are then
    carried to its end.
    `impulses` are the normal impulses of the pairs (N s), summed over their points; `active` is 1 for pairs that push.
    `kkt_residual` is the largest violation of the KKT conditions; `energy_change` the kinetic energy that contacts add
    to the step without them (J), positive only where points rebound or springs push.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> after = rbd.contact.contact_step(rbd.MechanismState(mechanism), model, [0.0] * 13, 1e-3)
    >>> after.v.shape, after.impulses, after.kkt_residual < 1e-12
    ((13,), array([0., 0., 0., 0.]), True)
    """

    q: NDArray[Any]
    v: NDArray[Any]
    impulses: NDArray[Any]
    active: NDArray[Any]
    kkt_residual: N_co
    energy_change: N_co

    @override
    def __repr__(self) -> str:
        return result_repr("state after a contact step", "pairs", self.active, self.kkt_residual)


@typed_results(ContactStep[float], ContactStep[Scalar])
def contact_step(
    state: State[Any],
    model: CollisionModel,
    torques: Torques | None,
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
    call = StepCall.checked(_NAME, state, model, torques, dt, ContactStepOptions(friction, margin, joints))
    return ContactStep(**call.evaluate(_step))


def _step(
    pairs: Sequence[Pair], template: OptionsTemplate, state: ScalarState, torques: Vector, settings: Vector
) -> Mapping[str, object]:
    dt, margin, friction = (state.lifted(x) for x in settings)
    return step_results(solved_step(pairs, state, tuple(torques), dt, template.options(friction, margin)), len(pairs))
