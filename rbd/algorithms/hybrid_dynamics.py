"""Hybrid dynamics: forward dynamics with prescribed accelerations of some joints, whose torques are found.

Featherstone (2008), section 9.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeAlias, cast, final

import attrs
from numpy.typing import NDArray

from rbd.algorithms.articulated_body_algorithm import ArticulatedMotion, KnownAccelerations, articulated_motion
from rbd.algorithms.external_wrenches import AppliedWrenches
from rbd.algorithms.newton_euler import actuator_torques, joint_torques
from rbd.algorithms.passive import passive_torques_kernel
from rbd.arguments import require_kind
from rbd.display import fields_repr
from rbd.errors import ArgumentError
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.mechanism import Joint
from rbd.scalars import Scalar, Vector
from rbd.scalars.linear_algebra import add
from rbd.scalars.registry import ARRAYS

_Accelerations: TypeAlias = Scalar | Sequence[Scalar] | NDArray[Any]
JointAccelerations: TypeAlias = Mapping[Joint, _Accelerations] | Mapping[str, _Accelerations]
"""Joint -> its acceleration: a number, or one per velocity of it."""


@final
@attrs.frozen(eq=False)
class HybridDynamics(Generic[ArrayT]):
    """Accelerations and torques of hybrid dynamics.

    >>> import rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> state = rbd.MechanismState(mechanism, [0.3, 0.1])
    >>> locked = rbd.forward_dynamics(state, [0.0, 0.0], prescribed={mechanism.joint("elbow"): 0.0})
    >>> float(locked.vd[1]), bool(locked.torques[1])
    (0.0, True)
    """

    vd: ArrayT
    """The accelerations: as prescribed, or found for the torques."""
    torques: ArrayT
    """The torques: as given, or found for the prescribed accelerations."""

    __repr__ = fields_repr


@kernel(regroup=True)
def hybrid_dynamics_kernel(
    state: StateView, torques: Vector, prescribed: KnownAccelerations, external: AppliedWrenches = ()
) -> tuple[Vector, Vector]:
    """Return vd and all torques."""
    motion, torques = hybrid_motion(state, torques, prescribed, external)
    return motion.vd, torques


def hybrid_motion(
    state: StateView, torques: Vector, prescribed: KnownAccelerations, external: AppliedWrenches
) -> tuple[ArticulatedMotion, Vector]:
    """Return the motion, and the torques: as given, or those required for prescribed accelerations."""
    motion = articulated_motion(state, add(torques, passive_torques_kernel(state)), external, prescribed)
    required_torques = actuator_torques(state, joint_torques(state, motion.f), motion.vd)
    tau = list(torques)
    for node in state.nodes:
        if node.index in prescribed:
            tau[node.v_slice] = required_torques[node.v_slice]
    return motion, tuple(tau)


def prescribed_of(state: State[Any], accelerations: JointAccelerations | None) -> dict[int, Vector]:
    """Return prescribed accelerations by node; raise UnknownNameError, ShapeError, NotFiniteError, ArgumentError."""
    if accelerations is None:
        return {}
    require_kind(accelerations, Mapping, operation="prescribed accelerations", argument="prescribed")
    result: dict[int, Vector] = {}
    for joint, value in accelerations.items():
        node = state.layout.node(joint)
        values = cast("Sequence[Scalar]", value if _is_several(value) else (value,))
        if node.index in result:
            message = f"joint '{node.joint.name}' has two prescribed accelerations, one under its name"
            raise ArgumentError(message, argument="prescribed", value=accelerations)
        what = f"the prescribed acceleration of joint '{node.joint.name}'"
        result[node.index] = state.vector(values, node.joint.nv, what)
    return result


def _is_several(value: object) -> bool:
    """Return whether a prescribed value is a sequence rather than a number or an array without axes."""
    return getattr(value, "shape", None) != () and isinstance(value, (Sequence, *ARRAYS))


def refuse_out(out: object) -> None:
    """Raise ArgumentError when `out` is given: the result is two arrays."""
    if out is not None:
        raise ArgumentError(
            "with prescribed accelerations the result is a HybridDynamics with arrays of its own; call without `out`",
            argument="out",
            value=out,
        )


def hybrid_dynamics(
    state: State[ArrayT], torques: Vector, accelerations: JointAccelerations, external: AppliedWrenches
) -> HybridDynamics[ArrayT]:
    """Return the solution of `forward_dynamics` with prescribed accelerations."""
    vd, needed = hybrid_dynamics_kernel(state, torques, prescribed_of(state, accelerations), external)
    shape = (state.layout.nv,)
    return HybridDynamics(state.engine.pack(vd, "vd", shape), state.engine.pack(needed, "torques", shape))
