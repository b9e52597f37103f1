"""The torques a motion takes.

Room: algorithms; may import state and above. M vd + c = tau + passive, by the recursive Newton-Euler algorithm:
Featherstone (2008), table 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from numpy.typing import NDArray

from rbd.algorithms.external import BodyWrenches, ExternalWrenches, body_wrenches
from rbd.algorithms.mass_matrix import mass_matrix_kernel
from rbd.algorithms.newton_euler import body_loads, joint_torques, joint_wrenches, motions, resting, wrenches_of_motion
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.trees import require_tree
from rbd.errors import ArgumentError
from rbd.mechanism import Joint
from rbd.scalars import Scalar, Vector
from rbd.state import ArrayOf, DynamicsResult, State, StateView, kernel

A = TypeVar("A", bound=ArrayOf)
Vd = Sequence[Scalar] | NDArray[Any]


@kernel
def inverse_dynamics_kernel(state: StateView, vd: Vector, external: BodyWrenches | None = None) -> Vector:
    """Return M vd + c - passive."""
    wanted = rigid_body_torques(state, vd, external)
    passive = passive_torques_kernel(state)
    armatures = [a for link in state.links for a in state.joint_parameter(link.joint, "armature")]
    rows = zip(wanted, armatures, vd, passive, strict=True)
    return tuple(torque + armature * rate - own for torque, armature, rate, own in rows)


@kernel
def dynamics_bias_kernel(state: StateView, external: BodyWrenches | None = None) -> Vector:
    """Return c: what the motion takes when vd is zero, passive torques left out."""
    return rigid_body_torques(state, None, external)


@kernel
def gravity_torques_kernel(state: StateView) -> Vector:
    """Return the torques that hold the mechanism still against gravity: c at v = 0."""
    return joint_torques(state, joint_wrenches(state, body_loads(state, resting(state), None)))


def rigid_body_torques(state: StateView, vd: Vector | None, external: BodyWrenches | None) -> Vector:
    """Return the torques the bodies' motion takes; armature and passive torques are not in them."""
    loads = body_loads(state, motions(state, vd), external)
    return joint_torques(state, joint_wrenches(state, loads))


def inverse_dynamics(
    state: State[A],
    vd: Vd,
    external_wrenches: ExternalWrenches | None = None,
    *,
    actuated: Sequence[Joint] | None = None,
    out: A | None = None,
    result: DynamicsResult | None = None,
) -> A:
    """Return the torques tau that make the mechanism accelerate by `vd`: tau = M vd + c - passive.

    `external_wrenches` maps bodies to wrenches in the root frame or any frame attached to a body. `actuated` names the
    joints that have motors; on a tree that must be all of them, since each torque is determined. A `result` is filled
    with the motion, so that `result.joint_wrench(joint)` and its accelerations answer for it.

    Raises ShapeError, NotFiniteError, FrameMismatchError, and TopologyError for mechanisms with loop joints.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> rbd.inverse_dynamics(state, [0.0, 0.0])          # hanging straight down
    array([0., 0.])
    """
    require_tree(state, "inverse_dynamics")
    _check_actuated(state, actuated)
    rates = state.vector(vd, state.layout.nv, "vd")
    external = body_wrenches(state, external_wrenches)
    if result is not None:
        result.require_mechanism(state)
    torques = state.pack(inverse_dynamics_kernel(state, rates, external), "torques", (state.layout.nv,), out)
    if result is not None:
        _fill(result, state, rates, external)
    return torques


def _fill(result: DynamicsResult, state: State[Any], vd: Vector, external: BodyWrenches | None) -> None:
    """Fill a result with the motion that was asked for, and all that belongs to it."""
    result.take(
        state,
        vd,
        partial(wrenches_of_motion, vd, external),
        mass_matrix=mass_matrix_kernel(state),
        dynamics_bias=dynamics_bias_kernel(state, external),
        passive_torques=passive_torques_kernel(state),
    )


def _check_actuated(state: StateView, actuated: Sequence[Joint] | None) -> None:
    """Raise ArgumentError when a joint of a tree that needs a torque has no motor."""
    if actuated is None:
        return
    motors = {state.layout.link(joint).index for joint in actuated}
    idle = [link.joint.name for link in state.links if link.joint.nv and link.index not in motors]
    if idle:
        raise ArgumentError(
            f"without loop joints every joint's torque is determined; {', '.join(idle)} must be actuated too",
            argument="actuated",
            value=actuated,
        )


def dynamics_bias(state: State[A], external_wrenches: ExternalWrenches | None = None, *, out: A | None = None) -> A:
    """Return c(q, v) of M vd + c = tau + passive: Coriolis, centrifugal and gravity terms less external wrenches.

    `external_wrenches` as in `inverse_dynamics`. Raises ShapeError, FrameMismatchError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> bool(abs(rbd.dynamics_bias(state) - rbd.inverse_dynamics(state, [0.0, 0.0])).max() < 1e-12)
    True
    """
    external = body_wrenches(state, external_wrenches)
    values = dynamics_bias_kernel(state, external)
    return state.pack(values, "dynamics bias", (state.layout.nv,), out)


def gravity_torques(state: State[A], *, out: A | None = None) -> A:
    """Return the torques that hold the mechanism still against gravity: the gradient of its potential energy.

    >>> import rbd
    >>> bool(rbd.gravity_torques(rbd.MechanismState(rbd.robots.double_pendulum())).any())   # hanging straight down
    False
    """
    values = gravity_torques_kernel(state)
    return state.pack(values, "gravity torques", (state.layout.nv,), out)
