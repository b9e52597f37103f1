"""Classical acceleration of a frame: angular acceleration and acceleration of its origin (internal).

A spatial acceleration (Featherstone 2008, section 2.11) is the derivative of a twist's components; its linear part is
not the acceleration of the origin. The classical acceleration adds omega x v to the linear part. The
recursions of inverse and forward dynamics take the fewest operations in classical accelerations: the linear velocity
drops out of the Newton-Euler equations, and one 3x3 matrix, U = [alpha]x + [omega]x[omega]x, both propagates
accelerations to the children and gives the wrench on the body.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.scalars import Vector, const
from rbd.spatial.force import Wrench
from rbd.spatial.frame import Frame, check_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian
from rbd.spatial.linalg import Mat3, Vec3, add3, cross3, matvec, scale3, tmatvec, zero3
from rbd.spatial.motion import SpatialAcceleration, Twist
from rbd.spatial.transform import Transform


@final
@attrs.frozen(eq=False)
class ClassicalAcceleration:
    """Angular acceleration of a frame and acceleration of its origin, in the frame itself, seen from `base`."""

    body: Frame
    base: Frame
    angular_components: Vec3
    linear_components: Vec3

    @classmethod
    def zero(cls, body: Frame, base: Frame) -> ClassicalAcceleration:
        """Return the zero acceleration of `body`."""
        return cls(body, base, zero3(), zero3())

    def shifted_to(self, tf: Transform) -> ClassicalAcceleration:
        """Return the acceleration of the frame that `tf` maps to `body`, fixed to it; without centripetal terms."""
        check_frame(tf.to_frame, self.body, operation="shift of an acceleration", argument="tf")
        linear = add3(self.linear_components, cross3(self.angular_components, tf.translation_components))
        rotation = tf.rotation_components
        return ClassicalAcceleration(
            tf.from_frame, self.base, tmatvec(rotation, self.angular_components), tmatvec(rotation, linear)
        )

    def __add__(self, other: ClassicalAcceleration) -> ClassicalAcceleration:
        """Add two contributions to the acceleration of one frame."""
        check_frame(other.body, self.body, operation="sum of accelerations", argument="right operand (body)")
        check_frame(other.base, self.base, operation="sum of accelerations", argument="right operand (base)")
        return ClassicalAcceleration(
            self.body,
            self.base,
            add3(self.angular_components, other.angular_components),
            add3(self.linear_components, other.linear_components),
        )

    def plus_joint_acceleration(self, subspace: GeometricJacobian, vd: Vector) -> ClassicalAcceleration:
        """Add the contribution S vd of the joint; `subspace` in the body frame."""
        check_frame(subspace.body, self.body, operation="acceleration across a joint", argument="subspace (body)")
        check_frame(subspace.frame, self.body, operation="acceleration across a joint", argument="subspace (frame)")
        angular, linear = self.angular_components, self.linear_components
        for (a, b), rate in zip(subspace.columns, vd, strict=True):
            angular, linear = add3(angular, scale3(a, rate)), add3(linear, scale3(b, rate))
        return ClassicalAcceleration(self.body, self.base, angular, linear)


def _acceleration_gradient(omega: Vec3, alpha: Vec3) -> Mat3:
    """Return U = [alpha]x + [omega]x[omega]x: a body-fixed point p has the acceleration U p relative to the origin."""
    (x, y, z), (a, b, c) = omega, alpha
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (-(yy + zz), xy - c, xz + b), (xy + c, -(xx + zz), yz - a), (xz - b, yz + a, -(xx + yy))


@final
@attrs.frozen(eq=False)
class ClassicalMotion:
    """Angular velocity, angular acceleration and acceleration of the origin of a frame, in the frame itself."""

    body: Frame
    base: Frame
    omega: Vec3
    alpha: Vec3
    linear_acceleration: Vec3
    acceleration_gradient: Mat3
    """U = [alpha]x + [omega]x[omega]x."""

    @classmethod
    def fixed(cls, frame: Frame, acceleration: Vec3) -> ClassicalMotion:
        """Return the motion of an inertial `frame` with an acceleration (minus gravity) given to its origin."""
        zero = zero3()
        return cls(frame, frame, zero, zero, acceleration, _acceleration_gradient(zero, zero))

    def across_joint(self, tf: Transform, twist: Twist, acceleration: SpatialAcceleration) -> ClassicalMotion:
        """Return the motion of the next frame over a joint.

        `tf` maps the next frame to this one; `twist` and `acceleration` are the joint's own, expressed in the next
        frame (component derivative). Writing w_J, v_J, a_J, b_J for the joint's parts, r for tf's translation:
        omega = R^T omega_p + w_J;  alpha = R^T alpha_p + omega x w_J + a_J;
        linear = R^T (linear_p + U_p r) + (2 omega - w_J) x v_J + b_J.
        """
        check_frame(tf.to_frame, self.body, operation="motion across a joint", argument="tf")
        check_frame(twist.frame, tf.from_frame, operation="motion across a joint", argument="twist (frame)")
        check_frame(
            acceleration.frame, tf.from_frame, operation="motion across a joint", argument="acceleration (frame)"
        )
        rotation, joint_omega = tf.rotation_components, twist.angular_components
        parent_omega = tmatvec(rotation, self.omega)
        omega = add3(parent_omega, joint_omega)
        alpha = add3(tmatvec(rotation, self.alpha), cross3(parent_omega, joint_omega))
        alpha = add3(alpha, acceleration.angular_components)
        doubled = add3(omega, parent_omega)  # 2 omega - w_J
        relative = matvec(self.acceleration_gradient, tf.translation_components)
        at_joint = tmatvec(rotation, add3(self.linear_acceleration, relative))
        linear = add3(add3(at_joint, cross3(doubled, twist.linear_components)), acceleration.linear_components)
        return ClassicalMotion(tf.from_frame, self.base, omega, alpha, linear, _acceleration_gradient(omega, alpha))

    @property
    def acceleration(self) -> ClassicalAcceleration:
        """The accelerations alone."""
        return ClassicalAcceleration(self.body, self.base, self.alpha, self.linear_acceleration)

    def without_acceleration(self) -> ClassicalMotion:
        """Return the motion with the same angular velocity and zero acceleration."""
        zero = zero3()
        return ClassicalMotion(self.body, self.base, self.omega, zero, zero, _acceleration_gradient(self.omega, zero))

    def wrench(self, inertia: SpatialInertia) -> Wrench:
        """Return the wrench of the Newton-Euler equations for a body with `inertia`, in this frame."""
        check_frame(inertia.frame, self.body, operation="Newton-Euler equation", argument="inertia")
        first_moment = inertia.first_moment_components
        force = add3(matvec(self.acceleration_gradient, first_moment), scale3(self.linear_acceleration, inertia.mass))
        torque = add3(_torque(self.acceleration_gradient, inertia), cross3(first_moment, self.linear_acceleration))
        return Wrench.trusted(self.body, torque, force)


def _torque(u: Mat3, inertia: SpatialInertia) -> Vec3:
    """Return J alpha + omega x J omega as the antisymmetric part of U P, with P = tr(J)/2 - J the second moment.

    Off-diagonal entries of P are minus those of J; its diagonal enters only through differences of U's, so that the
    halves of the trace are needed once per body. Its terms come first: they collect where U is symmetric.
    """
    j = inertia.moment_components
    half = const(1, 2) * (j[0][0] + j[1][1] + j[2][2])
    p = (half - j[0][0], half - j[1][1], half - j[2][2])
    return (
        u[2][1] * p[1] - u[1][2] * p[2] + u[1][0] * j[0][2] - u[2][0] * j[0][1] - (u[2][2] - u[1][1]) * j[1][2],
        u[0][2] * p[2] - u[2][0] * p[0] + u[2][1] * j[0][1] - u[0][1] * j[1][2] - (u[0][0] - u[2][2]) * j[0][2],
        u[1][0] * p[0] - u[0][1] * p[1] + u[0][2] * j[1][2] - u[1][2] * j[0][2] - (u[1][1] - u[0][0]) * j[0][1],
    )
