"""Forward dynamics: articulated-body algorithm (ABA), Featherstone (2008), table 7.1.

Mechanisms with loops: the constrained solution with a factored mass matrix (`loops/dynamics.py`).
"""

from __future__ import annotations

from typing import overload

from rbd.algorithms.articulated_body_algorithm import articulated_motion
from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.hybrid_dynamics import HybridDynamics, JointAccelerations, hybrid_dynamics, refuse_out
from rbd.algorithms.loops.dynamics import constrained_accelerations
from rbd.algorithms.loops.loop_gains import DEFAULT_GAINS, ConstraintGains, gain_arguments
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION, Stabilization
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.torques import Torques, torques_of
from rbd.algorithms.trees import require_tree
from rbd.engine.fast_path import fast_path
from rbd.kernels.calls import Call, ComputedCall, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Vector
from rbd.scalars.linear_algebra import add


@kernel(regroup=True)
def forward_dynamics_kernel(
    state: StateView, torques: Vector, external: AppliedWrenches = (), gains: ConstraintGains = DEFAULT_GAINS
) -> Vector:
    """Return vd with M vd + c = torques + passive - Kᵀ λ and K vd = -k, the last with `gains` for open loops."""
    joint_torques = add(torques, passive_torques_kernel(state))
    if state.layout.nc:
        return constrained_accelerations(state, joint_torques, external, gains)
    return articulated_motion(state, joint_torques, external).vd


@overload
def forward_dynamics(
    state: State[ArrayT],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    prescribed: None = None,
    stabilization: Stabilization = DEFAULT_STABILIZATION,
    out: ArrayT | None = None,
) -> ArrayT: ...
@overload
def forward_dynamics(
    state: State[ArrayT],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    prescribed: JointAccelerations,
) -> HybridDynamics[ArrayT]: ...
@fast_path(vectors=1, out=True)
def forward_dynamics(
    state: State[ArrayT],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    prescribed: JointAccelerations | None = None,
    stabilization: Stabilization = DEFAULT_STABILIZATION,
    out: ArrayT | None = None,
) -> Call[ArrayT | HybridDynamics[ArrayT]]:
    """Forward dynamics, articulated-body algorithm (ABA): vd of M vd + c = torques + passive - Kᵀ λ, K vd = -k.

    `torques` None means zero. For trees, time is linear in the number of bodies. `external_wrenches` as in
    `inverse_dynamics`, loops, couplings and their `stabilization` as in `dynamics`, whose vd this is without the
    forces of contact points.

    Raises ShapeError, NotFiniteError, FrameMismatchError, and SingularError, naming the joint, when a joint moves
    nothing with inertia.

    `prescribed` gives the accelerations of some joints (0 locks a joint that stands still); then the result is a
    `HybridDynamics` with all accelerations and all torques. The torques given for such joints do not matter. Raises
    UnknownNameError for a joint that is not in the tree, TopologyError for mechanisms with loops or couplings,
    ArgumentError when `out` is given too.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.5, 0.2], [1.0, -1.0])
    >>> vd = rbd.forward_dynamics(state, [0.1, 0.2])
    >>> bool(abs(rbd.inverse_dynamics(state, vd) - [0.1, 0.2]).max() < 1e-12)
    True
    """
    tau = torques_of(state, torques)
    external = applied_wrenches(state, external_wrenches)
    if prescribed is not None:
        require_tree(state, "forward_dynamics with prescribed accelerations")
        refuse_out(out)
        return ComputedCall(hybrid_dynamics(state, tau, prescribed, external))
    gains = gain_arguments(state, stabilization)
    return KernelCall(forward_dynamics_kernel, (tau, external, *gains), {"vd": (state.layout.nv,)}, out=out)
