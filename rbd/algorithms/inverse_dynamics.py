"""Inverse dynamics: recursive Newton-Euler algorithm (RNEA), Featherstone (2008), table 5.1.

tau = M vd + c - passive; the sweeps are in `newton_euler.py`. Mechanisms with loops: section 8.12 and
`loops/inverse_dynamics.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rbd.algorithms.accelerations import Vd
from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.loops.inverse_dynamics import least_torques
from rbd.algorithms.loops.kinematics import constraint_bias_kernel, constraint_jacobian_kernel, loop_equations
from rbd.algorithms.mass_matrix import mass_matrix_kernel
from rbd.algorithms.newton_euler import (
    actuator_torques,
    dynamics_bias_kernel,
    gravity_torques_kernel,
    rigid_body_torques,
)
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.results.dynamics_result import DynamicsResult
from rbd.arguments import require_kind, sequence
from rbd.engine.fast_path import fast_path
from rbd.errors import ArgumentError
from rbd.kernels.calls import Call, ComputedCall, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.mechanism import Joint
from rbd.scalars import Scalar, Vector, is_float, to_float

_MISSING_TOLERANCE = 1 / 10**6
"""Missing torques below this share of the largest torque or multiplier count as rounding."""


@kernel(regroup=True)
def inverse_dynamics_kernel(state: StateView, vd: Vector, external: AppliedWrenches = ()) -> Vector:
    """Return M vd + c - passive."""
    return actuator_torques(state, rigid_body_torques(state, vd, external), vd)


@kernel(regroup=True)
def constrained_inverse_dynamics_kernel(
    state: StateView, vd: Vector, external: AppliedWrenches = (), actuated: tuple[int, ...] | None = None
) -> tuple[Vector, Vector, Scalar, Vector]:
    """Return the smallest torques of the actuated velocities, the multipliers, the rank of K, and missing torques."""
    balance = least_torques(loop_equations(state, None), inverse_dynamics_kernel(state, vd, external), actuated)
    return balance.torques, balance.multipliers, balance.rank, balance.residual


@kernel(regroup=True)
def least_inverse_dynamics_kernel(state: StateView, vd: Vector, external: AppliedWrenches = ()) -> Vector:
    """Return the smallest torques when every joint is actuated."""
    torques, _, _, _ = constrained_inverse_dynamics_kernel(state, vd, external)
    return torques


@fast_path(vectors=1, out=True)
def inverse_dynamics(
    state: State[ArrayT],
    vd: Vd,
    external_wrenches: ExternalWrenches | None = None,
    *,
    actuated: Sequence[Joint | str] | None = None,
    out: ArrayT | None = None,
    result: DynamicsResult | None = None,
) -> Call[ArrayT]:
    """Inverse dynamics, recursive Newton-Euler algorithm (RNEA): tau = M vd + c - passive + Kᵀ λ.

    `external_wrenches` maps bodies to wrenches in the root frame or any frame fixed to a body. `actuated` are the
    actuated joints, all of them by default; trees need all of them, since each torque is determined. A
    `result` is filled with the motion, with its accelerations, joint wrenches and multipliers.

    With loops or couplings the torques are not unique: these are the smallest (in the sum of squares). Where `vd` does
    not keep the constraints, they make the motion nearest to it that does.

    Raises ShapeError, NotFiniteError, FrameMismatchError, UnknownNameError for an actuated joint that is no tree joint,
    and ArgumentError when the actuated joints cannot make the motion.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> rbd.inverse_dynamics(state, [0.0, 0.0])          # hanging straight down
    array([0., 0.])
    """
    actuated_indices = _actuated_indices(state, actuated)
    accelerations = state.vector(vd, state.layout.nv, "vd")
    external = applied_wrenches(state, external_wrenches)
    if result is not None:
        require_kind(result, DynamicsResult, operation="inverse_dynamics", argument="result")
        result.require_mechanism(state)
    if state.layout.is_constrained and (actuated_indices is not None or result is not None):
        return ComputedCall(_with_loops(state, accelerations, external, actuated_indices, out, result))
    torques_kernel = least_inverse_dynamics_kernel if state.layout.is_constrained else inverse_dynamics_kernel
    shape = (state.layout.nv,)
    if result is None:
        return KernelCall(torques_kernel, (accelerations, external), {"torques": shape}, out=out)
    torques: ArrayT = state.engine.pack(torques_kernel(state, accelerations, external), "torques", shape)
    further = _write(state, torques, out)
    result.store(state, _terms(state, accelerations, external), external, further_writes=further)
    return ComputedCall(torques if out is None else out)


def _write(state: State[ArrayT], torques: ArrayT, out: ArrayT | None) -> list[Callable[[], object]]:
    """Return the call that stores torques in `out`, if it is given; raise ShapeError unless it can hold them."""
    if out is None:
        return []
    state.engine.require_out(out, torques, "torques")
    return [partial(out.__setitem__, ..., torques)]


def _with_loops(
    state: State[ArrayT],
    vd: Vector,
    external: AppliedWrenches,
    actuated_indices: tuple[int, ...] | None,
    out: ArrayT | None,
    result: DynamicsResult | None,
) -> ArrayT:
    """Return the smallest torques for a motion of a mechanism with loops, and fill the result."""
    tau, multipliers, rank, missing = constrained_inverse_dynamics_kernel(state, vd, external, actuated_indices)
    _check_balance(state, tau, multipliers, missing)
    shape = (state.layout.nv,)
    if result is None:
        filled: ArrayT = state.engine.pack(tau, "torques", shape, out)
        return filled
    torques: ArrayT = state.engine.pack(tau, "torques", shape)
    further = _write(state, torques, out)
    terms = _terms(state, vd, external) | _constraint_terms(state, multipliers, rank)
    result.store(state, terms, external, further_writes=further)
    return torques if out is None else out


def _check_balance(state: StateView, torques: Vector, multipliers: Vector, missing: Vector) -> None:
    """Raise ArgumentError when torques are missing; scalars other than floats pass."""
    if not all(map(is_float, (*torques, *multipliers, *missing))):
        return
    scale = max(map(abs, map(to_float, (*torques, *multipliers))), default=0.0)
    worst = max(range(len(missing)), key=lambda i: abs(to_float(missing[i])), default=0)
    if missing and abs(to_float(missing[worst])) > _MISSING_TOLERANCE * max(scale, _MISSING_TOLERANCE):
        name, torque = state.layout.velocity_names[worst], to_float(missing[worst])
        raise ArgumentError(
            f"the actuated joints cannot make this motion: a torque of {torque:.3g} is missing at {name}",
            argument="actuated",
            value=torque,
            allowed="joints whose torques reach every motion that the loops allow",
        )


def _terms(state: State[Any], vd: Vector, external: AppliedWrenches) -> dict[str, object]:
    """Return a motion and its terms as arrays of a result; no contact state changes."""
    return {
        "vd": vd,
        "mass_matrix": mass_matrix_kernel(state),
        "dynamics_bias": dynamics_bias_kernel(state, external),
        "passive_torques": passive_torques_kernel(state),
        "sd": (0,) * state.layout.ns,
    }


def _constraint_terms(state: State[Any], multipliers: Vector, rank: Scalar) -> dict[str, object]:
    """Return the terms of the constraints as arrays of a result."""
    return {
        "multipliers": multipliers,
        "rank": rank,
        "constraint_jacobian": constraint_jacobian_kernel(state),
        "constraint_bias": constraint_bias_kernel(state, None),
    }


def _actuated_indices(state: StateView, actuated: Sequence[Joint | str] | None) -> tuple[int, ...] | None:
    """Return the indices of the actuated velocities, None for all; raise ArgumentError unless a tree has all."""
    if actuated is None:
        return None
    joints = {state.layout.node(joint).index for joint in sequence(actuated, "actuated", "joints")}
    idle = [node for node in state.nodes if node.joint.nv and node.index not in joints]
    if idle and not state.layout.is_constrained:
        names = ", ".join(node.joint.name for node in idle)
        raise ArgumentError(
            f"without loops and couplings every joint's torque is determined; {names} must be actuated too",
            argument="actuated",
            value=actuated,
        )
    if not idle:
        return None
    return tuple(
        i for node in state.nodes if node.index in joints for i in range(node.v_slice.start, node.v_slice.stop)
    )


@fast_path(out=True)
def dynamics_bias(
    state: State[ArrayT], external_wrenches: ExternalWrenches | None = None, *, out: ArrayT | None = None
) -> Call[ArrayT]:
    """Bias c(q, v) of M vd + c = tau + passive: Coriolis, centrifugal and gravity terms less external wrenches.

    `external_wrenches` as in `inverse_dynamics`. Raises ShapeError, FrameMismatchError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> bool(abs(rbd.dynamics_bias(state) - rbd.inverse_dynamics(state, [0.0, 0.0])).max() < 1e-12)
    True
    """
    external = applied_wrenches(state, external_wrenches)
    return KernelCall(dynamics_bias_kernel, (external,), {"dynamics bias": (state.layout.nv,)}, out=out)


@fast_path(out=True)
def gravity_torques(state: State[ArrayT], *, out: ArrayT | None = None) -> Call[ArrayT]:
    """Gravity torques: the gradient of the potential energy of gravity, RNEA with v = 0 and vd = 0.

    >>> import rbd
    >>> bool(rbd.gravity_torques(rbd.MechanismState(rbd.robots.double_pendulum())).any())   # hanging straight down
    False
    """
    return KernelCall(gravity_torques_kernel, (), {"gravity torques": (state.layout.nv,)}, out=out)
