"""Terms of joints and bodies in the derivatives of a motion: Singh, Russell and Wensing (2022).

For a joint with motion subspace S whose predecessor moves with twist V_P and spatial acceleration A_P:

    Psi_d = V_P x S,  Psi_dd = A_P x S + V_P x Psi_d,  S_d = V x S = (V_P + V_J) x S

and for a subtree the sum B^C of the operators of its bodies (`rbd/spatial/recursions/coriolis.py`). Everything is in
body frames. Velocities are relative to a frame that moves with the trunk at this instant: this changes no wrench, and
some terms are zero. A subspace that depends on position adds its derivatives, which the paper does not have.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.algorithms.assembly import subtree_sums
from rbd.algorithms.newton_euler import motions
from rbd.indexing.layout import TreeNode
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Vector
from rbd.scalars.linear_algebra import unit
from rbd.spatial import GeometricJacobian, Twist
from rbd.spatial.linalg import Vec3, add3, matvec, neg3, scale3, zero3
from rbd.spatial.recursions.classical import ClassicalMotion
from rbd.spatial.recursions.column_operations import add_columns, motion_cross_columns, scale_columns
from rbd.spatial.recursions.coriolis import CoriolisOperator
from rbd.spatial.recursions.predecessor_motion import PredecessorMotion


@final
@attrs.frozen(eq=False)
class JointTerms:
    """Vectors of one joint that its derivatives use, one column per velocity, in the body frame."""

    Psi_d: GeometricJacobian
    """Psi_d: the change of the twist of every body beyond, as the position changes."""
    Psi_dd: GeometricJacobian
    """Psi_dd: with 2 B Psi_d, the change of every acceleration beyond, as the position changes."""
    Psi_d_plus_S_d: GeometricJacobian
    """Psi_d + S_d: with 2 B S, the change of every acceleration beyond, as the velocity changes."""
    dS: tuple[GeometricJacobian, ...]
    """Per velocity, the derivative of S along it; empty where S is constant."""


@final
@attrs.frozen(eq=False)
class Variations:
    """A motion with the terms of its derivatives."""

    motions: tuple[ClassicalMotion, ...]
    """Per body."""
    joints: tuple[JointTerms, ...]
    """Per node."""
    two_B_C: tuple[CoriolisOperator, ...]
    """Per body, 2 B^C of its subtree."""


def variations(state: StateView, vd: Vector | None, *, gravity: bool = True) -> Variations:
    """Return the motion with accelerations `vd` (None: zero) and the terms of its derivatives."""
    body_motions = motions(state, vd, gravity=gravity)
    predecessors, velocities = _predecessors(state, body_motions)
    joints = tuple(_terms(state, node, predecessors[node.index - 1], vd) for node in state.nodes)
    return Variations(body_motions, joints, _operators(state, body_motions, velocities))


def _predecessors(
    state: StateView, body_motions: tuple[ClassicalMotion, ...]
) -> tuple[list[PredecessorMotion], list[Vec3]]:
    """Return the motion of every joint's predecessor, and the velocity of every body's origin, seen from the trunk."""
    to_parent, twists = passes.to_parent(state), passes.joint_twists(state)
    velocities = (
        [neg3(matvec(to_parent[0].rotation_components, twists[0].linear_components))] if to_parent else [zero3()]
    )
    predecessors: list[PredecessorMotion] = []
    for node, X_PB, V_J in zip(state.nodes, to_parent, twists, strict=True):
        motion = PredecessorMotion.of_body(body_motions[node.parent], velocities[node.parent], X_PB)
        if node.index == 1:
            motion = attrs.evolve(motion, linear_velocity=neg3(V_J.linear_components))
        predecessors.append(motion)
        velocities.append(zero3() if node.index == 1 else add3(motion.linear_velocity, V_J.linear_components))
    return predecessors, velocities


def _terms(state: StateView, node: TreeNode, predecessor: PredecessorMotion, vd: Vector | None) -> JointTerms:
    """Return the terms of one joint."""
    S, V_J = passes.subspaces(state)[node.index - 1], passes.joint_twists(state)[node.index - 1]
    Psi_d, Psi_dd = motion_cross_columns(predecessor.twist, S), predecessor.Psi_dd(S)
    Psi_d_plus_S_d = scale_columns(Psi_d, 2)
    if node.joint.nv > 1:  # V_J x S = 0 for one column
        Psi_d_plus_S_d = add_columns(Psi_d_plus_S_d, motion_cross_columns(V_J, S))
    terms = JointTerms(Psi_d, Psi_dd, Psi_d_plus_S_d, subspace_derivatives(state, node))
    return _with_changing_subspace(state, node, predecessor, vd, terms) if terms.dS else terms


def subspace_derivatives(state: StateView, node: TreeNode) -> tuple[GeometricJacobian, ...]:
    """Return dS, the derivative of the motion subspace along each velocity of a joint; empty where S is constant."""
    joint, nv = node.joint, node.joint.nv
    if joint.type.has_constant_subspace:
        return ()
    q, ends = state.joint_q(node), (joint.frame_after, joint.frame_before)
    return tuple(joint.type.motion_subspace_rate(q, unit(nv, k), *ends) for k in range(nv))


def _with_changing_subspace(
    state: StateView, node: TreeNode, predecessor: PredecessorMotion, vd: Vector | None, terms: JointTerms
) -> JointTerms:
    """Add the terms of a motion subspace that depends on position."""
    joint, q, v = node.joint, state.joint_q(node), state.joint_v(node)
    V_J, S = passes.joint_twists(state)[node.index - 1], passes.subspaces(state)[node.index - 1]
    dS_v = _combined(S, terms.dS, v)
    ends = joint.frame_after, joint.frame_before
    Psi_dd = add_columns(terms.Psi_dd, joint.type.bias_acceleration_derivatives(q, v, *ends))
    if vd is not None:
        Psi_dd = add_columns(Psi_dd, _combined(S, terms.dS, vd[node.v_slice]))
    twice = scale_columns(motion_cross_columns(predecessor.twist, dS_v), 2)
    crossed = add_columns(twice, motion_cross_columns(V_J, dS_v))
    rate = add_columns(dS_v, joint.type.motion_subspace_rate(q, v, *ends))
    Psi_d_plus_S_d = add_columns(terms.Psi_d_plus_S_d, rate)
    return JointTerms(add_columns(terms.Psi_d, dS_v), add_columns(Psi_dd, crossed), Psi_d_plus_S_d, terms.dS)


def _combined(S: GeometricJacobian, dS: tuple[GeometricJacobian, ...], rates: Vector) -> GeometricJacobian:
    """Return, per velocity, the derivative of S `rates`."""
    return GeometricJacobian.trusted(S.body, S.base, S.frame, tuple(dS_k.combination(rates) for dS_k in dS))


def _operators(
    state: StateView, body_motions: tuple[ClassicalMotion, ...], velocities: list[Vec3]
) -> tuple[CoriolisOperator, ...]:
    """Return 2 B^C of every subtree: B is linear in the twist, which is doubled."""
    operators: list[CoriolisOperator] = []
    for inertia, motion, velocity in zip(passes.body_inertias(state), body_motions, velocities, strict=True):
        doubled = Twist.trusted(motion.body, motion.base, motion.body, scale3(motion.omega, 2), scale3(velocity, 2))
        operators.append(CoriolisOperator.of_body(inertia, doubled))
    return subtree_sums(state, operators)
