"""Projection: the nearest coordinates, to reachable and unreachable poses, in the right turn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import rbd
from rbd.joints import (
    Fixed,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RotationVectorFloating,
    RotationVectorSpherical,
    Screw,
    SinCosRevolute,
    Universal,
)
from tests.joints.samples import AXES, pose, random_rotation, rotation_matrix, transform_of

TURNS = st.integers(-4, 4)
ANGLES = st.floats(-3.1, 3.1)


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(((a - b) ** 2).sum(axis=(-1, -2)))


@pytest.mark.parametrize("axis", AXES)
def test_revolute_is_nearest_of_all_angles(axis: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(1)
    joint, grid = Revolute(axis), np.linspace(-math.pi, math.pi, 2001)
    reachable = np.array([rotation_matrix(axis, angle) for angle in grid])
    for _ in range(5):
        target = random_rotation(rng)
        transform = transform_of(target, rng.standard_normal(3))
        (angle,) = joint.project(transform)
        best = distance(pose(joint, (angle,))[:3, :3], target)
        assert best <= distance(reachable, target).min() + 1e-12
        sine, cosine = SinCosRevolute(axis).project(transform)
        assert_allclose((sine, cosine), (math.sin(angle), math.cos(angle)), rtol=0, atol=1e-14)


@pytest.mark.parametrize("axes", [((1, 0, 0), (0, 1, 0)), ((1, 2, 3), (3, 0, -1)), ((1, 0, 0), (1, 0.3, 0))])
def test_universal_is_nearest_of_all_pairs_of_angles(axes: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
    rng = np.random.default_rng(2)
    joint, grid = Universal(*axes), np.linspace(-math.pi, math.pi, 181)
    first, second = (np.array([rotation_matrix(axis, angle) for angle in grid]) for axis in axes)
    reachable = first[:, None] @ second[None, :]
    for _ in range(5):
        target = random_rotation(rng)
        best = distance(pose(joint, joint.project(transform_of(target)))[:3, :3], target)
        assert best <= distance(reachable, target).min() + 1e-12


@given(ANGLES, TURNS, st.floats(-0.02, 0.02), st.sampled_from([0.3, -0.05, 2.0]), st.sampled_from(AXES))
def test_screw_takes_the_angle_from_the_rotation_and_the_turn_from_the_translation(
    angle: float, turns: int, error: float, pitch: float, axis: tuple[float, float, float]
) -> None:
    joint, q = Screw(axis, pitch), angle + 2 * math.pi * turns
    matrix = pose(joint, (q,))
    moved = matrix[:3, 3] + error * np.array([0.3, -0.5, 0.8])
    transform = transform_of(matrix[:3, :3], moved)
    assert joint.project(transform)[0] == pytest.approx(q, abs=1e-12)
    assert joint.project(transform, (q - 2 * math.pi,))[0] == pytest.approx(q, abs=1e-12)


def test_screw_turn_is_the_nearest_translation() -> None:
    rng = np.random.default_rng(3)
    joint = Screw((1, 2, 2), 0.4)
    for _ in range(20):
        target, position = random_rotation(rng), 5 * rng.standard_normal(3)
        (q,) = joint.project(transform_of(target, position))
        turns = q + 2 * math.pi * np.arange(-5, 6)
        errors = [np.linalg.norm(pose(joint, (float(t),))[:3, 3] - position) for t in turns]
        assert np.argmin(errors) == 5


@pytest.mark.parametrize("angle", [4 * math.pi, -2.0, 7.0])
def test_screws_are_set_to_the_pose_that_is_given(angle: float) -> None:
    """Revolutions of a screw have different poses: the present angle does not matter."""
    mechanism = rbd.Mechanism("world")
    joint = rbd.Joint("screw", Screw((0, 0, 1), 0.5))
    mechanism.attach(mechanism.root_body, rbd.RigidBody("nut"), joint)
    state = rbd.MechanismState(mechanism, [angle])
    wanted = state.joint_transform(joint)
    state.set_configuration([0.3])
    state.set_configuration(joint, wanted)
    assert state.q[0] == pytest.approx(angle, abs=1e-12)


def test_screw_without_pitch_turns_like_a_revolute_joint() -> None:
    transform = transform_of(rotation_matrix((0, 0, 1), 2.0), (0, 0, 5))
    assert Screw((0, 0, 1), 0).project(transform)[0] == pytest.approx(2.0)
    assert Screw((0, 0, 1), 0).project(transform, (8.0,))[0] == pytest.approx(2.0 + 2 * math.pi)


def test_prismatic_and_planar_take_the_nearest_point() -> None:
    rotation = random_rotation(np.random.default_rng(4))
    transform = transform_of(rotation, (1.0, 2.0, 3.0))
    assert Prismatic((0, 1, 0)).project(transform) == (2.0,)
    assert Prismatic((0, 3, 4)).project(transform)[0] == pytest.approx(3.6)
    x, y, theta = Planar((0, 1, 0), (0, 0, 1)).project(transform)
    assert (x, y) == (2.0, 3.0)
    assert theta == pytest.approx(Revolute((1, 0, 0)).project(transform)[0])
    assert Fixed().project(transform) == ()


@given(ANGLES, st.floats(-100, 100), st.sampled_from(AXES))
def test_near_picks_the_turn(angle: float, near: float, axis: tuple[float, float, float]) -> None:
    transform = transform_of(rotation_matrix(axis, angle))
    (found,) = Revolute(axis).project(transform, (near,))
    assert abs(found - near) <= math.pi + 1e-12
    turns = (found - angle) / (2 * math.pi)
    assert turns == pytest.approx(round(turns), abs=1e-12)
    planar = Planar((1, 0, 0), (0, 1, 0)).project(transform_of(rotation_matrix((0, 0, 1), angle)), (0.0, 0.0, near))
    assert abs(planar[2] - near) <= math.pi + 1e-12


@given(ANGLES, ANGLES, TURNS, TURNS)
def test_near_picks_the_turns_of_the_universal_joint(a: float, b: float, m: int, n: int) -> None:
    joint, q = Universal((1, 2, 3), (3, 0, -1)), (a + 2 * math.pi * m, b + 2 * math.pi * n)
    found = joint.project(transform_of(pose(joint, q)[:3, :3]), (q[0] + 0.3, q[1] - 0.3))
    assert_allclose(found, q, rtol=0, atol=1e-12)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", [math.pi, -math.pi, math.pi - 1e-9, 1e-9 - math.pi, math.pi - 1e-16, 0.0, 1e-16])
def test_half_a_turn_is_no_exception(axis: tuple[float, float, float], angle: float) -> None:
    joint = Revolute(axis)
    (found,) = joint.project(joint_transform := transform_of(pose(joint, (angle,))[:3, :3]))
    assert_allclose(pose(joint, (found,)), joint_transform.matrix, rtol=0, atol=1e-15)
    assert joint.project(joint_transform, (angle,))[0] == pytest.approx(angle, abs=1e-15)


def test_where_every_angle_is_as_near_the_result_is_finite() -> None:
    transform = transform_of(np.diag([1.0, -1.0, -1.0]))  # half a turn about x
    assert Revolute((0, 0, 1)).project(transform) == (0.0,)
    assert SinCosRevolute((0, 0, 1)).project(transform) == (0.0, 1.0)
    assert np.all(np.isfinite(Universal((0, 1, 0), (0, 0, 1)).project(transform)))


# ---------------------------------------------------------------- spherical and floating


def test_quaternions_take_the_sign_of_near() -> None:
    rotation = rotation_matrix((1, 2, 3), 2.5)
    for joint in (QuaternionSpherical(), QuaternionFloating()):
        plain = np.array(joint.project(transform_of(rotation)))
        assert plain[0] > 0
        assert np.linalg.norm(plain[:4]) == pytest.approx(1.0, abs=1e-15)
        other = joint.project(transform_of(rotation), tuple(-2.0 * plain))
        assert_allclose(other[:4], -plain[:4], rtol=0, atol=1e-15)
        assert_allclose(other[4:], plain[4:], rtol=0, atol=0)


@given(st.floats(0.01, 6.2))
def test_mrps_take_the_side_of_near(angle: float) -> None:
    joint, axis = MRPFloating(), np.array([1.0, 2.0, 2.0]) / 3
    q = (*(math.tan(angle / 4) * axis).tolist(), 0.1, 0.2, 0.3)
    transform = transform_of(pose(joint, q)[:3, :3], q[3:])
    assert_allclose(joint.project(transform, tuple(1.01 * c for c in q)), q, rtol=1e-9)
    assert np.linalg.norm(joint.project(transform)[:3]) <= 1 + 1e-12


@pytest.mark.parametrize("angle", [0.0, 1e-16, 1e-9, 1e-3])
def test_mrps_of_hardly_any_rotation_are_small_whatever_is_near(angle: float) -> None:
    """The other ones, of all but a full turn, are far from everything."""
    half = math.sin(angle / 2)
    transform = transform_of(rotation_matrix((1, 2, 2), angle))
    for size in (0.0, 1.0, 2.0, 100.0):
        for sign in (1, -1):
            near = (sign * size / 3, sign * size * 2 / 3, sign * size * 2 / 3, 0.0, 0.0, 0.0)
            found = np.linalg.norm(MRPFloating().project(transform, near)[:3])
            assert found == pytest.approx(half / 2, rel=1e-6, abs=1e-15)


@given(st.floats(0.01, 60.0).filter(lambda a: abs(math.remainder(a, 2 * math.pi)) > 1e-3))
def test_rotation_vectors_take_the_turn_of_near(angle: float) -> None:
    axis = np.array([1.0, 2.0, 2.0]) / 3
    rotation = rotation_matrix(axis, angle)
    near = tuple((angle * axis + 0.1).tolist())
    assert_allclose(RotationVectorSpherical().project(transform_of(rotation), near), angle * axis, rtol=0, atol=1e-10)
    found = RotationVectorFloating().project(transform_of(rotation, (1, 2, 3)), (*near, 0.0, 0.0, 0.0))
    assert_allclose(found, (*(angle * axis), 1, 2, 3), rtol=0, atol=1e-10)
    assert np.linalg.norm(RotationVectorSpherical().project(transform_of(rotation))) <= math.pi + 1e-12


def test_no_rotation_is_the_zero_rotation_vector_within_half_a_turn() -> None:
    joint = RotationVectorSpherical()
    for near in ((0.3, 0.2, 0.1), (0.0, 0.0, 0.0), (0.0, -2.9, 0.0)):
        assert joint.project(transform_of(np.eye(3)), near) == (0.0, 0.0, 0.0)


@given(TURNS, st.floats(-3.0, 3.0), st.sampled_from(AXES))
def test_no_rotation_is_the_nearest_number_of_revolutions(
    turns: int, off: float, axis: tuple[float, float, float]
) -> None:
    unit = np.array(axis) / np.linalg.norm(axis)
    near = tuple(((2 * math.pi * turns + off) * unit).tolist())
    expected = 2 * math.pi * turns * unit
    assert_allclose(RotationVectorSpherical().project(transform_of(np.eye(3)), near), expected, rtol=0, atol=1e-12)
    found = RotationVectorFloating().project(transform_of(np.eye(3), (1, 2, 3)), (*near, 0.0, 0.0, 0.0))
    assert_allclose(found, (*expected, 1, 2, 3), rtol=0, atol=1e-12)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (-1, 2, -3)])
@pytest.mark.parametrize("offset", [0.0, 1e-16, 1e-9, 1e-6, -1e-9])
def test_rotations_by_half_a_turn(axis: tuple[float, float, float], offset: float) -> None:
    rotation = rotation_matrix(axis, math.pi + offset)
    for joint in (QuaternionSpherical(), RotationVectorSpherical(), MRPFloating(), RotationVectorFloating()):
        q = joint.project(transform_of(rotation))
        assert_allclose(pose(joint, q)[:3, :3], rotation, rtol=0, atol=1e-14)
