"""One joint type at one random configuration: what the joint contract computes its checks from."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, final

import attrs
import numpy as np

from rbd.spatial import Frame, Wrench

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from rbd.joints import JointType
    from rbd.scalars import Array, Vector
    from rbd.spatial import GeometricJacobian, Transform, WrenchMatrix

STEP = 1e-40
"""A complex step cancels nothing: it may be as small as it likes."""


@final
@attrs.frozen(eq=False)
class JointCase:
    """A joint type, two configurations, a velocity and a wrench."""

    joint: JointType
    before: Frame
    after: Frame
    q: Vector
    """A normalised configuration."""
    other: Vector
    """Another one."""
    shifted: Vector
    """One beside the manifold, where the joint has one."""
    v: Vector
    small: Vector
    """Local coordinates of less than half a turn."""
    qd: Vector
    """Any rate of the coordinates, also one that leads off the manifold."""
    wrench_components: tuple[float, ...]
    spread: float
    """How many times farther than random ones configurations may be."""

    @classmethod
    def draw(cls, joint: JointType, rng: np.random.Generator, spread: float) -> JointCase:
        """Return a random case."""
        small = rng.standard_normal(joint.nv)
        q = joint.random(rng)
        return cls(
            joint,
            Frame("before"),
            Frame("after"),
            q,
            joint.random(rng),
            tuple(c + 0.2 * float(d) for c, d in zip(q, rng.standard_normal(joint.nq), strict=True)),
            plain(rng.standard_normal(joint.nv)),
            plain(small / max(1.0, float(np.linalg.norm(small)))),
            plain(rng.standard_normal(joint.nq)),
            plain(rng.standard_normal(6)),
            spread,
        )

    def transform(self, q: Vector) -> Transform:
        """Return the joint's transform."""
        return self.joint.transform(q, self.after, self.before)

    def wrench(self) -> Wrench:
        """Return a wrench in the frame after the joint."""
        a, b, c, x, y, z = self.wrench_components
        return Wrench.trusted(self.after, (a, b, c), (x, y, z))

    def pose(self, q: Vector) -> NDArray[np.complex128]:
        """Return the joint's transform as a 4 by 4 matrix."""
        return pose_matrix(self.transform(q))

    def subspace(self, q: Vector) -> NDArray[np.complex128]:
        """Return the motion subspace as a matrix of 6 rows."""
        return columns_matrix(self.joint.motion_subspace(q, self.after, self.before))

    def measured_twist(self, q: Vector, qd: Vector) -> Array:
        """Return the twist that goes with qd, angular part first, by differentiating the transform."""
        pose, rate = self.pose(q).real, derivative(self.pose, q, qd)
        spin = pose[:3, :3].T @ rate[:3, :3]
        linear = pose[:3, :3].T @ rate[:3, 3]
        return np.array([spin[2, 1], spin[0, 2], spin[1, 0], *linear])


def plain(values: Iterable[float]) -> tuple[float, ...]:
    """Return numbers as a tuple of Python floats."""
    return tuple(float(x) for x in values)


def expect(condition: bool, what: str) -> None:
    """Raise AssertionError saying what does not hold."""
    if not condition:
        raise AssertionError(what)


def expect_close(found: ArrayLike, expected: ArrayLike, what: str, atol: float = 1e-12) -> None:
    """Raise AssertionError unless two arrays agree, relative to the largest number expected or to one."""
    a, b = np.asarray(found, dtype=np.complex128), np.asarray(expected, dtype=np.complex128)
    expect(a.shape == b.shape, f"{what}: shape {a.shape} should be {b.shape}")
    scale, error = max(1.0, largest(b)), largest(a - b)
    if not error <= atol * scale:  # NaN does not pass
        raise AssertionError(f"{what}: {found!r} should be {expected!r}; it is off by {error:.3g}")


def largest(values: NDArray[np.complex128]) -> float:
    """Return the largest modulus; zero when there is none."""
    return float(np.abs(values).max(initial=0.0))


def derivative(function: Callable[[Vector], NDArray[np.complex128]], x: Vector, direction: Vector) -> Array:
    """Return the derivative of a function along a direction, exact to rounding: by a complex step."""
    moved = tuple(complex_of(a) + 1j * STEP * complex_of(d) for a, d in zip(x, direction, strict=True))
    return function(moved).imag / STEP


def complex_of(x: object) -> complex:
    """Return a scalar, real or complex, as a complex number."""
    return complex(cast("complex", x))


def vector(values: Sequence[object]) -> NDArray[np.complex128]:
    """Return scalars, real or complex, as an array."""
    return matrix([values], len(values)).reshape(-1)


def matrix(rows: Sequence[Sequence[object]], width: int) -> NDArray[np.complex128]:
    """Return rows of scalars, real or complex, as an array; there may be none."""
    numbers = [complex_of(x) for row in rows for x in row]
    return np.array(numbers, dtype=np.complex128).reshape(len(rows), width)


def columns_matrix(value: GeometricJacobian | WrenchMatrix) -> NDArray[np.complex128]:
    """Return columns of angular and linear parts as a matrix of 6 rows."""
    return matrix([(*angular, *linear) for angular, linear in value.columns], 6).T


def pose_matrix(transform: Transform) -> NDArray[np.complex128]:
    """Return a transform as a 4 by 4 matrix of scalars, real or complex."""
    full = np.eye(4, dtype=np.complex128)
    full[:3, :3] = matrix(transform.rotation_components, 3)
    full[:3, 3] = vector(transform.translation_components)
    return full


def adjoint(pose: Array) -> Array:
    """Return the matrix that takes motion vectors along a pose."""
    rotation, (x, y, z) = pose[:3, :3], pose[:3, 3]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[rotation, np.zeros((3, 3))], [cross @ rotation, rotation]])
