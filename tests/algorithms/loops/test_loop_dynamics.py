"""Motion and forces of mechanisms with loops: against first principles, trees, and a dense solution."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Baumgarte, DynamicsResult, Joint, Mechanism, MechanismState, Revolute, RigidBody, SpatialInertia
from rbd.errors import ArgumentError, SingularError, UnknownNameError
from tests.algorithms.helpers import (
    JOINT_TYPES,
    STEP,
    Case,
    Numbers,
    body_momentum,
    cases,
    close,
    columns,
    examples,
    rate,
    weight,
)
from tests.algorithms.loops.mechanisms import looped, random_pose

KINDS = sorted(JOINT_TYPES)
seeds = st.integers(0, 2**32 - 1)


def solved(case: Case, tau: Numbers, wrenches: dict | None = None, **options: object) -> DynamicsResult:
    return rbd.dynamics(DynamicsResult(case.mechanism), case.state, tau, wrenches, **options)


def passive_case(kind: str, seed: int, **options: bool) -> Case:
    case = looped(kind, seed, **options)
    for joint in case.mechanism.tree_joints:
        joint.damping, joint.armature = 0.3, 0.1
    return case


# --- the equations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@examples(0.05)
@given(seed=seeds)
def test_the_solution_solves_the_equations(kind: str, seed: int) -> None:
    case = passive_case(kind, seed, slack=True)
    tau, wrenches = case.velocity(), case.wrenches()
    result = solved(case, tau, wrenches)
    M, c, K, k = result.mass_matrix, result.dynamics_bias, result.constraint_jacobian, result.constraint_bias
    close(M @ result.vd + c, tau + result.passive_torques - K.T @ result.multipliers, 1e-9)
    close(K @ result.vd, -k, 1e-9, scale=float(np.abs(result.vd).max()))
    np.testing.assert_array_equal(K, rbd.constraint_jacobian(case.state))
    np.testing.assert_array_equal(k, rbd.constraint_bias(case.state))
    np.testing.assert_array_equal(M, rbd.mass_matrix(case.state))
    close(rbd.forward_dynamics(case.state, tau, wrenches), result.vd, 1e-12)
    assert result.constraint_rank == np.linalg.matrix_rank(K) if K.size else result.constraint_rank == 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_body_satisfies_the_newton_euler_equations(kind: str) -> None:
    """Momentum of a body changes by what its joints, the loop, gravity and the outside apply: this fixes all signs."""
    case = passive_case(kind, 7)
    wrenches = case.wrenches()
    result = solved(case, case.velocity(), wrenches)
    mechanism, state = case.mechanism, case.state
    applied = {body: weight(state, body) for body in mechanism.bodies[1:]}
    for body, wrench in wrenches.items():
        applied[body] = applied[body] + wrench.vector
    for joint in mechanism.joints:
        loop = joint in mechanism.loop_joints
        wrench = (result.loop_wrench(joint) if loop else result.joint_wrench(joint)).vector
        applied[mechanism.successor(joint)] = applied[mechanism.successor(joint)] + wrench
        if mechanism.predecessor(joint) in applied:
            applied[mechanism.predecessor(joint)] = applied[mechanism.predecessor(joint)] - wrench
    for body, wrench in applied.items():
        close(rate(state, lambda s, body=body: body_momentum(s, body), result.vd), wrench, 1e-9, scale=1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_joint_wrenches_make_the_torques(kind: str) -> None:
    """Along each joint's own axes its wrench is the torque, less what the armature takes."""
    case = passive_case(kind, 9)
    tau = case.velocity()
    result = solved(case, tau)
    felt = tau + result.passive_torques - 0.1 * result.vd
    for joint in case.mechanism.tree_joints:
        subspace = case.state.motion_subspace(joint)
        close(subspace.torque(result.joint_wrench(joint)), felt[case.state.v_slice(joint)], 1e-9, scale=1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_loop_wrenches_are_minus_the_basis_times_the_multipliers(kind: str) -> None:
    case = looped(kind, 13)
    (loop,) = case.mechanism.loop_joints
    result = solved(case, case.velocity())
    T = columns(case.state.constraint_wrench_subspace(loop)).real
    close(result.loop_wrench(loop).vector, -T @ result.multipliers, 1e-12, scale=1e-3)
    assert result.loop_wrench(loop).frame == case.mechanism.root_frame


@pytest.mark.parametrize("kind", KINDS)
@examples(0.05)
@given(seed=seeds)
def test_accelerations_are_those_nearest_to_the_free_ones(kind: str, seed: int) -> None:
    """Gauss: of all vd that keep the loops, the one with the least (vd - free)ᵀ M (vd - free)."""
    case = looped(kind, seed)
    result = solved(case, case.velocity())
    M, K = result.mass_matrix, result.constraint_jacobian
    free = np.linalg.solve(M, M @ result.vd + K.T @ result.multipliers)
    if K.size:
        allowed = np.eye(len(M)) - np.linalg.pinv(K, rcond=1e-10) @ K
        close(allowed @ M @ (result.vd - free), np.zeros(len(M)), 1e-9, scale=float(np.abs(M @ free).max()))


@examples(0.2)
@given(cases("tree", "floating tree", "chain"))
def test_maximal_coordinates_give_the_accelerations_of_the_tree(case: Case) -> None:
    """Every body floats, every joint is a loop: the same motion to 1e-10."""
    wrenches = case.wrenches("body")
    plain = solved(case, np.zeros(case.mechanism.nv), wrenches)
    copy, frames = case.mechanism.maximal_coordinates()
    state = MechanismState(copy)
    for body, joint in zip(case.mechanism.bodies[1:], copy.tree_joints, strict=True):
        pose = case.state.transform_to_root(body)
        placed = rbd.Transform(joint.frame_after, joint.frame_before, pose.rotation, pose.translation)
        state.set_configuration(joint, placed)
        twist = case.state.transform(case.state.twist(body), body.default_frame)
        state.set_velocity(joint, np.concatenate([twist.angular, twist.linear]))
    assert float(rbd.loop_gap(state)) < 1e-10
    there = {
        frames.body(body): rbd.Wrench(frames.body(body).default_frame, w.angular, w.linear)
        for body, w in ((b, case.state.transform(w, b.default_frame)) for b, w in wrenches.items())
    }
    result = rbd.dynamics(DynamicsResult(copy), state, external_wrenches=there, stabilization=None)
    for body in case.mechanism.bodies[1:]:
        expected = plain.acceleration(body).vector
        close(result.acceleration(frames.body(body)).vector, expected, 1e-10, scale=1.0)
    assert result.constraint_rank == copy.nc


# --- redundancy -------------------------------------------------------------------------------------------------------


def doubled(kind: str, seed: int) -> tuple[Case, Case]:
    """Return a case, and the same with its loop closed by two joints, one on top of the other."""
    case, twin = looped(kind, seed), looped(kind, seed)
    mechanism = twin.mechanism
    (loop,) = mechanism.loop_joints
    again = Joint("again", loop.type)
    first, second = mechanism.predecessor(loop), mechanism.successor(loop)
    before, after = mechanism.placement(loop), mechanism.successor_placement(loop).inverse()
    joint_pose = rbd.Transform(again.frame_before, before.to_frame, before.rotation, before.translation)
    successor_pose = rbd.Transform(after.from_frame, again.frame_after, after.rotation, after.translation)
    mechanism.attach(first, second, again, joint_pose=joint_pose, successor_pose=successor_pose)
    return case, Case(mechanism, MechanismState(mechanism, twin.state.q, twin.state.v), twin.rng)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "floating" not in kind])
def test_redundant_loops_share_the_load(kind: str) -> None:
    case, twin = doubled(kind, 3)
    tau = case.velocity()
    one, two = solved(case, tau), solved(twin, tau)
    close(two.vd, one.vd, 1e-10)
    assert two.constraint_rank == one.constraint_rank == len(two.multipliers) // 2
    (loop,) = case.mechanism.loop_joints
    whole = one.loop_wrench(loop).vector
    for joint in twin.mechanism.loop_joints:
        close(two.loop_wrench(joint).vector, whole / 2, 1e-9, scale=1e-3)
    for joint in case.mechanism.tree_joints:
        borne = two.joint_wrench(twin.mechanism.joint(joint.name)).vector
        close(borne, one.joint_wrench(joint).vector, 1e-8, scale=1e-3)


def test_a_plane_leaves_two_of_five_constraints() -> None:
    linkage = rbd.robots.four_bar()
    state = MechanismState(linkage, rbd.robots.four_bar_configuration(0.4))
    result = rbd.dynamics(DynamicsResult(linkage), state)
    assert (result.constraint_rank, linkage.nc) == (2, 5)
    assert not result.multipliers[[0, 1, 4]].any()  # nothing pushes out of the plane: the smallest multipliers are zero


def test_contradictory_loops_are_satisfied_in_the_least_squares_sense() -> None:
    """Two joints hold one body at different places: vd goes half way, nothing is raised, nothing is changed."""
    mechanism = Mechanism(gravity=(0, 0, 0))
    inertia = SpatialInertia(rbd.Frame("block"), mass=2.0, moment_about_com=np.eye(3))
    block = RigidBody("block", inertia)
    mechanism.attach("world", block, Joint("slide", rbd.Prismatic((1, 0, 0))))
    for name, at in (("left", -0.1), ("right", 0.3)):
        joint = Joint(name, rbd.Fixed())
        pose = rbd.Transform(joint.frame_before, mechanism.root_frame, translation=(at, 0, 0))
        mechanism.attach("world", block, joint, joint_pose=pose)
    state = MechanismState(mechanism)
    result = rbd.dynamics(DynamicsResult(mechanism), state, stabilization=Baumgarte(0.1))
    assert result.constraint_rank == 1
    assert result.vd[0] == pytest.approx((-0.1 + 0.3) / 2 * 100)
    assert np.abs(result.constraint_jacobian @ result.vd + result.constraint_bias).max() == pytest.approx(0.2 * 100)
    np.testing.assert_array_equal(state.q, [0.0])


def test_derivatives_pass_through_redundant_loops() -> None:
    """Complex steps through the rank-revealing solve are the derivatives, by differences, of vd."""
    linkage = rbd.robots.four_bar()
    state = MechanismState(linkage, rbd.robots.four_bar_configuration(0.8), [0.3, -0.2, 0.5])
    tau = np.array([0.4, -0.1, 0.2])
    for k in range(3):
        ahead = state.with_scalars(state.q + 1j * STEP * np.eye(3)[k], state.v)
        exact = np.imag(rbd.forward_dynamics(ahead, tau)) / STEP
        ends = []
        for h in (1e-5, -1e-5):
            beside = MechanismState(linkage, state.q + h * np.eye(3)[k], state.v)
            ends.append(rbd.forward_dynamics(beside, tau))
        np.testing.assert_allclose(exact, (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-5)


# --- special mechanisms -----------------------------------------------------------------------------------------------


def test_a_floating_loop_joint_has_no_effect_and_no_wrench() -> None:
    case = looped("floating", 5)
    (loop,) = case.mechanism.loop_joints
    result = solved(case, case.velocity())
    assert not result.loop_wrench(loop).vector.any()
    assert result.constraint_rank == 0


def test_an_empty_mechanism_and_a_rigid_one() -> None:
    empty = Mechanism()
    assert rbd.dynamics(DynamicsResult(empty), MechanismState(empty)).vd.shape == (0,)
    body = RigidBody("body", SpatialInertia(rbd.Frame("body"), mass=1.0, moment_about_com=np.eye(3)))
    empty.attach("world", body, Joint("weld", rbd.Fixed()))
    empty.attach("world", body, Joint("second weld", Revolute((0, 0, 1))))
    result = rbd.dynamics(DynamicsResult(empty), MechanismState(empty))
    assert (result.vd.shape, result.multipliers.shape, result.constraint_rank) == ((0,), (5,), 0)
    assert rbd.inverse_dynamics(MechanismState(empty), []).shape == (0,)


def test_a_joint_that_moves_no_inertia_is_named() -> None:
    linkage = rbd.robots.four_bar()
    state = MechanismState(linkage, rbd.robots.four_bar_configuration(0.4))
    result = rbd.dynamics(DynamicsResult(linkage), state)
    before = result.vd.copy(), state.q.copy()
    ghost = RigidBody("ghost", SpatialInertia.zero(rbd.Frame("ghost")))
    linkage.attach(linkage.bodies[3], ghost, Joint("idle", Revolute((0, 1, 0))))
    state = MechanismState(linkage)
    result = DynamicsResult(linkage)
    for call in (lambda: rbd.dynamics(result, state), lambda: rbd.forward_dynamics(state, np.zeros(4))):
        with pytest.raises(SingularError, match="idle"):
            call()
    with pytest.raises(ArgumentError, match="this result is empty"):
        _ = result.vd
    assert before[0].any()


def test_loop_wrench_refuses_other_joints() -> None:
    case = looped("spherical", 5)
    result = solved(case, case.velocity())
    with pytest.raises(UnknownNameError, match="closes no loop"):
        result.loop_wrench(case.mechanism.tree_joints[0])
    with pytest.raises(UnknownNameError, match="loop"):
        result.joint_wrench(case.mechanism.loop_joints[0])
    with pytest.raises(ArgumentError, match="empty"):
        DynamicsResult(case.mechanism).loop_wrench(case.mechanism.loop_joints[0])


def test_results_with_loops_survive_pickling() -> None:
    case = looped("revolute z", 5)
    result = solved(case, case.velocity())
    twin = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(twin.multipliers, result.multipliers)
    loop, same = case.mechanism.loop_joints[0], twin.mechanism.loop_joints[0]
    np.testing.assert_array_equal(twin.loop_wrench(same).vector, result.loop_wrench(loop).vector)


def test_a_result_does_not_follow_the_state() -> None:
    case = looped("revolute z", 5)
    (loop,) = case.mechanism.loop_joints
    result = solved(case, case.velocity())
    before = solved(case, case.velocity() * 0).loop_wrench(loop).vector, result.loop_wrench(loop).vector
    case.state.randomize(3)
    np.testing.assert_array_equal(result.loop_wrench(loop).vector, before[1])


def test_the_last_solution_counts() -> None:
    """Inverse dynamics without a result, then with one, replaces multipliers, rank and loop wrenches together."""
    case = looped("universal", 5)
    (loop,) = case.mechanism.loop_joints
    result = solved(case, case.velocity())
    first = result.loop_wrench(loop).vector
    vd = result.vd.copy()
    rbd.inverse_dynamics(case.state, vd, result=result)
    assert not np.allclose(result.loop_wrench(loop).vector, first)
    T = columns(case.state.constraint_wrench_subspace(loop)).real
    close(result.loop_wrench(loop).vector, -T @ result.multipliers, 1e-12, scale=1e-3)


# --- torques ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@examples(0.05)
@given(seed=seeds)
def test_inverse_dynamics_gives_the_smallest_torques(kind: str, seed: int) -> None:
    case = passive_case(kind, seed)
    state, tau, wrenches = case.state, case.velocity(), case.wrenches()
    vd = rbd.forward_dynamics(state, tau, wrenches, stabilization=None)
    result = DynamicsResult(case.mechanism)
    found = rbd.inverse_dynamics(state, vd, wrenches, result=result)
    K = rbd.constraint_jacobian(state)
    allowed = np.eye(len(vd)) - np.linalg.pinv(K, rcond=1e-10) @ K if K.size else np.eye(len(vd))
    close(found, allowed @ tau, 1e-8, scale=float(np.abs(tau).max()))
    close(rbd.forward_dynamics(state, found, wrenches, stabilization=None), vd, 1e-8)
    left = result.mass_matrix @ vd + result.dynamics_bias
    close(left, found + result.passive_torques - K.T @ result.multipliers, 1e-9)
    np.testing.assert_array_equal(result.vd, vd)


@examples(0.1)
@given(seeds)
def test_torques_of_a_motion_that_violates_constraints_make_the_nearest_motion(seed: int) -> None:
    case = looped("spherical", seed)
    state, vd = case.state, case.velocity()
    made = rbd.forward_dynamics(state, rbd.inverse_dynamics(state, vd), stabilization=None)
    M, K = rbd.mass_matrix(state), rbd.constraint_jacobian(state)
    allowed = np.eye(len(vd)) - np.linalg.pinv(K) @ K
    close(allowed @ M @ (made - vd), np.zeros(len(vd)), 1e-8, scale=float(np.abs(M @ vd).max()))


@pytest.mark.parametrize("names", [["joint1"], ["joint2"], ["joint3"], ["joint1", "joint3"]])
def test_some_actuated_joints_of_a_linkage(names: list[str]) -> None:
    linkage = rbd.robots.four_bar()
    joints = [linkage.joint(name) for name in names]
    state = MechanismState(linkage, rbd.robots.four_bar_configuration(0.7))
    vd = rbd.forward_dynamics(state, [0.3, 0, 0])
    result = DynamicsResult(linkage)
    tau = rbd.inverse_dynamics(state, vd, actuated=joints, result=result)
    motors = [state.v_slice(joint).start for joint in joints]
    assert not np.delete(tau, motors).any()
    close(rbd.forward_dynamics(state, tau), vd, 1e-9)
    close(tau, np.array([0.3, 0, 0]) if names == ["joint1"] else tau, 1e-9)
    # Smallest: what work it does on the one motion left is spread along that motion.
    motion = np.linalg.svd(rbd.constraint_jacobian(state))[2][2][motors]
    close(tau[motors], motion * (motion @ tau[motors]) / (motion @ motion), 1e-9)
    K = result.constraint_jacobian
    close(K.T @ result.multipliers, tau - result.mass_matrix @ vd - result.dynamics_bias, 1e-9)


def test_actuated_joints_that_cannot_make_the_motion_are_refused() -> None:
    case = looped("spherical", 5)
    state, result = case.state, DynamicsResult(case.mechanism)
    before = state.q.copy()
    with pytest.raises(ArgumentError, match="cannot make this motion") as caught:
        rbd.inverse_dynamics(state, case.velocity(), actuated=[case.mechanism.tree_joints[1]], result=result)
    assert caught.value.argument == "actuated"
    with pytest.raises(ArgumentError, match="this result is empty"):
        _ = result.vd
    np.testing.assert_array_equal(state.q, before)
    with pytest.raises(UnknownNameError, match="loop"):
        rbd.inverse_dynamics(state, case.velocity(), actuated=case.mechanism.loop_joints)


@pytest.mark.parametrize("actuated", ["joint1", 5, Joint("joint1", Revolute((0, 1, 0)))])
def test_actuated_joints_are_a_sequence(actuated: object) -> None:
    linkage = rbd.robots.four_bar()
    state = MechanismState(linkage, rbd.robots.four_bar_configuration(0.7))
    with pytest.raises(ArgumentError, match="actuated must be a sequence of joints"):
        rbd.inverse_dynamics(state, [0.0, 0.0, 0.0], actuated=actuated)  # type: ignore[arg-type]  # the point


def test_all_joints_named_as_actuated_is_the_default() -> None:
    case = looped("spherical", 5)
    vd = case.velocity()
    named = rbd.inverse_dynamics(case.state, vd, actuated=case.mechanism.tree_joints)
    np.testing.assert_array_equal(named, rbd.inverse_dynamics(case.state, vd))


# --- recorded ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        *("revolute oblique", "universal oblique", "spherical", "screw oblique"),
        pytest.param("fixed", marks=pytest.mark.optimised),
    ],
)
def test_machine_code_agrees(kind: str) -> None:
    case = looped(kind, 21)
    robot, state, tau = rbd.compile(case.mechanism), case.state, case.velocity()
    by_python = state.with_scalars()
    expected = np.array(rbd.forward_dynamics(by_python, tau), dtype=float)
    close(robot.forward_dynamics(state.q, state.v, tau), expected, 1e-11)
    close(robot.inverse_dynamics(state.q, state.v, tau), np.array(rbd.inverse_dynamics(by_python, tau)), 1e-10)
    batch = robot.forward_dynamics(np.tile(state.q, (11, 1)), state.v, tau)
    np.testing.assert_array_equal(batch, np.tile(robot.forward_dynamics(state.q, state.v, tau), (11, 1)))


def test_two_loops_of_one_kind_on_a_random_place() -> None:
    """Loops that share bodies: every equation holds, and rows do not mix."""
    case = looped("revolute x" if "revolute x" in KINDS else "revolute z", 4)
    mechanism = case.mechanism
    joint = Joint("second", Revolute((1, 0, 0)))
    pose = random_pose(joint.frame_before, mechanism.bodies[2].default_frame, case.rng)
    mechanism.attach(mechanism.bodies[2], mechanism.bodies[-1], joint, joint_pose=pose)
    state = MechanismState(mechanism, case.state.q, case.state.v)
    result = rbd.dynamics(DynamicsResult(mechanism), state, case.velocity())
    K = result.constraint_jacobian
    close(K @ result.vd, -result.constraint_bias, 1e-8, scale=float(np.abs(result.vd).max()))
    assert result.constraint_rank == np.linalg.matrix_rank(K) == 10


# --- many loops -------------------------------------------------------------------------------------------------------


def _hanging(links: int) -> tuple[MechanismState, Mechanism, MechanismState]:
    """Return a chain in motion, and the same in maximal coordinates, where every joint closes a loop."""
    tree = rbd.robots.chain(links)
    rng = np.random.default_rng(links)
    state = MechanismState(tree, rng.uniform(-1, 1, tree.nq), rng.uniform(-1, 1, tree.nv))
    copy, _ = tree.maximal_coordinates()
    twin = MechanismState(copy)
    for body, joint in zip(tree.bodies[1:], copy.tree_joints, strict=True):
        pose = state.transform_to_root(body)
        twin.set_configuration(
            joint, rbd.Transform(joint.frame_after, joint.frame_before, pose.rotation, pose.translation)
        )
        twist = state.transform(state.twist(body), body.default_frame)
        twin.set_velocity(joint, np.concatenate([twist.angular, twist.linear]))
    return state, copy, twin


def test_many_loops_have_the_accelerations_of_the_tree() -> None:
    """So many that the sparsity of K M⁻¹ Kᵀ is used; multipliers balance the equations of motion."""
    state, copy, twin = _hanging(12)
    plain = rbd.dynamics(DynamicsResult(state.mechanism), state)
    result = rbd.dynamics(DynamicsResult(copy), twin, stabilization=None)
    for body, other in zip(state.mechanism.bodies[1:], copy.bodies[1:], strict=True):
        close(result.acceleration(other).vector, plain.acceleration(body).vector, 1e-10, scale=1.0)
    K = rbd.constraint_jacobian(twin)
    force = rbd.mass_matrix(twin) @ result.vd + rbd.dynamics_bias(twin) + K.T @ result.multipliers
    assert np.abs(force).max() < 1e-9 * np.abs(rbd.dynamics_bias(twin)).max()
    assert result.constraint_rank == copy.nc


def test_many_redundant_loops_are_left_to_the_dense_decomposition() -> None:
    """Every third joint is there twice: the same motion, and each of the two takes half of the reaction."""
    _, copy, twin = _hanging(9)
    result = rbd.dynamics(DynamicsResult(copy), twin, stabilization=None)
    doubled, frames = copy.copy()
    for joint in list(copy.loop_joints)[::3]:
        body, other = (frames.body(x) for x in (copy.predecessor(joint), copy.successor(joint)))
        another = rbd.Joint(f"{joint.name} again", joint.type)
        before, after = copy.placement(joint), copy.successor_placement(joint).inverse()
        first = rbd.Transform(another.frame_before, body.default_frame, before.rotation, before.translation)
        second = rbd.Transform(other.default_frame, another.frame_after, after.rotation, after.translation)
        doubled.attach(body, other, another, joint_pose=first, successor_pose=second)
    again = MechanismState(doubled, twin.q, twin.v)
    found = rbd.dynamics(DynamicsResult(doubled), again, stabilization=None)
    close(found.vd, result.vd, 1e-9, scale=float(np.abs(result.vd).max()))
    assert found.constraint_rank == copy.nc


def test_operations_grow_with_the_number_of_loops() -> None:
    """Not with its square: twice as many bodies, at most 2.2 times as many instructions."""
    counts = [
        len(rbd.record(rbd.forward_dynamics, rbd.robots.chain(n).maximal_coordinates()[0]).program.code)
        for n in (10, 20, 40)
    ]
    assert counts[2] - counts[1] <= 2.2 * (counts[1] - counts[0])
