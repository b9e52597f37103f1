"""The torques a motion takes.

M vd + c = tau + passive, by the recursive Newton-Euler algorithm: Featherstone (2008), table 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from numpy.typing import NDArray

from rbd.algorithms.constrained import least_torques
from rbd.algorithms.constraints import constraint_bias_kernel, constraint_jacobian_kernel
from rbd.algorithms.external import External, ExternalWrenches, held
from rbd.algorithms.loops import loop_equations
from rbd.algorithms.mass_matrix import mass_matrix_kernel
from rbd.algorithms.newton_euler import body_loads, joint_torques, joint_wrenches, motions, resting
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.reactions import LOOP_WRENCHES, TREE_WRENCHES
from rbd.arguments import several
from rbd.errors import ArgumentError
from rbd.mechanism import Joint
from rbd.scalars import Scalar, Vector, is_float, to_float
from rbd.spatial.values import require_kind
from rbd.state import ArrayOf, DynamicsResult, State, StateView, kernel
from rbd.state.engine import Call, Done, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.kernel import require_state
from rbd.state.solution import SolutionReading

A = TypeVar("A", bound=ArrayOf)
Vd = Sequence[Scalar] | NDArray[Any]
_BALANCE = 1 / 10**6
"""A torque that is missing counts as rounding up to this share of the largest torque or multiplier."""


@kernel(regroup=True)
def inverse_dynamics_kernel(state: StateView, vd: Vector, external: External = None) -> Vector:
    """Return M vd + c - passive."""
    wanted = rigid_body_torques(state, vd, external)
    passive = passive_torques_kernel(state)
    armatures = [a for link in state.links for a in state.joint_parameter(link.joint, "armature")]
    rows = zip(wanted, armatures, vd, passive, strict=True)
    return tuple(torque + armature * rate - own for torque, armature, rate, own in rows)


@kernel(regroup=True)
def constrained_inverse_dynamics_kernel(
    state: StateView, vd: Vector, external: External = None, actuated: tuple[int, ...] | None = None
) -> tuple[Vector, Vector, Scalar, Vector]:
    """Return the smallest torques of the actuated velocities, the multipliers, the rank of K and what is missing."""
    balance = least_torques(loop_equations(state, None), inverse_dynamics_kernel(state, vd, external), actuated)
    return balance.torques, balance.multipliers, balance.rank, balance.missing


@kernel(regroup=True)
def least_inverse_dynamics_kernel(state: StateView, vd: Vector, external: External = None) -> Vector:
    """Return the smallest torques when every joint has a motor: then nothing is missing."""
    torques, _, _, _ = constrained_inverse_dynamics_kernel(state, vd, external)
    return torques


@kernel(regroup=True)
def dynamics_bias_kernel(state: StateView, external: External = None) -> Vector:
    """Return c: what the motion takes when vd is zero, passive torques left out."""
    return rigid_body_torques(state, None, external)


@kernel
def gravity_torques_kernel(state: StateView) -> Vector:
    """Return the torques that hold the mechanism still against gravity: c at v = 0."""
    return joint_torques(state, joint_wrenches(state, body_loads(state, resting(state), None)))


def rigid_body_torques(state: StateView, vd: Vector | None, external: External) -> Vector:
    """Return the torques the bodies' motion takes; armature and passive torques are not in them."""
    loads = body_loads(state, motions(state, vd), external)
    return joint_torques(state, joint_wrenches(state, loads))


@fast_path(vectors=1, wrenches=True, out=True)
def inverse_dynamics(
    state: State[A],
    vd: Vd,
    external_wrenches: ExternalWrenches | None = None,
    *,
    actuated: Sequence[Joint] | None = None,
    out: A | None = None,
    result: DynamicsResult | None = None,
) -> Call[A]:
    """Return the torques tau that make the mechanism accelerate by `vd`: tau = M vd + c - passive + Kᵀ λ.

    `external_wrenches` maps bodies to wrenches in the root frame or any frame attached to a body. `actuated` are the
    joints that have motors, all of them by default; on a tree it must be all, since each torque is determined. A
    `result` is filled with the motion, so that its accelerations, joint wrenches and multipliers answer for it.

    With loops the torques are not unique: these are the smallest (in the sum of squares). Where `vd` does not keep the
    loops, they make the motion nearest to it that does.

    Raises ShapeError, NotFiniteError, FrameMismatchError, UnknownNameError for an actuated joint that is no tree joint,
    and ArgumentError when the actuated joints cannot make the motion.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> rbd.inverse_dynamics(state, [0.0, 0.0])          # hanging straight down
    array([0., 0.])
    """
    require_state(state, "inverse_dynamics")
    motors = _motors(state, actuated)
    rates = state.vector(vd, state.layout.nv, "vd")
    external = held(state, external_wrenches)
    if result is not None:
        require_kind(result, DynamicsResult, operation="inverse_dynamics", argument="result")
        result.require_mechanism(state)
    if state.layout.loops and (motors is not None or result is not None):
        return Done(_with_loops(state, rates, external, motors, out, result))
    run = least_inverse_dynamics_kernel if state.layout.loops else inverse_dynamics_kernel
    call: KernelCall[A] = KernelCall(run, (rates, external), {"torques": (state.layout.nv,)}, out=out)
    if result is None:
        return call
    torques = call.run(state)
    _fill(result, state, rates, external)
    return Done(torques)


def _with_loops(
    state: State[A],
    vd: Vector,
    external: External,
    motors: tuple[int, ...] | None,
    out: A | None,
    result: DynamicsResult | None,
) -> A:
    """Return the smallest torques for a motion of a mechanism with loops."""
    found, multipliers, rank, missing = constrained_inverse_dynamics_kernel(state, vd, external, motors)
    _check_balance(state, found, multipliers, missing)
    torques: A = state.engine.pack(found, "torques", (state.layout.nv,), out)
    if result is not None:
        _fill(
            result,
            state,
            vd,
            external,
            LOOP_WRENCHES,
            multipliers=multipliers,
            rank=rank,
            constraint_jacobian=constraint_jacobian_kernel(state),
            constraint_bias=constraint_bias_kernel(state, None),
        )
    return torques


def _check_balance(state: StateView, torques: Vector, multipliers: Vector, missing: Vector) -> None:
    """Raise ArgumentError when the motors leave something undone; scalars that are no floats pass."""
    if not all(map(is_float, (*torques, *multipliers, *missing))):
        return
    scale = max(map(abs, map(to_float, (*torques, *multipliers))), default=0.0)
    worst = max(range(len(missing)), key=lambda i: abs(to_float(missing[i])), default=0)
    if missing and abs(to_float(missing[worst])) > _BALANCE * max(scale, _BALANCE):
        name, torque = state.layout.velocity_names[worst], to_float(missing[worst])
        raise ArgumentError(
            f"the actuated joints cannot make this motion: a torque of {torque:.3g} is missing at {name}",
            argument="actuated",
            value=torque,
            allowed="joints whose torques reach every motion that the loops allow",
        )


def _fill(
    result: DynamicsResult,
    state: State[Any],
    vd: Vector,
    external: External,
    reading: SolutionReading = TREE_WRENCHES,
    **arrays: object,
) -> None:
    """Fill a result with the motion that was asked for, and all that belongs to it."""
    common = {
        "vd": vd,
        "mass_matrix": mass_matrix_kernel(state),
        "dynamics_bias": dynamics_bias_kernel(state, external),
        "passive_torques": passive_torques_kernel(state),
    }
    result.take(state, reading, {**common, **arrays}, external)


def _motors(state: StateView, actuated: Sequence[Joint] | None) -> tuple[int, ...] | None:
    """Return the indices of the actuated velocities, None for all; raise ArgumentError when a tree's joint has none."""
    if actuated is None:
        return None
    motors = {state.layout.link(joint).index for joint in several(actuated, "actuated", "joints")}
    idle = [link for link in state.links if link.joint.nv and link.index not in motors]
    if idle and not state.layout.loops:
        names = ", ".join(link.joint.name for link in idle)
        raise ArgumentError(
            f"without loop joints every joint's torque is determined; {names} must be actuated too",
            argument="actuated",
            value=actuated,
        )
    if not idle:
        return None
    return tuple(i for link in state.links if link.index in motors for i in range(link.v.start, link.v.stop))


@fast_path(wrenches=True, out=True)
def dynamics_bias(
    state: State[A], external_wrenches: ExternalWrenches | None = None, *, out: A | None = None
) -> Call[A]:
    """Return c(q, v) of M vd + c = tau + passive: Coriolis, centrifugal and gravity terms less external wrenches.

    `external_wrenches` as in `inverse_dynamics`. Raises ShapeError, FrameMismatchError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> bool(abs(rbd.dynamics_bias(state) - rbd.inverse_dynamics(state, [0.0, 0.0])).max() < 1e-12)
    True
    """
    require_state(state, "dynamics_bias")
    external = held(state, external_wrenches)
    return KernelCall(dynamics_bias_kernel, (external,), {"dynamics bias": (state.layout.nv,)}, out=out)


@fast_path(out=True)
def gravity_torques(state: State[A], *, out: A | None = None) -> Call[A]:
    """Return the torques that hold the mechanism still against gravity: the gradient of its potential energy.

    >>> import rbd
    >>> bool(rbd.gravity_torques(rbd.MechanismState(rbd.robots.double_pendulum())).any())   # hanging straight down
    False
    """
    return KernelCall(gravity_torques_kernel, (), {"gravity torques": (state.layout.nv,)}, out=out)
