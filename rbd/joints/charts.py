"""Charts of rotations for spherical and floating joints: quaternion, modified Rodrigues parameters, rotation vector.

A chart maps coordinates r to rotations from the frame after to the frame before; angular velocities are those of
the frame after, expressed in the frame after.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, final

import attrs
from typing_extensions import override

from rbd.arguments import require_generator
from rbd.joints.axis import unwrap_angle
from rbd.scalars import absolute, const, greater, less, sqrt, to_float, where
from rbd.scalars.linear_algebra import dot, matvec, negate, subtract
from rbd.scalars.norms import norm, scaled_into_range
from rbd.spatial.linalg import as_vec3
from rbd.spatial.quaternion import (
    as_quaternion,
    body_angular_velocity,
    canonical_quaternion,
    mrp_rate_jacobian,
    mrp_to_quaternion,
    mrp_velocity_jacobian,
    principal_mrp,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_normalized,
    quaternion_product,
    quaternion_rate_jacobian,
    quaternion_to_mrp,
    quaternion_to_rotation,
    quaternion_velocity_jacobian,
    unnormalized_quaternion_to_rotation,
)
from rbd.spatial.so3 import inverse_right_jacobian, right_jacobian, rotation_exp, rotation_vector_rate

if TYPE_CHECKING:
    import numpy as np

    from rbd.scalars import Condition, Matrix, Scalar, Vector
    from rbd.spatial.linalg import Mat3, Vec3
    from rbd.spatial.quaternion import Quaternion

_SMALLEST_SQUARE: Final = const(1, 2**1000)
"""Of modified Rodrigues parameters whose others are computed."""


class RotationChart(ABC):
    """Coordinates of rotations; abstract."""

    __slots__ = ()

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return one word per coordinate."""

    @abstractmethod
    def quaternion(self, r: Vector) -> Quaternion:
        """Return the unit quaternion of the rotation."""

    @abstractmethod
    def coordinates(self, q: Quaternion, near: Vector | None) -> Vector:
        """Return the coordinates of a unit quaternion: those nearest to `near`, or the principal ones without it."""

    @abstractmethod
    def rate_jacobian(self, r: Vector) -> Matrix:
        """Return the matrix from the angular velocity to the derivative of r."""

    @abstractmethod
    def velocity_jacobian(self, r: Vector) -> Matrix:
        """Return the matrix from the derivative of r to the angular velocity: 3 rows."""

    def rotation(self, r: Vector) -> Mat3:
        """Return the rotation matrix."""
        return quaternion_to_rotation(self.quaternion(r))

    def rate(self, r: Vector, omega: Vec3) -> Vector:
        """Return the derivative of r at an angular velocity."""
        return matvec(self.rate_jacobian(r), omega)

    def velocity(self, r: Vector, rd: Vector) -> Vec3:
        """Return the angular velocity at which r changes at the rate rd."""
        return as_vec3(matvec(self.velocity_jacobian(r), rd))

    def difference(self, r0: Vector, r: Vector) -> Quaternion:
        """Return the unit quaternion from r0 to r, expressed in the frame after; its vector is zero where r is r0."""
        return _difference(self.quaternion(r0), self.quaternion(r))

    def composed(self, r0: Vector, step: Quaternion) -> Vector:
        """Return r0 rotated by a unit quaternion expressed in the frame after; the result is near r0."""
        return self.coordinates(quaternion_product(self.quaternion(r0), step), r0)

    def inverse(self, r: Vector) -> Vector:
        """Return the coordinates of the inverse rotation."""
        return negate(r)

    def normalize(self, r: Vector) -> Vector:
        """Return the normalised coordinates of the same rotation."""
        return tuple(r)

    def normalization_error(self, r: Vector) -> Scalar:
        """Return the distance of r from normalised."""
        return 0

    @abstractmethod
    def principal_value(self, r: Vector) -> Vector:
        """Return the preferred coordinates of the same rotation."""

    def zero(self) -> tuple[float, ...]:
        """Return the coordinates of the identity."""
        return (0.0,) * len(self.names)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Return the coordinates of a random rotation, uniformly distributed."""
        require_generator(rng)
        w, x, y, z = (float(c) for c in rng.standard_normal(4))
        return tuple(to_float(c) for c in self.coordinates(quaternion_normalized((w, x, y, z)), None))


@final
@attrs.frozen
class QuaternionChart(RotationChart):
    """Quaternions (w, x, y, z) of any length but zero: they are scaled to length one on use."""

    @property
    @override
    def names(self) -> tuple[str, ...]:
        return "qw", "qx", "qy", "qz"

    @override
    def quaternion(self, r: Vector) -> Quaternion:
        return quaternion_normalized(as_quaternion(r))

    @override
    def rotation(self, r: Vector) -> Mat3:
        return unnormalized_quaternion_to_rotation(as_quaternion(r))

    @override
    def coordinates(self, q: Quaternion, near: Vector | None) -> Vector:
        if near is None:
            return canonical_quaternion(q)
        return _conditionally_negated(q, less(dot(q, scaled_into_range(near)[0]), 0))

    @override
    def rate_jacobian(self, r: Vector) -> Matrix:
        return quaternion_rate_jacobian(as_quaternion(r))

    @override
    def velocity_jacobian(self, r: Vector) -> Matrix:
        return quaternion_velocity_jacobian(as_quaternion(r))

    @override
    def velocity(self, r: Vector, rd: Vector) -> Vec3:
        return body_angular_velocity(as_quaternion(r), as_quaternion(rd))

    @override
    def composed(self, r0: Vector, step: Quaternion) -> Vector:
        return quaternion_product(self.quaternion(r0), step)

    @override
    def inverse(self, r: Vector) -> Vector:
        return quaternion_conjugate(as_quaternion(r))

    @override
    def normalize(self, r: Vector) -> Vector:
        return self.quaternion(r)

    @override
    def normalization_error(self, r: Vector) -> Scalar:
        return absolute(norm(r) - 1)

    @override
    def principal_value(self, r: Vector) -> Vector:
        return canonical_quaternion(as_quaternion(r))

    @override
    def zero(self) -> tuple[float, ...]:
        return 1.0, 0.0, 0.0, 0.0


@final
@attrs.frozen
class MRPChart(RotationChart):
    """Modified Rodrigues parameters, axis times tan(angle / 4): singular at one revolution.

    r and -r / |r|² are the same rotation; the principal one is at most one long.
    """

    @property
    @override
    def names(self) -> tuple[str, ...]:
        return "mx", "my", "mz"

    @override
    def quaternion(self, r: Vector) -> Quaternion:
        return mrp_to_quaternion(as_vec3(r))

    @override
    def coordinates(self, q: Quaternion, near: Vector | None) -> Vector:
        r = quaternion_to_mrp(q)
        if near is None:
            return r
        # The others, -r / |r|², are nearer where this is negative; not almost without rotation, where they overflow.
        square = dot(r, r)
        beyond = less(where(less(square, _SMALLEST_SQUARE), 1, 1 - square + 2 * dot(r, near)), 0)
        scale = where(beyond, -1 / where(beyond, square, 1), 1)
        return tuple(scale * c for c in r)

    @override
    def rate_jacobian(self, r: Vector) -> Matrix:
        return mrp_rate_jacobian(as_vec3(r))

    @override
    def velocity_jacobian(self, r: Vector) -> Matrix:
        return mrp_velocity_jacobian(as_vec3(r))

    @override
    def principal_value(self, r: Vector) -> Vector:
        return principal_mrp(as_vec3(r))


@final
@attrs.frozen
class RotationVectorChart(RotationChart):
    """Rotation vectors, axis times angle: singular at whole revolutions. The principal one is at most π long."""

    @property
    @override
    def names(self) -> tuple[str, ...]:
        return "rx", "ry", "rz"

    @override
    def quaternion(self, r: Vector) -> Quaternion:
        return quaternion_exp(as_vec3(r))

    @override
    def rotation(self, r: Vector) -> Mat3:
        return rotation_exp(as_vec3(r))

    @override
    def coordinates(self, q: Quaternion, near: Vector | None) -> Vector:
        r = quaternion_log(q)
        if near is None:
            return r
        square, square_near = dot(r, r), dot(near, near)
        has_axis = greater(square, 0)
        has_turned = greater(where(has_axis, 0, square_near), 9)  # without rotation, revolutions are about the old axis
        axis = tuple(where(has_turned, old, new) for old, new in zip(near, r, strict=True))
        length_axis = sqrt(where(has_axis, square, where(has_turned, square_near, 1)))
        angle = unwrap_angle(where(has_turned, 0, length_axis), dot(axis, near) / length_axis)
        scale = where(has_axis, angle / length_axis, where(has_turned, angle / length_axis, 1))
        return tuple(scale * c for c in axis)

    @override
    def rate_jacobian(self, r: Vector) -> Matrix:
        return inverse_right_jacobian(as_vec3(r))

    @override
    def velocity_jacobian(self, r: Vector) -> Matrix:
        return right_jacobian(as_vec3(r))

    @override
    def rate(self, r: Vector, omega: Vec3) -> Vector:
        return rotation_vector_rate(as_vec3(r), omega)

    @override
    def principal_value(self, r: Vector) -> Vector:
        short = quaternion_log(self.quaternion(r))
        change = subtract(r, short)
        same = less(dot(change, change), 1)  # otherwise it is a revolution or more
        return tuple(where(same, a, b) for a, b in zip(r, short, strict=True))


def _difference(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return conj(p) q of unit quaternions, the vector written in q - p: nothing cancels, and it is zero if q is p."""
    dw, dx, dy, dz = (b - a for a, b in zip(p, q, strict=True))
    _, x, y, z = quaternion_product(quaternion_conjugate(p), (dw, dx, dy, dz))
    return dot(p, q), x, y, z


def _conditionally_negated(q: Quaternion, negative: Condition) -> Quaternion:
    sign = where(negative, -1, 1)
    return sign * q[0], sign * q[1], sign * q[2], sign * q[3]
