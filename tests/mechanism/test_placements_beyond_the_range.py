"""Placements and inertias that overflow in the frames they are expressed in are refused, and change nothing."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import NotFiniteError
from rbd.mechanism.soft_contact import HuntCrossley, SoftContact
from rbd.spatial.half_space import HalfSpace


def body_of(name: str, mass: float = 1.0) -> rbd.RigidBody:
    body = rbd.RigidBody(name)
    moment = mass * np.diag([0.3, 0.4, 0.5])
    body.set_inertia(rbd.SpatialInertia(body.default_frame, mass=mass, com=(0.1, 0, 0), moment_about_com=moment))
    return body


def far(frame: rbd.Frame, to: rbd.Frame, distance: float = 1e160) -> rbd.Transform:
    return rbd.Transform(frame, to, translation=(distance, 0, 0))


def pair() -> tuple[rbd.Mechanism, rbd.RigidBody, rbd.RigidBody]:
    mechanism, first, second = rbd.Mechanism(), body_of("first"), body_of("second")
    mechanism.attach("world", first, rbd.Joint("one", rbd.Revolute((0, 0, 1))))
    mechanism.attach(first, second, rbd.Joint("two", rbd.Fixed()))
    return mechanism, first, second


def account(mechanism: rbd.Mechanism, *loose: rbd.RigidBody) -> list[Any]:
    """Return all there is to a mechanism, with the numbers of every body."""
    found: list[Any] = [mechanism.structure_version, mechanism.parameter_version, str(mechanism)]
    found += [mechanism.joints, mechanism.half_spaces, mechanism.gravity.components]
    for body in (*mechanism.bodies, *loose):
        inertia = None if body.inertia is None else body.inertia.components
        places = [body.fixed_transform(frame, body.default_frame).components for frame in body.frames]
        found.append((body.name, body.default_frame, body.frames, inertia, places, body.contact_points))
    return found


def refuses(argument: str, change: Callable[[], object], mechanism: rbd.Mechanism, *loose: rbd.RigidBody) -> None:
    """Assert that a change is refused by an error that names an argument, and leaves everything as it was."""
    before = account(mechanism, *loose)
    with pytest.raises(NotFiniteError, match="range of float64") as caught:
        change()
    assert argument in str(caught.value.fields["argument"])
    assert account(mechanism, *loose) == before


def test_attach_refuses_an_inertia_that_overflows() -> None:
    mechanism, first, _ = pair()
    new, joint = body_of("new"), rbd.Joint("three", rbd.Revolute((0, 0, 1)))
    pose = far(new.default_frame, joint.frame_after)
    refuses("successor_pose", lambda: mechanism.attach(first, new, joint, successor_pose=pose), mechanism, new)
    mechanism.attach(first, new, joint, successor_pose=far(new.default_frame, joint.frame_after, 1e100))
    assert rbd.compile(mechanism).mass_matrix([0.0, 0.0])[1, 1] == pytest.approx(1e200, rel=1e-15)


def with_a_point() -> rbd.RigidBody:
    new = rbd.RigidBody("new")
    new.add_contact_point(rbd.Point(new.default_frame, (1.7e308, 0, 0)), SoftContact(HuntCrossley.hertz()))
    return new


def with_a_frame() -> rbd.RigidBody:
    new = rbd.RigidBody("new")
    new.add_frame(far(rbd.Frame("tip"), new.default_frame, 1.7e308))
    return new


@pytest.mark.parametrize("made", [with_a_point, with_a_frame])
def test_attach_refuses_frames_and_contact_points_that_overflow(made: Callable[[], rbd.RigidBody]) -> None:
    mechanism, first, _ = pair()
    new, joint = made(), rbd.Joint("three", rbd.Revolute((0, 0, 1)))
    pose = far(new.default_frame, joint.frame_after, 1.7e308)
    refuses("successor_pose", lambda: mechanism.attach(first, new, joint, successor_pose=pose), mechanism, new)


@pytest.mark.parametrize("closing", [True, False])
def test_attach_refuses_placements_that_overflow(closing: bool) -> None:
    mechanism, first, second = pair()
    tip = first.add_frame(far(rbd.Frame("tip"), first.default_frame, 1.7e308))
    successor, joint = second if closing else body_of("new"), rbd.Joint("three", rbd.Revolute((0, 0, 1)))
    before, after = far(joint.frame_before, tip, 1.7e308), far(tip, joint.frame_after, -1.7e308)
    refuses("joint_pose", lambda: mechanism.attach(first, successor, joint, joint_pose=before), mechanism)
    refuses("successor_pose", lambda: mechanism.attach(second, first, joint, successor_pose=after), mechanism)


def test_bodies_refuse_what_overflows_in_their_default_frame() -> None:
    mechanism, first, _ = pair()
    tip = first.add_frame(far(rbd.Frame("tip"), first.default_frame, 1.7e308))
    heavy = rbd.SpatialInertia(tip, mass=1.0, com=(0, 0, 0), moment_about_com=np.eye(3))
    new = far(rbd.Frame("new"), tip, 1.7e308)
    point, model = rbd.Point(tip, (1.7e308, 0, 0)), SoftContact(HuntCrossley.hertz())
    refuses("inertia", lambda: first.set_inertia(heavy), mechanism)
    refuses("transform", lambda: first.add_frame(new), mechanism)
    refuses("point", lambda: first.add_contact_point(point, model), mechanism)
    other = first.add_frame(far(rbd.Frame("other"), first.default_frame, 1.0))
    refuses("transform", lambda: first.move_frame(far(other, tip, 1.7e308)), mechanism)


def test_the_world_refuses_what_overflows() -> None:
    mechanism, _, _ = pair()
    root = mechanism.root_frame
    pull = rbd.FreeVector(root, (1e200, 0, 0)) * 1e200
    refuses("gravity", lambda: setattr(mechanism, "gravity", pull), mechanism)
    tip = mechanism.root_body.add_frame(far(rbd.Frame("tip"), root, 1.7e308))
    wall = HalfSpace(rbd.Point(tip, (1.7e308, 0, 0)), rbd.FreeVector(tip, (1, 0, 0)))
    refuses("half_space", lambda: mechanism.add_half_space(wall), mechanism)


def test_merging_refuses_a_sum_that_overflows() -> None:
    mechanism, first, second = pair()
    for body in (first, second):
        moment = np.diag([1e308, 1e308, 1e308])
        body.set_inertia(rbd.SpatialInertia(body.default_frame, mass=1.0, com=(0, 0, 0), moment_about_com=moment))
    refuses("second", mechanism.remove_fixed_joints, mechanism)


def test_merging_refuses_a_body_too_far_away() -> None:
    mechanism, first = rbd.Mechanism(), body_of("first")
    mechanism.attach("world", first, rbd.Joint("one", rbd.Revolute((0, 0, 1))))
    second, joint = body_of("second"), rbd.Joint("two", rbd.Fixed())
    mechanism.attach(first, second, joint, joint_pose=far(joint.frame_before, first.default_frame))
    refuses("second", mechanism.remove_fixed_joints, mechanism)


def test_turning_a_joint_round_refuses_an_inertia_that_overflows() -> None:
    mechanism, first, second = rbd.Mechanism(), body_of("first"), body_of("second")
    mechanism.attach("world", first, rbd.Joint("one", rbd.Revolute((0, 0, 1))))
    hinge, closing = rbd.Joint("two", rbd.Revolute((0, 0, 1))), rbd.Joint("three", rbd.Revolute((0, 0, 1)))
    mechanism.attach(first, second, hinge, joint_pose=far(hinge.frame_before, first.default_frame))
    mechanism.attach("world", second, closing)
    refuses("first", lambda: mechanism.rebuild_spanning_tree(["three", "two"]), mechanism)
    refuses("first", lambda: mechanism.remove_joint("one"), mechanism)


def test_removing_a_subtree_refuses_an_inertia_that_overflows() -> None:
    mechanism, first, _ = pair()
    new, joint = body_of("new"), rbd.Joint("three", rbd.Revolute((0, 0, 1)))
    massless = rbd.SpatialInertia.zero(new.default_frame)
    new.set_inertia(massless)
    mechanism.attach(first, new, joint, successor_pose=far(new.default_frame, joint.frame_after))
    moment = np.eye(3)
    new.set_inertia(rbd.SpatialInertia(new.default_frame, mass=1.0, com=(0, 0, 0), moment_about_com=moment))
    refuses("new", lambda: mechanism.remove_subtree(new), mechanism)


def test_attaching_a_mechanism_refuses_frames_that_overflow() -> None:
    mechanism, first, _ = pair()
    child, _, _ = pair()
    child.root_body.add_frame(far(rbd.Frame("tip"), child.root_frame, 1.7e308))
    pose = far(child.root_frame, first.default_frame, 1.7e308)
    refuses(
        "child_root_pose",
        lambda: mechanism.attach_mechanism(first, child, child_root_pose=pose, prefix="c_"),
        mechanism,
    )


def test_an_inertia_about_the_origin_must_be_finite() -> None:
    moment = np.diag([1.7e308] * 3)
    with pytest.raises(NotFiniteError, match="moment") as caught:
        rbd.SpatialInertia(rbd.Frame("body"), mass=1.0, com=(1.3e154, 0, 0), moment_about_com=moment)
    assert caught.value.argument == "moment"


def test_a_refused_mechanism_still_works() -> None:
    mechanism, first, _ = pair()
    new, joint = body_of("new"), rbd.Joint("three", rbd.Revolute((0, 0, 1)))
    with pytest.raises(NotFiniteError):
        mechanism.attach(first, new, joint, successor_pose=far(new.default_frame, joint.frame_after))
    mechanism.attach(first, new, joint)
    copied = pickle.loads(pickle.dumps(mechanism))
    assert math.isfinite(rbd.mass_matrix(rbd.MechanismState(copied))[1, 1])
