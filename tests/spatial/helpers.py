"""What the tests of spatial values share: random values by seed, and six-by-six matrices as oracles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rbd.spatial import (
    Frame,
    FreeVector,
    GeometricJacobian,
    Momentum,
    MomentumMatrix,
    Point,
    PointJacobian,
    SpatialAcceleration,
    SpatialInertia,
    Transform,
    Twist,
    Wrench,
    WrenchMatrix,
)

Numbers = NDArray[Any]
STEP = 1e-30  # of complex steps

WORLD, HAND, CAMERA, ELSEWHERE = Frame("world"), Frame("hand"), Frame("camera"), Frame("elsewhere")


def with_rng(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with many random number generators; its first argument is one."""
    return given(rng=st.integers(0, 2**32 - 1).map(np.random.default_rng))(test)


def random_rotation(rng: np.random.Generator) -> Numbers:
    """Return a uniform rotation, at times the identity or half a turn."""
    q = rng.normal(size=4) * rng.choice([0, 1, 1, 1], size=4)
    w, x, y, z = q / np.linalg.norm(q) if np.linalg.norm(q) > 0 else (1.0, 0.0, 0.0, 0.0)
    return np.eye(3) + 2 * w * skew((x, y, z)) + 2 * skew((x, y, z)) @ skew((x, y, z))


def transform(rng: np.random.Generator, a: Frame = HAND, b: Frame = WORLD) -> Transform:
    return Transform(a, b, random_rotation(rng), rng.normal(size=3))


def point(rng: np.random.Generator, frame: Frame = WORLD) -> Point:
    return Point(frame, rng.normal(size=3))


def free_vector(rng: np.random.Generator, frame: Frame = WORLD) -> FreeVector:
    return FreeVector(frame, rng.normal(size=3))


def twist(rng: np.random.Generator, body: Frame = HAND, base: Frame = WORLD, frame: Frame = WORLD) -> Twist:
    return Twist(body, base, frame, rng.normal(size=3), rng.normal(size=3))


def acceleration(
    rng: np.random.Generator, body: Frame = HAND, base: Frame = WORLD, frame: Frame = WORLD
) -> SpatialAcceleration:
    return SpatialAcceleration(body, base, frame, rng.normal(size=3), rng.normal(size=3))


def wrench(rng: np.random.Generator, frame: Frame = WORLD) -> Wrench:
    return Wrench(frame, rng.normal(size=3), rng.normal(size=3))


def momentum(rng: np.random.Generator, frame: Frame = WORLD) -> Momentum:
    return Momentum(frame, rng.normal(size=3), rng.normal(size=3))


def moments(rng: np.random.Generator) -> Numbers:
    """Return a physical moment of inertia about a centre of mass, at times on the edge of the triangle inequality."""
    a, b = rng.uniform(0, 0.1, size=2)
    c = rng.choice([abs(a - b), a + b, rng.uniform(abs(a - b), a + b)])
    axes = random_rotation(rng)
    moment = axes @ np.diag([a, b, c]) @ axes.T
    return (moment + moment.T) / 2


def inertia(rng: np.random.Generator, frame: Frame = HAND) -> SpatialInertia:
    mass, com = rng.uniform(0.01, 1), rng.uniform(-0.5, 0.5, size=3)
    return SpatialInertia(frame, mass=mass, com=com, moment_about_com=moments(rng))


def jacobian(
    rng: np.random.Generator, n: int = 4, body: Frame = HAND, base: Frame = WORLD, frame: Frame = WORLD
) -> GeometricJacobian:
    return GeometricJacobian(body, base, frame, rng.normal(size=(3, n)), rng.normal(size=(3, n)))


def point_jacobian(rng: np.random.Generator, n: int = 4, frame: Frame = WORLD) -> PointJacobian:
    return PointJacobian(frame, rng.normal(size=(3, n)))


def momentum_matrix(rng: np.random.Generator, n: int = 4, frame: Frame = WORLD) -> MomentumMatrix:
    return MomentumMatrix(frame, rng.normal(size=(3, n)), rng.normal(size=(3, n)))


def wrench_matrix(rng: np.random.Generator, n: int = 4, frame: Frame = WORLD) -> WrenchMatrix:
    return WrenchMatrix(frame, rng.normal(size=(3, n)), rng.normal(size=(3, n)))


# -- oracles: six-by-six matrices, angular first ----------------------------------------------------------------------


def skew(v: Any) -> Numbers:
    x, y, z = v
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def motion_matrix(tf: Transform) -> Numbers:
    """Return Ad, which moves twists."""
    r, p = tf.rotation, tf.translation
    return np.block([[r, np.zeros((3, 3))], [skew(p) @ r, r]])


def force_matrix(tf: Transform) -> Numbers:
    """Return the inverse transpose of Ad, which moves wrenches."""
    matrix: Numbers = np.linalg.inv(motion_matrix(tf)).T
    return matrix


def cross_matrix(v: Numbers) -> Numbers:
    """Return the motion cross product by the six-vector v as a matrix."""
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


def complex_exponential(matrix: Numbers) -> Numbers:
    """Return the matrix exponential of a small complex matrix by scaling and Taylor's series."""
    scaled, total, term = matrix / 1024, np.eye(len(matrix), dtype=complex), np.eye(len(matrix), dtype=complex)
    for k in range(1, 14):
        term = term @ scaled / k
        total = total + term
    for _ in range(10):
        total = total @ total
    return total


def hat6(v: Numbers) -> Numbers:
    """Return the four-by-four matrix of a twist's components."""
    return np.block([[skew(v[:3]), np.reshape(v[3:], (3, 1))], [np.zeros((1, 4))]])
