"""Motion of a joint's predecessor, and its terms in derivatives by the joint's position (internal).

Singh, Russell and Wensing (2022): as the position of a joint with motion subspace S changes at constant velocities, the
twist of every body beyond, in its own frame, changes by Psi_d = V x S, with V the twist of the joint's predecessor; its
acceleration changes by Psi_dd = A x S + V x Psi_d minus V_body x Psi_d. With accelerations of origins in place of the
spatial A, the column of Psi_dd for a column (a, b) of S is

    (alpha x a + omega x (omega x a),
     alpha x b + omega x (omega x b) + acceleration x a + 2 velocity x (omega x a))
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.spatial.frame import Frame, check_frame
from rbd.spatial.jacobians import GeometricJacobian
from rbd.spatial.linalg import Vec3, add3, cross3, matvec, scale3, tmatvec
from rbd.spatial.motion import Twist
from rbd.spatial.recursions.classical import ClassicalMotion
from rbd.spatial.transform import Transform


@final
@attrs.frozen(eq=False)
class PredecessorMotion:
    """Velocity and acceleration of a joint's predecessor.

    Expressed in the frame after the joint; the linear parts are those of the point at that frame's origin.
    """

    body: Frame
    frame: Frame
    base: Frame
    omega: Vec3
    alpha: Vec3
    linear_velocity: Vec3
    linear_acceleration: Vec3

    @classmethod
    def of_body(cls, motion: ClassicalMotion, linear_velocity: Vec3, tf: Transform) -> PredecessorMotion:
        """Return the motion of a predecessor from that of its body, whose origin has the velocity `linear_velocity`.

        `tf` maps from the frame after the joint to the body's.
        """
        check_frame(tf.to_frame, motion.body, operation="motion of a predecessor", argument="tf")
        rotation, r = tf.rotation_components, tf.translation_components
        return cls(
            motion.body,
            tf.from_frame,
            motion.base,
            tmatvec(rotation, motion.omega),
            tmatvec(rotation, motion.alpha),
            tmatvec(rotation, add3(linear_velocity, cross3(motion.omega, r))),
            tmatvec(rotation, add3(motion.linear_acceleration, matvec(motion.acceleration_gradient, r))),
        )

    @property
    def twist(self) -> Twist:
        """The twist of the body before the joint."""
        return Twist.trusted(self.body, self.base, self.frame, self.omega, self.linear_velocity)

    def Psi_dd(self, subspace: GeometricJacobian) -> GeometricJacobian:
        """Return Psi_dd of a motion subspace."""
        check_frame(subspace.frame, self.frame, operation="Psi_dd of a subspace", argument="subspace")
        return subspace.with_columns(tuple(self._Psi_dd(a, b) for a, b in subspace.columns))

    def _Psi_dd(self, a: Vec3, b: Vec3) -> tuple[Vec3, Vec3]:
        omega_a = cross3(self.omega, a)
        angular = add3(cross3(self.alpha, a), cross3(self.omega, omega_a))
        linear = add3(cross3(self.alpha, b), cross3(self.omega, cross3(self.omega, b)))
        at_origin = add3(cross3(self.linear_acceleration, a), scale3(cross3(self.linear_velocity, omega_a), 2))
        return angular, add3(linear, at_origin)
