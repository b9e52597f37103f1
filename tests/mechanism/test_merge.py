"""Merging bodies that fixed joints make one."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.errors import TopologyError, UnknownNameError
from rbd.joints import Fixed, Prismatic, QuaternionFloating, Revolute
from rbd.mechanism import HuntCrossley, Joint, Mechanism, SoftContact
from rbd.spatial import Point, SpatialInertia, Tag, Transform
from rbd.testing.random_mechanisms import random_chain, random_tree
from tests.mechanism import invariants
from tests.mechanism.conftest import ALL_TYPES

Z = Revolute((0, 0, 1))


class Tool(Tag): ...


def total_inertia(mechanism: Mechanism, q: tuple[float, ...]) -> SpatialInertia:
    """Return the inertia of all moving bodies together, in the root frame."""
    found = invariants.poses(mechanism, q)
    total = SpatialInertia.zero(mechanism.root_frame)
    for body in mechanism.bodies[1:]:
        assert body.inertia is not None
        total = total + body.inertia.transformed(found[body.default_frame])
    return total


@pytest.mark.parametrize("seed", range(10))
def test_frames_points_and_inertias_migrate(seed: int) -> None:
    rng = np.random.default_rng(seed)
    floating = [QuaternionFloating(), *(ALL_TYPES * 2), *[Fixed()] * 8]
    mechanism = random_tree(floating[1:], rng) if seed % 2 else random_chain(floating, rng)
    for k, body in enumerate(mechanism.bodies[1:], start=1):
        body.add_contact_point(Point(body.frames[-1], (0.1, 0.2, 0.3)), SoftContact(HuntCrossley(stiffness=k)))
    q = invariants.random_configuration(mechanism, rng)
    for k in range(3):
        first, second = rng.choice(len(mechanism.bodies), 2, replace=False)
        ends = mechanism.bodies[int(first)], mechanism.bodies[int(second)]
        invariants.close_loop(mechanism, q, *ends, Joint(f"loop{k}", Z), rng)
    poses, version = invariants.poses(mechanism, q), mechanism.structure_version
    moving = [joint for joint in mechanism.tree_joints if joint.nv]
    count = len(mechanism.tree_joints)
    points = contact_positions(mechanism, q)
    inertia = total_inertia(mechanism, q)
    at_root = {body for body in mechanism.bodies[1:] if not any(j.nv for j in mechanism.path("world", body).joints)}
    report = mechanism.remove_fixed_joints()
    invariants.check(mechanism)
    assert mechanism.structure_version > version
    assert list(mechanism.tree_joints) == moving
    assert len(report.merged) == count - len(moving)
    after = invariants.poses(mechanism, q)
    assert set(after) == set(poses)
    assert all(np.allclose(after[frame].matrix, pose.matrix, atol=1e-9) for frame, pose in poses.items())
    assert contact_positions(mechanism, q).keys() == points.keys()
    for name, where in contact_positions(mechanism, q).items():
        assert np.allclose(where, points[name], atol=1e-9)
    if not at_root:
        assert total_inertia(mechanism, q).isclose(inertia, atol=1e-9)


def contact_positions(mechanism: Mechanism, q: tuple[float, ...]) -> dict[object, np.ndarray]:
    found = invariants.poses(mechanism, q)
    return {
        p.model: (found[p.location.frame] @ p.location).xyz for body in mechanism.bodies for p in body.contact_points
    }


@pytest.fixture
def arm(rng: np.random.Generator) -> Mechanism:
    """A link, a flange and a tool: two fixed joints in a row at the end."""
    return random_chain([Z, Fixed(), Fixed()], rng)


def test_merged_bodies_are_found_by_their_frames_only(arm: Mechanism) -> None:
    tool_frame = arm.frame("body3", Tool)
    report = arm.remove_fixed_joints()
    link = arm.body("body1")
    assert arm.frame("body3") == tool_frame
    assert arm.frame("body3", Tool) == tool_frame
    assert arm.body_of_frame(tool_frame) is link
    with pytest.raises(UnknownNameError, match=r"'body3'.*merged into body 'body1'"):
        arm.body("body3")
    with pytest.raises(KeyError, match="joint3"):
        arm.joint("joint3")
    assert {body.name for body in report.merged} == {"body2", "body3"}
    assert set(report.merged.values()) == {link}
    assert [joint.name for joint in report.removed_joints] == ["joint2", "joint3"]


def test_merging_twice_renames_the_survivor(arm: Mechanism) -> None:
    arm.remove_fixed_joints()
    arm.replace_joint("joint1", Joint("joint1", Fixed()))
    arm.remove_fixed_joints()
    invariants.check(arm)
    assert arm.bodies == (arm.root_body,)
    assert arm.root_body.inertia is None
    for name in ("body1", "body2", "body3"):
        with pytest.raises(UnknownNameError, match="merged into body 'world'"):
            arm.body(name)


def test_frames_of_the_fixed_joints_stay(arm: Mechanism) -> None:
    joint = arm.joint("joint3")
    arm.remove_fixed_joints()
    link = arm.body("body1")
    assert np.allclose(link.fixed_transform(joint.frame_after, joint.frame_before).matrix, np.eye(4))


def test_a_name_that_was_merged_away_can_be_used_again(arm: Mechanism, rng: np.random.Generator) -> None:
    from rbd.testing.random_mechanisms import random_body

    arm.remove_fixed_joints()
    arm.attach("body1", random_body("body2", rng), Joint("joint2", Z))
    assert arm.body("body2").name == "body2"
    invariants.check(arm)
    arm.remove_subtree("body2")
    for name, error in (("body2", "did you mean"), ("body3", "merged into")):
        with pytest.raises(UnknownNameError, match=error):
            arm.body(name)
    arm.remove_subtree("body1")
    with pytest.raises(UnknownNameError, match="among 1"):
        arm.body("body3")


def test_nothing_to_merge_changes_nothing(rng: np.random.Generator) -> None:
    mechanism = random_chain([Z, Z], rng)
    content = invariants.content(mechanism)
    report = mechanism.remove_fixed_joints()
    assert (dict(report.merged), report.removed_joints) == ({}, ())
    assert invariants.content(mechanism) == content


def test_loop_joints_follow_their_bodies(arm: Mechanism) -> None:
    arm.attach("world", "body3", Joint("loop", Z))
    pose = arm.successor_placement("loop")
    tool = arm.body("body3").default_frame
    arm.remove_fixed_joints()
    invariants.check(arm)
    assert arm.successor("loop") is arm.body("body1")
    expected = arm.fixed_transform(tool, arm.body("body1").default_frame) @ pose
    assert np.allclose(arm.successor_placement("loop").matrix, expected.matrix)


def test_a_satisfied_loop_within_one_body_vanishes(arm: Mechanism, rng: np.random.Generator) -> None:
    joint = Joint("loop", Prismatic((1, 0, 0)))
    invariants.close_loop(arm, (0.3,), arm.body("body2"), arm.body("body3"), joint, rng)
    report = arm.remove_fixed_joints()
    invariants.check(arm)
    assert arm.loop_joints == ()
    assert joint in report.removed_joints


def test_an_impossible_loop_within_one_body_is_refused(arm: Mechanism) -> None:
    joint = Joint("loop", Prismatic((1, 0, 0)))
    pose = Transform(joint.frame_before, arm.body("body2").default_frame, translation=(0, 7, 0))
    arm.attach("body2", "body3", joint, joint_pose=pose)
    content = invariants.content(arm)
    with pytest.raises(TopologyError, match="'loop'"):
        arm.remove_fixed_joints()
    assert invariants.content(arm) == content
    invariants.check(arm)
