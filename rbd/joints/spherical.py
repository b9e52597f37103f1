"""What the spherical joints share, whatever the coordinates of their rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from rbd.joints.base import JointType
from rbd.joints.tuples import negate
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import Vec3, identity3, matvec, zero3
from rbd.spatial.so3 import (
    quaternion_exp,
    quaternion_log,
    quaternion_normalized,
    rotation_to_quaternion,
    rotation_vector_rate,
)

if TYPE_CHECKING:
    from typing import Self

    import numpy as np

    from rbd.joints.charts import RotationChart
    from rbd.scalars import Matrix, Scalar, Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B


class SphericalJoint(JointType):
    """A joint that turns about every axis: v is the angular velocity in the frame after the joint; abstract.

    The local coordinates are the rotation vector from q0 to q.
    """

    __slots__ = ()

    _chart: ClassVar[RotationChart]

    @property
    @override
    def nq(self) -> int:
        return len(self._chart.names)

    @property
    @override
    def nv(self) -> int:
        return 3

    @property
    @override
    def position_names(self) -> tuple[str, ...]:
        return self._chart.names

    @property
    @override
    def velocity_names(self) -> tuple[str, ...]:
        return "wx", "wy", "wz"

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        return Transform.trusted(after, before, self._chart.rotation(q), zero3())

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        return GeometricJacobian.trusted(after, before, after, tuple((unit, zero3()) for unit in identity3()))

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        return Twist.trusted(after, before, after, _vec3(v), zero3())

    @override
    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        check_frame(wrench.frame, after, operation="joint torque", argument="wrench")
        return wrench.angular_components

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return three forces."""
        return WrenchMatrix.trusted(after, tuple((zero3(), unit) for unit in identity3()))

    @override
    def configuration_derivative(self, q: Vector, v: Vector) -> Vector:
        return self._chart.rate(q, _vec3(v))

    @override
    def velocity(self, q: Vector, qd: Vector) -> Vector:
        return self._chart.velocity(q, qd)

    @override
    def configuration_derivative_jacobian(self, q: Vector) -> Matrix:
        return self._chart.rate_matrix(q)

    @override
    def velocity_jacobian(self, q: Vector) -> Matrix:
        return self._chart.velocity_matrix(q)

    @override
    def local_coordinates(self, q0: Vector, q: Vector) -> Vector:
        return quaternion_log(self._chart.relative(q0, q))

    @override
    def local_coordinates_rate(self, q0: Vector, q: Vector, v: Vector) -> Vector:
        return rotation_vector_rate(quaternion_log(self._chart.relative(q0, q)), _vec3(v))

    @override
    def global_coordinates(self, q0: Vector, phi: Vector) -> Vector:
        return self._chart.moved(q0, quaternion_exp(_vec3(phi)))

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the coordinates of the rotation, those nearest to `near`; the translation does not matter."""
        quaternion = quaternion_normalized(rotation_to_quaternion(transform.rotation_components))
        return self._chart.coordinates(quaternion, near)

    @override
    def zero(self) -> tuple[float, ...]:
        return self._chart.zero()

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return self._chart.random(rng)

    @override
    def normalize(self, q: Vector) -> Vector:
        return self._chart.normalize(q)

    @override
    def normalization_error(self, q: Vector) -> Scalar:
        return self._chart.normalization_error(q)

    @override
    def principal_value(self, q: Vector) -> Vector:
        return self._chart.principal_value(q)

    @override
    def flipped(self) -> Self:
        """Return the same joint: its coordinates change instead."""
        return self

    @override
    def flip_configuration(self, q: Vector) -> Vector:
        return self._chart.inverse(q)

    @override
    def flip_velocity(self, q: Vector, v: Vector) -> Vector:
        return negate(matvec(self._chart.rotation(q), _vec3(v)))


def _vec3(v: Vector) -> Vec3:
    x, y, z = v
    return x, y, z
