"""Written files read back the same: the same bytes again, the same mechanism."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rbd import (
    Fixed,
    Frame,
    JointType,
    Planar,
    Point,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RotationVectorFloating,
    Screw,
    SinCosRevolute,
    SpatialInertia,
    Transform,
    Universal,
)
from rbd.errors import ArgumentError, MjcfPathError, UnknownNameError, UrdfPathError
from rbd.mechanism import Joint, Mechanism, RigidBody, SoftContact
from rbd.mjcf import format_mjcf, write_mjcf
from rbd.robots import double_pendulum
from rbd.spatial.so3 import rotation_exp
from rbd.urdf import UrdfWarning, format_urdf, load_urdf, parse_urdf, write_urdf
from rbd.urdf.origins import planar_axes, rotation_of_rpy
from rbd.urdf.write_elements import rpy_of
from tests.urdf.files import ARM, inertial, joint, link, pair, robot


def random_mechanism(seed: int, count: int = 8) -> Mechanism:
    """A tree of all joint types URDF has, with generic placements, axes and inertias."""
    rng = np.random.default_rng(seed)
    mechanism = Mechanism()
    bodies = [mechanism.root_body]
    for k in range(count):
        axis = rng.normal(size=3)
        x, y, z = axis / np.linalg.norm(axis)
        types: list[JointType] = [
            Revolute(axis), Prismatic(axis), QuaternionFloating(), Fixed(), Planar(*planar_axes((x, y, z)))
        ]  # fmt: skip
        kind = types[rng.integers(len(types))]
        limits = {}
        if kind.nv == 1:
            limits = {"position_bounds": sorted(rng.normal(size=2)), "effort_bounds": (-2.0, 2.0)}
        new = Joint(f"j{k}", kind, damping=rng.random(), friction=0.5, **limits)  # pairs
        parent = bodies[rng.integers(len(bodies))]
        pose = Transform(new.frame_before, parent.default_frame, rotation(rng), rng.normal(size=3))
        body = RigidBody(f"b{k}", random_inertia(rng, Frame(f"b{k}")))
        mechanism.attach(parent, body, new, joint_pose=pose)
        bodies.append(body)
    return mechanism


def rotation(rng: np.random.Generator) -> np.ndarray:
    x, y, z = rng.normal(size=3)
    return np.array(rotation_exp((x, y, z)), dtype=float)


def random_inertia(rng: np.random.Generator, frame: Frame) -> SpatialInertia:
    points = rng.normal(size=(5, 3))  # unit point masses: their moments are those of a body
    centre = points - points.mean(axis=0)
    moment = np.eye(3) * (centre**2).sum() - centre.T @ centre
    return SpatialInertia(frame, mass=5.0, com=points.mean(axis=0), moment_about_com=moment)


def assert_same(a: Mechanism, b: Mechanism, *, atol: float = 1e-13) -> None:
    assert [body.name for body in a.bodies] == [body.name for body in b.bodies]
    assert [found.name for found in a.tree_joints] == [found.name for found in b.tree_joints]
    for mine, theirs in zip(a.tree_joints, b.tree_joints, strict=True):
        assert type(mine.type) is type(theirs.type)
        assert a.predecessor(mine).name == b.predecessor(theirs).name
        np.testing.assert_allclose(a.placement(mine).matrix, b.placement(theirs).matrix, rtol=0, atol=atol)
        for what in ("position_bounds", "velocity_bounds", "effort_bounds", "damping", "friction"):
            assert getattr(mine, what) == getattr(theirs, what)
        for what in ("axis", "x", "y"):
            np.testing.assert_allclose(getattr(mine.type, what, 0), getattr(theirs.type, what, 0), rtol=0, atol=atol)
    for body, other in zip(a.bodies[1:], b.bodies[1:], strict=True):
        assert body.inertia is not None
        assert other.inertia is not None
        np.testing.assert_allclose(body.inertia.matrix, other.inertia.matrix, rtol=0, atol=10 * atol)


def unmerged(text: str) -> Mechanism:
    return parse_urdf(text, remove_fixed_joints=False)


@pytest.mark.parametrize("seed", range(20))
def test_random_mechanisms_read_back(seed: int) -> None:
    mechanism = random_mechanism(seed)
    text = format_urdf(mechanism)
    assert_same(mechanism, unmerged(text))
    assert format_urdf(unmerged(text)) == text


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("merged", [False, True])
def test_writing_what_was_read_is_a_fixed_point(floating: bool, merged: bool) -> None:
    mechanism = load_urdf(ARM, floating=floating, remove_fixed_joints=merged)
    text = format_urdf(mechanism, name="arm")
    again = parse_urdf(text, remove_fixed_joints=merged)
    assert_same(mechanism, again)
    assert format_urdf(again, name="arm") == text


@given(st.tuples(*[st.floats(-0.5, 0.5)] * 3), st.tuples(*[st.floats(-4, 4)] * 3), st.tuples(*[st.floats(-9, 9)] * 3))
@example((0.0, 0.0, 0.0), (0.0, 1.5, 4.0), (0.0, 0.0, 0.0))
def test_any_placement_and_centre_of_mass_settles(
    com: tuple[float, ...], rpy: tuple[float, ...], xyz: tuple[float, ...]
) -> None:
    said = [" ".join(map(repr, values)) for values in (com, rpy, xyz)]
    inside = f'<origin rpy="{said[1]}" xyz="{said[2]}"/>'
    body = inertial(0.1, (1e-4, 1e-4, 2e-4), f'<origin xyz="{said[0]}" rpy="{said[1]}"/>')
    mechanism = parse_urdf(pair("continuous", inside, body))
    text = format_urdf(mechanism)
    assert_same(mechanism, parse_urdf(text), atol=1e-12)
    assert format_urdf(parse_urdf(text)) == text


angles = st.floats(-3.2, 3.2) | st.sampled_from([k * np.pi / 2 for k in range(-2, 3)])


@given(angles, angles | st.floats(-1e-7, 1e-7).map(lambda e: np.pi / 2 + e), angles)
def test_rpy_gives_the_rotation_also_near_a_vertical_pitch(roll: float, pitch: float, yaw: float) -> None:
    rows = rotation_of_rpy((roll, pitch, yaw))
    np.testing.assert_allclose(rotation_of_rpy(rpy_of(rows)), rows, rtol=0, atol=4e-14)


@pytest.mark.parametrize("below", [1e-4, 1e-6, 1e-8])
def test_yaw_is_rounded_to_what_a_nearly_vertical_pitch_leaves_of_it(below: float) -> None:
    """Its error is that of the entries over the cosine of the pitch."""
    assert rpy_of(rotation_of_rpy((0.0, np.pi / 2 - below, 0.3)))[2] == 0.3


def test_the_root_may_have_any_name() -> None:
    mechanism = Mechanism("floor")
    mechanism.attach("floor", RigidBody("arm"), Joint("hinge", Revolute((0, 0, 1))))
    read = parse_urdf(format_urdf(mechanism))
    assert [found.name for found in read.joints] == ["hinge"]
    assert read.body_of_frame(read.frame("floor")) is read.root_body


def test_names_are_escaped() -> None:
    mechanism = Mechanism()
    name = "<a> & \"b\" 'c' é"
    mechanism.attach("world", RigidBody(name), Joint(name, Fixed()))
    assert unmerged(format_urdf(mechanism, name=name)).joint(name).name == name


def test_half_bounded_joints_keep_their_infinities() -> None:
    mechanism = Mechanism()
    inf = float("inf")
    mechanism.attach("world", RigidBody("a"), Joint("a", Revolute((0, 0, 1)), position_bounds=(-inf, 1)))
    mechanism.attach("a", RigidBody("b"), Joint("b", Prismatic((0, 0, 1))))
    read = parse_urdf(format_urdf(mechanism))
    assert read.joint("a").position_bounds == ((-inf, 1.0),)
    assert read.joint("b").position_bounds == ((-inf, inf),)


def test_frames_are_kept_on_request() -> None:
    text = robot(
        link("world"), link("arm", inertial()), link("tool0"), joint("j", "world", "arm"),
        joint("flange", "arm", "tool0", "fixed", '<origin xyz="0 0 1" rpy="0.1 0 0"/>'),
    )  # fmt: skip
    mechanism = parse_urdf(text)
    assert "tool0" not in format_urdf(mechanism)
    written = format_urdf(mechanism, frames=["tool0"])
    read = parse_urdf(written)
    pose, wanted = (m.fixed_transform(m.frame("tool0"), m.frame("arm")) for m in (read, mechanism))
    np.testing.assert_array_equal(pose.matrix, wanted.matrix)
    assert format_urdf(read, frames=["tool0"]) == written
    with pytest.raises(UnknownNameError):
        format_urdf(mechanism, frames=["tool1"])


# -- what URDF cannot say ---------------------------------------------------------------------------------------------

REFUSED: dict[str, Callable[[], Joint]] = {
    "joint type QuaternionSpherical": lambda: Joint("j", QuaternionSpherical()),
    "joint type SinCosRevolute": lambda: Joint("j", SinCosRevolute((0, 0, 1))),
    "joint type Screw": lambda: Joint("j", Screw((0, 0, 1), 0.1)),
    "joint type Universal": lambda: Joint("j", Universal((1, 0, 0), (0, 1, 0))),
    "joint type RotationVectorFloating": lambda: Joint("j", RotationVectorFloating()),
    "normal of a planar joint": lambda: Joint("j", Planar((0, 1, 0), (-1, 0, 0))),
    "symmetric effort bounds": lambda: Joint("j", Revolute((0, 0, 1)), effort_bounds=(-1, 2)),
    "symmetric velocity bounds": lambda: Joint("j", Prismatic((0, 0, 1)), velocity_bounds=(0, 2)),
    "no position bounds for a planar": lambda: Joint("j", Planar((1, 0, 0), (0, 1, 0)), position_bounds=[(0, 1)] * 3),
    "no effort bounds for a floating": lambda: Joint("j", QuaternionFloating(), effort_bounds=[(-1, 1)] * 6),
    "no armature": lambda: Joint("j", Revolute((0, 0, 1)), armature=0.1),
    "no bound_stiffness": lambda: Joint("j", Revolute((0, 0, 1)), bound_stiffness=1.0),
    "no bound_damping": lambda: Joint("j", Revolute((0, 0, 1)), bound_damping=1.0),
    "no friction_velocity": lambda: Joint("j", Revolute((0, 0, 1)), friction=1.0, friction_velocity=0.1),
    "joint type Locked": lambda: Joint("j", type("Locked", (Fixed,), {})()),
    "joint type Geared": lambda: Joint("j", type("Geared", (Revolute,), {})((0, 0, 1))),
    "one damping per joint": lambda: Joint("j", Planar((1, 0, 0), (0, 1, 0)), damping=(1, 1, 2)),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_urdf_cannot_say_is_refused_with_the_joint(reason: str, tmp_path: Path) -> None:
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("a"), REFUSED[reason]())
    with pytest.raises(ArgumentError, match=reason) as caught:
        write_urdf(mechanism, tmp_path / "a.urdf")
    assert caught.value.joint == "j"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "reason", ["no armature", "no friction_velocity", "no bound_stiffness", "no bound_damping", "one damping per joint"]
)
def test_lenient_writing_leaves_parameters_out(reason: str) -> None:
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("a"), REFUSED[reason]())
    assert parse_urdf(format_urdf(mechanism, strict=False)).joint("j").armature[0] == 0.0


@pytest.mark.parametrize("name", ["two\nlines", "x" * 300, " blank "])
def test_names_the_reader_would_refuse_are_refused(name: str) -> None:
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody(name), Joint("j", Fixed()))
    with pytest.raises(ArgumentError, match="URDF cannot express this mechanism"):
        format_urdf(mechanism)


def test_contact_points_and_gravity_are_not_written() -> None:
    mechanism = load_urdf(ARM, gravity=(0, 0, 1))
    before = format_urdf(mechanism)
    body = mechanism.body("lower")
    body.add_contact_point(Point(body.default_frame, (0, 0, 1)), SoftContact())
    assert format_urdf(mechanism) == before


# -- files ------------------------------------------------------------------------------------------------------------


def test_files_appear_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    write_urdf(load_urdf(ARM), str(path), name="arm")
    assert path.read_bytes().decode() == format_urdf(load_urdf(ARM), name="arm")
    write_urdf(load_urdf(ARM), path, name="other")
    assert b'name="other"' in path.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["arm.urdf"]


def test_places_that_cannot_be_written_are_path_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "arm.urdf", tmp_path, "", "a\0b", "\ud800"):
        for write, error in ((write_urdf, UrdfPathError), (write_mjcf, MjcfPathError)):
            with pytest.raises(error) as caught:
                write(double_pendulum(), path)
            assert caught.value.file == os.fspath(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("argument", "attempt"),
    [
        ("mechanism", lambda robot: format_urdf("arm")),
        ("name", lambda robot: format_urdf(robot, name=5)),
        ("path", lambda robot: write_urdf(robot, None)),
    ],
)
def test_arguments_of_another_kind_are_named(argument: str, attempt: Callable[[Mechanism], object]) -> None:
    with pytest.raises(ArgumentError, match=f"{argument} must be a") as caught:
        attempt(load_urdf(ARM))
    assert caught.value.argument == argument


@pytest.mark.parametrize("write", [format_urdf, format_mjcf])
def test_the_check_of_a_text_does_not_warn_about_a_file(write: Callable[..., str]) -> None:
    impossible = link("rod", inertial(moments=(1.0, 0.1, 0.1)))
    with pytest.warns(UrdfWarning, match="inertia"):
        mechanism = parse_urdf(robot(link("world"), impossible, joint("axle", "world", "rod")))
    with pytest.raises(ArgumentError, match="rod"):
        write(mechanism)
    assert "rod" in write(mechanism, strict=False)  # warnings are errors
