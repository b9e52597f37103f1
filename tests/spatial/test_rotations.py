"""Quaternions, modified Rodrigues parameters, minimal rotations, roll-pitch-yaw: what ties them together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rbd.spatial import so3
from rbd.spatial.quaternion import (
    body_angular_velocity,
    mrp_rate_jacobian,
    mrp_to_quaternion,
    mrp_velocity_jacobian,
    quaternion_conjugate,
    quaternion_normalized,
    quaternion_product,
    quaternion_rate_jacobian,
    quaternion_rotate,
    quaternion_to_mrp,
    quaternion_to_rotation,
    rotation_to_quaternion,
)
from tests.spatial import helpers
from tests.spatial.helpers import with_rng

Rng = np.random.Generator


@with_rng
def test_quaternion_products_are_rotation_products(rng: Rng) -> None:
    p, q = (rotation_to_quaternion(_rows(helpers.random_rotation(rng))) for _ in range(2))
    a, b = np.array(quaternion_to_rotation(p)), np.array(quaternion_to_rotation(q))
    np.testing.assert_allclose(quaternion_to_rotation(quaternion_product(p, q)), a @ b, rtol=0, atol=1e-14)
    np.testing.assert_allclose(quaternion_to_rotation(quaternion_conjugate(p)), a.T, rtol=0, atol=1e-15)
    v = rng.normal(size=3)
    np.testing.assert_allclose(quaternion_rotate(p, tuple(v.tolist())), a @ v, rtol=0, atol=1e-14)


def _rows(matrix: Any) -> Any:
    return tuple(tuple(float(x) for x in row) for row in matrix)


@with_rng
def test_rotation_to_quaternion(rng: Rng) -> None:
    """Whatever the largest component, and the scalar part is never negative."""
    scale = 10.0 ** rng.uniform(-9, 0, size=4)
    q = rng.normal(size=4) * scale
    q = q / np.linalg.norm(q)
    found = rotation_to_quaternion(quaternion_to_rotation(tuple(q.tolist())))
    np.testing.assert_allclose(found, q if q[0] >= 0 else -q, rtol=0, atol=3e-16 if abs(q[0]) > 1e-8 else 1e-15)
    assert found[0] >= 0  # a float


@with_rng
def test_angular_velocity_inverts_the_quaternion_rate(rng: Rng) -> None:
    q, omega = rng.normal(size=4), rng.normal(size=3)
    unit = tuple((q / np.linalg.norm(q)).tolist())
    matrix = np.array(quaternion_rate_jacobian(unit))
    rate = matrix @ omega
    np.testing.assert_allclose(body_angular_velocity(unit, tuple(rate.tolist())), omega, rtol=0, atol=1e-14)
    np.testing.assert_allclose(4 * matrix.T @ rate, omega, rtol=0, atol=1e-14)


@with_rng
def test_angular_velocity_of_quaternions_of_any_length(rng: Rng) -> None:
    """Against the complex step of the normalised rotation."""
    q, qd = rng.normal(size=4), rng.normal(size=4)
    rotation = np.array(quaternion_to_rotation(quaternion_normalized(tuple((q + 0j).tolist())))).real
    moved = quaternion_to_rotation(quaternion_normalized(tuple((q + 1j * helpers.STEP * qd).tolist())))
    spin = rotation.T @ (np.array(moved).imag / helpers.STEP)
    expected = [spin[2, 1], spin[0, 2], spin[1, 0]]
    found = body_angular_velocity(tuple(q.tolist()), tuple(qd.tolist()))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@with_rng
def test_modified_rodrigues_parameters(rng: Rng) -> None:
    s, omega = tuple(rng.uniform(-1.5, 1.5, size=3).tolist()), tuple(rng.normal(size=3).tolist())
    angle, axis = 4 * math.atan(np.linalg.norm(s)), np.array(s) / np.linalg.norm(s)
    rotation = np.array(quaternion_to_rotation(mrp_to_quaternion(s)))
    np.testing.assert_allclose(rotation, so3.rotation_exp(tuple((angle * axis).tolist())), rtol=0, atol=1e-14)
    principal = quaternion_to_mrp(mrp_to_quaternion(s))
    assert np.linalg.norm(principal) <= 1 + 1e-15
    np.testing.assert_allclose(quaternion_to_rotation(mrp_to_quaternion(principal)), rotation, rtol=0, atol=1e-14)
    rate = np.array(mrp_rate_jacobian(s)) @ omega
    np.testing.assert_allclose(np.array(mrp_velocity_jacobian(s)) @ rate, omega, rtol=0, atol=1e-13)
    stepped = quaternion_to_rotation(mrp_to_quaternion(tuple((np.array(s) + 1j * helpers.STEP * rate).tolist())))
    spin = rotation.T @ (np.array(stepped).imag / helpers.STEP)
    np.testing.assert_allclose(spin, helpers.skew(omega), rtol=0, atol=1e-13)


@with_rng
def test_rotation_about_an_axis(rng: Rng) -> None:
    axis, angle = rng.normal(size=3), rng.uniform(-7, 7)
    n = tuple((axis / np.linalg.norm(axis)).tolist())
    expected = so3.rotation_exp(tuple((angle * np.array(n)).tolist()))
    np.testing.assert_allclose(so3.rotation_about(n, math.cos(angle), math.sin(angle)), expected, rtol=0, atol=2e-15)


@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rotations_about_coordinate_axes_have_exact_zeros_and_ones(index: int, sign: float) -> None:
    axis = [0.0, 0.0, 0.0]
    axis[index] = sign
    matrix = np.array(so3.rotation_about((axis[0], axis[1], axis[2]), math.cos(0.3), math.sin(0.3)))
    assert matrix[index].tolist() == np.eye(3)[index].tolist()
    assert matrix[:, index].tolist() == np.eye(3)[index].tolist()


@with_rng
def test_minimal_rotation(rng: Rng) -> None:
    """It takes u to v, by the angle between them; from parallel through opposite, at any length."""
    u = rng.normal(size=3)
    gap = 10.0 ** -rng.uniform(0, 17)
    v = rng.choice([-1, 1]) * u + gap * rng.normal(size=3)
    lengths = 10.0 ** rng.uniform(-5, 5, size=2)
    rotation = np.array(so3.minimal_rotation(tuple((lengths[0] * u).tolist()), tuple((lengths[1] * v).tolist())))
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), rtol=0, atol=2e-15)
    assert np.linalg.det(rotation) == pytest.approx(1)
    target = v / np.linalg.norm(v)
    np.testing.assert_allclose(rotation @ (u / np.linalg.norm(u)), target, rtol=0, atol=2e-15)
    cosine = min(1.0, max(-1.0, u @ v / np.linalg.norm(u) / np.linalg.norm(v)))
    assert np.linalg.norm(so3.rotation_log(_rows(rotation))) == pytest.approx(math.acos(cosine), abs=1e-7)


@pytest.mark.parametrize("u", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, -0.8)])
def test_minimal_rotation_of_parallel_and_opposite_directions(u: tuple[float, float, float]) -> None:
    np.testing.assert_allclose(so3.minimal_rotation(u, u), np.eye(3), rtol=0, atol=1e-16)
    half_turn = np.array(so3.minimal_rotation(u, (-u[0], -u[1], -u[2])))
    np.testing.assert_allclose(half_turn @ u, -np.array(u), rtol=0, atol=1e-15)
    assert np.trace(half_turn) == pytest.approx(-1)


@with_rng
def test_linearized_rotation_vector(rng: Rng) -> None:
    phi = 1e-3 * rng.normal(size=3)
    linear = so3.linearized_rotation_vector(so3.rotation_exp(tuple(phi.tolist())))
    np.testing.assert_allclose(linear, phi, rtol=0, atol=1e-8)
    exact = math.sin(np.linalg.norm(phi)) / np.linalg.norm(phi) * phi
    np.testing.assert_allclose(linear, exact, rtol=0, atol=1e-16)


@with_rng
def test_roll_pitch_yaw(rng: Rng) -> None:
    roll, pitch, yaw = rng.uniform(-4, 4, size=3).tolist()
    x, y, z = (
        np.array(so3.rotation_exp(tuple((a * e).tolist()))) for a, e in zip((roll, pitch, yaw), np.eye(3), strict=True)
    )
    np.testing.assert_allclose(so3.rpy_to_rotation((roll, pitch, yaw)), z @ y @ x, rtol=0, atol=1e-14)
