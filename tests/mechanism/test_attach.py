"""Attaching bodies and closing loops."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbd.errors import ArgumentError, FrameMismatchError, TopologyError
from rbd.joints import Fixed, Prismatic, QuaternionFloating, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody, SoftContact
from rbd.spatial import Frame, Transform
from rbd.testing.random_mechanisms import random_body, random_transform
from tests.mechanism import invariants

Z = Revolute((0, 0, 1))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def pair(rng: np.random.Generator) -> Mechanism:
    mechanism = Mechanism()
    mechanism.attach("world", random_body("a", rng), Joint("ja", Z))
    mechanism.attach("a", random_body("b", rng), Joint("jb", Z))
    return mechanism


def test_first_body_hangs_on_the_root(rng: np.random.Generator) -> None:
    mechanism = Mechanism("ground", gravity=(0, -1, 0))
    body, joint = random_body("a", rng), Joint("ja", Z)
    mechanism.attach(mechanism.root_body, body, joint)
    invariants.check(mechanism)
    assert mechanism.root_body.name == "ground"
    assert mechanism.root_frame.name == "ground"
    assert list(mechanism.gravity.xyz) == [0, -1, 0]
    assert mechanism.gravity.frame == mechanism.root_frame
    assert mechanism.tree_joints == (joint,)
    assert (mechanism.nq, mechanism.nv, mechanism.nc) == (1, 1, 0)


def test_the_new_bodys_default_frame_is_the_frame_after_the_joint(rng: np.random.Generator) -> None:
    mechanism, body, joint = Mechanism(), random_body("a", rng), Joint("ja", Z)
    own, inertia = body.default_frame, body.inertia
    point = body.add_contact_point(random_transform(own, own, rng) @ _origin(own), SoftContact()).location
    pose = random_transform(own, joint.frame_after, rng)
    mechanism.attach("world", body, joint, successor_pose=pose)
    assert body.default_frame == joint.frame_after
    assert body.has_frame(own)
    assert body.fixed_transform(own, body.default_frame).isclose(pose)
    assert inertia is not None
    assert body.inertia is not None
    assert body.inertia.isclose(inertia.transformed(pose))
    assert body.contact_points[0].location.isclose(pose @ point)


def test_poses_may_refer_to_any_frame_of_the_bodies(rng: np.random.Generator) -> None:
    mechanism, a, b, joint = Mechanism(), random_body("a", rng), random_body("b", rng), Joint("jb", Z)
    mechanism.attach("world", a, Joint("ja", Z))
    mark_a, mark_b = a.frame("a_mark"), b.frame("b_mark")
    joint_pose = random_transform(joint.frame_before, mark_a, rng)
    successor_pose = random_transform(mark_b, joint.frame_after, rng)
    mechanism.attach(a, b, joint, joint_pose=joint_pose, successor_pose=successor_pose)
    invariants.check(mechanism)
    assert mechanism.placement(joint).isclose(a.fixed_transform(mark_a, a.default_frame) @ joint_pose)
    assert b.fixed_transform(mark_b, joint.frame_after).isclose(successor_pose)


def test_loop_poses_may_refer_to_any_frame_of_the_bodies(pair: Mechanism, rng: np.random.Generator) -> None:
    a, b, joint = pair.body("a"), pair.body("b"), Joint("loop", Z)
    joint_pose = random_transform(joint.frame_before, a.frame("a_mark"), rng)
    successor_pose = random_transform(b.frame("b_mark"), joint.frame_after, rng)
    before = b.default_frame
    pair.attach(a, b, joint, joint_pose=joint_pose, successor_pose=successor_pose)
    invariants.check(pair)
    assert b.default_frame == before
    assert pair.loop_joints == (joint,)
    assert pair.nc == 5
    expected = b.fixed_transform(b.frame("b_mark"), b.default_frame) @ successor_pose.inverse()
    assert pair.successor_placement(joint).isclose(expected)


def test_two_bodies_may_be_connected_by_several_joints(pair: Mechanism) -> None:
    pair.attach("a", "b", Joint("second", Z))
    pair.attach("b", "a", Joint("third", Z))
    invariants.check(pair)
    assert [joint.name for joint in pair.joints_of("b")] == ["jb", "second", "third"]
    assert pair.graph.number_of_edges(pair.body("a"), pair.body("b")) == 2


def test_tree_bodies_may_follow_loop_joints(pair: Mechanism, rng: np.random.Generator) -> None:
    pair.attach("b", "world", Joint("loop", Z))
    pair.attach("b", random_body("c", rng), Joint("jc", Z))
    invariants.check(pair)
    assert [joint.name for joint in pair.tree_joints] == ["ja", "jb", "jc"]
    assert [joint.name for joint in pair.loop_joints] == ["loop"]
    assert [body.name for body in pair.bodies] == ["world", "a", "b", "c"]


def test_a_body_without_inertia_is_massless(rng: np.random.Generator) -> None:
    mechanism, body = Mechanism(), RigidBody("light")
    assert body.inertia is None
    mechanism.attach("world", body, Joint("j", Z))
    mechanism.attach(body, random_body("heavy", rng), Joint("k", Z))
    assert body.inertia is not None
    assert body.inertia.mass == 0
    assert mechanism.mass == mechanism.body("heavy").inertia.mass  # it has one


def test_joint_frames_may_be_frames_the_bodies_have(rng: np.random.Generator) -> None:
    mechanism, a, b = Mechanism(), random_body("a", rng), random_body("b", rng)
    mechanism.attach("world", a, Joint("ja", Z))
    joint = Joint("jb", Z, frame_before=a.frame("a_mark"), frame_after=b.frame("b_mark"))
    mechanism.attach(a, b, joint)
    invariants.check(mechanism)
    assert mechanism.placement(joint).isclose(a.fixed_transform(a.frame("a_mark"), a.default_frame))
    mechanism.remove_subtree(b)
    assert a.has_frame(joint.frame_before)
    assert b.default_frame.name == "b"


def test_versions_grow(pair: Mechanism, rng: np.random.Generator) -> None:
    structure, parameters = pair.structure_version, pair.parameter_version
    pair.attach("b", random_body("c", rng), Joint("jc", Z))
    assert pair.structure_version > structure
    pair.gravity = (0, 0, -1)  # mypy wants setters to take what getters give
    assert pair.parameter_version > parameters


# -- refused, and nothing changed -------------------------------------------------------------------------------------

Attempt = Callable[[Mechanism], object]


def _origin(frame: Frame) -> object:
    from rbd.spatial import Point

    return Point(frame, (0, 0, 0))


def _other() -> Mechanism:
    other = Mechanism("elsewhere")
    other.attach("elsewhere", RigidBody("x"), Joint("jx", Z))
    return other


def _with_shared_frame(m: Mechanism) -> RigidBody:
    body = RigidBody("c")
    body.add_frame(Transform.identity(m.body("a").default_frame, body.default_frame))
    return body


REFUSED: dict[str, tuple[type[Exception], str, Attempt]] = {
    "unknown predecessor": (KeyError, "shoulder", lambda m: m.attach("shoulder", RigidBody("c"), Joint("jc", Z))),
    "predecessor of another mechanism": (
        TopologyError,
        "does not belong",
        lambda m: m.attach(_other().body("x"), RigidBody("c"), Joint("jc", Z)),
    ),
    "loose predecessor": (
        TopologyError,
        "does not belong",
        lambda m: m.attach(RigidBody("p"), RigidBody("c"), Joint("j", Z)),
    ),
    "successor of another mechanism": (
        TopologyError,
        "another mechanism",
        lambda m: m.attach("a", _other().body("x"), Joint("jc", Z)),
    ),
    "joint attached here": (
        TopologyError,
        "already attached in this",
        lambda m: m.attach("a", RigidBody("c"), m.joint("jb")),
    ),
    "joint attached elsewhere": (
        TopologyError,
        "already attached in another",
        lambda m: m.attach("a", RigidBody("c"), _other().joint("jx")),
    ),
    "body attached to itself": (TopologyError, "itself", lambda m: m.attach("a", "a", Joint("jc", Z))),
    "root attached to itself": (TopologyError, "itself", lambda m: m.attach("world", "world", Joint("jc", Z))),
    "taken body name": (TopologyError, "body named 'b'", lambda m: m.attach("a", RigidBody("b"), Joint("jc", Z))),
    "taken joint name": (TopologyError, "joint named 'jb'", lambda m: m.attach("a", RigidBody("c"), Joint("jb", Z))),
    "taken frame": (TopologyError, "fixed to body 'a'", lambda m: m.attach("a", _with_shared_frame(m), Joint("jc", Z))),
    "joint frame on a third body": (
        TopologyError,
        "fixed to body 'a'",
        lambda m: m.attach("b", RigidBody("c"), Joint("j", Z, frame_before=m.body("a").default_frame)),
    ),
    "joint frame on the new body": (
        TopologyError,
        "joint.frame_before",
        lambda m: _attach_with_a_frame_of_the_successor(m),
    ),
    "joint pose from another frame": (
        FrameMismatchError,
        "joint_pose",
        lambda m: m.attach(
            "a", RigidBody("c"), Joint("jc", Z), joint_pose=Transform.identity(Frame("x"), m.root_frame)
        ),
    ),
    "successor pose of the wrong body": (
        FrameMismatchError,
        "successor_pose",
        lambda m: _attach_with_wrong_successor_pose(m),
    ),
    "joint pose to another body": (FrameMismatchError, "joint_pose", lambda m: _attach_with_wrong_joint_pose(m)),
    "a matrix for a pose": (
        ArgumentError,
        "joint_pose",
        lambda m: m.attach("a", RigidBody("c"), Joint("jc", Z), joint_pose=np.eye(4)),  # meant
    ),
    "no body": (ArgumentError, "successor", lambda m: m.attach("a", 3, Joint("jc", Z))),  # meant
    "no joint": (ArgumentError, "joint", lambda m: m.attach("a", RigidBody("c"), Z)),  # meant
}


def _attach_with_a_frame_of_the_successor(m: Mechanism) -> None:
    body = RigidBody("c")
    m.attach("a", body, Joint("jc", Z, frame_before=body.default_frame))


def _attach_with_wrong_successor_pose(m: Mechanism) -> None:
    joint = Joint("jc", Z)
    m.attach("a", RigidBody("c"), joint, successor_pose=Transform.identity(m.root_frame, joint.frame_after))


def _attach_with_wrong_joint_pose(m: Mechanism) -> None:
    joint = Joint("jc", Z)
    m.attach("a", RigidBody("c"), joint, joint_pose=Transform.identity(joint.frame_before, m.body("b").default_frame))


@pytest.mark.parametrize(("error", "text", "attempt"), REFUSED.values(), ids=REFUSED)
def test_refused_attachments_change_nothing(
    pair: Mechanism, error: type[Exception], text: str, attempt: Attempt
) -> None:
    before = invariants.content(pair)
    with pytest.raises(error, match=text):
        attempt(pair)
    assert invariants.content(pair) == before
    invariants.check(pair)


def test_a_refused_body_and_joint_can_be_attached_later(pair: Mechanism, rng: np.random.Generator) -> None:
    body, joint = random_body("c", rng), Joint("jb", Z)
    frames, inertia = body.frames, body.inertia
    with pytest.raises(TopologyError):
        pair.attach("a", body, joint)
    assert (body.frames, body.inertia) == (frames, inertia)
    other = Mechanism()
    other.attach("world", body, joint)
    invariants.check(other)


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_names_are_text(name: object) -> None:
    with pytest.raises(ArgumentError, match="name"):
        RigidBody(name)  # meant
    with pytest.raises(ArgumentError, match="name"):
        Joint(name, Z)  # meant


def test_the_root_has_no_inertia(rng: np.random.Generator) -> None:
    with pytest.raises(ArgumentError, match="never moves"):
        Mechanism(random_body("heavy", rng))
    mechanism = Mechanism(RigidBody("ground"))
    with pytest.raises(TopologyError, match="never moves"):
        mechanism.root_body.set_inertia(random_body("x", rng).inertia)  # it has one


@pytest.mark.parametrize(
    ("path", "reader"),
    [
        ("arm.urdf", "load_urdf('arm.urdf')"),
        ("robots/Arm.URDF", "load_urdf('robots/Arm.URDF')"),
        (Path("scene.xml"), "load_mjcf('scene.xml')"),
        ("a/b.mjcf", "load_mjcf('a/b.mjcf')"),
    ],
)
def test_a_root_is_not_the_path_of_a_robot_file(path: Any, reader: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(f"rbd.{reader} reads files")) as caught:
        Mechanism(path)
    assert (caught.value.argument, caught.value.value) == ("root", path)


@pytest.mark.parametrize("name", ["robot/base", "base.link", "urdf", ".urdf", "xml base", "/"])
def test_a_root_may_have_any_other_name(name: str) -> None:
    assert Mechanism(name).root_body.name == name
    assert Mechanism(RigidBody("arm.urdf")).root_body.name == "arm.urdf"


def test_a_root_belongs_to_one_mechanism() -> None:
    root = RigidBody("ground")
    Mechanism(root)
    with pytest.raises(TopologyError, match="another mechanism"):
        Mechanism(root)


def test_gravity_must_be_in_the_root_frame(pair: Mechanism) -> None:
    from rbd.spatial import FreeVector

    before = invariants.content(pair)
    with pytest.raises(FrameMismatchError):
        pair.gravity = FreeVector(pair.body("a").default_frame, (0, 0, 1))
    with pytest.raises(ValueError, match="gravity"):
        pair.gravity = (0, 0)  # meant
    assert invariants.content(pair) == before


def test_every_attach_order_gives_the_same_kind_of_mechanism() -> None:
    rng = np.random.default_rng(3)
    types = (Z, Prismatic((1, 0, 0)), Fixed(), QuaternionFloating())
    for _ in range(20):
        mechanism = Mechanism()
        for k in range(12):
            bodies = mechanism.bodies
            first = bodies[int(rng.integers(len(bodies)))]
            joint = Joint(f"j{k}", types[int(rng.integers(len(types)))])
            second = bodies[int(rng.integers(len(bodies)))] if rng.random() < 0.4 else RigidBody(f"b{k}")
            if second is not first:
                mechanism.attach(first, second, joint)
            invariants.check(mechanism)
