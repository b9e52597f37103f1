"""The Coriolis operator of a moving body (internal).

For inertia I and twist V, B = (V x* I + (I V) x* - I V x) / 2 (Echeandia and Wensing, 2021) maps motions to wrenches.
Multiplied out, B vanishes on linear motion: a 3x3 matrix and a vector determine it.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.spatial.congruence import similarity
from rbd.spatial.force_matrices import WrenchMatrix
from rbd.spatial.frame import Frame, check_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian
from rbd.spatial.linalg import Mat3, Vec3, add3, add33, cross3, hat, matmul, matvec, outer, scale3, tmatvec, zero3
from rbd.spatial.motion import Twist
from rbd.spatial.transform import Transform


@final
@attrs.frozen(eq=False)
class CoriolisOperator:
    """A map from angular velocities to wrenches, in `frame`: torque = (tr(Q) 1 - Q) w, force = w x p.

    The sums are over all points of the bodies. The pair (Q, p) is transformed to another frame with fewer operations
    than the blocks of the map.
    """

    frame: Frame
    Q: Mat3
    """Sum of m v r^T."""
    linear_momentum: Vec3
    """Sum of m v: the vector p."""

    @classmethod
    def of_body(cls, inertia: SpatialInertia, twist: Twist) -> CoriolisOperator:
        """Return the operator of one rigid body; both arguments in its frame."""
        check_frame(twist.frame, inertia.frame, operation="Coriolis operator", argument="twist (frame)")
        omega, velocity, first_moment = (
            twist.angular_components,
            twist.linear_components,
            inertia.first_moment_components,
        )
        Q = add33(outer(velocity, first_moment), matmul(hat(omega), inertia.second_moment_components))
        return cls(inertia.frame, Q, add3(scale3(velocity, inertia.mass), cross3(omega, first_moment)))

    def __add__(self, other: CoriolisOperator) -> CoriolisOperator:
        """Add the operator of another body, in the same frame."""
        check_frame(other.frame, self.frame, operation="sum of Coriolis operators", argument="right operand")
        return CoriolisOperator(self.frame, add33(self.Q, other.Q), add3(self.linear_momentum, other.linear_momentum))

    def transformed(self, tf: Transform) -> CoriolisOperator:
        """Return the same operator in the frame `tf` maps to."""
        check_frame(tf.from_frame, self.frame, operation="transform of a Coriolis operator", argument="tf")
        p, rotated = matvec(tf.rotation_components, self.linear_momentum), similarity(tf.rotation_components, self.Q)
        return CoriolisOperator(tf.to_frame, add33(rotated, outer(p, tf.translation_components)), p)

    @property
    def torque_block(self) -> Mat3:
        """The matrix from angular velocity to torque."""
        (a, b, c), (d, e, f), (g, h, i) = self.Q
        return (e + i, -b, -c), (-d, a + i, -f), (-g, -h, a + e)

    def wrenches(self, subspace: GeometricJacobian) -> WrenchMatrix:
        """Return B S for the columns of a motion subspace in this frame."""
        check_frame(subspace.frame, self.frame, operation="Coriolis operator @ subspace", argument="subspace")
        block, p = self.torque_block, self.linear_momentum
        columns = tuple((matvec(block, w), cross3(w, p)) for w, _ in subspace.columns)
        return WrenchMatrix.trusted(self.frame, columns)

    def transposed_wrenches(self, subspace: GeometricJacobian) -> WrenchMatrix:
        """Return the transpose of B times the columns of a motion subspace in this frame."""
        check_frame(subspace.frame, self.frame, operation="Coriolis operator @ subspace", argument="subspace")
        block, p = self.torque_block, self.linear_momentum
        columns = tuple((add3(tmatvec(block, w), cross3(p, v)), zero3()) for w, v in subspace.columns)
        return WrenchMatrix.trusted(self.frame, columns)
