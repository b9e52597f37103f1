"""What a joint stands on, and how the motion of the bodies beyond changes as the joint moves (internal).

Nothing here is exported.

Move one joint a little and hold all velocities. The twist of every body beyond, seen in its own frame, changes by one
and the same motion, the *drift* V x S (V the twist of the body before the joint); its acceleration changes by the
*bend* A x S + V x drift less V_body x drift (Singh, Russell and Wensing, 2022, with their Psi-dot and Psi-double-dot).
In accelerations of origins, u = omega x (omega x ...), the bend of a column (a, b) of S is
(alpha x a + u a, alpha x b + u b + acceleration x a + 2 velocity x (omega x a)).
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.scalars import Scalar
from rbd.spatial.classical import ClassicalMotion
from rbd.spatial.force import Wrench
from rbd.spatial.frame import Frame, check_frame
from rbd.spatial.jacobians import GeometricJacobian, WrenchMatrix
from rbd.spatial.linalg import Vec3, add3, cross3, matvec, scale3, tmatvec
from rbd.spatial.motion import Twist
from rbd.spatial.transform import Transform


@final
@attrs.frozen(eq=False)
class Platform:
    """How the body before a joint moves: in the frame after the joint, the linear parts at that frame's origin."""

    frame: Frame
    base: Frame
    omega: Vec3
    alpha: Vec3
    velocity: Vec3
    acceleration: Vec3

    @classmethod
    def at(cls, motion: ClassicalMotion, velocity: Vec3, tf: Transform) -> Platform:
        """Return what `tf`'s frame stands on; `motion` and `velocity` are those of the body `tf` leads to."""
        check_frame(tf.to_frame, motion.body, operation="platform of a joint", argument="tf")
        rotation, arm = tf.rotation_components, tf.translation_components
        return cls(
            tf.from_frame,
            motion.base,
            tmatvec(rotation, motion.omega),
            tmatvec(rotation, motion.alpha),
            tmatvec(rotation, add3(velocity, cross3(motion.omega, arm))),
            tmatvec(rotation, add3(motion.linear, matvec(motion.spin, arm))),
        )

    @property
    def twist(self) -> Twist:
        """The twist of the body before the joint."""
        return Twist.trusted(self.frame, self.base, self.frame, self.omega, self.velocity)

    def bend(self, subspace: GeometricJacobian) -> GeometricJacobian:
        """Return the bend of every column of `subspace`."""
        check_frame(subspace.frame, self.frame, operation="bend of a subspace", argument="subspace")
        columns = tuple(self._bend(a, b) for a, b in subspace.columns)
        return GeometricJacobian.trusted(subspace.body, subspace.base, subspace.frame, columns)

    def _bend(self, a: Vec3, b: Vec3) -> tuple[Vec3, Vec3]:
        whirled = cross3(self.omega, a)
        angular = add3(cross3(self.alpha, a), cross3(self.omega, whirled))
        linear = add3(cross3(self.alpha, b), cross3(self.omega, cross3(self.omega, b)))
        at_origin = add3(cross3(self.acceleration, a), scale3(cross3(self.velocity, whirled), 2))
        return angular, add3(linear, at_origin)


def scaled(subspace: GeometricJacobian, factor: Scalar) -> GeometricJacobian:
    """Return all columns times `factor`."""
    columns = tuple((scale3(a, factor), scale3(b, factor)) for a, b in subspace.columns)
    return GeometricJacobian.trusted(subspace.body, subspace.base, subspace.frame, columns)


def moved_wrench(subspace: GeometricJacobian, wrench: Wrench) -> WrenchMatrix:
    """Return how a wrench that is fixed to a body changes as the body moves along each column of `subspace`."""
    check_frame(wrench.frame, subspace.frame, operation="wrench moved along", argument="wrench")
    torque, force = wrench.angular_components, wrench.linear_components
    columns = tuple((add3(cross3(a, torque), cross3(b, force)), cross3(a, force)) for a, b in subspace.columns)
    return WrenchMatrix.trusted(subspace.frame, columns)
