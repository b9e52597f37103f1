"""Finding bodies, joints and frames by name."""

from __future__ import annotations

import networkx as nx
import pytest

import rbd
from rbd.errors import AmbiguousNameError, ArgumentError, FrameMismatchError, TopologyError, UnknownNameError
from rbd.joints import Prismatic, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.spatial import Frame, Tag, Transform

Z = Revolute((0, 0, 1))


class Tool(Tag): ...


class Camera(Tag): ...


@pytest.fixture
def arm() -> Mechanism:
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("shoulder"), Joint("pan", Z))
    mechanism.attach("shoulder", RigidBody("elbow"), Joint("lift", Prismatic((0, 0, 1))))
    elbow = mechanism.body("elbow")
    elbow.add_frame(Transform(Frame("tool"), elbow.default_frame, translation=(0, 0, 1)))
    return mechanism


def test_names_suggest_the_closest(arm: Mechanism) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'shoulder'") as caught:
        arm.body("shuolder")
    assert caught.value.kind == "body"
    assert caught.value.suggestion == "shoulder"
    with pytest.raises(UnknownNameError, match="did you mean 'pan'"):
        arm.joint("pam")
    with pytest.raises(UnknownNameError, match="did you mean 'tool'"):
        arm.frame("tol")
    with pytest.raises(KeyError, match=r"among 3: 'world', 'shoulder', 'elbow'$"):
        arm.body("qqqq")


def test_far_names_list_those_that_contain_them() -> None:
    quadruped = rbd.robots.quadruped()
    with pytest.raises(UnknownNameError, match=r"named 'knee' among 13: 'front_left_knee', .*'rear_right_knee'$"):
        quadruped.joint("knee")
    with pytest.raises(UnknownNameError, match=r"named 'wheel' among 13: 'floating_base', .*, \.\.\.$"):
        quadruped.joint("wheel")


def test_objects_are_returned_if_they_belong(arm: Mechanism) -> None:
    body, joint, frame = arm.body("elbow"), arm.joint("lift"), arm.frame("tool")
    assert arm.body(body) is body
    assert arm.joint(joint) is joint
    assert arm.frame(frame) is frame
    with pytest.raises(TopologyError, match="does not belong"):
        arm.body(RigidBody("elbow"))
    with pytest.raises(TopologyError, match="not attached"):
        arm.joint(Joint("lift", Z))
    with pytest.raises(FrameMismatchError, match="another frame"):
        arm.frame(Frame("tool"))


@pytest.mark.parametrize("bad", [None, 3, ("elbow",)])
def test_other_things_are_refused(arm: Mechanism, bad: object) -> None:
    for look_up in (arm.body, arm.joint, arm.frame):
        with pytest.raises(ArgumentError):
            look_up(bad)  # meant
    with pytest.raises(ArgumentError, match="the name of a frame"):
        arm.body("elbow").frame(bad)  # meant


def test_body_names_are_frame_names_too(arm: Mechanism) -> None:
    assert arm.body_of_frame(arm.frame("elbow")) is arm.body("elbow")
    assert arm.frame("after_lift") == arm.body("elbow").default_frame
    assert arm.frame("world") == arm.root_frame


def test_frames_of_one_name_on_two_bodies(arm: Mechanism) -> None:
    shoulder = arm.body("shoulder")
    shoulder.add_frame(Transform(Frame("tool"), shoulder.default_frame))
    with pytest.raises(AmbiguousNameError, match="2 frames are named 'tool'"):
        arm.frame("tool")
    arm.remove_subtree("elbow")
    assert arm.body_of_frame(arm.frame("tool")) is shoulder


def test_a_body_whose_frame_has_another_name() -> None:
    from rbd.spatial import SpatialInertia

    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("link", SpatialInertia.zero(Frame("com"))), Joint("j", Z))
    with pytest.raises(UnknownNameError, match="a body is; its frames: 'com', 'after_j'"):
        mechanism.frame("link")


def test_tags_are_bound_once(arm: Mechanism) -> None:
    tool = arm.frame("tool", Tool)
    assert arm.frame("tool", Tool) == tool
    assert arm.frame(tool, Tool) == tool
    with pytest.raises(FrameMismatchError, match="Tool in this mechanism, not to Camera"):
        arm.frame("tool", Camera)
    assert arm.frame("tool") == tool
    (elbow,) = arm.remove_subtree("elbow")
    assert arm.frame("shoulder", Camera).name == "shoulder"
    arm.attach("shoulder", elbow, Joint("again", Z))
    assert arm.frame("tool", Camera) == tool


@pytest.mark.parametrize("bad", [int, "Tool", object()])
def test_tags_are_tags(arm: Mechanism, bad: object) -> None:
    with pytest.raises(ArgumentError, match=r"Mechanism\.frame needs a subclass of Tag"):
        arm.frame("tool", bad)  # meant
    assert arm.frame("tool", Tool).name == "tool"


def test_fixed_transforms_need_one_body(arm: Mechanism) -> None:
    tool, elbow, shoulder = arm.frame("tool"), arm.frame("elbow"), arm.frame("shoulder")
    assert list(arm.fixed_transform(tool, elbow).translation) == [0, 0, 1]
    with pytest.raises(FrameMismatchError):
        arm.fixed_transform(tool, shoulder)


def test_the_graph_is_that_of_now_and_read_only(arm: Mechanism) -> None:
    graph = arm.graph
    assert [body.name for body in graph.nodes] == ["world", "shoulder", "elbow"]
    with pytest.raises(nx.NetworkXError):
        graph.add_node("x")
    with pytest.raises(nx.NetworkXError):
        graph.remove_edge(arm.root_body, arm.body("shoulder"))
    arm.attach("world", "elbow", Joint("loop", Z))
    assert (graph.number_of_edges(), arm.graph.number_of_edges()) == (2, 3)
    arm.remove_joint("pan")
    assert {joint for *_, joint in arm.graph.edges(keys=True)} == set(arm.joints)


def test_printing(arm: Mechanism) -> None:
    arm.attach("world", "elbow", Joint("loop", Z))
    assert str(arm).splitlines() == [
        "Mechanism 'world': 3 bodies, nq = 2, nv = 2, nc = 5",
        "world",
        "└─ shoulder  (pan: Revolute)",
        "   └─ elbow  (lift: Prismatic)",
        "loops:",
        "   world -> elbow  (loop: Revolute)",
    ]
    assert "3 bodies" in repr(arm)


def test_printing_branches() -> None:
    mechanism = Mechanism()
    for name, parent in (("a", "world"), ("b", "a"), ("c", "a"), ("d", "b"), ("e", "world")):
        mechanism.attach(parent, RigidBody(name), Joint(f"j{name}", Z))
    shown = [line.split("  (")[0] for line in str(mechanism).splitlines()]
    assert shown[1:] == ["world", "├─ a", "│  ├─ b", "│  │  └─ d", "│  └─ c", "└─ e"]


def test_frames_and_copies_are_found_by_name() -> None:
    arm = rbd.robots.arm7()
    assert arm.body_of_frame("tool") is arm.body("link7")
    tool = arm.frame("tool")
    link = arm.body("link7").default_frame
    assert arm.fixed_transform("tool", link).isclose(arm.fixed_transform(tool, link))
    copy, frames = arm.copy()
    assert frames.body("link3") is copy.body("link3")
    assert frames.joint("joint3") is copy.joint("joint3")
    with pytest.raises(rbd.errors.TopologyError, match="body 'link9' was not copied"):
        frames.body("link9")
