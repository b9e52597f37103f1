"""Local coordinates, off-manifold q, principal values: where rotations are singular or not normalised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rbd.joints import (
    JointType,
    MRPFloating,
    QuaternionFloating,
    QuaternionSpherical,
    Reversed,
    Revolute,
    RotationVectorFloating,
    RotationVectorSpherical,
    SinCosRevolute,
)
from rbd.joints.base import has_vector_coordinates, velocity_is_derivative
from rbd.spatial import Frame, Transform, Twist
from tests.joints.samples import AFTER, BEFORE, JOINTS, pose, rotation_matrix

SPHERICAL = [QuaternionSpherical(), RotationVectorSpherical()]
FLOATING = [QuaternionFloating(), MRPFloating(), RotationVectorFloating()]
ROTATING: list[JointType] = [*SPHERICAL, *FLOATING]
AXIS = np.array([2.0, -1.0, 2.0]) / 3
TINY = [0.0, *(10.0**k for k in range(-16, -3))]


def plain(values: object) -> tuple[float, ...]:
    return tuple(float(x) for x in np.asarray(values, dtype=float))


@pytest.mark.parametrize("joint", ROTATING, ids=repr)
@pytest.mark.parametrize("size", TINY)
def test_tiny_local_coordinates_keep_their_digits(joint: JointType, size: float) -> None:
    phi = plain(size * np.arange(1.0, joint.nv + 1))
    q = joint.global_coordinates(joint.zero(), phi)
    assert_allclose(joint.local_coordinates(joint.zero(), q), phi, rtol=1e-14, atol=0)


@pytest.mark.parametrize("joint", ROTATING, ids=repr)
@pytest.mark.parametrize("size", TINY)
def test_tiny_local_coordinates_have_the_right_rate(joint: JointType, size: float) -> None:
    """Upstream gave NaN below 1e-8, and errors of the order of 1e-16 / size² above."""
    rng = np.random.default_rng(1)
    phi, v = size * rng.standard_normal(joint.nv), rng.standard_normal(joint.nv)
    q = joint.global_coordinates(joint.zero(), plain(phi))
    rate = joint.local_coordinates_rate(joint.zero(), q, plain(v))
    bracket = np.cross(phi[:3], v[:3])
    if joint.nv == 6:
        bracket = np.concatenate([bracket, np.cross(phi[:3], v[3:]) + np.cross(phi[3:], v[:3])])
    assert_allclose(rate, v + bracket / 2, rtol=0, atol=1e-15 + 10 * size**2)


@pytest.mark.parametrize("joint", ROTATING, ids=repr)
@pytest.mark.parametrize("gap", [0.1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_local_coordinates_up_to_half_a_turn(joint: JointType, gap: float) -> None:
    phi = np.zeros(joint.nv)
    phi[:3] = (math.pi - gap) * AXIS
    phi[3:] = 0.7
    q0 = joint.random(np.random.default_rng(2))
    q = joint.global_coordinates(q0, plain(phi))
    found = np.array(joint.local_coordinates(q0, q))
    if found[:3] @ AXIS < 0:  # within rounding of half a turn the opposite vector is the same rotation
        assert gap < 1e-14
        return
    assert_allclose(found, phi, rtol=0, atol=1e-13)
    assert np.all(np.isfinite(joint.local_coordinates_rate(q0, q, plain(np.ones(joint.nv)))))


@given(st.sampled_from(ROTATING), st.integers(0, 2**32 - 1))
def test_local_coordinates_vanish_only_at_the_same_pose(joint: JointType, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q0, q = joint.random(rng), joint.random(rng)
    assert all(c == 0.0 for c in joint.local_coordinates(q0, q0))
    assert np.linalg.norm(joint.local_coordinates(q0, q)) > 1e-3
    opposite = tuple(-c for c in q0[:4]) + q0[4:]
    if isinstance(joint, QuaternionSpherical | QuaternionFloating):
        assert_allclose(joint.local_coordinates(q0, opposite), 0, rtol=0, atol=1e-15)


@given(st.sampled_from(FLOATING), st.integers(0, 2**32 - 1))
def test_floating_local_coordinates_are_the_logarithm_of_the_relative_pose(joint: JointType, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q0, q, v = joint.random(rng), joint.random(rng), plain(rng.standard_normal(6))
    start: Frame = Frame("start")
    relative: Transform = joint.transform(q0, start, BEFORE).inverse() @ joint.transform(q, AFTER, BEFORE)
    assume(np.trace(relative.rotation) > -0.99)
    twist: Twist = joint.twist(q, v, AFTER, BEFORE).with_base(start)
    logarithm, rate = relative.log_and_rate(twist)
    assert_allclose(joint.local_coordinates(q0, q), logarithm.vector, rtol=0, atol=1e-11)
    assert_allclose(joint.local_coordinates_rate(q0, q, v), rate.vector, rtol=0, atol=1e-10)


# ---------------------------------------------------------------- off the manifold


@given(st.sampled_from([QuaternionSpherical(), QuaternionFloating()]), st.floats(0.1, 10), st.integers(0, 2**32 - 1))
def test_quaternions_of_any_length_are_the_same_rotation(joint: JointType, length: float, seed: int) -> None:
    """Upstream scaled the rotation by the square of the length, hence its inverse was none."""
    rng = np.random.default_rng(seed)
    q, v = joint.random(rng), plain(rng.standard_normal(joint.nv))
    longer = tuple(length * c for c in q[:4]) + q[4:]
    assert_allclose(pose(joint, longer), pose(joint, q), rtol=0, atol=1e-14)
    qd, longer_qd = joint.configuration_derivative(q, v), joint.configuration_derivative(longer, v)
    assert_allclose(longer_qd[:4], length * np.array(qd[:4]), rtol=1e-12, atol=1e-14)
    assert_allclose(longer_qd[4:], qd[4:], rtol=0, atol=1e-13)
    assert_allclose(joint.velocity(longer, longer_qd), v, rtol=0, atol=1e-13)
    along = plain(np.concatenate([longer[:4], np.zeros(joint.nq - 4)]))
    assert_allclose(joint.velocity(longer, along), 0, rtol=0, atol=1e-14)  # growing longer is no motion
    inverse = joint.transform(longer, AFTER, BEFORE).inverse().matrix
    assert_allclose(inverse @ pose(joint, longer), np.eye(4), rtol=0, atol=1e-14)


@given(st.floats(-3, 3), st.floats(0.1, 10))
def test_sine_and_cosine_of_any_length_are_the_same_rotation(angle: float, length: float) -> None:
    joint, q = SinCosRevolute((1, 2, 3)), (math.sin(angle), math.cos(angle))
    longer = (length * q[0], length * q[1])
    assert_allclose(pose(joint, longer), pose(joint, q), rtol=0, atol=1e-14)
    assert_allclose(joint.velocity(longer, joint.configuration_derivative(longer, (2.0,))), (2.0,), rtol=1e-13)
    assert_allclose(joint.velocity(longer, q), (0.0,), rtol=0, atol=1e-14)
    assert joint.normalization_error(longer) == pytest.approx(abs(length - 1), abs=1e-14)


@pytest.mark.parametrize("joint", [QuaternionSpherical(), QuaternionFloating(), SinCosRevolute((0, 0, 1))], ids=repr)
def test_normalizing_repairs_only_what_is_to_be_repaired(joint: JointType) -> None:
    q = joint.random(np.random.default_rng(0))
    rotation = 4 if joint.nq > 2 else 2
    longer = tuple(3 * c for c in q[:rotation]) + q[rotation:]
    assert joint.normalization_error(longer) == pytest.approx(2.0)
    assert_allclose(joint.normalize(longer), q, rtol=0, atol=1e-15)
    assert joint.normalization_error(joint.normalize(longer)) <= 2e-16


@pytest.mark.parametrize("joint", JOINTS, ids=repr)
def test_exactly_the_joints_with_more_coordinates_than_velocities_are_normalized(joint: JointType) -> None:
    q = tuple(3 * c for c in joint.random(np.random.default_rng(0)))
    assert (joint.normalize(q) != q) == (joint.normalization_error(q) != 0) == (joint.nq != joint.nv)


# ---------------------------------------------------------------- principal values


def test_principal_quaternion() -> None:
    assert QuaternionSpherical().principal_value((-0.6, 0.0, 0.8, 0.0)) == (0.6, -0.0, -0.8, -0.0)
    assert QuaternionSpherical().principal_value((0.6, 0.0, 0.8, 0.0)) == (0.6, 0.0, 0.8, 0.0)
    assert QuaternionFloating().principal_value((-1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0))[4:] == (1.0, 2.0, 3.0)


def test_principal_mrp() -> None:
    inside = (0.1, 0.2, 0.3, 1.0, 2.0, 3.0)
    assert MRPFloating().principal_value(inside) == inside
    assert MRPFloating().principal_value((0.0, 2.0, 0.0, 1.0, 2.0, 3.0)) == (0.0, -0.5, 0.0, 1.0, 2.0, 3.0)


@given(st.floats(0.0, 40.0))
def test_principal_rotation_vector(angle: float) -> None:
    q = plain(angle * AXIS)
    found = RotationVectorSpherical().principal_value(q)
    assert np.linalg.norm(found) <= math.pi + 1e-12
    assert_allclose(pose(RotationVectorSpherical(), found)[:3, :3], rotation_matrix(AXIS, angle), rtol=0, atol=1e-12)
    if angle < 3.14:
        assert found == q


@pytest.mark.parametrize("joint", [RotationVectorFloating(), MRPFloating()], ids=repr)
def test_steps_through_half_a_turn_stay_near(joint: JointType) -> None:
    """Local coordinates carry on smoothly where the principal value would jump."""
    size = math.pi - 0.01
    start = size * AXIS if isinstance(joint, RotationVectorFloating) else math.tan(size / 4) * AXIS
    q0 = plain([*start, 0, 0, 0])
    q = joint.global_coordinates(q0, plain([*(0.05 * AXIS), 0, 0, 0]))
    assert np.linalg.norm(np.subtract(q, q0)) < 0.06
    assert_allclose(pose(joint, q)[:3, :3], rotation_matrix(AXIS, size + 0.05), rtol=0, atol=1e-14)


@pytest.mark.parametrize("joint", [*JOINTS, *map(Reversed, JOINTS)], ids=repr)
def test_vector_coordinates_are_those_whose_derivative_is_the_velocity(joint: JointType) -> None:
    q = joint.random(np.random.default_rng(1))
    derivative = np.array(joint.configuration_derivative_jacobian(q), dtype=float)
    is_identity = derivative.shape in ((joint.nv, joint.nv), (0,)) and np.array_equal(derivative, np.eye(joint.nv))
    assert velocity_is_derivative(joint) == has_vector_coordinates(joint) == (is_identity or not joint.nv)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("configuration_derivative", (False, False)),
        ("velocity_jacobian", (True, True)),
        ("configuration_derivative_jacobian", (True, True)),
        ("global_coordinates", (True, False)),
        ("normalize", (True, False)),
        ("principal_value", (True, True)),
    ],
)
def test_types_of_users_tell_by_the_methods_they_write(method: str, expected: tuple[bool, bool]) -> None:
    hinge: Any = type("Hinge", (Revolute,), {"__slots__": (), method: lambda self, *args: ()})
    for joint in (hinge((0, 0, 1)), Reversed(hinge((0, 0, 1)))):
        assert (velocity_is_derivative(joint), has_vector_coordinates(joint)) == expected


# ---------------------------------------------------------------- reversing


def test_reversing_keeps_sine_and_cosine() -> None:
    """Upstream negated the bounds of the cosine too: here q is the same, hence so are its bounds."""
    joint = SinCosRevolute((0, 0, 1))
    assert joint.flip_configuration((0.6, 0.8)) == (0.6, 0.8)
    assert joint.flipped() == SinCosRevolute((0, 0, -1))
