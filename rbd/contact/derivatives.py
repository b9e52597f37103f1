"""How the state after a step with contacts answers the state before it and the torques.

The rows that are held stay held for small changes, so that the conditions of the minimum are equations, to which the
implicit function theorem applies; the rest of the step is differentiated as it was recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.contact.evaluation import as_tuple, require_both
from rbd.contact.model import CollisionModel
from rbd.contact.velocity import MARGIN, step_arguments, step_function
from rbd.errors import ArgumentError
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array, to_float_array
from rbd.state import MechanismState, State

_UNDECIDED = 1e-9
"""Share of the largest of its kind below which a weight or a slack counts as zero."""

_TOUCHING = 1e-12
"""Gap that counts as zero (m): overlaps are closed more slowly than gaps."""


@final
@attrs.frozen(eq=False)
class ContactStepDerivatives:
    """Derivatives of q and v after a step, by q, v and torques before it; positions along velocities, (nv, nv).

    `undecided` are the pairs at a switch: a condition that is held without force, or kept without being held, or a gap
    of exactly zero, since overlaps are closed more slowly than gaps. There the derivatives are those to the side on
    which the same conditions stay held; to the other side they differ.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> slopes = rbd.contact.contact_step_derivatives(state, model, np.zeros(13), 1e-3)
    >>> bool(np.allclose(slopes.q_by_torques, 1e-3 * slopes.v_by_torques))    # positions go with the new velocities
    True
    """

    q_by_q: Array
    q_by_v: Array
    q_by_torques: Array
    v_by_q: Array
    v_by_v: Array
    v_by_torques: Array
    undecided: tuple[int, ...]


def contact_step_derivatives(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    dt: float,
    *,
    friction: float = 0.0,
    margin: float = MARGIN,
) -> ContactStepDerivatives:
    """Return the derivatives of `contact_step` with these arguments, through the conditions it holds.

    They are exact where nothing switches: where no pair begins or ceases to push, stick or slide. A step that stops a
    motion forgets it, and its derivatives say so: they are zero in the directions that contacts decide. Besides the
    pairs in `undecided`, distances have corners of their own (parallel segments, the edge of a face): the derivative
    is that of the witnesses given. Raises what `contact_step` does, and ArgumentError for states that are not live.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> slopes = rbd.contact.contact_step_derivatives(state, model, np.zeros(13), 1e-3)
    >>> slopes.v_by_torques.shape, slopes.undecided
    ((13, 13), ())
    """
    require_both(state, model, "contact_step_derivatives")
    if not isinstance(state, MechanismState):
        message = "derivatives of a step are those of a live state"
        raise ArgumentError(message, argument="state", value=state, allowed="MechanismState")
    arguments = step_arguments(state, model, torques, dt, friction, margin)
    function = step_function(model, friction > 0, state.layout.nv)
    found = dict(zip((port.name for port in function.program.outputs), as_tuple(function(*arguments)), strict=True))
    slopes = [
        np.asarray(model.functions.derivative(function, "after", name)(*arguments)) for name in ("q", "v", "torques")
    ]
    nq, nv = state.layout.nq, state.layout.nv
    landing = _along_velocities(state, found["q_next"])
    positions, velocities = [landing @ slope[:nq] for slope in slopes], [slope[nq : nq + nv].copy() for slope in slopes]
    answers = np.max([np.abs(slope[nq + nv :]).max(axis=1, initial=0.0) for slope in slopes], axis=0)
    return ContactStepDerivatives(
        positions[0],
        positions[1],
        positions[2],
        velocities[0],
        velocities[1],
        velocities[2],
        undecided=_undecided(found, nq + nv, answers),
    )


def _along_velocities(state: MechanismState, q: Array) -> Array:
    """Return what maps changes of the coordinates of `q` to motions along velocities, (nv, nq)."""
    matrix = np.zeros((state.layout.nv, state.layout.nq))
    for joint in state.mechanism.tree_joints:
        rows, columns = state.v_slice(joint), state.q_slice(joint)
        if joint.nv:
            matrix[rows, columns] = to_float_array(joint.type.velocity_jacobian(tuple(q[columns].tolist())))
    return matrix


def _undecided(found: dict[str, Array], start: int, answers: Array) -> tuple[int, ...]:
    """Return the pairs with a condition that is neither clearly held nor clearly free, or with a gap of zero.

    `answers` are how much the slacks and the weights change at most; what does not change does not switch: the fourth
    corner of a cone, for one, follows from the others.
    """
    slack, weights = np.split(found["after"][start:], 2)
    held, (slack_moves, weight_moves) = found["held"] > 0, np.split(answers > _UNDECIDED, 2)
    grazing = ~held & slack_moves & (slack <= _UNDECIDED * np.abs(slack).max(initial=1.0))
    idle = held & weight_moves & (weights <= _UNDECIDED * weights.max(initial=1.0))
    rows = grazing | idle | (np.abs(found["gaps"]) <= _TOUCHING)
    return tuple(sorted({int(owner) for owner in found["owners"][rows]}))
