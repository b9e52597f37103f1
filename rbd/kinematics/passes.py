"""Passes: kinematic recursions over all bodies, with cached results.

Values are expressed in body frames, where they have structural zeros; results in the root frame are transformed last.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rbd.indexing.layout import Layout
from rbd.kernels.cached_pass import cached_pass
from rbd.kernels.state_view import StateView, unregrouped_inertias
from rbd.kinematics import conversions
from rbd.mechanism import RigidBody
from rbd.scalars import Vector
from rbd.spatial import GeometricJacobian, SpatialAcceleration, SpatialInertia, Transform, Twist


@cached_pass("parameters")
def body_inertias(state: StateView) -> tuple[SpatialInertia, ...]:
    """Return the inertia of every body in its default frame, zero for the root; regrouped if the state does so."""
    return state.regrouped(unregrouped_inertias(state))


@cached_pass("parameters")
def placements(state: StateView) -> tuple[Transform, ...]:
    """Return, per node, the transform from its joint's frame_before to the parent body."""
    return tuple(state.placement(node.joint) for node in state.nodes)


@cached_pass("q")
def joint_transforms(state: StateView) -> tuple[Transform, ...]:
    """Return, per node, the transform from frame_after to frame_before."""
    return tuple(
        node.joint.type.transform(state.joint_q(node), node.joint.frame_after, node.joint.frame_before)
        for node in state.nodes
    )


@cached_pass("q")
def to_parent(state: StateView) -> tuple[Transform, ...]:
    """Return, per node, the transform from its body to the parent body."""
    pairs = zip(placements(state), joint_transforms(state), strict=True)
    return tuple(placement @ joint for placement, joint in pairs)


@cached_pass("q")
def to_root(state: StateView) -> tuple[Transform, ...]:
    """Return, per body, the transform from its default frame to the root frame."""
    root = state.layout.root_frame
    poses = [Transform.identity(root, root)]
    for node, tf in zip(state.nodes, to_parent(state), strict=True):
        poses.append(poses[node.parent] @ tf)
    return tuple(poses)


@cached_pass("q")
def to_trunk(state: StateView) -> tuple[Transform, ...]:
    """Return, per body, the transform from its default frame to that of the trunk, the first moving body.

    Results near the trunk are computed with it, and keep their accuracy if the mechanism is far from the root.
    """
    steps = to_parent(state)
    if not steps:
        return to_root(state)
    away = steps[0].inverse()
    poses = [away, Transform.identity(away.to_frame, away.to_frame)]
    for node, tf in zip(state.nodes[1:], steps[1:], strict=True):
        poses.append(poses[node.parent] @ tf)
    return tuple(poses)


def body_transform(state: StateView, a: RigidBody, b: RigidBody) -> Transform:
    """Return the transform from body `a` to body `b` via their nearest common ancestor."""
    i, j = state.layout.body_index(a), state.layout.body_index(b)
    if j == 0:
        return to_root(state)[i]
    identity = partial(Transform.identity, a.default_frame, a.default_frame)
    transform: Transform = path_transform(state.layout, i, j, to_parent(state).__getitem__, identity)
    return transform


def path_transform(
    layout: Layout, i: int, j: int, to_parent_of: Callable[[int], Any], identity: Callable[[], Any]
) -> Any:
    """Return the transform from body i to body j, of the type that `to_parent_of` returns per node."""
    up = down = None
    while i != j:
        step = to_parent_of(max(i, j) - 1)
        if i > j:
            up, i = step if up is None else step @ up, layout.nodes[i - 1].parent
        else:
            down, j = step if down is None else step @ down, layout.nodes[j - 1].parent
    up = identity() if up is None else up
    return up if down is None else down.inverse() @ up


@cached_pass("q")
def subspaces(state: StateView) -> tuple[GeometricJacobian, ...]:
    """Return, per node, the motion subspace of its joint in the body frame."""
    return tuple(
        node.joint.type.motion_subspace(state.joint_q(node), node.joint.frame_after, node.joint.frame_before)
        for node in state.nodes
    )


@cached_pass("qv")
def joint_twists(state: StateView) -> tuple[Twist, ...]:
    """Return, per node, the twist across its joint in the body frame."""
    return tuple(
        node.joint.type.twist(state.joint_q(node), state.joint_v(node), node.joint.frame_after, node.joint.frame_before)
        for node in state.nodes
    )


@cached_pass("qv")
def joint_bias_accelerations(state: StateView) -> tuple[SpatialAcceleration, ...]:
    """Return, per node, the bias acceleration of its joint, in the body frame (component derivative)."""
    return tuple(
        node.joint.type.bias_acceleration(
            state.joint_q(node), state.joint_v(node), node.joint.frame_after, node.joint.frame_before
        )
        for node in state.nodes
    )


@cached_pass("qv")
def subspace_rates(state: StateView) -> tuple[GeometricJacobian, ...]:
    """Return, per node, the time derivative of its joint's motion subspace in the body frame."""
    return tuple(
        node.joint.type.motion_subspace_rate(
            state.joint_q(node), state.joint_v(node), node.joint.frame_after, node.joint.frame_before
        )
        for node in state.nodes
    )


@cached_pass("qv")
def body_twists(state: StateView) -> tuple[Twist, ...]:
    """Return, per body, its twist with respect to the root, in the body frame."""
    root = state.layout.root_frame
    twists = [Twist.trusted(root, root, root, (0, 0, 0), (0, 0, 0))]
    for node, tf, joint_twist in zip(state.nodes, to_parent(state), joint_twists(state), strict=True):
        twists.append(_twist_after_joint(twists[node.parent], tf, joint_twist))
    return tuple(twists)


def _twist_after_joint(parent: Twist, tf: Transform, joint_twist: Twist) -> Twist:
    """Return the twist of a body, in its frame: that of its parent plus that of its joint."""
    inherited = parent.transformed(tf.inverse()).with_body(joint_twist.base)
    return inherited + joint_twist


@cached_pass("qv")
def bias_accelerations(state: StateView) -> tuple[SpatialAcceleration, ...]:
    """Return, per body, its bias acceleration (vd is zero, without gravity), in the body frame."""
    return accelerations(state, None)


def accelerations(state: StateView, vd: Vector | None) -> tuple[SpatialAcceleration, ...]:
    """Return, per body, its spatial acceleration with respect to the root, in the body frame; `vd` None means zero."""
    root, twists = state.layout.root_frame, body_twists(state)
    result = [SpatialAcceleration.trusted(root, root, root, (0, 0, 0), (0, 0, 0))]
    rows = zip(state.nodes, to_parent(state), joint_twists(state), accelerations_across_joints(state, vd), strict=True)
    for node, tf, joint_twist, a_J in rows:
        inherited = result[node.parent].transformed(tf.inverse()).with_body(a_J.base)
        turning = twists[node.index].cross(joint_twist)
        result.append(inherited + (a_J + turning.with_body(a_J.body).with_base(a_J.base)))
    return tuple(result)


def accelerations_across_joints(state: StateView, vd: Vector | None) -> tuple[SpatialAcceleration, ...]:
    """Return, per node, the acceleration across its joint for `vd` (None: zero), in the body frame."""
    biases = joint_bias_accelerations(state)
    if vd is None:
        return biases
    rows = zip(state.nodes, subspaces(state), biases, strict=True)
    return tuple(
        _acceleration_across_joint(subspace, vd[node.v_slice]) + bias if node.joint.nv else bias
        for node, subspace, bias in rows
    )


def _acceleration_across_joint(subspace: GeometricJacobian, vd: Vector) -> SpatialAcceleration:
    """Return the acceleration S vd across a joint."""
    return SpatialAcceleration.trusted(subspace.body, subspace.base, subspace.frame, *subspace.combination(vd))


@cached_pass("qv")
def configuration_derivative(state: StateView) -> Vector:
    """Return dq/dt."""
    return conversions.configuration_derivative(state, state.velocity_scalars())


@cached_pass("q")
def composite_inertias(state: StateView) -> tuple[SpatialInertia, ...]:
    """Return, per body, its composite inertia (its subtree as a rigid body), in the body frame."""
    composites = list(body_inertias(state))
    for node, tf in reversed(list(zip(state.nodes, to_parent(state), strict=True))):
        composites[node.parent] = composites[node.parent] + composites[node.index].transformed(tf)
    return tuple(composites)
