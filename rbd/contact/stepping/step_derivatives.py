"""`contact_step_derivatives`: derivatives of the state after a time step with contacts.

Rows that are held stay held for small changes, so that the KKT conditions of the step are equations, to which the
implicit function theorem applies; the rest of the step is differentiated as it was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, final

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.contact_kinematics import contact_points_in_base
from rbd.contact.model.evaluation import as_tuple, evaluate, require_model_and_state
from rbd.contact.model.pairs import Pair
from rbd.contact.solver.friction_cone import contact_point_jacobian
from rbd.contact.stepping.joint_options import JointOptions
from rbd.contact.stepping.step_problem import JOINTS, MARGIN
from rbd.contact.stepping.time_stepping import step_arguments, step_function
from rbd.errors import ArgumentError
from rbd.scalars import Scalar, Vector, less, maximum, where
from rbd.scalars.arrays import Array, to_float_array
from rbd.scalars.linear_algebra import dot
from rbd.state import MechanismState, ScalarState, State

_TOLERANCE = 1e-9
"""A multiplier or slack below this share of the largest one counts as zero."""

_TOUCHING = 1e-12
"""A gap below this counts as zero (m): overlaps are closed more slowly than gaps."""


@final
@attrs.frozen(eq=False, repr=False)
class ContactStepDerivatives:
    """Derivatives of q and v after a step by q, v and torques before it; configurations along velocities, (nv, nv).

    `undecided` are the pairs at a switch: a bound held without force, or met without being held, a gap of exactly
    zero, since overlaps are closed more slowly than gaps, or a rate at which a point begins to rebound. There the
    derivatives are one-sided: those to the side on which the same bounds stay held.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> derivatives = rbd.contact.contact_step_derivatives(state, model, np.zeros(13), 1e-3)
    >>> bool(np.allclose(derivatives.q_by_torques, 1e-3 * derivatives.v_by_torques))    # q moves with the new v
    True
    """

    q_by_q: Array
    q_by_v: Array
    q_by_torques: Array
    v_by_q: Array
    v_by_v: Array
    v_by_torques: Array
    undecided: tuple[int, ...]

    @override
    def __repr__(self) -> str:
        return f"<derivatives of a contact step: six of shape {self.v_by_v.shape}, undecided pairs {self.undecided}>"


def contact_step_derivatives(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any] | None,
    dt: float,
    *,
    friction: float = 0.0,
    margin: float = MARGIN,
    joints: JointOptions = JOINTS,
) -> ContactStepDerivatives:
    """Return the derivatives of `contact_step` with these arguments, at its active set.

    They are exact where no pair begins or ceases to push, stick or slide. A step that stops a motion has derivatives of
    zero in the directions that contacts determine. Besides the pairs in `undecided`, distances have corners of their
    own (parallel segments, the edge of a face): the derivative is that of the witnesses. Raises what `contact_step`
    does, and ArgumentError for states that are not live, and for friction with round cones.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> derivatives = rbd.contact.contact_step_derivatives(state, model, np.zeros(13), 1e-3)
    >>> derivatives.v_by_torques.shape, derivatives.undecided
    ((13, 13), ())
    """
    require_model_and_state(state, model, "contact_step_derivatives")
    if not isinstance(state, MechanismState):
        message = "contact_step_derivatives needs a live state, rbd.MechanismState"
        raise ArgumentError(message, argument="state", value=state, allowed="MechanismState")
    arguments = step_arguments(state, model, torques, dt, friction, margin, joints)
    if friction > 0 and model.has_round_cones:
        message = "derivatives of steps with friction need polyhedral friction cones: CollisionModel(mechanism)"
        raise ArgumentError(message, argument="model", value=model, allowed="polyhedral friction cones")
    function = step_function(model, friction > 0, joints, state.layout.nv)
    found = dict(zip((port.name for port in function.program.outputs), as_tuple(function(*arguments)), strict=True))
    jacobians = [
        np.asarray(model.functions.derivative(function, "after", name)(*arguments)) for name in ("q", "v", "torques")
    ]
    nq, nv = state.layout.nq, state.layout.nv
    along_velocities = _along_velocities(state, found["q_next"])
    by_q, by_v, by_torques = ((along_velocities @ j[:nq], j[nq : nq + nv].copy()) for j in jacobians)
    changes = np.max([np.abs(j[nq + nv :]).max(axis=1, initial=0.0) for j in jacobians], axis=0)
    undecided = tuple(sorted(_undecided(found, nq + nv, changes) | _beginning_to_rebound(state, model, dt, margin)))
    return ContactStepDerivatives(by_q[0], by_v[0], by_torques[0], by_q[1], by_v[1], by_torques[1], undecided)


def _along_velocities(state: MechanismState, q: Array) -> Array:
    """Return the matrix from changes of the coordinates q to velocities, (nv, nq)."""
    matrix = np.zeros((state.layout.nv, state.layout.nq))
    for joint in state.mechanism.tree_joints:
        rows, columns = state.v_slice(joint), state.q_slice(joint)
        if joint.nv:
            matrix[rows, columns] = to_float_array(joint.type.velocity_jacobian(tuple(q[columns].tolist())))
    return matrix


def _undecided(found: dict[str, Array], start: int, changes: Array) -> set[int]:
    """Return the pairs with a bound that is neither clearly held nor clearly free, or with a gap of zero.

    `changes` are the largest derivatives of the slacks and multipliers; those that do not change do not switch: the
    fourth edge of a cone, for one, follows from the others.
    """
    slack, lam = np.split(found["after"][start:], 2)
    held, (slack_moves, lam_moves) = found["held"] > 0, np.split(changes > _TOLERANCE, 2)
    grazing = ~held & slack_moves & (slack <= _TOLERANCE * np.abs(slack).max(initial=1.0))
    idle = held & lam_moves & (lam <= _TOLERANCE * lam.max(initial=1.0))
    rows = grazing | idle | (np.abs(found["gaps"]) <= _TOUCHING)
    return {int(owner) for owner in found["owners"][rows]}


def _beginning_to_rebound(state: MechanismState, model: CollisionModel, dt: float, margin: float) -> set[int]:
    """Return the pairs with restitution that have a point at the rate at which its rebound begins."""
    if not any(pair.restitution for pair in model.pairs):
        return set()
    function = partial(_rebounds, model.pairs)
    found = evaluate(model, state, ("rebounds",), function, settings=(dt, margin))
    at_switch = np.abs(found["surplus"]) <= _TOLERANCE * np.maximum(1.0, np.abs(found["closing"]))
    return {int(owner) for owner in found["owners"][at_switch]}


def _rebounds(pairs: Sequence[Pair], state: ScalarState, settings: Vector) -> Mapping[str, object]:
    """Return how far points of pairs with restitution are from rebounding, and the rates that close their gaps.

    A point rebounds if its rate is below that which closes its gap: its bound jumps there, or has a kink for overlaps.
    """
    dt, margin = settings
    rows: list[tuple[Scalar, Scalar, int]] = []
    for owner, pair in enumerate(pairs):
        for point in contact_points_in_base(state, pair) if pair.restitution else ():
            rate = dot(contact_point_jacobian(state, pair, point.p_a).row(point.n), tuple(state.v))
            closing = -maximum(point.phi, 0) / dt
            rows.append((where(less(point.phi, margin), rate - closing, 1), closing, owner))
    return dict(zip(("surplus", "closing", "owners"), zip(*rows, strict=True), strict=True))
