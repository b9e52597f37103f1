"""Every rotation formula against 50 digits, from angles of 1e-16 through pi to several turns."""

from __future__ import annotations

import math
from collections.abc import Iterator

import mpmath as mp
import numpy as np
import pytest

from rbd.scalars import to_float
from rbd.spatial import so3
from rbd.spatial.linalg import Mat3, Vec3, matmul, matvec
from rbd.spatial.quaternion import mrp_to_quaternion, quaternion_exp, quaternion_log, quaternion_to_rotation
from rbd.spatial.stumpff import log_rate_coefficients, stumpff
from tests.spatial import oracle

ANGLES = [
    0.0,
    *(10.0**-k for k in range(16, 0, -2)),
    *(3.0 * 10.0**-k for k in range(9, 0, -2)),
    0.25,
    0.5,
    0.99999,
    1.0,
    1.00001,
    math.pi / 2,
    1.99999,
    2.00001,
    3.0,
    *(math.pi - 10.0**-k for k in range(1, 10)),
]
TURNS = [3.5, 5.0, 2 * math.pi - 1e-3, 2 * math.pi, 7.0, 4 * math.pi, 15.0, 6 * math.pi]
AXES = oracle.directions(2, seed=1)
each_angle = pytest.mark.parametrize("angle", ANGLES)


@pytest.fixture(autouse=True, scope="module")
def fifty_digits() -> Iterator[None]:
    """Give the oracle its digits, and mpmath's own back to the tests that come after."""
    with mp.workdps(50):
        yield


def rotation_vectors(angle: float) -> Iterator[Vec3]:
    for axis in AXES:
        x, y, z = (float(c) for c in angle * axis)
        yield x, y, z


def other(phi: Vec3) -> Vec3:
    """Return a vector of length about one, neither along nor across phi."""
    return 0.3 + 0.1 * math.cos(3 * phi[0]), -0.8, 0.5 + 0.1 * math.sin(phi[2])


@pytest.mark.parametrize("angle", ANGLES + TURNS)
def test_exponential(angle: float) -> None:
    for phi in rotation_vectors(angle):
        expected = oracle.expm(oracle.hat(oracle.vector(phi)))
        assert oracle.largest_difference(so3.rotation_exp(phi), expected) < 1e-14
        assert oracle.largest_difference(quaternion_to_rotation(quaternion_exp(phi)), expected) < 1e-14


@pytest.mark.parametrize("angle", ANGLES + TURNS)
def test_jacobians(angle: float) -> None:
    for phi in rotation_vectors(angle):
        left = oracle.left_jacobian(oracle.vector(phi))
        assert oracle.largest_difference(so3.left_jacobian(phi), left) < 1e-14
        assert oracle.largest_difference(so3.right_jacobian(phi), left.T) < 1e-14


@each_angle
def test_inverse_jacobians(angle: float) -> None:
    for phi in rotation_vectors(angle):
        left = oracle.left_jacobian(oracle.vector(phi)) ** -1
        assert oracle.largest_difference(so3.inverse_left_jacobian(phi), left) < 1e-14
        assert oracle.largest_difference(so3.inverse_right_jacobian(phi), left.T) < 1e-14


@each_angle
def test_logarithm(angle: float) -> None:
    """The input is the exact rotation rounded to doubles, which alone moves the logarithm by a few 1e-16."""
    for phi in rotation_vectors(angle):
        (a, b, c), (d, e, f), (g, h, i) = oracle.rounded(oracle.expm(oracle.hat(oracle.vector(phi))))
        log = so3.rotation_log(((a, b, c), (d, e, f), (g, h, i)))
        assert np.linalg.norm(np.subtract(log, phi)) < 2e-15
        if 0 < angle < 1e-3:  # digits are not lost by small angles either
            assert np.linalg.norm(np.subtract(log, phi)) < 1e-15 * angle + 1e-31


@each_angle
def test_quaternion_logarithm(angle: float) -> None:
    for phi in rotation_vectors(angle):
        half = oracle.vector(phi) / 2
        theta = oracle.norm(half)
        sinc = mp.sin(theta) / theta if theta else mp.mpf(1)
        w, x, y, z = (float(t) for t in (mp.cos(theta), *(half * sinc)))
        assert np.linalg.norm(np.subtract(quaternion_log((w, x, y, z)), phi)) < 2e-15
        assert np.linalg.norm(np.subtract(quaternion_log((-w, -x, -y, -z)), phi)) < 2e-15
        assert np.abs(np.subtract(quaternion_exp(phi), (w, x, y, z))).max() < 5e-16


def test_logarithm_of_half_turns() -> None:
    """At pi exactly the largest component is positive."""
    for axis in AXES:
        n = axis if axis[np.argmax(np.abs(axis))] > 0 else -axis
        (a, b, c), (d, e, f), (g, h, i) = (2 * np.outer(n, n) - np.eye(3)).tolist()
        np.testing.assert_allclose(so3.rotation_log(((a, b, c), (d, e, f), (g, h, i))), math.pi * n, rtol=0, atol=1e-14)


@each_angle
def test_rotation_vector_rate(angle: float) -> None:
    """Also where other libraries return NaN or lose digits: between 1e-16 and 1e-5."""
    for phi in rotation_vectors(angle):
        omega = other(phi)
        inverse = oracle.left_jacobian(-oracle.vector(phi)) ** -1
        rate = so3.rotation_vector_rate(phi, omega)
        assert oracle.largest_difference(rate, inverse * oracle.vector(omega)) < 1e-14
        back = matvec(so3.right_jacobian(phi), rate)
        np.testing.assert_allclose(back, omega, rtol=0, atol=1e-14)


@each_angle
def test_rate_coefficients(angle: float) -> None:
    """Against the closed forms, which cancel to the fourth power; where the angle is zero, Bernoulli's numbers."""
    a, b = log_rate_coefficients(angle * angle)
    if angle == 0.0:
        assert (a, b) == pytest.approx((1 / 12, -1 / 720), abs=1e-16)
        return
    with mp.workdps(160):
        theta = mp.sqrt(mp.mpf(angle * angle))
        alpha = theta / 2 * mp.cot(theta / 2)
        beta = (theta / 2 / mp.sin(theta / 2)) ** 2
        assert abs(float(a - (2 * (1 - alpha) + (alpha - beta) / 2) / theta**2)) < 1e-15
        assert abs(float(b - ((1 - alpha) + (alpha - beta) / 2) / theta**4)) < 1e-15


def test_stumpff_functions() -> None:
    for angle in ANGLES + TURNS:
        z = mp.mpf(angle * angle)
        for k, value in enumerate(stumpff(angle * angle)):
            expected = sum((-z) ** j / mp.factorial(2 * j + k) for j in range(80))
            assert abs(float(value - expected)) < 1e-15


# -- derivatives ------------------------------------------------------------------------------------------------------

STEP = 1e-30


def complex_step(phi: Vec3, direction: Vec3) -> Vec3:
    x, y, z = (a + 1j * STEP * b for a, b in zip(phi, direction, strict=True))
    return x, y, z


def imaginary(nested: object) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(nested, dtype=complex).imag / STEP


@pytest.mark.parametrize("angle", ANGLES + TURNS)
def test_complex_steps_of_exponential_and_jacobian(angle: float) -> None:
    """The derivative of Exp is hat(J_l d) Exp; no square root of zero, no conjugation is in the way."""
    for phi in rotation_vectors(angle):
        direction = other(phi)
        big, d = oracle.vector(phi), oracle.vector(direction)
        exponential = oracle.hat(oracle.left_jacobian(big) * d) * oracle.expm(oracle.hat(big))
        stepped = complex_step(phi, direction)
        assert oracle.largest_difference(imaginary(so3.rotation_exp(stepped)), exponential) < 1e-14
        jacobian = oracle.left_jacobian_derivative(big, d)
        assert oracle.largest_difference(imaginary(so3.left_jacobian(stepped)), jacobian) < 1e-14


@each_angle
def test_complex_steps_of_logarithm(angle: float) -> None:
    """The derivative of Log(Exp(phi) Exp(t w)) is the rotation-vector rate."""
    for phi in rotation_vectors(angle):
        omega = other(phi)
        moved = matmul(so3.rotation_exp(phi), so3.rotation_exp(complex_step((0.0, 0.0, 0.0), omega)))
        rate = so3.rotation_vector_rate(phi, omega)
        np.testing.assert_allclose(imaginary(so3.rotation_log(moved)), rate, rtol=0, atol=1e-14)


@each_angle
def test_complex_steps_of_inverse_jacobian(angle: float) -> None:
    """The derivative of an inverse is - inverse derivative inverse."""
    for phi in rotation_vectors(angle):
        direction = other(phi)
        big, d = oracle.vector(phi), oracle.vector(direction)
        inverse = oracle.left_jacobian(big) ** -1
        expected = -inverse * oracle.left_jacobian_derivative(big, d) * inverse
        stepped = complex_step(phi, direction)
        assert oracle.largest_difference(imaginary(so3.inverse_left_jacobian(stepped)), expected) < 1e-14


@pytest.mark.parametrize(
    "function",
    [
        so3.rotation_exp,
        so3.left_jacobian,
        so3.inverse_left_jacobian,
        quaternion_exp,
        lambda s: quaternion_to_rotation(mrp_to_quaternion(s)),
    ],
)
def test_complex_step_at_zero_is_finite(function: object) -> None:
    assert callable(function)
    assert np.isfinite(imaginary(function(complex_step((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))))).all()
    identity: Mat3 = ((1 + 0j, 0j, 0j), (0j, 1 + 0j, 0j), (0j, 0j, 1 + 0j))
    assert np.isfinite(np.array(so3.rotation_log(identity))).all()


@pytest.mark.parametrize("z", [0.0, 1e-300, 1e-9, 0.3, math.nextafter(1.0, 0.0), 1.0, 2.5, 40.0, math.nan])
def test_floats_get_the_bits_of_the_general_rule(z: float) -> None:
    """NumPy's floats take the way of all scalars: both cases computed, one chosen."""
    general = [float(to_float(c)) for c in stumpff(np.float64(z))]
    assert np.array(list(stumpff(z))).tobytes() == np.array(general).tobytes()
