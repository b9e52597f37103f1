"""Classical accelerations against spatial ones, with six-by-six matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rbd.errors import FrameMismatchError
from rbd.spatial import SpatialAcceleration, Twist
from rbd.spatial.recursions.classical import ClassicalAcceleration, ClassicalMotion
from tests.spatial.helpers import (
    CAMERA,
    ELSEWHERE,
    HAND,
    WORLD,
    Numbers,
    acceleration,
    cross_matrix,
    inertia,
    jacobian,
    motion_matrix,
    transform,
    twist,
    with_rng,
)

Rng = np.random.Generator


def triple(rng: Rng) -> tuple[float, float, float]:
    x, y, z = rng.normal(size=3).tolist()
    return x, y, z


def classical(rng: Rng) -> ClassicalAcceleration:
    return ClassicalAcceleration(HAND, WORLD, triple(rng), triple(rng))


def moving(rng: Rng) -> ClassicalMotion:
    """Return a motion of the hand: two joints away from the world, which accelerates."""
    first = ClassicalMotion.fixed(WORLD, triple(rng))
    return first.across_joint(transform(rng), twist(rng, frame=HAND), acceleration(rng, frame=HAND))


def vector(value: ClassicalAcceleration) -> Numbers:
    return np.array([*value.angular_components, *value.linear_components])


def spatial(motion: ClassicalMotion, v: Numbers) -> tuple[Numbers, Numbers]:
    """Return velocity and spatial acceleration of a motion whose origin has a velocity: a = a' - omega x v."""
    return np.array([*motion.omega, *v]), vector(motion.acceleration) - [0, 0, 0, *np.cross(motion.omega, v)]


@with_rng
def test_the_gradient_gives_accelerations_of_fixed_points(rng: Rng) -> None:
    motion, r = moving(rng), rng.normal(size=3)
    omega = np.array(motion.omega)
    expected = np.cross(motion.alpha, r) + np.cross(omega, np.cross(omega, r))
    np.testing.assert_allclose(np.array(motion.acceleration_gradient) @ r, expected, rtol=0, atol=1e-11)


@with_rng
def test_motion_across_a_joint(rng: Rng) -> None:
    """A = X A_p + A_J + V x V_J (Featherstone 2008, eq. 5.8), whatever the velocity of the predecessor's origin."""
    motion, tf = moving(rng), transform(rng, CAMERA, HAND)
    joint, rate = twist(rng, CAMERA, HAND, CAMERA), acceleration(rng, CAMERA, HAND, CAMERA)
    v, a = spatial(motion, rng.normal(size=3))
    after = motion.across_joint(tf, joint, rate)
    x = np.linalg.inv(motion_matrix(tf))
    v = x @ v + joint.vector
    expected = x @ a + rate.vector + cross_matrix(v) @ joint.vector + [0, 0, 0, *np.cross(v[:3], v[3:])]
    assert (after.body, after.base) == (CAMERA, WORLD)
    np.testing.assert_allclose(after.omega, v[:3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(vector(after.acceleration), expected, rtol=0, atol=1e-10)


@with_rng
def test_wrench_is_that_of_newton_euler(rng: Rng) -> None:
    motion, body = moving(rng), inertia(rng)
    v, a = spatial(motion, rng.normal(size=3))
    expected = body.newton_euler(
        SpatialAcceleration(HAND, WORLD, HAND, a[:3], a[3:]), Twist(HAND, WORLD, HAND, v[:3], v[3:])
    )
    found = motion.wrench(body)
    assert found.frame is HAND
    np.testing.assert_allclose(found.vector, expected.vector, rtol=0, atol=1e-11)


@with_rng
def test_a_motion_without_acceleration_has_its_velocity(rng: Rng) -> None:
    motion, body = moving(rng), inertia(rng)
    still = motion.without_acceleration()
    assert (still.body, still.base, still.omega) == (motion.body, motion.base, motion.omega)
    np.testing.assert_array_equal(vector(still.acceleration), np.zeros(6))
    turning = Twist(HAND, WORLD, HAND, motion.omega, (0, 0, 0))
    expected = body.newton_euler(SpatialAcceleration(HAND, WORLD, HAND, (0, 0, 0), (0, 0, 0)), turning)
    np.testing.assert_allclose(still.wrench(body).vector, expected.vector, rtol=0, atol=1e-12)


@with_rng
def test_shift_to_a_fixed_frame(rng: Rng) -> None:
    value, tf = classical(rng), transform(rng, CAMERA, HAND)
    shifted = value.shifted_to(tf)
    assert (shifted.body, shifted.base) == (CAMERA, WORLD)
    np.testing.assert_allclose(vector(shifted), np.linalg.inv(motion_matrix(tf)) @ vector(value), rtol=0, atol=1e-12)


@with_rng
def test_sums_and_joint_accelerations(rng: Rng) -> None:
    one, two, subspace, vd = classical(rng), classical(rng), jacobian(rng, frame=HAND), rng.normal(size=4)
    total, moved = one + two, one.plus_joint_acceleration(subspace, tuple(vd.tolist()))
    assert (total.body, total.base, moved.body, moved.base) == (HAND, WORLD, HAND, WORLD)
    np.testing.assert_array_equal(vector(total), vector(one) + vector(two))
    np.testing.assert_allclose(vector(moved), vector(one) + subspace.matrix @ vd, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(vector(ClassicalAcceleration.zero(HAND, WORLD)), np.zeros(6))


Call = Callable[[Rng], object]
MISMATCHES: dict[str, Call] = {
    "shift": lambda rng: classical(rng).shifted_to(transform(rng, CAMERA, ELSEWHERE)),
    "sum, body": lambda rng: classical(rng) + ClassicalAcceleration.zero(CAMERA, WORLD),
    "sum, base": lambda rng: classical(rng) + ClassicalAcceleration.zero(HAND, CAMERA),
    "joint, body": lambda rng: classical(rng).plus_joint_acceleration(jacobian(rng, 1, CAMERA, frame=HAND), (1.0,)),
    "joint, frame": lambda rng: classical(rng).plus_joint_acceleration(jacobian(rng, 1), (1.0,)),
    "motion, transform": lambda rng: moving(rng).across_joint(transform(rng), twist(rng), acceleration(rng)),
    "motion, twist": lambda rng: moving(rng).across_joint(
        transform(rng, CAMERA, HAND), twist(rng), acceleration(rng, frame=CAMERA)
    ),
    "motion, acceleration": lambda rng: moving(rng).across_joint(
        transform(rng, CAMERA, HAND), twist(rng, frame=CAMERA), acceleration(rng)
    ),
    "wrench": lambda rng: moving(rng).wrench(inertia(rng, CAMERA)),
}


@pytest.mark.parametrize("call", MISMATCHES.values(), ids=MISMATCHES)
def test_frames_must_fit(call: Call) -> None:
    with pytest.raises(FrameMismatchError):
        call(np.random.default_rng(0))
