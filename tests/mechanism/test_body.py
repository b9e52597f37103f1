"""Rigid bodies: frames, inertia, contact points."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.errors import AmbiguousNameError, ArgumentError, FrameMismatchError, TopologyError, UnknownNameError
from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody, SoftContact
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.testing.random_mechanisms import random_body, random_inertia, random_transform


@pytest.fixture
def body(rng: np.random.Generator) -> RigidBody:
    return random_body("link", rng)


@pytest.fixture
def mechanism(body: RigidBody, rng: np.random.Generator) -> Mechanism:
    new = Mechanism()
    new.attach("world", body, Joint("j", Revolute((0, 0, 1))))
    new.attach("link", random_body("next", rng), Joint("k", Revolute((0, 0, 1))))
    return new


def test_frames_can_be_chained(body: RigidBody, rng: np.random.Generator) -> None:
    first = random_transform(Frame("first"), body.default_frame, rng)
    second = random_transform(Frame("second"), first.from_frame, rng)
    assert body.add_frame(first) == first.from_frame
    assert body.add_frame(second) == second.from_frame
    assert body.has_frame(second.from_frame)
    assert body.frame("second") == second.from_frame
    assert body.fixed_transform(second.from_frame, body.default_frame).isclose(first @ second)
    assert body.fixed_transform(second.from_frame, first.from_frame).isclose(second, atol=1e-12)
    assert body.fixed_transform(first.from_frame, second.from_frame).isclose(second.inverse(), atol=1e-12)
    assert [frame.name for frame in body.frames] == ["link", "link_mark", "first", "second"]


def test_foreign_frames_are_refused(body: RigidBody, rng: np.random.Generator) -> None:
    stranger = Frame("link")
    attempts = {
        "transform.to_frame": lambda: body.add_frame(random_transform(Frame("new"), stranger, rng)),
        "from_frame": lambda: body.fixed_transform(stranger, body.default_frame),
        "to_frame": lambda: body.fixed_transform(body.default_frame, stranger),
        "point": lambda: body.add_contact_point(Point(stranger, (0, 0, 0)), SoftContact()),
        "inertia": lambda: body.set_inertia(random_inertia(stranger, rng)),
    }
    frames = body.frames
    for argument, attempt in attempts.items():
        with pytest.raises(FrameMismatchError, match="body 'link'") as caught:
            attempt()
        assert caught.value.argument == argument
        assert caught.value.actual == stranger
    assert body.frames == frames
    assert body.contact_points == ()


def test_a_frame_is_added_once(body: RigidBody, mechanism: Mechanism, rng: np.random.Generator) -> None:
    with pytest.raises(TopologyError, match="already fixed to body 'next'"):
        body.add_frame(random_transform(mechanism.body("next").default_frame, body.default_frame, rng))
    with pytest.raises(TopologyError, match="already fixed to body 'link'"):
        body.add_frame(random_transform(body.default_frame, body.default_frame, rng))
    loose = random_body("loose", rng)
    with pytest.raises(TopologyError, match="already"):
        loose.add_frame(random_transform(loose.frame("loose_mark"), loose.default_frame, rng))


def test_frames_by_name(body: RigidBody, rng: np.random.Generator) -> None:
    body.add_frame(random_transform(Frame("twin"), body.default_frame, rng))
    body.add_frame(random_transform(Frame("twin"), body.default_frame, rng))
    with pytest.raises(AmbiguousNameError, match="twin"):
        body.frame("twin")
    with pytest.raises(UnknownNameError, match="link_mark") as caught:
        body.frame("link_mrak")
    assert caught.value.suggestion == "link_mark"


def test_new_frames_are_found_by_the_mechanism(body: RigidBody, mechanism: Mechanism) -> None:
    structure = mechanism.structure_version
    tool = body.add_frame(Transform(Frame("tool"), body.default_frame, translation=(1, 0, 0)))
    assert mechanism.frame("tool") == tool
    assert mechanism.body_of_frame(tool) is body
    assert mechanism.structure_version == structure


def test_inertia_in_any_frame(body: RigidBody, mechanism: Mechanism, rng: np.random.Generator) -> None:
    version, structure = mechanism.parameter_version, mechanism.structure_version
    inertia = random_inertia(body.frame("link_mark"), rng)
    body.set_inertia(inertia)
    assert (mechanism.parameter_version, mechanism.structure_version) == (version + 1, structure)
    assert body.inertia is not None
    assert body.inertia.frame == body.default_frame
    there = body.inertia.transformed(body.fixed_transform(body.default_frame, inertia.frame))
    assert there.isclose(inertia, atol=1e-12)


def test_contact_points_are_kept_in_the_default_frame(body: RigidBody, mechanism: Mechanism) -> None:
    mark = body.frame("link_mark")
    version, model = mechanism.structure_version, SoftContact()
    contact = body.add_contact_point(Point(mark, (1, 2, 3)), model)
    assert mechanism.structure_version > version
    assert body.contact_points == (contact,)
    assert contact.model is model
    expected = body.fixed_transform(mark, body.default_frame) @ Point(mark, (1, 2, 3))
    assert contact.location.isclose(expected)


def test_moving_a_frame_moves_its_joint(body: RigidBody, mechanism: Mechanism, rng: np.random.Generator) -> None:
    joint, version = mechanism.joint("k"), mechanism.parameter_version
    pose = random_transform(joint.frame_before, body.frame("link_mark"), rng)
    body.move_frame(pose)
    assert mechanism.parameter_version == version + 1
    expected = body.fixed_transform(body.frame("link_mark"), body.default_frame) @ pose
    assert mechanism.placement(joint).isclose(expected)


def test_what_cannot_be_moved(body: RigidBody, mechanism: Mechanism, rng: np.random.Generator) -> None:
    mark, default, version = body.frame("link_mark"), body.default_frame, mechanism.parameter_version
    with pytest.raises(TopologyError, match="default frame"):
        body.move_frame(random_transform(default, mark, rng))
    with pytest.raises(FrameMismatchError, match="is the frame to be moved"):
        body.move_frame(random_transform(mark, mark, rng))
    with pytest.raises(FrameMismatchError, match="not fixed"):
        body.move_frame(random_transform(Frame("new"), mark, rng))
    assert mechanism.parameter_version == version


def test_inertia_must_be_one() -> None:
    with pytest.raises(ArgumentError, match="SpatialInertia"):
        RigidBody("x", 3.0)  # meant


def test_other_things_than_values_are_refused(body: RigidBody) -> None:
    for attempt in (
        lambda: body.add_frame(np.eye(4)),  # meant
        lambda: body.move_frame(None),  # meant
        lambda: body.set_inertia(3.0),  # meant
        lambda: body.add_contact_point((1, 2, 3), SoftContact()),  # meant
        lambda: body.fixed_transform("link", body.default_frame),  # meant
    ):
        with pytest.raises(ArgumentError):
            attempt()
    assert len(body.frames) == 2


def test_symbolic_bodies() -> None:
    sympy = pytest.importorskip("sympy")
    m, length = sympy.symbols("m l", positive=True)
    frame = Frame("link")
    moment = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    link = RigidBody("link", SpatialInertia(frame, mass=m, com=(0, 0, length), moment_about_com=moment))
    mechanism = Mechanism(gravity=(0, 0, -sympy.Symbol("g")))
    joint = Joint("j", Revolute((1, 0, 0)), damping=sympy.Symbol("d"), position_bounds=(-sympy.pi, sympy.pi))
    pose = Transform(joint.frame_before, mechanism.root_frame, translation=(0, 0, 2 * length))
    mechanism.attach("world", link, joint, joint_pose=pose)
    mechanism.attach(link, RigidBody("end"), Joint("k", Revolute((1, 0, 0))))
    assert mechanism.mass == m
    assert mechanism.gravity.xyz_components[2] == -sympy.Symbol("g")
    assert mechanism.placement("j").translation_components[2] == 2 * length
    new, _ = mechanism.copy()
    assert new.mass == m
    assert new.joint("j").damping == (sympy.Symbol("d"),)
