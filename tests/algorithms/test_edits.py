"""Edits of a mechanism must not change its motion: re-rooting, merging, grafting, cutting, moving it far away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import (
    Fixed,
    Frame,
    Joint,
    Mechanism,
    MechanismState,
    MRPFloating,
    QuaternionFloating,
    RigidBody,
    RotationVectorFloating,
    SpatialAcceleration,
    Transform,
    Wrench,
)
from rbd.errors import ArgumentError

from .helpers import JOINT_TYPES, RANDOM, Case, case, cases, close, examples, in_root

SEEDS = st.integers(0, 2**32 - 1)


@examples(0.6)
@given(cases())
def test_a_submechanism_has_its_block_of_the_mass_matrix(a_case: Case) -> None:
    mechanism, state = a_case.mechanism, a_case.state
    body = mechanism.bodies[1 + a_case.rng.integers(len(mechanism.bodies) - 1)]
    part, frames = mechanism.submechanism(body)
    part_state = MechanismState(part)
    at = []
    for original in mechanism.tree_joints:
        if original in frames.joints:
            part_state.set_configuration(frames.joint(original), state.configuration(original))
            at += list(range(mechanism.nv))[state.v_slice(original)]
    assert part.nv == len(at)
    close(rbd.mass_matrix(part_state), rbd.mass_matrix(state)[np.ix_(at, at)], 1e-10)


@examples(0.6)
@given(cases(passive=True))
def test_two_grafts_give_two_blocks(a_case: Case) -> None:
    child, state = a_case.mechanism, a_case.state
    both = Mechanism(gravity=child.gravity.xyz)
    pose = state.relative_transform(a_case.body(), child.root_body)  # any rigid motion
    for prefix in ("left_", "right_"):
        tf = Transform.trusted(child.root_frame, both.root_frame, *pose.components)
        both.attach_mechanism(both.root_body, child, child_root_pose=tf, prefix=prefix)
    twins = MechanismState(both, [*state.q, *state.q], [*state.v, *state.v])
    M, n = rbd.mass_matrix(state), child.nv
    expected = np.zeros((2 * n, 2 * n))
    expected[:n, :n] = expected[n:, n:] = M
    close(rbd.mass_matrix(twins), expected, 1e-12)
    close(rbd.passive_torques(twins), np.tile(rbd.passive_torques(state), 2), 1e-14)


@examples(1)
@given(SEEDS)
def test_merging_fixed_joints_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = rng.permutation(["fixed"] * 4 + list(rng.choice(list(JOINT_TYPES), 5)))
    whole = RANDOM["tree"]([JOINT_TYPES[name] for name in names], rng)
    state = MechanismState(whole)
    state.randomize(rng)
    merged, frames = whole.copy()
    merged.remove_fixed_joints()
    assert not any(isinstance(joint.type, Fixed) for joint in merged.tree_joints)
    q = [x for joint in merged.tree_joints for x in state.configuration(whole.joint(joint.name))]
    v = [x for joint in merged.tree_joints for x in state.velocity(whole.joint(joint.name))]
    other = MechanismState(merged, q, v)
    at = [k for joint in merged.tree_joints for k in range(whole.nv)[state.v_slice(whole.joint(joint.name))]]
    vd = rng.standard_normal(whole.nv)
    close(rbd.mass_matrix(other), rbd.mass_matrix(state)[np.ix_(at, at)], 1e-12)
    close(rbd.inverse_dynamics(other, vd[at]), rbd.inverse_dynamics(state, vd)[at], 1e-12, scale=1)
    close(rbd.forward_dynamics(other, vd[at]), rbd.forward_dynamics(state, vd)[at], 1e-10)
    for body in whole.bodies[1:]:
        where = state.transform_to_root(body)
        there = other.transform_to_root(frames[body.default_frame])
        close(there.matrix, where.matrix, 1e-12)


def rerooted(seed: int, base_type: rbd.JointType) -> tuple[MechanismState, MechanismState, rbd.FrameMap]:
    """Return states of one floating tree, hung up first by its first body and then by another, and the map between.

    The second is made by edits: a floating loop joint to the new base takes over when the old floating joint goes.
    """
    rng = np.random.default_rng(seed)
    names = rng.choice(list(JOINT_TYPES), 6)
    before = RANDOM["floating tree"]([JOINT_TYPES[name] for name in names], rng)
    state = MechanismState(before)
    state.randomize(rng)
    after, frames = before.copy()
    base = after.bodies[1 + rng.integers(1, len(after.bodies) - 1)]
    handle = Joint("handle", base_type)
    after.attach(after.root_body, base, handle)
    old = next(joint for joint in after.tree_joints if after.predecessor(joint) is after.root_body)
    report = after.remove_joint(old)
    moved = MechanismState(after)
    original = {copy: body for body, copy in frames.bodies.items()}
    pose = state.transform_to_root(original[base])
    tf = Transform.trusted(handle.frame_after, handle.frame_before, *pose.components)
    twist = state.transform(state.twist(original[base]), original[base].default_frame)
    same = rbd.Twist.trusted(
        handle.frame_after,
        handle.frame_before,
        handle.frame_after,
        twist.angular_components,
        twist.linear_components,
    )
    for copy, joint in ((copy, joint) for joint, copy in frames.joints.items()):
        now = report.joint(copy)
        if now is None:
            continue
        q, v = tuple(state.configuration(joint)), tuple(state.velocity(joint))
        turned = now is not copy
        moved.set_configuration(now, np.array(copy.type.flip_configuration(q) if turned else q))
        moved.set_velocity(now, np.array(copy.type.flip_velocity(q, v) if turned else v))
    moved.set_configuration(handle, tf)
    moved.set_velocity(handle, same)
    return state, moved, frames


@pytest.mark.parametrize("base_type", [QuaternionFloating(), MRPFloating(), RotationVectorFloating()])
@examples(0.2)
@given(SEEDS)
def test_rerooting_keeps_the_motion(base_type: rbd.JointType, seed: int) -> None:
    """The same wrenches on the same bodies give the same accelerations, whichever body the tree hangs by."""
    state, moved, frames = rerooted(seed, base_type)
    rng, bodies = np.random.default_rng(seed), frames.bodies
    for body, copy in bodies.items():
        if body is not state.mechanism.root_body:
            mark = body.frame(f"{body.name}_mark")  # of the body's frames, those of joints change with the tree
            there = moved.transform_to_root(frames[mark])
            close(there.matrix, state.transform_to_root(mark).matrix, 1e-9, scale=1)
        close(moved.twist(copy).vector, state.twist(body).vector, 1e-9, scale=1)
    close(rbd.kinetic_energy(moved), rbd.kinetic_energy(state), 1e-9)
    close(rbd.momentum(moved).vector, rbd.momentum(state).vector, 1e-9, scale=1)
    push = {body: rbd.Wrench(state.mechanism.root_frame, *rng.standard_normal((2, 3))) for body in list(bodies)[1:4]}
    copied = {bodies[b]: rbd.Wrench(moved.mechanism.root_frame, w.angular, w.linear) for b, w in push.items()}
    one, two = rbd.DynamicsResult(state.mechanism), rbd.DynamicsResult(moved.mechanism)
    rbd.dynamics(one, state, None, push)
    rbd.dynamics(two, moved, None, copied)
    size = max(np.abs(one.acceleration(body).vector).max() for body in bodies)
    for body, copy in bodies.items():
        close(two.acceleration(copy).vector, one.acceleration(body).vector, 1e-8, scale=size)


@examples(0.6)
@given(SEEDS)
def test_results_far_from_the_origin_are_those_near_it(seed: int) -> None:
    """The base of a tree may stand a thousand kilometres from the origin of the world."""
    rng = np.random.default_rng(seed)
    names = rng.choice([name for name in JOINT_TYPES if name != "fixed"], 6)
    near = RANDOM["tree"]([JOINT_TYPES[name] for name in names], rng)
    state = MechanismState(near)
    state.randomize(rng)
    far = Mechanism(gravity=near.gravity.xyz)
    pose = Transform(near.root_frame, far.root_frame, translation=(1e6, -1e6, 1e6))
    frames = far.attach_mechanism(far.root_body, near, child_root_pose=pose)
    there = MechanismState(far, state.q, state.v)
    tau = rng.standard_normal(near.nv)
    close(rbd.mass_matrix(there), rbd.mass_matrix(state), 1e-9)
    close(rbd.dynamics_bias(there), rbd.dynamics_bias(state), 1e-9)
    close(rbd.kinetic_energy(there), rbd.kinetic_energy(state), 1e-9)
    close(rbd.forward_dynamics(there, tau), rbd.forward_dynamics(state, tau), 1e-9)
    one, two = rbd.DynamicsResult(near), rbd.DynamicsResult(far)
    close(rbd.dynamics(two, there, tau).vd, rbd.dynamics(one, state, tau).vd, 1e-9)
    body = near.bodies[-1]
    a, b = near.bodies[1].default_frame, body.default_frame
    close(there.relative_transform(frames[a], frames[b]).matrix, state.relative_transform(a, b).matrix, 1e-9)
    A, A_near = rbd.centroidal_momentum_matrix(there).matrix, rbd.centroidal_momentum_matrix(state).matrix
    close(A, A_near, 1e-8)


def test_accuracy_near_a_floating_base_far_from_the_origin() -> None:
    """Whatever does not speak of the root frame's origin is as accurate at a million metres as at home."""
    robot = rbd.robots.humanoid()
    state = MechanismState(robot)
    state.randomize(np.random.default_rng(167))
    base, shift = robot.tree_joints[0], np.array([1e6, -2e6, 3e6])
    q = state.configuration(base)
    state.set_configuration(base, [*q[:4], 0, 0, 0])
    there = MechanismState(robot, state.q, state.v)
    there.set_configuration(base, [*q[:4], *shift])
    head, hand, tau = robot.body("head"), robot.bodies[-1], np.linspace(-1, 1, robot.nv)
    results = [rbd.dynamics(rbd.DynamicsResult(robot), s, tau) for s in (there, state)]

    given = SpatialAcceleration(*(b.default_frame for b in (hand, robot.body("pelvis"), hand)), [1, 2, 3], [4, 5, 6])
    questions = [
        lambda s: s.transform(given, head.default_frame).vector,
        lambda s: s.relative_transform(hand, head).matrix,
        lambda s: s.relative_twist(hand, head, frame=head.default_frame).vector,
        lambda s: rbd.centroidal_momentum_matrix(s).matrix,
        lambda s: rbd.momentum_matrix(s, frame=head.default_frame).matrix,
        lambda s: rbd.geometric_jacobian(s, robot.path(head, hand), frame=head.default_frame).matrix,
        lambda s: rbd.mass_matrix(s),
        lambda s: rbd.coriolis_matrix(s),
        lambda s: rbd.dynamics_bias(s, {hand: Wrench(head.default_frame, [1, 2, 3], [4, 5, 6])}),
    ]
    for question in questions:
        close(question(there), question(state), 1e-13)
    close(results[0].vd, results[1].vd, 1e-13)
    spacing = np.spacing(3e6)
    assert np.abs(rbd.center_of_mass(there).xyz - shift - rbd.center_of_mass(state).xyz).max() <= spacing


def test_a_path_from_before_an_edit_is_refused() -> None:
    """The same joints in another order: the old path would count one that is not on the way any more."""
    mechanism = rbd.robots.chain(3)
    (one, two, three), (_, second, third) = mechanism.bodies[1:], mechanism.tree_joints
    old = mechanism.path(mechanism.root_body, three)
    mechanism.remove_subtree(two)
    mechanism.attach(one, three, third)
    mechanism.attach(three, two, second)
    state = MechanismState(mechanism, v=[1.0, 2.0, 3.0])
    with pytest.raises(ArgumentError, match=r"mechanism\.path"):
        rbd.geometric_jacobian(state, old)
    again = rbd.geometric_jacobian(state, mechanism.path(mechanism.root_body, three))
    assert (again @ state.v).isclose(state.twist(three))


def test_joints_attach_to_any_frame_of_a_body() -> None:
    """The poses of `attach` may speak of any frame fixed to the body: the motion is the same."""
    results = []
    for detour in (False, True):
        mechanism = Mechanism()
        base = RigidBody("base", _inertia("base"))
        mechanism.attach("world", base, Joint("j0", rbd.Revolute((0, 1, 0))))
        tip, mount = Frame("tip"), Frame("mount")
        base.add_frame(Transform(tip, base.default_frame, translation=(0, 0, 0.5)))
        arm = RigidBody("arm", _inertia("arm"))
        arm.add_frame(Transform(mount, arm.default_frame, translation=(0.25, 0, 0)))
        joint = Joint("j1", rbd.Revolute((1, 0, 0)))
        if detour:
            joint_pose = Transform(joint.frame_before, tip, translation=(0.1, 0, 0))
            successor_pose = Transform(mount, joint.frame_after, translation=(0.35, 0, 0))
        else:
            joint_pose = Transform(joint.frame_before, base.default_frame, translation=(0.1, 0, 0.5))
            successor_pose = Transform(arm.default_frame, joint.frame_after, translation=(0.1, 0, 0))
        mechanism.attach(base, arm, joint, joint_pose=joint_pose, successor_pose=successor_pose)
        state = MechanismState(mechanism, [0.3, 0.4], [1.0, -2.0])
        results.append((rbd.mass_matrix(state), rbd.dynamics_bias(state), state.transform_to_root(arm).matrix))
        assert mechanism.frame("mount") == mount
    for one, two in zip(*results, strict=True):
        close(two, one, 1e-13)


def _inertia(name: str) -> rbd.SpatialInertia:
    return rbd.SpatialInertia(Frame(name), mass=1.5, com=(0.1, 0.2, 0.3), moment_about_com=np.diag([0.1, 0.2, 0.15]))


@pytest.mark.parametrize("kind", RANDOM)
def test_a_copy_moves_the_same_and_shares_no_frame(kind: str) -> None:
    a_case = case(kind, seed=137, passive=True)
    twin, frames = a_case.mechanism.copy()
    other, tau = MechanismState(twin, a_case.state.q, a_case.state.v), a_case.velocity()
    assert np.array_equal(rbd.forward_dynamics(other, tau), rbd.forward_dynamics(a_case.state, tau))
    body = a_case.mechanism.bodies[-1]
    with pytest.raises((rbd.errors.UnknownNameError, rbd.errors.FrameMismatchError)):
        other.transform_to_root(body.default_frame)
    wrench = rbd.Wrench(body.default_frame, (1, 0, 0), (0, 1, 0))
    with pytest.raises((rbd.errors.UnknownNameError, rbd.errors.FrameMismatchError)):
        rbd.dynamics_bias(other, {frames.body(body): wrench})
    assert in_root(a_case.state, wrench).any()
