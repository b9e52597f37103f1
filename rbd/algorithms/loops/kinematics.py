"""Kinematics of loop joints, and the constraint equations K vd = -k of loop joints and couplings.

Featherstone (2008), section 8.2, with the algorithm for K and k of section 8.7. It differs in two things: everything
about a loop is expressed in its joint's frame after and relative to the nearest common ancestor of both sides, for
accuracy far from the root; the joint's own motion is projected out, so that the loop error serves every joint type.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.algorithms.assembly import write_block, zeros
from rbd.algorithms.loops.constraint_equations import ConstraintEquations, blocks_of, rank_tolerance
from rbd.algorithms.loops.couplings import coupling_bias, coupling_error, write_coupling_row
from rbd.algorithms.loops.loop_gains import DEFAULT_GAINS, ConstraintGains, LoopGains
from rbd.indexing.layout import LoopJoint, TreeNode
from rbd.kernels.cached_pass import cached_pass
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.linear_algebra import freeze, transpose
from rbd.spatial import GeometricJacobian, SpatialAcceleration, Transform, Twist, WrenchMatrix
from rbd.spatial.recursions.column_operations import transpose_product
from rbd.state.coordinates import nearest_velocity

Side = tuple[TreeNode, ...]
"""The nodes from the nearest common ancestor (left out) outwards to one end of a loop."""


@final
@attrs.frozen(eq=False)
class LoopPose:
    """The pose that the tree gives to a loop joint."""

    loop: LoopJoint
    predecessor_side: Side
    successor_side: Side
    base: int
    """Index of the nearest common ancestor of both sides."""
    to_after: dict[int, Transform]
    """Per body on the loop, the transform from its frame to the loop joint's frame after."""
    transform: Transform
    """From the loop joint's frame after to its frame before."""
    q: Vector
    """The loop joint's coordinates nearest to the pose."""
    T: WrenchMatrix
    """Constraint wrench subspace of the joint (frame after): one column per constraint."""

    @property
    def S(self) -> GeometricJacobian:
        """Motion subspace of the joint, in its frame after."""
        joint = self.loop.joint
        return joint.type.motion_subspace(self.q, joint.frame_after, joint.frame_before)


@cached_pass("q")
def loop_poses(state: StateView) -> tuple[LoopPose, ...]:
    """Return the pose of every loop joint, in the order of `loop_joints`."""
    return tuple(_loop_pose(state, loop) for loop in state.layout.loops)


def _loop_pose(state: StateView, loop: LoopJoint) -> LoopPose:
    joint = loop.joint
    predecessor_side, successor_side = _sides(state, loop)
    side = predecessor_side or successor_side  # either begins at the nearest common ancestor
    base = side[0].parent if side else loop.predecessor
    to_after = _transforms_to_after(state, loop, predecessor_side, successor_side)
    transform = (to_after[loop.predecessor] @ state.placement(joint)).inverse()
    q = joint.type.project(transform)
    T = joint.type.constraint_wrench_subspace(q, joint.frame_after)
    return LoopPose(loop, predecessor_side, successor_side, base, to_after, transform, q, T)


def _sides(state: StateView, loop: LoopJoint) -> tuple[Side, Side]:
    """Return the sides of a loop: from the nearest common ancestor to the predecessor, and to the successor."""
    predecessor_path = state.layout.path_to_root(loop.predecessor)
    successor_path = state.layout.path_to_root(loop.successor)
    return _outwards(state, predecessor_path, successor_path), _outwards(state, successor_path, predecessor_path)


def _outwards(state: StateView, path: tuple[int, ...], other: tuple[int, ...]) -> Side:
    """Return the nodes of a path to the root that are not on the other one, from the root outwards."""
    return tuple(state.nodes[i - 1] for i in reversed(path) if i not in other)


def _transforms_to_after(
    state: StateView, loop: LoopJoint, predecessor_side: Side, successor_side: Side
) -> dict[int, Transform]:
    """Return the transforms to the frame after: inwards along the successor's side, outwards along the other."""
    to_parent = passes.to_parent(state)
    tf = state.successor_placement(loop.joint).inverse()
    transforms = {loop.successor: tf}
    for node in reversed(successor_side):
        tf = tf @ to_parent[node.index - 1].inverse()
        transforms[node.parent] = tf
    for node in predecessor_side:
        tf = tf @ to_parent[node.index - 1]
        transforms[node.index] = tf
    return transforms


@kernel
def constraint_jacobian_kernel(state: StateView) -> Matrix:
    """Return K: T^T S of every joint on a loop; minus on the predecessor's side, the integer 0 off the loop.

    The rows of couplings come below.
    """
    K = zeros(state.layout.nc, state.layout.nv)
    for coupling in state.layout.couplings:
        write_coupling_row(K, state, coupling)
    for pose in loop_poses(state):
        for side, sign in ((pose.successor_side, 1), (pose.predecessor_side, -1)):
            for node in side:
                S = passes.subspaces(state)[node.index - 1].transformed(pose.to_after[node.index])
                T_S = transpose(transpose_product(S, pose.T)) if node.joint.nv else ()
                block = T_S if sign > 0 else tuple(tuple(-x for x in row) for row in T_S)
                write_block(K, pose.loop.rows.start, node.v_slice.start, block)
    return freeze(K)


# --- motion --------------------------------------------------------------------------------------------------------


@final
@attrs.frozen(eq=False)
class LoopMotion:
    """Motion of a loop joint as the tree moves it: frame after with respect to frame before, in frame after."""

    slip: Twist
    """The part of the twist that the joint does not allow: zero where the loop stays closed."""
    acceleration: SpatialAcceleration
    """Spatial acceleration for vd = 0 minus the joint's own bias acceleration."""


def loop_motion(state: StateView, pose: LoopPose) -> LoopMotion:
    """Return the motion of a loop joint for vd = 0."""
    after, before = pose.loop.joint.frame_after, pose.loop.joint.frame_before
    V_s, A_s = _motion_of_end(state, pose, pose.successor_side, pose.loop.successor)
    V_p, A_p = _motion_of_end(state, pose, pose.predecessor_side, pose.loop.predecessor)
    turning = V_s.cross(V_p).with_body(after).with_base(before)
    relative = A_s.with_body(after) - A_p.with_body(before) + turning
    twist = V_s.with_body(after) - V_p.with_body(before)
    subspace = pose.S
    velocity = nearest_velocity(subspace, twist)
    V_J = Twist.trusted(after, before, after, *subspace.combination(velocity))
    bias = pose.loop.joint.type.bias_acceleration(pose.q, velocity, after, before)
    return LoopMotion(twist - V_J, relative - bias)


def _motion_of_end(state: StateView, pose: LoopPose, side: Side, end: int) -> tuple[Twist, SpatialAcceleration]:
    """Return twist and acceleration (vd = 0) of one end of a loop with respect to the common body, in frame after."""
    base = state.layout.bodies[pose.base].default_frame
    twist, acceleration = Twist.zero(base, base, base), SpatialAcceleration.zero(base, base, base)
    to_parent, twists, biases = (
        passes.to_parent(state),
        passes.joint_twists(state),
        passes.joint_bias_accelerations(state),
    )
    for node in side:
        X_BP, V_J, bias = to_parent[node.index - 1].inverse(), twists[node.index - 1], biases[node.index - 1]
        twist = twist.transformed(X_BP).with_body(V_J.base) + V_J
        turning = twist.cross(V_J).with_body(V_J.body).with_base(V_J.base)
        acceleration = acceleration.transformed(X_BP).with_body(V_J.base) + (bias + turning)
    to_after = pose.to_after[end]
    return twist.transformed(to_after), acceleration.transformed(to_after)


# --- constraint equations ---------------------------------------------------------------------------------------------


def loop_error(pose: LoopPose) -> Twist:
    """Return the loop error as a twist in frame after: zero where the joint can take the pose."""
    joint = pose.loop.joint
    allowed = joint.type.transform(pose.q, joint.frame_after, joint.frame_before)
    return (allowed.inverse() @ pose.transform).log()


@kernel
def constraint_error_kernel(state: StateView) -> Vector:
    """Return the errors of loops and couplings, one number per constraint."""
    loops = tuple(e for pose in loop_poses(state) for e in pose.T.power_components(loop_error(pose)))
    return loops + tuple(coupling_error(state, row) for row in state.layout.couplings)


@kernel
def constraint_bias_kernel(state: StateView, gains: ConstraintGains = DEFAULT_GAINS) -> Vector:
    """Return k of K vd = -k, with the terms of the stabilisation."""
    loops, couplings = loop_poses(state), state.layout.couplings
    per_constraint = gains if isinstance(gains, tuple) else (gains,) * (len(loops) + len(couplings))
    rows: list[Scalar] = []
    for pose, loop_gains in zip(loops, per_constraint[: len(loops)], strict=True):
        rows += _loop_bias(state, pose, loop_gains)
    for row, row_gains in zip(couplings, per_constraint[len(loops) :], strict=True):
        rows.append(coupling_bias(state, row, row_gains))
    return tuple(rows)


def _loop_bias(state: StateView, pose: LoopPose, gains: LoopGains | None) -> Vector:
    if not pose.T.columns:
        return ()
    motion = loop_motion(state, pose)
    relative = motion.acceleration
    if gains is not None:
        relative = relative - gains.acceleration(loop_error(pose), motion.slip)
    return pose.T.products(relative.angular_components, relative.linear_components)


def loop_equations(state: StateView, gains: ConstraintGains) -> ConstraintEquations:
    """Return K, k and the rank tolerance."""
    K = constraint_jacobian_kernel(state)
    blocks = blocks_of(K, (constraint.rows for constraint in state.layout.constraints))
    tolerance = rank_tolerance(K, constraint_error_kernel(state), blocks)
    k = constraint_bias_kernel(state, gains)
    return ConstraintEquations(K, k, blocks, tolerance)
