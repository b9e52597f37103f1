"""Choosing another tree, removing and replacing joints, removing subtrees."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pytest

from rbd.errors import ArgumentError, ShapeError, TopologyError
from rbd.joints import Fixed, JointType, Prismatic, QuaternionFloating, Revolute, SinCosRevolute
from rbd.mechanism import Joint, Mechanism, RerootReport
from rbd.spatial import Point, Transform
from rbd.state import MechanismState
from rbd.testing.random_mechanisms import random_body, random_chain, random_floating_tree, random_tree
from tests.mechanism import invariants
from tests.mechanism.conftest import ALL_TYPES

Z = Revolute((0, 0, 1))

Loops = dict[Joint, tuple[float, ...]]


def closed(
    types: tuple[JointType, ...], loops: int, rng: np.random.Generator
) -> tuple[Mechanism, tuple[float, ...], Loops]:
    """Return a random mechanism with loops, a configuration at which all are closed, and the loops' coordinates."""
    mechanism = random_tree(types, rng)
    q = invariants.random_configuration(mechanism, rng)
    coordinates: Loops = {}
    for k in range(loops):
        first, second = rng.choice(len(mechanism.bodies), 2, replace=False)
        joint = Joint(f"loop{k}", ALL_TYPES[int(rng.integers(len(ALL_TYPES)))])
        a, b = mechanism.bodies[int(first)], mechanism.bodies[int(second)]
        coordinates[joint] = invariants.close_loop(mechanism, q, a, b, joint, rng)
    return mechanism, q, coordinates


def new_configuration(report: RerootReport, q: tuple[float, ...], loops: Loops) -> tuple[float, ...]:
    """Return the configuration after an edit that changed the tree."""
    entered = {}
    for joint, part in loops.items():
        new = report.joint(joint)
        if new in report.entered:
            entered[new] = joint.type.flip_configuration(part) if joint in report.flipped else part
    return report.configuration(q, entered)  # floats in, floats out


def assert_same_poses(
    before: dict[object, object], after: dict[object, object], removed: tuple[Joint, ...] = ()
) -> None:
    gone = {frame for joint in removed for frame in (joint.frame_before, joint.frame_after)}
    assert set(before) - set(after) <= gone
    for frame, pose in after.items():
        assert np.allclose(pose.matrix, before[frame].matrix, atol=1e-9)  # transforms


def test_one_preferred_joint_needs_no_list(rng: np.random.Generator) -> None:
    for name_it in (False, True):
        mechanism, _, (loop, *_) = closed(ALL_TYPES, 4, rng)
        report = mechanism.rebuild_spanning_tree(loop.name if name_it else loop)
        assert mechanism.is_tree_joint(loop.name)
        assert len(report.entered) == 1


@pytest.mark.parametrize("seed", range(12))
def test_another_tree_poses_all_bodies_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mechanism, q, loops = closed(ALL_TYPES, 4, rng)
    before = invariants.poses(mechanism, q)
    bodies, count = set(mechanism.bodies), mechanism.nc + mechanism.nv
    prefer = [joint for joint in loops if rng.random() < 0.7][:1]
    report = mechanism.rebuild_spanning_tree(prefer)
    invariants.check(mechanism)
    assert set(mechanism.bodies) == bodies
    assert {joint.name for joint in prefer} <= {joint.name for joint in mechanism.tree_joints}
    assert_same_poses(before, invariants.poses(mechanism, new_configuration(report, q, loops)))
    assert len(report.entered) == len(report.left) == len(prefer)
    assert set(report.left) <= set(mechanism.loop_joints)
    assert count - (mechanism.nc + mechanism.nv) == 0 or prefer


def without(mechanism: Mechanism, joint: Joint) -> nx.MultiDiGraph:
    graph = nx.MultiDiGraph(mechanism.graph)
    graph.remove_edge(mechanism.predecessor(joint), mechanism.successor(joint), key=joint)
    return graph


@pytest.mark.parametrize("seed", range(12))
def test_removing_a_joint_lets_loops_take_over(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    mechanism, q, loops = closed(ALL_TYPES, 6, rng)
    before = invariants.poses(mechanism, q)
    joint = mechanism.joints[int(rng.integers(len(mechanism.joints)))]
    was_tree, version = mechanism.is_tree_joint(joint), mechanism.structure_version
    content = invariants.content(mechanism)
    if not nx.is_weakly_connected(without(mechanism, joint)):
        with pytest.raises(TopologyError, match="nothing would connect"):
            mechanism.remove_joint(joint)
        assert invariants.content(mechanism) == content
        return
    report = mechanism.remove_joint(joint)
    invariants.check(mechanism)
    assert mechanism.structure_version > version
    assert joint not in mechanism.joints
    assert report.joint(joint) is None
    assert len(report.entered) == (1 if was_tree else 0)
    assert_same_poses(before, invariants.poses(mechanism, new_configuration(report, q, loops)), (joint,))


def ring(
    rng: np.random.Generator, types: tuple[JointType, ...] = (Z,) * 5
) -> tuple[Mechanism, tuple[float, ...], Loops]:
    """Return a chain whose last body is tied to the root."""
    mechanism = random_chain(types, rng)
    q = invariants.random_configuration(mechanism, rng)
    joint = Joint("loop", Z, position_bounds=(-1, 2), damping=0.5)
    last = mechanism.bodies[-1]
    return mechanism, q, {joint: invariants.close_loop(mechanism, q, mechanism.root_body, last, joint, rng)}


def test_removing_the_first_joint_of_a_ring_turns_all_others_round(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    old = mechanism.tree_joints
    report = mechanism.remove_joint("joint1")
    assert set(report.flipped) == set(old[1:])
    assert [joint.name for joint in mechanism.tree_joints] == ["loop", "joint5", "joint4", "joint3", "joint2"]
    assert mechanism.loop_joints == ()
    assert report.removed == (old[0],)
    for before, after in report.flipped.items():
        assert after.frame_before == before.frame_after
        assert after.frame_after == before.frame_before
        assert after.type == before.type.flipped()
        assert mechanism.joint(after.name) is after
        with pytest.raises(TopologyError, match="not attached"):
            mechanism.joint(before)


def test_a_removed_joint_leaves_its_frames_and_can_be_attached_again(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    joint, frames = mechanism.joint("loop"), set(mechanism.root_body.frames)
    place = mechanism.placement(joint)
    mechanism.remove_joint(joint)
    assert set(mechanism.root_body.frames) == frames
    assert mechanism.fixed_transform(joint.frame_before, mechanism.root_frame).isclose(place)
    mechanism.attach(mechanism.root_body, "body3", joint)
    assert mechanism.placement(joint).isclose(place)
    invariants.check(mechanism)
    mechanism.remove_joint(joint)
    moved = Transform(joint.frame_before, mechanism.root_frame, translation=(1, 2, 3))
    mechanism.attach(mechanism.root_body, "body3", joint, joint_pose=moved)
    assert mechanism.placement(joint).isclose(moved)
    invariants.check(mechanism)
    mechanism.remove_joint(joint)
    mechanism.attach("body3", "body1", joint)
    assert not mechanism.root_body.has_frame(joint.frame_before)
    assert mechanism.body_of_frame(joint.frame_before) is mechanism.body("body3")
    invariants.check(mechanism)
    with pytest.raises(KeyError):
        mechanism.remove_joint("no such joint")


def test_a_frame_a_removed_joint_left_behind_is_anyones(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    joint = mechanism.joint("loop")
    mechanism.remove_joint(joint)
    body = mechanism.body("body2")
    body.add_frame(Transform.identity(joint.frame_before, body.default_frame))
    mechanism.rebuild_spanning_tree()
    invariants.check(mechanism)
    assert body.has_frame(joint.frame_before)


@pytest.mark.parametrize("by_name", [False, True])
def test_states_see_where_a_frame_of_a_removed_joint_goes(by_name: bool, rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    frame = mechanism.joint("loop").frame_before
    mechanism.remove_joint("loop")
    state = MechanismState(mechanism)
    state.randomize(1)
    place = frame.name if by_name else frame
    state.transform_to_root(place)
    body = mechanism.body("body2")
    body.add_frame(Transform(frame, body.default_frame, translation=(0, 0, 5)))
    expected = state.transform_to_root(body) @ body.fixed_transform(frame, body.default_frame)
    assert state.transform_to_root(place).isclose(expected)


def test_frames_that_removed_joints_left_are_anyones_in_copies(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    joint = mechanism.joint("loop")
    mechanism.remove_joint(joint)
    left = joint.frame_before
    copy, _ = mechanism.copy()
    body = copy.body_of_frame(copy.frame(left.name))
    again = copy.frame(left.name)
    body.add_frame(Transform(again, body.default_frame, translation=(1, 2, 3)))
    assert body.fixed_transform(again, body.default_frame).translation.tolist() == [1, 2, 3]


def test_a_bridge_cannot_be_removed(rng: np.random.Generator) -> None:
    mechanism = random_chain((Z,) * 3, rng)
    content = invariants.content(mechanism)
    with pytest.raises(TopologyError, match="nothing would connect 'body2', 'body3'"):
        mechanism.remove_joint("joint2")
    assert invariants.content(mechanism) == content


def test_preferred_joints_that_close_a_loop_are_refused(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    content = invariants.content(mechanism)
    with pytest.raises(TopologyError, match="closes a loop"):
        mechanism.rebuild_spanning_tree(mechanism.joints)
    assert invariants.content(mechanism) == content


def test_damping_that_cannot_be_turned_round_is_not_lost(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng, (QuaternionFloating(), QuaternionFloating()))
    mechanism.joint("joint2").damping = 1.0
    content = invariants.content(mechanism)
    with pytest.raises(TopologyError, match=r"joint2.*damping"):
        mechanism.remove_joint("joint1")
    assert invariants.content(mechanism) == content
    mechanism.joint("joint2").damping = 0.0
    mechanism.remove_joint("joint1")
    invariants.check(mechanism)


def test_a_new_floating_base(rng: np.random.Generator) -> None:
    mechanism = random_floating_tree(ALL_TYPES, rng)
    q = invariants.random_configuration(mechanism, rng)
    joint = Joint("new_base", QuaternionFloating())
    loops = {joint: invariants.close_loop(mechanism, q, mechanism.root_body, mechanism.bodies[-1], joint, rng)}
    before = invariants.poses(mechanism, q)
    report = mechanism.remove_joint("joint1")
    invariants.check(mechanism)
    assert mechanism.parent_joint(mechanism.successor("new_base")) is joint
    assert mechanism.loop_joints == ()
    after = invariants.poses(mechanism, new_configuration(report, q, loops))
    assert_same_poses(before, after, report.removed)


def test_velocities_are_turned_round_too(rng: np.random.Generator) -> None:
    mechanism, q, _ = ring(rng, ALL_TYPES)
    report = mechanism.remove_joint("joint1")
    v = tuple(float(x) for x in rng.standard_normal(sum(joint.nv for joint in report.old_tree)))
    loop = mechanism.joint("loop")
    new = report.velocity(q, v, {loop: (0.25,)})
    assert len(new) == mechanism.nv
    parts = dict(zip(mechanism.tree_joints, _cut(new, [joint.nv for joint in mechanism.tree_joints]), strict=True))
    qs = dict(zip(report.old_tree, _cut(q, [joint.nq for joint in report.old_tree]), strict=True))
    for joint, part in zip(report.old_tree, _cut(v, [joint.nv for joint in report.old_tree]), strict=True):
        if joint in report.flipped:
            reverse = report.flipped[joint]
            old = joint.type.twist(qs[joint], part, joint.frame_after, joint.frame_before)
            q_new = joint.type.flip_configuration(qs[joint])
            turned = reverse.type.twist(q_new, parts[reverse], reverse.frame_after, reverse.frame_before)
            pose = joint.type.transform(qs[joint], joint.frame_after, joint.frame_before)
            assert turned.isclose((-old).transformed(pose), atol=1e-9)


def _cut(values: tuple[float, ...], sizes: list[int]) -> list[tuple[float, ...]]:
    ends = np.cumsum(sizes)
    return [tuple(values[end - size : end]) for end, size in zip(ends, sizes, strict=True)]


def test_reports_name_what_they_miss(rng: np.random.Generator) -> None:
    mechanism, q, _ = ring(rng)
    report = mechanism.remove_joint("joint1")
    with pytest.raises(ArgumentError, match="'loop'"):
        report.configuration(q)
    with pytest.raises(ShapeError, match="q has 2"):
        report.configuration(q[:2])
    with pytest.raises(ShapeError, match="v has 1"):
        report.velocity(q, q[:1])


# -- subtrees ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_removing_a_subtree(seed: int) -> None:
    rng = np.random.default_rng(200 + seed)
    mechanism, _, _ = closed(ALL_TYPES, 6, rng)
    top = mechanism.bodies[int(rng.integers(1, len(mechanism.bodies)))]
    gone = mechanism.subtree(top)
    touching = {joint for body in gone for joint in mechanism.joints_of(body)}
    kept, order = set(mechanism.bodies) - set(gone), mechanism.joints
    assert mechanism.remove_subtree(top.name) == gone
    invariants.check(mechanism)
    assert set(mechanism.bodies) == kept
    assert mechanism.joints == tuple(joint for joint in order if joint not in touching)
    other = Mechanism()
    for body in gone:
        assert body.default_frame.name == body.name
        other.attach("world", body, Joint(f"again_{body.name}", Z))
    for joint in touching:
        if len(other.bodies) > 2:
            other.attach(other.bodies[1], other.bodies[2], joint)
    invariants.check(other)


def test_the_root_cannot_be_removed(zoo: Mechanism) -> None:
    content = invariants.content(zoo)
    with pytest.raises(TopologyError, match="root"):
        zoo.remove_subtree(zoo.root_body)
    assert invariants.content(zoo) == content


# -- replacing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["joint1", "joint3", "joint5", "loop"])
def test_replacing_keeps_bodies_and_placements(name: str, rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    old = mechanism.joint(name)
    place, other_place = mechanism.placement(old), mechanism.successor_placement(old)
    ends, index = (mechanism.predecessor(old), mechanism.successor(old)), mechanism.joints.index(old)
    new = Joint(name, Prismatic((1, 0, 0)))
    mechanism.replace_joint(old, new)
    invariants.check(mechanism)
    assert mechanism.joints[index] is new
    assert (mechanism.predecessor(new), mechanism.successor(new)) == ends
    assert np.allclose(mechanism.placement(new).matrix, place.matrix)
    assert np.allclose(mechanism.successor_placement(new).matrix, other_place.matrix, atol=1e-12)
    assert ends[0].has_frame(old.frame_before)
    assert ends[1].has_frame(old.frame_after)


def test_replacing_with_shared_frames(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    old = mechanism.joint("joint2")
    new = Joint("better", Fixed(), frame_before=old.frame_before, frame_after=old.frame_after)
    place = mechanism.placement(old)
    mechanism.replace_joint("joint2", new)
    invariants.check(mechanism)
    assert mechanism.placement("better").isclose(place)
    with pytest.raises(KeyError, match="joint2"):
        mechanism.joint("joint2")


def test_refused_replacements_change_nothing(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    content = invariants.content(mechanism)
    taken = Joint("x", Z, frame_before=mechanism.body("body4").default_frame)
    for new in (Joint("joint3", Z), mechanism.joint("joint4"), taken, Z):
        with pytest.raises((TopologyError, ArgumentError)):
            mechanism.replace_joint("joint2", new)  # one is no joint
        assert invariants.content(mechanism) == content
    invariants.check(mechanism)


def test_sizes_follow_the_new_joint(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    mechanism.replace_joint("joint2", Joint("s", SinCosRevolute((0, 0, 1))))
    mechanism.replace_joint("loop", Joint("l", QuaternionFloating()))
    assert (mechanism.nq, mechanism.nv, mechanism.nc) == (6, 5, 0)


def test_an_edited_mechanism_keeps_growing(rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    mechanism.remove_joint("joint1")
    mechanism.attach("body3", random_body("more", rng), Joint("more", Z))
    mechanism.remove_subtree("body2")
    mechanism.attach("more", random_body("body2", rng), Joint("joint1", Z))
    invariants.check(mechanism)
    assert [joint.name for joint in mechanism.tree_joints] == ["loop", "joint5", "joint4", "more", "joint1"]


@pytest.mark.parametrize("change", ["replace", "remove"])
def test_points_in_frames_of_joints_survive_them(change: str, rng: np.random.Generator) -> None:
    mechanism, _, _ = ring(rng)
    old = mechanism.joint("joint3")
    body = mechanism.successor(old)
    point, here = Point(old.frame_after, (1, 2, 3)), Point(body.frames[-1], (1, 0, 0))
    assert body.default_frame is old.frame_after
    offset = body.fixed_transform(point.frame, here.frame)
    if change == "replace":
        mechanism.replace_joint(old, Joint("new", Prismatic((1, 0, 0))))
    else:
        mechanism.remove_joint(old)
    invariants.check(mechanism)
    assert body.default_frame is not old.frame_after
    assert body.fixed_transform(point.frame, here.frame).isclose(offset)
    state = MechanismState(mechanism)
    assert state.transform(point, mechanism.root_frame).isclose(
        state.transform(offset @ point, mechanism.root_frame), 1e-9
    )
    assert pickle.loads(pickle.dumps(mechanism)).frame(old.frame_after.name) == old.frame_after
