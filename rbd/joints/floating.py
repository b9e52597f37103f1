"""What the floating joints share, whatever the coordinates of their rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from rbd.joints.base import JointType
from rbd.joints.tuples import block_diagonal, negate
from rbd.scalars import const
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix, so3
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import (
    Vec3,
    add3,
    cross3,
    dot3,
    identity3,
    matvec,
    neg3,
    scale3,
    sub3,
    tmatvec,
    transpose3,
    zero3,
)

if TYPE_CHECKING:
    from typing import Self

    import numpy as np

    from rbd.joints.charts import RotationChart
    from rbd.scalars import Matrix, Scalar, Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B

_HALF = const(1, 2)
_Pair = tuple[Vec3, Vec3]  # angular, linear


class FloatingJoint(JointType):
    """A joint that allows every motion: v is the twist, expressed in the frame after the joint; abstract.

    q is the rotation, then the position of the origin of the frame after the joint, in the frame before it. The local
    coordinates are the logarithm of the pose relative to that of q0.
    """

    __slots__ = ()

    _chart: ClassVar[RotationChart]

    def _split(self, q: Vector) -> tuple[Vector, Vec3]:
        """Return the coordinates of the rotation, and the position."""
        x, y, z = q[-3:]
        return tuple(q[:-3]), (x, y, z)

    @property
    @override
    def nq(self) -> int:
        return len(self._chart.names) + 3

    @property
    @override
    def nv(self) -> int:
        return 6

    @property
    @override
    def position_names(self) -> tuple[str, ...]:
        return (*self._chart.names, "x", "y", "z")

    @property
    @override
    def velocity_names(self) -> tuple[str, ...]:
        return "wx", "wy", "wz", "vx", "vy", "vz"

    # ---------------------------------------------------------------- kinematics and forces

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        r, position = self._split(q)
        return Transform.trusted(after, before, self._chart.rotation(r), position)

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        units = identity3()
        columns = (*((unit, zero3()) for unit in units), *((zero3(), unit) for unit in units))
        return GeometricJacobian.trusted(after, before, after, columns)

    @override
    def position_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        r, _ = self._split(q)
        turning = zip(*self._chart.velocity_matrix(r), strict=True)
        columns = (*((angular, zero3()) for angular in turning), *((zero3(), row) for row in self._chart.rotation(r)))
        return GeometricJacobian.trusted(after, before, after, columns)

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        return Twist.trusted(after, before, after, *_pair(v))

    @override
    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        check_frame(wrench.frame, after, operation="joint torque", argument="wrench")
        return (*wrench.angular_components, *wrench.linear_components)

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return no wrench at all."""
        return WrenchMatrix.trusted(after, ())

    # ---------------------------------------------------------------- derivative of q and velocity

    @override
    def configuration_derivative(self, q: Vector, v: Vector) -> Vector:
        (r, _), (omega, linear) = self._split(q), _pair(v)
        return (*self._chart.rate(r, omega), *matvec(self._chart.rotation(r), linear))

    @override
    def velocity(self, q: Vector, qd: Vector) -> Vector:
        (r, _), (rd, moved) = self._split(q), self._split(qd)
        return (*self._chart.velocity(r, rd), *tmatvec(self._chart.rotation(r), moved))

    @override
    def configuration_derivative_jacobian(self, q: Vector) -> Matrix:
        r, _ = self._split(q)
        return block_diagonal(self._chart.rate_matrix(r), self._chart.rotation(r))

    @override
    def velocity_jacobian(self, q: Vector) -> Matrix:
        r, _ = self._split(q)
        return block_diagonal(self._chart.velocity_matrix(r), transpose3(self._chart.rotation(r)))

    # ---------------------------------------------------------------- coordinates around a configuration

    def _log(self, q0: Vector, q: Vector) -> _Pair:
        """Return the logarithm of the pose of q relative to that of q0."""
        (r0, p0), (r, p) = self._split(q0), self._split(q)
        phi = so3.quaternion_log(self._chart.relative(r0, r))
        moved = tmatvec(self._chart.rotation(r0), sub3(p, p0))
        return phi, matvec(so3.inverse_left_jacobian(phi), moved)

    @override
    def local_coordinates(self, q0: Vector, q: Vector) -> Vector:
        phi, rho = self._log(q0, q)
        return (*phi, *rho)

    @override
    def local_coordinates_rate(self, q0: Vector, q: Vector, v: Vector) -> Vector:
        log = self._log(q0, q)
        a, b = so3.rate_coefficients(dot3(log[0], log[0]))
        twist = _pair(v)
        once = _bracket(log, twist)
        twice = _bracket(log, once)
        fourth = _bracket(log, _bracket(log, twice))
        terms = (twist, _scaled(once, _HALF), _scaled(twice, a), _scaled(fourth, b))
        angular, linear = terms[0]
        for term in terms[1:]:
            angular, linear = add3(angular, term[0]), add3(linear, term[1])
        return (*angular, *linear)

    @override
    def global_coordinates(self, q0: Vector, phi: Vector) -> Vector:
        (r0, p0), (turn, rho) = self._split(q0), _pair(phi)
        moved = matvec(self._chart.rotation(r0), matvec(so3.left_jacobian(turn), rho))
        return (*self._chart.moved(r0, so3.quaternion_exp(turn)), *add3(p0, moved))

    # ---------------------------------------------------------------- choosing and repairing q

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the coordinates of the pose; of the several that fit, those nearest to `near`."""
        quaternion = so3.quaternion_normalized(so3.rotation_to_quaternion(transform.rotation_components))
        r = self._chart.coordinates(quaternion, None if near is None else self._split(near)[0])
        return (*r, *transform.translation_components)

    @override
    def zero(self) -> tuple[float, ...]:
        return (*self._chart.zero(), 0.0, 0.0, 0.0)

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Return a rotation drawn uniformly and a position in the cube of side one around the origin."""
        rotation = self._chart.random(rng)
        return (*rotation, *(float(x) for x in rng.uniform(-1, 1, 3) / 2))

    @override
    def normalize(self, q: Vector) -> Vector:
        r, position = self._split(q)
        return (*self._chart.normalize(r), *position)

    @override
    def normalization_error(self, q: Vector) -> Scalar:
        return self._chart.normalization_error(self._split(q)[0])

    @override
    def principal_value(self, q: Vector) -> Vector:
        r, position = self._split(q)
        return (*self._chart.principal_value(r), *position)

    # ---------------------------------------------------------------- the other direction

    @override
    def flipped(self) -> Self:
        """Return the same joint: its coordinates change instead."""
        return self

    @override
    def flip_configuration(self, q: Vector) -> Vector:
        r, position = self._split(q)
        return (*self._chart.inverse(r), *neg3(tmatvec(self._chart.rotation(r), position)))

    @override
    def flip_velocity(self, q: Vector, v: Vector) -> Vector:
        (r, position), (omega, linear) = self._split(q), _pair(v)
        rotation = self._chart.rotation(r)
        turned = matvec(rotation, omega)
        return negate((*turned, *add3(matvec(rotation, linear), cross3(position, turned))))


def _pair(v: Vector) -> _Pair:
    a, b, c, x, y, z = v
    return (a, b, c), (x, y, z)


def _bracket(x: _Pair, y: _Pair) -> _Pair:
    """Return ad_x y, the Lie bracket of two twists."""
    return cross3(x[0], y[0]), add3(cross3(x[0], y[1]), cross3(x[1], y[0]))


def _scaled(x: _Pair, s: Scalar) -> _Pair:
    return scale3(x[0], s), scale3(x[1], s)
