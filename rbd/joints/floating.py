"""Floating joints, with six degrees of freedom: quaternion, modified Rodrigues parameters or rotation vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.joints.chart_joint import ChartJoint
from rbd.joints.charts import MRPChart, QuaternionChart, RotationChart, RotationVectorChart
from rbd.scalars.linear_algebra import block_diagonal, negate
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix
from rbd.spatial.columns import angular_columns, linear_columns
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import (
    Vec3,
    Vec6,
    add3,
    as_vec3,
    as_vec6,
    cross3,
    identity3,
    matvec,
    neg3,
    sub3,
    tmatvec,
    transpose3,
)
from rbd.spatial.quaternion import quaternion_exp, quaternion_log
from rbd.spatial.so3 import inverse_left_jacobian, left_jacobian
from rbd.spatial.transform import log_rate

if TYPE_CHECKING:
    from rbd.scalars import Matrix, Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B


class FloatingJoint(ChartJoint):
    """A joint with six degrees of freedom: v is the twist, expressed in the frame after the joint; abstract.

    q is the rotation, then the position of the origin of the frame after the joint, in the frame before it. The local
    coordinates are the logarithm of the pose relative to that of q0.
    """

    __slots__ = ()

    _displacements: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    _velocities: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz", "vx", "vy", "vz")

    def _pose(self, q: Vector) -> tuple[Vector, Vec3]:
        """Return the coordinates of the rotation, and the position as a vector."""
        r, position = self._split(q)
        return r, as_vec3(position)

    # ---------------------------------------------------------------- kinematics and forces

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        r, position = self._pose(q)
        return Transform.trusted(after, before, self._chart.rotation(r), position)

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        columns = angular_columns(identity3()) + linear_columns(identity3())
        return GeometricJacobian.trusted(after, before, after, columns)

    @override
    def position_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        r, _ = self._pose(q)
        angular = zip(*self._chart.velocity_jacobian(r), strict=True)
        columns = angular_columns(angular) + linear_columns(self._chart.rotation(r))
        return GeometricJacobian.trusted(after, before, after, columns)

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        return Twist.trusted(after, before, after, *as_vec6(v))

    @override
    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        check_frame(wrench.frame, after, operation="joint torque", argument="wrench")
        return (*wrench.angular_components, *wrench.linear_components)

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return no wrench."""
        return WrenchMatrix.trusted(after, ())

    # ---------------------------------------------------------------- derivative of q and velocity

    @override
    def configuration_derivative(self, q: Vector, v: Vector) -> Vector:
        (r, _), (omega, linear) = self._pose(q), as_vec6(v)
        return (*self._chart.rate(r, omega), *matvec(self._chart.rotation(r), linear))

    @override
    def velocity(self, q: Vector, qd: Vector) -> Vector:
        (r, _), (rd, pd) = self._pose(q), self._pose(qd)
        return (*self._chart.velocity(r, rd), *tmatvec(self._chart.rotation(r), pd))

    @override
    def configuration_derivative_jacobian(self, q: Vector) -> Matrix:
        r, _ = self._pose(q)
        return block_diagonal(self._chart.rate_jacobian(r), self._chart.rotation(r))

    @override
    def velocity_jacobian(self, q: Vector) -> Matrix:
        r, _ = self._pose(q)
        return block_diagonal(self._chart.velocity_jacobian(r), transpose3(self._chart.rotation(r)))

    # ---------------------------------------------------------------- coordinates around a configuration

    def _log(self, q0: Vector, q: Vector) -> Vec6:
        """Return the logarithm of the pose of q relative to that of q0."""
        (r0, p0), (r, p) = self._pose(q0), self._pose(q)
        phi = quaternion_log(self._chart.difference(r0, r))
        shift = tmatvec(self._chart.rotation(r0), sub3(p, p0))
        return phi, matvec(inverse_left_jacobian(phi), shift)

    @override
    def local_coordinates(self, q0: Vector, q: Vector) -> Vector:
        phi, rho = self._log(q0, q)
        return (*phi, *rho)

    @override
    def local_coordinates_rate(self, q0: Vector, q: Vector, v: Vector) -> Vector:
        angular, linear = log_rate(self._log(q0, q), as_vec6(v))
        return (*angular, *linear)

    @override
    def global_coordinates(self, q0: Vector, phi: Vector) -> Vector:
        (r0, p0), (rotation_vector, rho) = self._pose(q0), as_vec6(phi)
        moved = matvec(self._chart.rotation(r0), matvec(left_jacobian(rotation_vector), rho))
        return (*self._chart.composed(r0, quaternion_exp(rotation_vector)), *add3(p0, moved))

    @override
    def displaced(self, q: Vector, phi: Vec3, displacement: Vec3) -> Vector:
        r, p = self._pose(q)
        return (*self._chart.composed(r, quaternion_exp(phi)), *add3(p, matvec(self._chart.rotation(r), displacement)))

    # ---------------------------------------------------------------- reversal

    @override
    def flip_configuration(self, q: Vector) -> Vector:
        r, position = self._pose(q)
        return (*self._chart.inverse(r), *neg3(tmatvec(self._chart.rotation(r), position)))

    @override
    def flip_velocity(self, q: Vector, v: Vector) -> Vector:
        (r, position), (omega, linear) = self._pose(q), as_vec6(v)
        rotation = self._chart.rotation(r)
        rotated = matvec(rotation, omega)
        return negate((*rotated, *add3(matvec(rotation, linear), cross3(position, rotated))))


@final
@attrs.frozen
class QuaternionFloating(FloatingJoint):
    """A joint with six degrees of freedom: q is a quaternion (w, x, y, z), then the position; v is the twist.

    The position is that of the origin of the frame after the joint, in the frame before it; the twist, angular part
    first, is expressed in the frame after the joint. The quaternion is scaled to length one on use, hence derivatives
    are defined off the unit sphere too.

    >>> from rbd import QuaternionFloating
    >>> QuaternionFloating().zero()
    (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """

    _chart: ClassVar[RotationChart] = QuaternionChart()


@final
@attrs.frozen
class MRPFloating(FloatingJoint):
    """A joint with six degrees of freedom: q is modified Rodrigues parameters, then the position; v is the twist.

    The parameters are axis times tan(angle / 4), singular at one revolution: `principal_value` avoids the singularity.
    Position and twist are those of `QuaternionFloating`.

    >>> from rbd import MRPFloating
    >>> MRPFloating().principal_value((2.0, 0.0, 0.0, 0.0, 0.0, 0.0))[0]
    -0.5
    """

    _chart: ClassVar[RotationChart] = MRPChart()


@final
@attrs.frozen
class RotationVectorFloating(FloatingJoint):
    """A joint with six degrees of freedom: q is a rotation vector, then the position; v is the twist.

    The rotation vector is singular at whole revolutions: `principal_value` avoids the singularity.
    Position and twist are those of `QuaternionFloating`.

    >>> from rbd import RotationVectorFloating
    >>> RotationVectorFloating().zero()
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """

    _chart: ClassVar[RotationChart] = RotationVectorChart()
