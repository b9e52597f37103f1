"""Recursive Newton-Euler algorithm (RNEA): Featherstone (2008), table 5.1, in body frames.

It differs from the table in one thing: accelerations are those of frame origins, not spatial ones
(`rbd/spatial/recursions/classical.py`), so that the wrench on a body needs no linear velocity. a_0 = -gravity as in the
table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rbd.algorithms.assembly import subtree_sums
from rbd.algorithms.external_wrenches import AppliedWrenches, minus_external
from rbd.algorithms.passive import passive_torques_kernel
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Scalar, Vector
from rbd.spatial import SpatialAcceleration, Twist, Wrench
from rbd.spatial.linalg import neg3
from rbd.spatial.recursions.classical import ClassicalMotion


def motions(state: StateView, vd: Vector | None, *, gravity: bool = True) -> tuple[ClassicalMotion, ...]:
    """Outward pass: return velocity and acceleration of every body at accelerations `vd` of the joints (None: zero)."""
    return tuple(_outward(state, vd, gravity=gravity))


def _outward(state: StateView, vd: Vector | None, *, gravity: bool = True) -> Iterator[ClassicalMotion]:
    """Yield the motion of every body: what is recorded for a body between two motions uses registers, not memory."""
    a_0 = neg3(state.gravity.xyz_components) if gravity else (0, 0, 0)
    result = [ClassicalMotion.fixed(state.layout.root_frame, a_0)]
    yield result[0]
    a_J = passes.accelerations_across_joints(state, vd)
    rows = zip(state.nodes, passes.to_parent(state), passes.joint_twists(state), a_J, strict=True)
    for node, X_PB, V_J, a_Ji in rows:
        result.append(result[node.parent].across_joint(X_PB, V_J, a_Ji))
        yield result[-1]


def body_wrenches(
    state: StateView, body_motions: Iterable[ClassicalMotion], external: AppliedWrenches = ()
) -> list[Wrench[Any]]:
    """Return, per body, f^B - f^x: the wrench of its motion, I a + V x* I V, minus the external wrenches on it."""
    f_B = [motion.wrench(inertia) for motion, inertia in zip(body_motions, passes.body_inertias(state), strict=True)]
    return minus_external(state, f_B, external)


def joint_torques(state: StateView, f: Sequence[Wrench[Any]]) -> Vector:
    """Return S^T f for every joint; `f` is the wrench the joint of each body applies to it."""
    torques: list[Scalar] = []
    for node, S in zip(state.nodes, passes.subspaces(state), strict=True):
        torques += S.torque_components(f[node.index])
    return tuple(torques)


def actuator_torques(state: StateView, torques: Vector, vd: Vector) -> Vector:
    """Return the torques of actuators: `torques` = S^T f, plus armature vd, minus passive torques."""
    passive = passive_torques_kernel(state)
    armatures = [a for node in state.nodes for a in state.joint_parameter(node.joint, "armature")]
    rows = zip(torques, armatures, vd, passive, strict=True)
    return tuple(tau + armature * acceleration - tau_passive for tau, armature, acceleration, tau_passive in rows)


def net_torques(tau: Vector, passive: Vector, c: Vector) -> Vector:
    """Return tau + passive - c, the right-hand side of M vd = tau + passive - c."""
    return tuple(torque + other - bias for torque, other, bias in zip(tau, passive, c, strict=True))


def rigid_body_torques(state: StateView, vd: Vector | None, external: AppliedWrenches = ()) -> Vector:
    """Return S^T f of the motion with accelerations `vd` (None: zero); without armature and passive torques."""
    return joint_torques(state, wrenches_of_motion(state, vd, external))


@kernel(regroup=True)
def dynamics_bias_kernel(state: StateView, external: AppliedWrenches = ()) -> Vector:
    """Return the bias c of M vd + c: RNEA with vd = 0 (Featherstone 2008, chapter 6)."""
    return rigid_body_torques(state, None, external)


@kernel(regroup=True)
def gravity_torques_kernel(state: StateView) -> Vector:
    """Return the torques that hold the mechanism still against gravity: RNEA with v = 0 and vd = 0."""
    return joint_torques(state, subtree_sums(state, body_wrenches(state, _motions_at_rest(state))))


def _motions_at_rest(state: StateView) -> tuple[ClassicalMotion, ...]:
    """Return the acceleration of every body at rest under gravity: that of the root."""
    result = [ClassicalMotion.fixed(state.layout.root_frame, neg3(state.gravity.xyz_components))]
    for node, X_PB in zip(state.nodes, passes.to_parent(state), strict=True):
        ends = node.joint.frame_after, node.joint.frame_before, node.joint.frame_after
        V_J = Twist.trusted(*ends, (0, 0, 0), (0, 0, 0))
        a_J = SpatialAcceleration.trusted(*ends, (0, 0, 0), (0, 0, 0))
        result.append(result[node.parent].across_joint(X_PB, V_J, a_J))
    return tuple(result)


def wrenches_of_motion(state: StateView, vd: Vector | None, external: AppliedWrenches) -> tuple[Wrench[Any], ...]:
    """Inward pass: return f, the wrench that its joint applies to each body, in the body frame."""
    return subtree_sums(state, body_wrenches(state, _outward(state, vd), external))
