"""Spherical joints: rotation about every axis, with a quaternion or a rotation vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.joints.chart_joint import ChartJoint
from rbd.joints.charts import QuaternionChart, RotationChart, RotationVectorChart
from rbd.scalars.linear_algebra import negate
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix
from rbd.spatial.columns import angular_columns, linear_columns
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import as_vec3, identity3, matvec, zero3
from rbd.spatial.quaternion import quaternion_exp, quaternion_log
from rbd.spatial.so3 import rotation_vector_rate

if TYPE_CHECKING:
    from rbd.scalars import Matrix, Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B
    from rbd.spatial.linalg import Vec3


class SphericalJoint(ChartJoint):
    """A joint that rotates about every axis: v is the angular velocity in the frame after the joint; abstract.

    The local coordinates are the rotation vector from q0 to q.
    """

    __slots__ = ()

    _velocities: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz")

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        return Transform.trusted(after, before, self._chart.rotation(q), zero3())

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        return GeometricJacobian.trusted(after, before, after, angular_columns(identity3()))

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        return Twist.trusted(after, before, after, as_vec3(v), zero3())

    @override
    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        check_frame(wrench.frame, after, operation="joint torque", argument="wrench")
        return wrench.angular_components

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return three forces."""
        return WrenchMatrix.trusted(after, linear_columns(identity3()))

    @override
    def configuration_derivative(self, q: Vector, v: Vector) -> Vector:
        return self._chart.rate(q, as_vec3(v))

    @override
    def velocity(self, q: Vector, qd: Vector) -> Vector:
        return self._chart.velocity(q, qd)

    @override
    def configuration_derivative_jacobian(self, q: Vector) -> Matrix:
        return self._chart.rate_jacobian(q)

    @override
    def velocity_jacobian(self, q: Vector) -> Matrix:
        return self._chart.velocity_jacobian(q)

    @override
    def local_coordinates(self, q0: Vector, q: Vector) -> Vector:
        return quaternion_log(self._chart.difference(q0, q))

    @override
    def local_coordinates_rate(self, q0: Vector, q: Vector, v: Vector) -> Vector:
        return rotation_vector_rate(quaternion_log(self._chart.difference(q0, q)), as_vec3(v))

    @override
    def global_coordinates(self, q0: Vector, phi: Vector) -> Vector:
        return self._chart.composed(q0, quaternion_exp(as_vec3(phi)))

    @override
    def displaced(self, q: Vector, phi: Vec3, displacement: Vec3) -> Vector:
        return self._chart.composed(q, quaternion_exp(phi))

    @override
    def flip_configuration(self, q: Vector) -> Vector:
        return self._chart.inverse(q)

    @override
    def flip_velocity(self, q: Vector, v: Vector) -> Vector:
        return negate(matvec(self._chart.rotation(q), as_vec3(v)))


@final
@attrs.frozen
class QuaternionSpherical(SphericalJoint):
    """A joint that rotates about every axis: q is a quaternion (w, x, y, z), v the angular velocity after the joint.

    q is scaled to length one on use, hence derivatives are defined off the unit sphere too: the derivative of q at
    velocity v scales with |q|, and the velocity that goes with a change of q is that of q / |q|.

    >>> from rbd import QuaternionSpherical
    >>> QuaternionSpherical().configuration_derivative((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 2.0))[3]
    1.0
    """

    _chart: ClassVar[RotationChart] = QuaternionChart()


@final
@attrs.frozen
class RotationVectorSpherical(SphericalJoint):
    """A joint that rotates about every axis: q is a rotation vector, v the angular velocity after the joint.

    q is singular at whole revolutions, where it cannot follow every velocity: `principal_value` avoids the singularity.

    >>> from rbd import RotationVectorSpherical
    >>> RotationVectorSpherical().velocity((0.0, 0.0, 0.5), (0.0, 0.0, 2.0))[2]
    2.0
    """

    _chart: ClassVar[RotationChart] = RotationVectorChart()
