"""Copies, submechanisms, attached mechanisms, maximal coordinates, pickles."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import rbd
from rbd.errors import AmbiguousNameError, ArgumentError, FrameMismatchError, TopologyError, UnknownNameError
from rbd.joints import Fixed, MRPFloating, Prismatic, QuaternionFloating, Revolute
from rbd.mechanism import FrameMap, Joint, Mechanism, RigidBody, SoftContact
from rbd.spatial import Frame, Point, Tag, Transform
from rbd.testing.random_mechanisms import random_body, random_chain, random_transform
from tests.mechanism import invariants

Z = Revolute((0, 0, 1))
FLOOR = SoftContact()


class Hand(Tag): ...


@pytest.fixture
def looped(zoo: Mechanism, rng: np.random.Generator) -> Mechanism:
    """A random tree with every joint type, closed by three loops; a damper, a contact point and a tag in it."""
    q = invariants.random_configuration(zoo, rng)
    for k, (a, b) in enumerate([(3, 9), (0, 20), (14, 7)]):
        invariants.close_loop(zoo, q, zoo.bodies[a], zoo.bodies[b], Joint(f"loop{k}", Z, damping=k), rng)
    zoo.bodies[3].add_contact_point(Point(zoo.bodies[3].default_frame, (1, 2, 3)), SoftContact())
    zoo.frame("body5", Hand)
    zoo.gravity = (1, 2, 3)  # sequences are taken
    return zoo


def same_numbers(a: Mechanism, b: Mechanism) -> None:
    """Assert that two mechanisms are alike in everything but identities."""
    assert [body.name for body in a.bodies] == [body.name for body in b.bodies]
    assert [joint.name for joint in a.joints] == [joint.name for joint in b.joints]
    assert len(a.tree_joints) == len(b.tree_joints)
    assert np.array_equal(a.gravity.xyz, b.gravity.xyz)
    for x, y in zip(a.bodies, b.bodies, strict=True):
        assert [frame.name for frame in x.frames] == [frame.name for frame in y.frames]
        for f, g in zip(x.frames, y.frames, strict=True):
            old, new = x.fixed_transform(f, x.default_frame), y.fixed_transform(g, y.default_frame)
            assert np.array_equal(old.matrix, new.matrix)
        assert [p.model for p in x.contact_points] == [p.model for p in y.contact_points]
        assert all(
            np.array_equal(p.location.xyz, r.location.xyz)
            for p, r in zip(x.contact_points, y.contact_points, strict=True)
        )
        assert (x.inertia is None) == (y.inertia is None)
        assert x.inertia is None or np.array_equal(x.inertia.matrix, y.inertia.matrix)
    for j, k in zip(a.joints, b.joints, strict=True):
        assert (j.type, j.position_bounds, j.damping, j.armature) == (k.type, k.position_bounds, k.damping, k.armature)
        assert a.predecessor(j).name == b.predecessor(k).name
        assert a.successor(j).name == b.successor(k).name


def test_a_copy_is_alike_and_shares_no_frame(looped: Mechanism) -> None:
    content = invariants.content(looped)
    new, frames = looped.copy()
    invariants.check(new)
    same_numbers(looped, new)
    assert invariants.content(looped) == content
    old_frames = {frame for body in looped.bodies for frame in body.frames}
    new_frames = {frame for body in new.bodies for frame in body.frames}
    assert not old_frames & new_frames
    assert {frames[frame] for frame in old_frames} == new_frames
    for body in looped.bodies:
        assert frames.body(body) is new.body(body.name)
        assert frames[body.default_frame] == new.body(body.name).default_frame
    for joint in looped.joints:
        assert frames.joint(joint) is new.joint(joint.name)
        assert frames[joint.frame_after] == new.joint(joint.name).frame_after
    with pytest.raises(FrameMismatchError):
        new.body_of_frame(looped.root_frame)


def test_a_copy_keeps_tags_and_merged_names(looped: Mechanism) -> None:
    looped.remove_fixed_joints()
    gone = next(name for name in (f"body{k}" for k in range(1, 25)) if name not in {b.name for b in looped.bodies})
    new, frames = looped.copy()
    invariants.check(new)
    assert new.frame("body5", Hand) == frames[looped.frame("body5")]
    with pytest.raises(FrameMismatchError, match="tag"):
        new.frame("body5", type("Foot", (Tag,), {}))
    with pytest.raises(UnknownNameError, match=rf"merged into .* has a frame of that name: write .*frame\('{gone}'\)"):
        new.body(gone)


def test_original_and_copy_are_independent(looped: Mechanism) -> None:
    new, frames = looped.copy()
    content = invariants.content(looped)
    new.remove_subtree(new.bodies[4])
    new.joint(new.tree_joints[0]).damping = 9
    new.gravity = (0, 0, 0)  # sequences are taken
    assert invariants.content(looped) == content
    with pytest.raises(TopologyError):
        looped.body(frames.body(looped.bodies[1]))


def test_frames_by_name() -> None:
    mechanism = rbd.robots.arm7()
    new, frames = mechanism.copy()
    assert frames["tool"] == new.frame("tool") != mechanism.frame("tool")
    assert frames["world"] == new.root_frame
    assert "tool" in frames
    assert "tol" not in frames
    with pytest.raises(UnknownNameError, match="no frame is named 'tol'; did you mean 'tool'"):
        frames["tol"]
    for link in ("link1", "link2"):
        body = mechanism.body(link)
        body.add_frame(rbd.Transform(rbd.Frame("camera"), body.default_frame))
    with pytest.raises(AmbiguousNameError, match="2 frames are named 'camera'"):
        mechanism.copy()[1]["camera"]


def test_maps_refuse_strangers(looped: Mechanism) -> None:
    new, frames = looped.copy()
    for call in (
        lambda: frames[new.root_frame],
        lambda: frames.body(new.root_body),
        lambda: frames.joint(new.joints[0]),
    ):
        with pytest.raises((FrameMismatchError, TopologyError), match="not copied"):
            call()
    assert looped.root_frame in frames
    assert len(frames) == len(list(frames))


def test_a_copy_can_be_edited_like_the_original(looped: Mechanism, rng: np.random.Generator) -> None:
    new, _ = looped.copy()
    for mechanism in (looped, new):
        mechanism.remove_joint("loop1")
        mechanism.remove_subtree("body7")
        mechanism.remove_fixed_joints()
        mechanism.attach(mechanism.bodies[-1], RigidBody("more"), Joint("more", Z))
        invariants.check(mechanism)
    same_numbers(looped, new)


def test_bodies_removed_from_a_copy_are_as_they_were_made(looped: Mechanism) -> None:
    new, _ = looped.copy()
    for body in new.remove_subtree(new.bodies[1]):
        assert [frame.name for frame in body.frames] == [body.name, f"{body.name}_mark"]
        assert body.default_frame == body.frames[0]


# -- part of a mechanism -----------------------------------------------------------------------------------------------


def test_submechanism(looped: Mechanism, rng: np.random.Generator) -> None:
    q = dict(zip(looped.tree_joints, _parts(looped, rng), strict=True))
    for top in looped.bodies:
        members = looped.subtree(top)
        new, frames = looped.submechanism(top)
        invariants.check(new)
        assert [body.name for body in new.bodies] == [body.name for body in members]
        assert new.root_body.inertia is None
        inside = [j for j in looped.loop_joints if {looped.predecessor(j), looped.successor(j)} <= set(members)]
        assert [joint.name for joint in new.loop_joints] == [joint.name for joint in inside]
        old_poses = invariants.poses(looped, [x for joint in looped.tree_joints for x in q[joint]])
        kept = {frames.joint(j): j for j in looped.tree_joints if j in frames.joints}
        new_poses = invariants.poses(new, [x for joint in new.tree_joints for x in q[kept[joint]]])
        base = old_poses[top.default_frame].inverse()
        for frame in (frame for body in members for frame in body.frames):
            assert np.allclose(new_poses[frames[frame]].matrix, (base @ old_poses[frame]).matrix, atol=1e-9)


def _parts(mechanism: Mechanism, rng: np.random.Generator) -> list[tuple[float, ...]]:
    return [joint.type.random(rng) for joint in mechanism.tree_joints]


def test_a_submechanism_of_the_root_is_all_of_it(looped: Mechanism) -> None:
    new, _ = looped.submechanism("world")
    same_numbers(looped, new)


# -- attaching mechanisms ----------------------------------------------------------------------------------------------


def test_attaching_a_mechanism_twice(looped: Mechanism, rng: np.random.Generator) -> None:
    base = random_chain([Z, Prismatic((1, 0, 0))], rng)
    content = invariants.content(looped)
    maps: list[FrameMap] = []
    for prefix in ("left_", "right_"):
        pose = random_transform(looped.root_frame, base.frame("body2_mark"), rng)
        maps.append(base.attach_mechanism("body2", looped, child_root_pose=pose, prefix=prefix))
        invariants.check(base)
        anchor = base.body("body2")
        placed = anchor.fixed_transform(maps[-1][looped.root_frame], anchor.frame("body2_mark"))
        assert np.allclose(placed.matrix, pose.matrix)
    assert invariants.content(looped) == content
    assert base.nv == 2 + 2 * looped.nv
    assert base.nc == 2 * looped.nc
    for frames in maps:
        assert frames.body(looped.root_body) is base.body("body2")
        for look_up in (frames.body, frames.joint):
            with pytest.raises(ArgumentError, match=r"FrameMap\..* must be"):
                look_up(3)  # type: ignore[operator]  # meant
    names = [joint.name for joint in base.tree_joints[2 : 2 + len(looped.tree_joints)]]
    assert names == ["left_" + joint.name for joint in looped.tree_joints]
    assert base.frame("right_body3_mark") == maps[1][looped.frame("body3_mark")]


def test_attaching_keeps_relative_poses(looped: Mechanism, rng: np.random.Generator) -> None:
    base = random_chain([Z], rng)
    q, q0 = [x for part in _parts(looped, rng) for x in part], [0.4]
    pose = random_transform(looped.bodies[0].frames[-1], base.frame("body1"), rng)
    frames = base.attach_mechanism("body1", looped, child_root_pose=pose, prefix="child_")
    old, new = invariants.poses(looped, q), invariants.poses(base, q0 + q)
    origin = new[frames[looped.root_frame]]
    for frame, where in old.items():
        assert np.allclose(new[frames[frame]].matrix, (origin.matrix @ where.matrix), atol=1e-9)
    last = looped.bodies[0].frames[-1]
    assert np.allclose(new[frames[last]].matrix, (new[base.frame("body1")] @ pose).matrix, atol=1e-9)


def test_a_mechanism_can_be_attached_to_itself(rng: np.random.Generator) -> None:
    mechanism = random_chain([Z, Z], rng)
    mechanism.attach_mechanism("body2", mechanism, prefix="more_")
    invariants.check(mechanism)
    assert [body.name for body in mechanism.bodies] == ["world", "body1", "body2", "more_body1", "more_body2"]
    assert mechanism.parent("more_body1") is mechanism.body("body2")


def test_a_mechanism_can_be_attached_to_its_own_root(rng: np.random.Generator) -> None:
    mechanism = random_chain([Z, Z], rng)
    mechanism.root_body.add_contact_point(Point(mechanism.root_frame, (0, 0, 0)), FLOOR)
    pose = random_transform(mechanism.root_frame, mechanism.root_frame, rng)
    frames = mechanism.attach_mechanism("world", mechanism, child_root_pose=pose, prefix="more_")
    invariants.check(mechanism)
    assert mechanism.nv == 4
    assert mechanism.fixed_transform(frames[mechanism.root_frame], mechanism.root_frame).rotation == pytest.approx(
        pose.rotation
    )
    assert [point.model for point in mechanism.root_body.contact_points] == [FLOOR, FLOOR]


def test_refused_attachments_of_mechanisms_change_nothing(looped: Mechanism, rng: np.random.Generator) -> None:
    base = random_chain([Z, Z], rng)
    content = invariants.content(base)
    wrong = random_transform(base.root_frame, base.root_frame, rng)
    attempts = [
        (TopologyError, "named 'body1'", lambda: base.attach_mechanism("body2", looped)),
        (FrameMismatchError, "child_root_pose", lambda: _attach(base, looped, wrong)),
        (UnknownNameError, "hand", lambda: base.attach_mechanism("hand", looped)),
        (ArgumentError, "child", lambda: base.attach_mechanism("body2", base.root_body)),
        (ArgumentError, "prefix", lambda: base.attach_mechanism("body2", looped, prefix=3)),
    ]
    for error, text, attempt in attempts:
        with pytest.raises(error, match=text):
            attempt()
        assert invariants.content(base) == content
    invariants.check(base)


def _attach(base: Mechanism, child: Mechanism, pose: object) -> None:
    base.attach_mechanism("body2", child, child_root_pose=pose, prefix="x_")  # meant


def test_names_merged_away_in_the_child_are_remembered(rng: np.random.Generator) -> None:
    child = random_chain([Fixed(), Z, Fixed()], rng)
    child.remove_fixed_joints()
    base = Mechanism()
    base.attach("world", RigidBody("flange"), Joint("f", Z))
    base.attach_mechanism("flange", child, prefix="c_")
    with pytest.raises(UnknownNameError, match="merged into body 'c_body2'"):
        base.body("c_body3")
    with pytest.raises(UnknownNameError, match="merged into body 'flange'"):
        base.body("c_body1")


def test_names_merged_away_can_come_back_with_a_child(rng: np.random.Generator) -> None:
    base, child = random_chain([Z, Fixed()], rng), Mechanism()
    base.remove_fixed_joints()
    child.attach("world", RigidBody("body2"), Joint("joint2", Z))
    base.attach_mechanism("body1", child)
    base.remove_subtree("body2")
    with pytest.raises(UnknownNameError, match="did you mean 'body1'"):
        base.body("body2")


# -- maximal coordinates -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("floating", [QuaternionFloating, MRPFloating()])
def test_maximal_coordinates(looped: Mechanism, floating: object) -> None:
    content = invariants.content(looped)
    new, frames = looped.maximal_coordinates(floating)  # both are taken
    invariants.check(new)
    assert invariants.content(looped) == content
    count = len(looped.bodies) - 1
    assert new.nv == 6 * count
    assert new.nc == sum(6 - joint.nv for joint in looped.joints)
    assert [joint.name for joint in new.loop_joints] == [joint.name for joint in looped.joints]
    assert all(new.predecessor(joint) is new.root_body for joint in new.tree_joints)
    assert new.bodies == tuple(map(frames.body, looped.bodies))
    for joint in looped.joints:
        copied = frames.joint(joint)
        assert new.predecessor(copied) is frames.body(looped.predecessor(joint))
        first, last = looped.predecessor(joint), looped.successor(joint)
        for body, frame in ((first, joint.frame_before), (last, joint.frame_after)):
            there = new.fixed_transform(frames[frame], frames[body.default_frame])
            here = looped.fixed_transform(frame, body.default_frame)
            assert np.allclose(there.matrix, here.matrix)
    assert new.mass == pytest.approx(looped.mass)


@pytest.mark.parametrize("bad", [Z, lambda: Z, 5, int, None])
def test_only_floating_joints_give_maximal_coordinates(looped: Mechanism, bad: object) -> None:
    with pytest.raises(ArgumentError, match="floating"):
        looped.maximal_coordinates(bad)  # meant


def test_removing_a_body_from_maximal_coordinates(looped: Mechanism) -> None:
    new, frames = looped.maximal_coordinates()
    body = frames.body(looped.bodies[3])
    touching = len(new.joints_of(body))
    assert new.remove_subtree(body) == (body,)
    invariants.check(new)
    assert len(new.joints) == len(looped.joints) + len(looped.bodies) - 1 - touching


def test_going_back_from_maximal_coordinates(rng: np.random.Generator) -> None:
    mechanism = random_chain([QuaternionFloating(), Z, Z, Prismatic((0, 1, 0))], rng)
    new, _ = mechanism.maximal_coordinates()
    report = new.rebuild_spanning_tree([joint.name for joint in mechanism.joints])
    invariants.check(new)
    for joint in report.left:
        new.remove_joint(joint)
    invariants.check(new)
    assert [joint.name for joint in new.tree_joints] == [joint.name for joint in mechanism.tree_joints]
    assert new.loop_joints == ()
    q = invariants.random_configuration(mechanism, rng)
    old, now = invariants.poses(mechanism, q), invariants.poses(new, q)
    for body in mechanism.bodies:
        first, second = old[body.default_frame], now[new.body(body.name).default_frame]
        assert np.allclose(first.matrix, second.matrix, atol=1e-9)


# -- pickles and deep copies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "through", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"]
)
def test_pickled_mechanisms_keep_their_frames(looped: Mechanism, through: object) -> None:
    looped.remove_fixed_joints()
    new: Mechanism = through(looped)  # a function
    invariants.check(new)
    same_numbers(looped, new)
    assert new.root_frame == looped.root_frame
    for a, b in zip(looped.bodies, new.bodies, strict=True):
        assert a is not b
        assert a.frames == b.frames
    assert (new.structure_version, new.parameter_version) == (looped.structure_version, looped.parameter_version)
    assert new.frame("body5", Hand) == looped.frame("body5")
    with pytest.raises(FrameMismatchError):
        new.frame("body5", type("Foot", (Tag,), {}))
    new.remove_subtree(new.bodies[5])
    new.attach("world", RigidBody("fresh"), Joint("fresh", Z))
    new.rebuild_spanning_tree()
    invariants.check(new)
    assert new.tree_joints[-1].name == "fresh"
    invariants.check(looped)


def test_parts_pickled_together_stay_together(looped: Mechanism) -> None:
    joint = looped.joints[2]
    new, body, same = pickle.loads(pickle.dumps((looped, looped.bodies[3], joint)))
    assert new.body(body) is new.bodies[3]
    assert new.joint(same) is new.joints[2]
    version = new.parameter_version
    same.damping = 3.0 if joint.nv else 0.0
    assert new.parameter_version == version + 1


def test_bodies_and_joints_pickled_alone_are_loose(looped: Mechanism) -> None:
    body, joint = pickle.loads(pickle.dumps((looped.bodies[3], looped.joints[2])))
    other = Mechanism()
    other.attach("world", body, joint)
    invariants.check(other)
    assert body.default_frame == joint.frame_after
    again = copy.deepcopy(random_body("x", np.random.default_rng(0)))
    other.attach("world", again, Joint("x", Z))
    invariants.check(other)


def test_a_shallow_copy_of_a_body_is_another_body(looped: Mechanism) -> None:
    body = looped.bodies[3]
    frames, points = body.frames, body.contact_points
    other = copy.copy(body)
    assert other.frames == frames
    other.add_frame(Transform(Frame("new"), other.default_frame))
    other.add_contact_point(Point(other.default_frame, (0, 0, 0)), SoftContact())
    assert (body.frames, body.contact_points) == (frames, points)
    invariants.check(looped)
