"""Written models read back the same, here and in MuJoCo: the same bytes again, the same mechanism."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rbd
from rbd import Frame, Joint, JointType, Mechanism, RigidBody, SpatialInertia, Transform
from rbd.errors import ArgumentError, MjcfPathError, UnknownNameError
from rbd.joints import Fixed, Planar, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute, Universal
from rbd.mjcf import MjcfReport, MjcfWarning, format_mjcf, load_mjcf, parse_mjcf, write_mjcf
from rbd.mjcf.rotations import rotation_of_axes
from rbd.testing.random_mechanisms import random_rotation
from tests.mjcf.comparison import differences
from tests.mjcf.models import MODELS, write_meshes
from tests.urdf.test_write import random_inertia, rotation

ROBOTS: dict[str, Callable[[], Mechanism]] = {
    "arm7": rbd.robots.arm7,
    "chain": lambda: rbd.robots.chain(20),
    "humanoid": rbd.robots.humanoid,
    "quadruped": rbd.robots.quadruped,
    "four_bar": rbd.robots.four_bar,
}


def random_mechanism(seed: int, count: int = 8) -> Mechanism:
    """A tree of all joint types MJCF has, with generic placements, axes and inertias, and massless bodies."""
    rng = np.random.default_rng(seed)
    mechanism = Mechanism(gravity=rng.normal(size=3))
    bodies = [mechanism.root_body]
    for k in range(count):
        axis = rng.normal(size=3)
        parent = bodies[rng.integers(len(bodies))]
        kinds: list[JointType] = [Revolute(axis), Prismatic(axis), Fixed(), QuaternionSpherical()]
        kind = kinds[rng.integers(len(kinds))]
        place, turned = rng.normal(size=3), rotation(rng)
        if parent is mechanism.root_body and rng.random() < 0.3:
            kind, place, turned = QuaternionFloating(), np.zeros(3), np.eye(3)
        limits = {"position_bounds": sorted(rng.normal(size=2)), "effort_bounds": (-2.0, 3.0)} if kind.nv == 1 else {}
        joint = Joint(f"j{k}", kind, damping=rng.random(), friction=0.5, armature=rng.random(), **limits)
        if rng.random() < 0.2 and kind.nv == 1:
            parent = add(mechanism, parent, rng, f"h{k}", None, Joint(f"i{k}", Prismatic(rng.normal(size=3))))
        bodies.append(add(mechanism, parent, rng, f"b{k}", random_inertia(rng, Frame(f"b{k}")), joint, (place, turned)))
    return mechanism


def add(
    mechanism: Mechanism,
    parent: RigidBody,
    rng: np.random.Generator,
    name: str,
    inertia: SpatialInertia | None,
    joint: Joint,
    at: tuple[np.ndarray, np.ndarray] | None = None,
) -> RigidBody:
    place, turned = (rng.normal(size=3), rotation(rng)) if at is None else at
    body = RigidBody(name, inertia or SpatialInertia(Frame(name), mass=0.0, moment=np.zeros((3, 3))))
    pose = Transform(joint.frame_before, parent.default_frame, turned, place)
    mechanism.attach(parent, body, joint, joint_pose=pose)
    return body


def read(text: str, *, merged: bool = False) -> Mechanism:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjcfWarning)
        return parse_mjcf(text, remove_fixed_joints=merged)


def moved_alike(a: Mechanism, b: Mechanism, *, count: int = 3) -> None:
    """Compare mass matrix, bias and poses of bodies at random states; joints may have another order."""
    rng = np.random.default_rng(0)
    mine, other = rbd.MechanismState(a), rbd.MechanismState(b)
    order = np.concatenate([np.arange(a.nv)[mine.v_slice(a.joint(j.name))] for j in b.tree_joints if j.nv] or [[]])
    order = order.astype(int)
    with rbd.interpreted():
        for _ in range(count):
            mine.randomize(rng)
            for joint in b.tree_joints:
                if joint.nv:
                    name = a.joint(joint.name)
                    other.set_configuration(joint, mine.configuration(name))
                    other.set_velocity(joint, mine.velocity(name))
            matrix, bias = np.asarray(rbd.mass_matrix(mine)), np.asarray(rbd.dynamics_bias(mine))
            scale = max(1.0, *np.abs(matrix).ravel(), *np.abs(bias), 0.0)
            np.testing.assert_allclose(rbd.mass_matrix(other), matrix[np.ix_(order, order)], rtol=0, atol=1e-12 * scale)
            np.testing.assert_allclose(rbd.dynamics_bias(other), bias[order], rtol=0, atol=1e-12 * scale)
            for body in b.bodies[1:]:
                if "#" not in body.name:  # but for massless bodies between joints
                    poses = [s.transform_to_root(s.mechanism.frame(body.name)).matrix for s in (mine, other)]
                    np.testing.assert_allclose(poses[1], poses[0], rtol=0, atol=1e-12 * max(1.0, np.abs(poses).max()))


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_random_mechanisms_read_back(seed: int) -> None:
    mechanism = random_mechanism(seed)
    text = format_mjcf(mechanism)
    again = read(text)
    moved_alike(mechanism, again, count=1)
    assert format_mjcf(again) == text
    for joint in mechanism.joints:
        if joint.nv:
            other = again.joint(joint.name)
            assert type(other.type) is type(joint.type)
            for what in ("position_bounds", "effort_bounds", "damping", "friction", "armature"):
                assert getattr(other, what) == getattr(joint, what)


def coupled() -> Mechanism:
    mechanism = rbd.robots.chain(5)
    one, two, three, four, five = (joint.name for joint in mechanism.tree_joints)
    mechanism.couple(two, one, ratio=-0.5, offset=0.3)
    mechanism.couple(three, four, polynomial=(0.1, -0.2, 1 / 3, 0.4, 5.0), name="cam")
    mechanism.couple(five, offset=0.7)
    return mechanism


def test_couplings_read_back() -> None:
    mechanism = coupled()
    text = format_mjcf(mechanism)
    again = read(text)
    assert [repr(coupling) for coupling in again.couplings] == [repr(coupling) for coupling in mechanism.couplings]
    assert format_mjcf(again) == text


def test_couplings_of_a_high_degree_are_refused_or_left_out() -> None:
    mechanism = coupled()
    one, two = (joint.name for joint in mechanism.tree_joints[:2])
    mechanism.couple(one, two, polynomial=(0, 0, 0, 0, 0, 1), name="steep")
    with pytest.raises(
        ArgumentError, match="MJCF has no polynomials of degree 5, as that of coupling 'steep'"
    ) as caught:
        format_mjcf(mechanism)
    assert caught.value.joint == one
    assert len(read(format_mjcf(mechanism, strict=False)).couplings) == 3


def test_constraints_of_one_name_get_two() -> None:
    mechanism = rbd.robots.four_bar()
    mechanism.couple("joint2", "joint1", name="joint4")
    again = read(format_mjcf(mechanism))
    assert [coupling.name for coupling in again.couplings] == ["joint4#"]


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_read_back(name: str) -> None:
    mechanism = ROBOTS[name]()
    text = format_mjcf(mechanism)
    moved_alike(mechanism, read(text))
    assert format_mjcf(read(text)) == text


def loaded(name: str, folder: Path) -> Mechanism:
    """The mechanism of a model."""
    write_meshes(folder)
    path = folder / "model.xml"
    path.write_text(MODELS[name], encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjcfWarning)
        return load_mjcf(path, remove_fixed_joints=False)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("mesh")])
def test_writing_what_was_read_is_a_fixed_point(name: str, tmp_path: Path) -> None:
    mechanism = loaded(name, tmp_path)
    text = format_mjcf(mechanism)
    again = read(text)
    assert [body.name for body in again.bodies] == [body.name for body in mechanism.bodies]
    assert [joint.name for joint in again.joints] == [joint.name for joint in mechanism.joints]
    moved_alike(mechanism, again)
    assert format_mjcf(again) == text


CYCLES: tuple[tuple[float, ...], ...] = (  # axes that reading and rounding once takes to others, and these back
    (-0.03395461996441, -0.87309556219624, 0.48636531851716, -0.04203617659466, 0.48746290940144, 0.87213122396528),
    (-0.53237517535455, -0.77496583331603, -0.34059452411777, 0.68819588260321, -0.63051755293858, 0.35893459376931),
    (0.00486372716137, 0.99766924213711, 0.06806193834776, 0.83741243361387, -0.0412636722184, 0.54501167453913),
)


@pytest.mark.parametrize("axes", CYCLES)
def test_orientations_whose_rounding_alternates_are_written_alike(axes: tuple[float, ...]) -> None:
    rotation = rotation_of_axes(axes)
    assert rotation is not None
    mechanism = Mechanism()
    arm, joint = RigidBody("arm", solid("arm")), Joint("joint", Revolute(Z))
    pose = Transform(joint.frame_before, mechanism.root_frame, rotation)
    mechanism.attach("world", arm, joint, joint_pose=pose)
    text = format_mjcf(mechanism)
    assert format_mjcf(read(text)) == text


def test_frames_are_kept_on_request_as_sites() -> None:
    arm = rbd.robots.arm7()
    assert "tool" not in format_mjcf(arm)
    text = format_mjcf(arm, frames=["tool", "link7"])
    again = read(text)
    for name in ("tool", "link7"):
        poses = [m.fixed_transform(name, m.body("link7").default_frame).matrix for m in (arm, again)]
        np.testing.assert_array_equal(*poses)
    assert format_mjcf(again, frames=["tool"]) == text
    with pytest.raises(UnknownNameError):
        format_mjcf(arm, frames=["gripper"])


def test_massless_bodies_become_joints_of_the_next_body() -> None:
    mechanism = Mechanism()
    rng = np.random.default_rng(0)
    hip = add(mechanism, mechanism.root_body, rng, "hip", None, Joint("yaw", Revolute((0, 0, 1))))
    add(mechanism, hip, rng, "thigh", random_inertia(rng, Frame("thigh")), Joint("pitch", Revolute((0, 1, 0))))
    again = read(format_mjcf(mechanism))
    assert [body.name for body in again.bodies] == ["world", "thigh#yaw", "thigh"]
    moved_alike(mechanism, again)


# ---------------------------------------------------------------- loops


def solid(name: str) -> SpatialInertia:
    return SpatialInertia(Frame(name), mass=1.0, com=(0.1, 0.2, 0.3), moment_about_com=np.diag([0.2, 0.3, 0.4]))


def closed(kind: JointType, *, reversed_ends: bool = False) -> Mechanism:
    """Two links, whose ends are connected to the world and to each other."""
    mechanism = Mechanism()
    for k in (1, 2):
        link = solid(f"link{k}")
        mechanism.attach("world", RigidBody(f"link{k}", link), Joint(f"joint{k}", QuaternionFloating()))
    first, second, world = mechanism.body("link1"), mechanism.body("link2"), mechanism.root_body
    for name, (before, after) in {"a": (first, second), "b": (second, world)}.items():
        ends = (after, before) if reversed_ends else (before, after)
        joint = Joint(name, kind)
        mechanism.attach(
            *ends, joint,
            joint_pose=Transform(joint.frame_before, ends[0].default_frame, translation=(0.1, 0.2, 0.25)),
            successor_pose=Transform(ends[1].default_frame, joint.frame_after, translation=(0.3, 0, 0.25)),
        )  # fmt: skip
    return mechanism


@pytest.mark.parametrize("kind", [QuaternionSpherical(), Fixed(), Revolute((0, 0.6, 0.8))])
@pytest.mark.parametrize("reversed_ends", [False, True])
def test_loops_are_written_as_constraints(kind: JointType, reversed_ends: bool) -> None:
    mechanism = closed(kind, reversed_ends=reversed_ends)
    text = format_mjcf(mechanism)
    again = read(text)
    assert len(again.loop_joints) == (4 if isinstance(kind, Revolute) else 2)
    assert format_mjcf(again) == text
    rng = np.random.default_rng(0)
    start = rbd.MechanismState(mechanism)
    start.randomize(rng)
    rbd.close_loops(start)
    states = [rbd.MechanismState(m, start.q, start.v) for m in (mechanism, again)]
    assert rbd.loop_gap(states[1]) < 1e-9
    ranks = [np.linalg.matrix_rank(rbd.constraint_jacobian(state), tol=1e-9) for state in states]
    assert ranks[0] == ranks[1]
    spans = np.vstack([rbd.constraint_jacobian(state) for state in states])
    assert np.linalg.matrix_rank(spans, tol=1e-9) == ranks[0]


# ---------------------------------------------------------------- what MJCF cannot say

Z = (0, 0, 1)
REFUSED: dict[str, Callable[[], Joint]] = {
    "joint type Planar": lambda: Joint("j", Planar((1, 0, 0), (0, 1, 0))),
    "joint type Universal": lambda: Joint("j", Universal((1, 0, 0), (0, 1, 0))),
    "position bounds that are equal": lambda: Joint("j", Revolute(Z), position_bounds=(0.0, 0.0)),
    "effort bounds that are equal": lambda: Joint("j", Prismatic(Z), effort_bounds=(1.0, 1.0)),
    "position bounds that are one-sided": lambda: Joint("j", Revolute(Z), position_bounds=(-np.inf, 1)),
    "effort bounds that are one-sided": lambda: Joint("j", Revolute(Z), effort_bounds=(-1, np.inf)),
    "effort bounds that are of a ball": lambda: Joint("j", QuaternionSpherical(), effort_bounds=[(-1, 1)] * 3),
    "no bound_stiffness": lambda: Joint("j", Revolute(Z), bound_stiffness=1.0),
    "no bound_damping": lambda: Joint("j", Revolute(Z), bound_damping=1.0),
    "no friction_velocity": lambda: Joint("j", Revolute(Z), friction=1.0, friction_velocity=0.1),
    "joint type Locked": lambda: Joint("j", type("Locked", (Fixed,), {})()),
    "joint type Geared": lambda: Joint("j", type("Geared", (Revolute,), {})(Z)),
    "one damping per joint": lambda: Joint("j", QuaternionSpherical(), damping=(1, 1, 2)),
    "one armature per joint": lambda: Joint("j", QuaternionSpherical(), armature=(1, 1, 2)),
}


def one(joint: Joint) -> Mechanism:
    mechanism = Mechanism()
    inertia = solid("a")
    mechanism.attach("world", RigidBody("a", inertia), joint)
    return mechanism


@pytest.mark.parametrize("reason", REFUSED)
def test_what_mjcf_cannot_say_is_refused_with_the_joint(reason: str, tmp_path: Path) -> None:
    mechanism = one(REFUSED[reason]())
    with pytest.raises(ArgumentError, match=reason) as caught:
        write_mjcf(mechanism, tmp_path / "a.xml")
    assert caught.value.joint == "j"
    assert list(tmp_path.iterdir()) == []
    if "joint type" not in reason:
        assert read(format_mjcf(mechanism, strict=False)).joint("j").nv == mechanism.nv


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("damping", 1.0), ("friction", 1.0), ("armature", 1.0), ("bound_stiffness", 1.0), ("position_bounds", (-1, 1)),
        ("effort_bounds", (-1, 1)),
    ],
)  # fmt: skip
def test_parameters_of_loop_joints_are_refused_or_left_out(name: str, value: object) -> None:
    mechanism = one(Joint("j", Revolute(Z)))
    mechanism.attach("a", "world", Joint("loop", Revolute(Z)))
    setattr(mechanism.joint("loop"), name, value)
    with pytest.raises(ArgumentError, match=f"'loop': MJCF has no {name.replace('_', ' ')} of constraints") as caught:
        format_mjcf(mechanism)
    assert caught.value.joint == "loop"
    assert len(read(format_mjcf(mechanism, strict=False)).loop_joints) == 2


def test_the_smoothing_of_friction_that_is_zero_does_not_matter() -> None:
    text = format_mjcf(one(Joint("j", Revolute(Z), friction_velocity=0.1)))
    assert text == format_mjcf(one(Joint("j", Revolute(Z))))


def test_other_mechanisms_are_refused_with_what_is_wrong() -> None:
    rng = np.random.default_rng(0)
    massless = one(Joint("j", Revolute(Z)))
    add(massless, massless.body("a"), rng, "tip", None, Joint("t", Revolute(Z)))
    with pytest.raises(ArgumentError, match="body 'tip' moves") as caught:
        format_mjcf(massless)
    assert caught.value.body == "tip"
    below = one(Joint("j", Revolute(Z)))
    add(below, below.body("a"), rng, "b", random_inertia(rng, Frame("b")), Joint("f", QuaternionFloating()))
    with pytest.raises(ArgumentError, match=r"joint 'f': .*only children of the world"):
        format_mjcf(below)
    moved = Mechanism()
    add(moved, moved.root_body, rng, "b", random_inertia(rng, Frame("b")), Joint("f", QuaternionFloating()))
    with pytest.raises(ArgumentError, match=r"joint 'f': .*origin of the world"):
        format_mjcf(moved)
    with pytest.raises(ArgumentError, match=r"joint 'a': .*not by Prismatic"):
        format_mjcf(closed(Prismatic(Z)))
    with pytest.raises(ArgumentError, match="root body"):
        format_mjcf(Mechanism("floor"))
    assert read(format_mjcf(Mechanism("floor"), strict=False)).root_body.name == "world"
    with pytest.raises(ArgumentError, match="MJCF cannot express this mechanism"):
        format_mjcf(one(Joint(" blank ", Revolute(Z))))
    with pytest.raises(ArgumentError, match="has the name of a body"):
        format_mjcf(rbd.robots.arm7(), frames=["tool", "tool"])


# ---------------------------------------------------------------- files


def test_files_appear_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    rbd.write_mjcf(rbd.robots.arm7(), str(path), name="arm")
    assert path.read_bytes().decode() == format_mjcf(rbd.robots.arm7(), name="arm")
    report = MjcfReport()
    load_mjcf(path, strict=True, report=report)
    assert (report.name, report.warnings, report.ignored) == ("arm", [], [])
    with pytest.raises(MjcfPathError) as caught:
        write_mjcf(rbd.robots.arm7(), tmp_path / "none" / "arm.xml")
    assert caught.value.file == str(tmp_path / "none" / "arm.xml")
    assert [entry.name for entry in tmp_path.iterdir()] == ["arm.xml"]


# ---------------------------------------------------------------- MuJoCo


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(20))
def test_mujoco_reads_the_same(seed: int) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = format_mjcf(random_mechanism(seed))
    assert differences(read(text, merged=True), mujoco.MjModel.from_xml_string(text)).worst < 1e-10


@pytest.mark.peers
@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_reads_robots(name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = format_mjcf(ROBOTS[name]())
    assert differences(read(text, merged=True), mujoco.MjModel.from_xml_string(text)).worst < 1e-10


@pytest.mark.peers
@pytest.mark.parametrize("kind", [QuaternionSpherical(), Fixed(), Revolute((0, 0.6, 0.8))])
def test_mujoco_holds_the_same_loops(kind: JointType) -> None:
    mujoco = pytest.importorskip("mujoco")
    mechanism = closed(kind)
    state = rbd.MechanismState(mechanism)
    rbd.close_loops(state)
    model = mujoco.MjModel.from_xml_string(format_mjcf(mechanism))
    data = mujoco.MjData(model)
    gaps = []
    for move in (0.0, 0.1):
        q = state.q.copy()
        q[4] += move
        data.qpos[:], _ = rbd.mjcf.to_mujoco(mechanism, q)
        mujoco.mj_forward(model, data)
        gaps.append(np.abs(data.efc_pos).max())
    assert gaps[0] < 1e-9
    assert gaps[1] > 0.05


@pytest.mark.parametrize("joint_type", [rbd.QuaternionSpherical(), rbd.QuaternionFloating()], ids=repr)
def test_joints_turned_in_their_bodies_are_refused(joint_type: rbd.JointType) -> None:
    """In MJCF their coordinates are those of the body's frame."""
    mechanism, body, joint = rbd.Mechanism(), rbd.RigidBody("body"), rbd.Joint("joint", joint_type)
    frame, turned = body.default_frame, random_rotation(np.random.default_rng(0))
    body.set_inertia(
        rbd.SpatialInertia(frame, mass=1.0, com=(0.1, 0.2, 0.3), moment_about_com=np.diag([0.3, 0.4, 0.5]))
    )
    mechanism.attach(
        "world", body, joint,
        joint_pose=rbd.Transform(joint.frame_before, mechanism.root_frame, turned.T),
        successor_pose=rbd.Transform(frame, joint.frame_after, turned),
    )  # fmt: skip
    with pytest.raises(ArgumentError, match="are those of its body's frame") as caught:
        format_mjcf(mechanism)
    assert caught.value.joint == "joint"
    format_mjcf(mechanism, strict=False)
