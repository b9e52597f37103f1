"""Transforms, points and free vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume

from rbd.errors import FrameMismatchError
from rbd.spatial import FreeVector, Point, SpatialInertia, Transform, Twist, Wrench
from tests.spatial.helpers import (
    CAMERA,
    ELSEWHERE,
    HAND,
    STEP,
    WORLD,
    complex_exponential,
    free_vector,
    hat6,
    point,
    transform,
    twist,
    with_rng,
)

Rng = np.random.Generator


@with_rng
def test_inverse_undoes(rng: Rng) -> None:
    tf = transform(rng)
    assert (tf @ tf.inverse()).isclose(Transform.identity(WORLD, WORLD))
    assert (tf.inverse() @ tf).isclose(Transform.identity(HAND, HAND))
    assert tf.inverse().inverse().isclose(tf, atol=1e-14)
    np.testing.assert_allclose(tf.inverse().matrix, np.linalg.inv(tf.matrix), rtol=0, atol=1e-12)


@with_rng
def test_composition_is_the_matrix_product(rng: Rng) -> None:
    a, b, c = transform(rng), transform(rng, CAMERA, HAND), transform(rng, ELSEWHERE, CAMERA)
    np.testing.assert_allclose((a @ b).matrix, a.matrix @ b.matrix, rtol=0, atol=1e-14)
    assert (a @ b).from_frame is CAMERA
    assert (a @ b).to_frame is WORLD
    assert ((a @ b) @ c).isclose(a @ (b @ c))


@with_rng
def test_points_move_and_vectors_turn(rng: Rng) -> None:
    tf, p, v = transform(rng), point(rng, HAND), free_vector(rng, HAND)
    np.testing.assert_allclose((tf @ p).xyz, tf.rotation @ p.xyz + tf.translation, rtol=0, atol=1e-14)
    np.testing.assert_allclose((tf @ v).xyz, tf.rotation @ v.xyz, rtol=0, atol=1e-14)
    assert (tf @ p).frame is WORLD
    assert (tf.inverse() @ (tf @ p)).isclose(p)
    assert (tf.inverse() @ (tf @ v)).isclose(v)
    assert p.transformed(tf).isclose(tf @ p)
    assert (tf @ (p + v)).isclose((tf @ p) + (tf @ v))


@with_rng
def test_algebra_of_points_and_vectors(rng: Rng) -> None:
    p, q, v, w = point(rng), point(rng), free_vector(rng), free_vector(rng)
    np.testing.assert_array_equal((p - q).xyz, p.xyz - q.xyz)
    np.testing.assert_array_equal((p + v).xyz, p.xyz + v.xyz)
    np.testing.assert_array_equal((v + p).xyz, p.xyz + v.xyz)
    np.testing.assert_array_equal((p - v).xyz, p.xyz - v.xyz)
    np.testing.assert_array_equal((v - w).xyz, v.xyz - w.xyz)
    np.testing.assert_allclose(v.cross(w).xyz, np.cross(v.xyz, w.xyz), rtol=0, atol=1e-14)
    np.testing.assert_allclose(p.cross(w).xyz, np.cross(p.xyz, w.xyz), rtol=0, atol=1e-14)
    assert v.dot(w) == pytest.approx(v.xyz @ w.xyz, abs=1e-14)
    assert v.norm() == pytest.approx(np.linalg.norm(v.xyz))
    assert v.normalized().norm() == pytest.approx(1.0)
    np.testing.assert_array_equal((2 * v / 4).xyz, v.xyz / 2)
    np.testing.assert_array_equal((-p * 2.0).xyz, -2 * p.xyz)
    np.testing.assert_array_equal((np.float64(2) * v).xyz, 2 * v.xyz)
    np.testing.assert_array_equal((p / 2.0).xyz, p.xyz / 2)


def test_constructors_agree() -> None:
    c, s = math.cos(0.3), math.sin(0.3)
    rotation = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    expected = Transform(HAND, WORLD, rotation, [1, 2, 3])
    matrix = np.block([[np.array(rotation), np.array([[1], [2], [3]])], [np.array([[0, 0, 0, 1]])]])
    assert Transform.from_matrix(HAND, WORLD, matrix).isclose(expected, atol=0)
    quaternion = [math.cos(0.15), 0, 0, math.sin(0.15)]
    for translation in ([1, 2, 3], FreeVector(WORLD, [1, 2, 3])):
        assert Transform.from_quaternion(HAND, WORLD, quaternion, translation).isclose(expected, atol=1e-15)
    with pytest.raises(FrameMismatchError, match=r"translation\.frame"):
        Transform.from_quaternion(HAND, WORLD, quaternion, FreeVector(HAND, [1, 2, 3]))  # type: ignore[misc]  # meant
    np.testing.assert_allclose(expected.quaternion, quaternion, rtol=0, atol=1e-15)
    assert Transform(HAND, WORLD, rotation, FreeVector(WORLD, [1, 2, 3])).isclose(expected, atol=0)
    assert Transform(HAND, WORLD).isclose(Transform.identity(HAND, WORLD), atol=0)
    np.testing.assert_array_equal(expected.matrix, matrix)
    assert expected.components == (tuple(map(tuple, expected.rotation.tolist())), (1.0, 2.0, 3.0))


def test_expect_keeps_the_numbers() -> None:
    tf = Transform(HAND, WORLD, translation=[1, 2, 3])
    assert tf.expect(HAND, WORLD).isclose(tf, atol=0)


# -- exponential and logarithm ----------------------------------------------------------------------------------------


def exponential_coordinates(rng: Rng, angle: float) -> Twist:
    axis = rng.normal(size=3)
    return Twist(HAND, WORLD, WORLD, angle * axis / np.linalg.norm(axis), rng.normal(size=3))


@with_rng
def test_exp_is_the_matrix_exponential(rng: Rng) -> None:
    coordinates = exponential_coordinates(rng, rng.uniform(0, 6 * math.pi))
    np.testing.assert_allclose(
        coordinates.exp().matrix, complex_exponential(hat6(coordinates.vector)).real, rtol=0, atol=1e-11
    )


@with_rng
def test_log_undoes_exp(rng: Rng) -> None:
    for angle in (
        rng.uniform(0, 10 * np.finfo(float).eps),
        rng.uniform(0, math.pi - 1e-4),
        10.0 ** -rng.uniform(0, 16),
    ):
        coordinates = exponential_coordinates(rng, angle)
        assert coordinates.exp().log().isclose(coordinates)


@with_rng
def test_log_close_to_half_a_turn(rng: Rng) -> None:
    coordinates = exponential_coordinates(rng, math.pi - 10.0 ** -rng.uniform(4, 9))
    assert coordinates.exp().log().isclose(coordinates, atol=1e-12)


@with_rng
def test_exp_undoes_log(rng: Rng) -> None:
    tf = transform(rng)
    assert tf.log().exp().isclose(tf)


@with_rng
def test_log_of_pure_translations_and_of_the_identity(rng: Rng) -> None:
    tf = Transform(HAND, WORLD, translation=rng.normal(size=3))
    np.testing.assert_array_equal(tf.log().vector, [0, 0, 0, *tf.translation])
    assert tf.log().exp().isclose(tf, atol=0)
    assert Transform.identity(HAND, WORLD).log().components == (0,) * 6


@with_rng
def test_exp_is_periodic_in_whole_turns(rng: Rng) -> None:
    coordinates = exponential_coordinates(rng, rng.uniform(0.1, 6 * math.pi))
    tf = coordinates.exp()
    assert np.linalg.norm(tf.log().angular) <= math.pi + 1e-12
    assert tf.log().exp().isclose(tf, atol=1e-11)


@with_rng
def test_exp_of_a_scaled_twist_moves_points_with_their_velocity(rng: Rng) -> None:
    """The derivative of exp(t V) p is the point velocity of V, at every t: V is constant in the base."""
    v, p = twist(rng, HAND, WORLD, WORLD), point(rng, HAND)
    t = rng.uniform(-3, 3)
    stepped = (v * (t + 1j * STEP)).exp() @ p
    velocity = np.array(stepped.components).imag / STEP
    now = (v * t).exp() @ p
    np.testing.assert_allclose(velocity, v.point_velocity(now).xyz, rtol=0, atol=1e-12)


@with_rng
def test_rate_of_the_logarithm(rng: Rng) -> None:
    """Against the complex step of the logarithm along a motion with the given twist, from 1e-16 to pi."""
    angle = rng.choice([10.0 ** -rng.uniform(0, 16), rng.uniform(0, math.pi - 1e-3)])
    tf = exponential_coordinates(rng, float(angle)).exp()
    body_twist = twist(rng, HAND, WORLD, HAND)
    logarithm, rate = tf.log_and_rate(body_twist)
    assert logarithm.isclose(tf.log(), atol=0)
    still = Twist(HAND, HAND, HAND, body_twist.angular, body_twist.linear)
    moved = tf @ (still * (1j * STEP)).exp()
    expected = np.array(moved.log().components).imag / STEP
    np.testing.assert_allclose(rate.vector, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6, 1e-9])
def test_rate_of_the_logarithm_close_to_half_a_turn(gap: float) -> None:
    """The rate is smooth there; it agrees with the left Jacobian, which knows no branch."""
    rng = np.random.default_rng(5)
    coordinates = exponential_coordinates(rng, math.pi - gap)
    body_twist = twist(rng, HAND, WORLD, HAND)
    _, rate = coordinates.exp().log_and_rate(body_twist)
    ad = np.zeros((6, 6))
    ad[:3, :3] = ad[3:, 3:] = hat6(coordinates.vector)[:3, :3]
    ad[3:, :3] = hat6(np.roll(coordinates.vector, 3))[:3, :3]
    right, term = np.eye(6), np.eye(6)
    for k in range(1, 60):
        term = -term @ ad / (k + 1)
        right = right + term
    np.testing.assert_allclose(right @ rate.vector, body_twist.vector, rtol=0, atol=1e-10)


@with_rng
def test_change_of_frame_commutes_with_log(rng: Rng) -> None:
    tf = transform(rng)
    assume(np.linalg.norm(tf.log().angular) < math.pi - 1e-3)
    logarithm = tf.log()
    np.testing.assert_allclose(logarithm.transformed(tf.inverse()).vector, logarithm.vector, rtol=0, atol=1e-12)


# -- the same numbers whatever the input type -------------------------------------------------------------------------


def test_lists_tuples_integers_and_other_dtypes_are_converted() -> None:
    for values in ([1, 2, 3], (1.0, 2, 3), np.array([1, 2, 3]), np.array([1, 2, 3], dtype=np.float32), range(1, 4)):
        p = Point(WORLD, values)
        assert p.components == (1.0, 2.0, 3.0)
        assert {type(c) for c in p.components} == {float}
        assert p.xyz.dtype == np.float64


def test_arrays_are_fresh() -> None:
    p = Point(WORLD, [1, 2, 3])
    p.xyz[0] = 7
    assert p.components == (1.0, 2.0, 3.0)
    given = np.array([1.0, 2.0, 3.0])
    q = Point(WORLD, given)
    given[0] = 7
    assert q.components == (1.0, 2.0, 3.0)


def test_of_force_and_center_of_mass() -> None:
    w = Wrench.of_force(Point(WORLD, [1, 0, 0]), FreeVector(WORLD, [0, 0, -10]))
    np.testing.assert_array_equal(w.vector, [0, 10, 0, 0, 0, -10])
    body = SpatialInertia(WORLD, mass=2, com=Point(WORLD, [1, 2, 3]), moment_about_com=np.eye(3))
    np.testing.assert_array_equal(body.center_of_mass.xyz, [1, 2, 3])
