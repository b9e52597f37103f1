"""Each type against formulas written out by hand, and the exact zeros that recordings depend on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbd.errors import FrameMismatchError
from rbd.joints import (
    Fixed,
    JointType,
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
from rbd.spatial import Frame, Wrench
from tests.joints.samples import AFTER, AXES, BEFORE, JOINTS, pose, random_rotation, rotation_matrix

SIZES = {
    Revolute: (1, 1),
    Prismatic: (1, 1),
    Screw: (1, 1),
    SinCosRevolute: (2, 1),
    Fixed: (0, 0),
    Planar: (3, 3),
    Universal: (2, 2),
    QuaternionSpherical: (4, 3),
    RotationVectorSpherical: (3, 3),
    QuaternionFloating: (7, 6),
    MRPFloating: (6, 6),
    RotationVectorFloating: (6, 6),
}


@pytest.mark.parametrize("joint", JOINTS, ids=repr)
def test_sizes(joint: JointType) -> None:
    assert (joint.nq, joint.nv) == SIZES[type(joint)]


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, -2.0, math.pi, 7.0])
def test_turning(axis: tuple[float, float, float], angle: float) -> None:
    expected = rotation_matrix(axis, angle)
    unit = np.array(axis) / np.linalg.norm(axis)
    sincos = (math.sin(angle), math.cos(angle))
    assert_allclose(pose(Revolute(axis), (angle,))[:3, :3], expected, rtol=0, atol=1e-15)
    assert_allclose(pose(SinCosRevolute(axis), sincos)[:3, :3], expected, rtol=0, atol=1e-15)
    assert_allclose(pose(SinCosRevolute(axis), (3 * sincos[0], 3 * sincos[1]))[:3, :3], expected, rtol=0, atol=1e-15)
    screw = pose(Screw(axis, 0.25), (angle,))
    assert_allclose(screw[:3, :3], expected, rtol=0, atol=1e-15)
    assert_allclose(screw[:3, 3], 0.25 * angle * unit, rtol=0, atol=1e-15)


@pytest.mark.parametrize("axis", AXES)
def test_sliding(axis: tuple[float, float, float]) -> None:
    matrix = pose(Prismatic(axis), (-0.7,))
    assert_allclose(matrix[:3, :3], np.eye(3), rtol=0, atol=0)
    assert_allclose(matrix[:3, 3], -0.7 * np.array(axis) / np.linalg.norm(axis), rtol=0, atol=1e-15)


def test_planar_displacement_comes_before_the_turn() -> None:
    x, y, theta = 0.3, -0.4, 0.9
    joint = Planar((0, 1, 0), (0, 0, 1))  # turns about x
    matrix = pose(joint, (x, y, theta))
    assert_allclose(matrix[:3, :3], rotation_matrix((1, 0, 0), theta), rtol=0, atol=1e-15)
    assert_allclose(matrix[:3, 3], (0, x, y), rtol=0, atol=0)


def test_planar_velocity_is_in_the_frame_after_the_joint() -> None:
    joint, theta = Planar((1, 0, 0), (0, 1, 0)), 0.9
    qd = joint.configuration_derivative((5.0, 6.0, theta), (1.0, 0.0, 0.25))
    assert_allclose(qd, (math.cos(theta), math.sin(theta), 0.25), rtol=0, atol=1e-15)


def test_universal_is_the_product_of_two_turns() -> None:
    joint = Universal((0, 0, 1), (1, 0, 0))
    expected = rotation_matrix((0, 0, 1), 0.4) @ rotation_matrix((1, 0, 0), -1.1)
    assert_allclose(pose(joint, (0.4, -1.1))[:3, :3], expected, rtol=0, atol=1e-15)


def test_universal_bias_acceleration_is_not_zero() -> None:
    bias = Universal((0, 0, 1), (1, 0, 0)).bias_acceleration((0.2, 0.0), (2.0, 3.0), AFTER, BEFORE)
    assert_allclose(bias.angular, (0, 6.0, 0), rtol=0, atol=1e-15)  # z x x = y
    assert_allclose(bias.linear, (0, 0, 0), rtol=0, atol=0)


def test_quaternion_order_and_direction() -> None:
    half = math.sqrt(0.5)
    quarter_turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])  # about z: takes the axis x after to y before
    assert_allclose(pose(QuaternionSpherical(), (half, 0.0, 0.0, half))[:3, :3], quarter_turn, rtol=0, atol=1e-15)
    matrix = pose(QuaternionFloating(), (half, 0.0, 0.0, half, 1.0, 2.0, 3.0))
    assert_allclose(matrix[:3, :3], quarter_turn, rtol=0, atol=1e-15)
    assert_allclose(matrix[:3, 3], (1, 2, 3), rtol=0, atol=0)


@pytest.mark.parametrize("angle", [1e-9, 0.5, 3.0, math.pi])
def test_floating_rotations(angle: float) -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    expected = rotation_matrix(axis, angle)
    position = (0.1, -0.2, 0.3)
    for joint, rotation in [
        (MRPFloating(), math.tan(angle / 4) * axis),
        (RotationVectorFloating(), angle * axis),
        (QuaternionFloating(), [math.cos(angle / 2), *(math.sin(angle / 2) * axis)]),
    ]:
        matrix = pose(joint, tuple(float(c) for c in (*rotation, *position)))
        assert_allclose(matrix[:3, :3], expected, rtol=0, atol=1e-15)
        assert_allclose(matrix[:3, 3], position, rtol=0, atol=0)


@pytest.mark.parametrize("joint", [QuaternionFloating(), MRPFloating(), RotationVectorFloating()], ids=repr)
def test_floating_velocity_is_the_twist_in_the_body(joint: JointType) -> None:
    q = joint.random(np.random.default_rng(3))
    v = (0.1, 0.2, 0.3, 1.0, 2.0, 3.0)
    twist = joint.twist(q, v, AFTER, BEFORE)
    assert twist.angular_components == v[:3]
    assert twist.linear_components == v[3:]
    position_rate = joint.configuration_derivative(q, v)[-3:]
    assert_allclose(position_rate, pose(joint, q)[:3, :3] @ v[3:], rtol=0, atol=1e-14)


def test_rotation_vector_rates_at_small_angles_are_the_velocity() -> None:
    """Upstream turned into NaN below 1e-8 and lost half its digits below 1e-5."""
    omega = (0.3, -0.2, 0.5)
    for size in 10.0 ** np.arange(-16, -3):
        q = (float(size), 0.0, 0.0)
        rate = np.array(RotationVectorSpherical().configuration_derivative(q, omega))
        first_order = np.array(omega) + 0.5 * np.cross(q, omega)
        assert_allclose(rate, first_order, rtol=0, atol=size**2)


# ---------------------------------------------------------------- structure


def test_the_motion_subspace_does_not_depend_on_q_except_for_the_universal_joint() -> None:
    rng = np.random.default_rng(0)
    for joint in JOINTS:
        first, second = (joint.motion_subspace(joint.random(rng), AFTER, BEFORE) for _ in range(2))
        assert (first.columns == second.columns) == (not isinstance(joint, Universal)), joint


@pytest.mark.parametrize("joint", JOINTS, ids=repr)
def test_a_joint_floats_exactly_if_nothing_constrains_it(joint: JointType) -> None:
    q = joint.random(np.random.default_rng(0))
    floats = isinstance(joint, QuaternionFloating | MRPFloating | RotationVectorFloating)
    rank = np.linalg.matrix_rank(joint.motion_subspace(q, AFTER, BEFORE).matrix) if joint.nv else 0
    assert (rank == 6) == floats == (not joint.constraint_wrench_subspace(q, AFTER).columns)


@pytest.mark.parametrize("k", range(3))
def test_zeros_of_coordinate_axes_are_exact(k: int) -> None:
    axis = tuple(float(i == k) for i in range(3))
    q, v = (0.7,), (1.3,)
    turning, sliding = Revolute(axis), Prismatic(axis)
    rotation = np.array(turning.transform(q, AFTER, BEFORE).rotation_components)
    assert np.count_nonzero(rotation) == 5
    assert rotation[k, k] == 1.0
    twist = turning.twist(q, v, AFTER, BEFORE)
    assert twist.linear_components == (0, 0, 0)
    assert np.count_nonzero(twist.angular_components) == 1
    twist = sliding.twist(q, v, AFTER, BEFORE)
    assert twist.angular_components == (0, 0, 0)
    assert np.count_nonzero(twist.linear_components) == 1
    assert np.count_nonzero(sliding.transform(q, AFTER, BEFORE).rotation_components) == 3
    wrenches = turning.constraint_wrench_subspace(q, AFTER).matrix
    assert np.count_nonzero(wrenches) == 5
    assert np.all(turning.motion_subspace(q, AFTER, BEFORE).matrix.T @ wrenches == 0)


@pytest.mark.parametrize("joint", JOINTS, ids=repr)
def test_a_wrench_in_another_frame_is_refused(joint: JointType) -> None:
    wrench = Wrench(Frame("elsewhere"), (1, 2, 3), (4, 5, 6))
    with pytest.raises(FrameMismatchError):
        joint.torque(joint.zero(), wrench, AFTER, BEFORE)


# ---------------------------------------------------------------- random configurations


@pytest.mark.parametrize(
    "joint", [QuaternionSpherical(), RotationVectorSpherical(), MRPFloating(), QuaternionFloating()], ids=repr
)
def test_random_rotations_are_uniform(joint: JointType) -> None:
    rng = np.random.default_rng(8)
    rotations = np.array([pose(joint, joint.random(rng))[:3, :3] for _ in range(2000)])
    # Of uniform rotations every entry has mean 0 and variance 1/3, and the trace has mean 0 and variance 1.
    assert_allclose(rotations.mean(axis=0), 0, rtol=0, atol=4 * math.sqrt(1 / 3 / 2000))
    assert_allclose(rotations.var(axis=0), 1 / 3, rtol=0, atol=0.04)
    assert np.trace(rotations, axis1=1, axis2=2).var() == pytest.approx(1.0, abs=0.15)


def test_random_positions_fill_the_cube_of_side_one() -> None:
    rng = np.random.default_rng(9)
    positions = np.array([QuaternionFloating().random(rng)[4:] for _ in range(1000)])
    assert np.all(np.abs(positions) <= 0.5)
    assert np.all(np.abs(positions).max(axis=0) > 0.48)


def test_random_angles_are_normal() -> None:
    rng = np.random.default_rng(10)
    angles = np.array([Revolute((0, 0, 1)).random(rng)[0] for _ in range(2000)])
    assert abs(angles.mean()) < 0.1
    assert angles.std() == pytest.approx(1.0, abs=0.07)


def test_random_rotation_helper_is_a_rotation() -> None:
    rotation = random_rotation(np.random.default_rng(0))
    assert_allclose(rotation @ rotation.T, np.eye(3), rtol=0, atol=1e-15)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
