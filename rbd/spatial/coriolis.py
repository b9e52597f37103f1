"""The Coriolis operator of a moving body (internal).

Nothing here is exported.

For inertia I and twist V, B = (V x* I + (I V) x* - I V x) / 2 (Echeandia and Wensing, 2021) maps motions to wrenches.
Multiplied out, B vanishes on linear motion, so that a 3x3 matrix and a vector are all there is of it.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.spatial.frame import Frame, check_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian, MomentumMatrix, WrenchMatrix
from rbd.spatial.linalg import (
    Mat3,
    Vec3,
    add3,
    add33,
    cross3,
    hat,
    matmul,
    matvec,
    outer,
    scale3,
    similarity,
    tmatvec,
    zero3,
)
from rbd.spatial.motion import Twist
from rbd.spatial.transform import Transform


@final
@attrs.frozen(eq=False)
class CoriolisOperator:
    """A map from angular velocities to wrenches, in `frame`: torque = (tr(Q) 1 - Q) w, force = w x h.

    h is the linear momentum and Q the sum of velocity times mass times position, transposed, over all points of the
    bodies: the pair moves to another frame more cheaply than the blocks of the map.
    """

    frame: Frame
    spread: Mat3
    """Q."""
    momentum: Vec3
    """h."""

    @classmethod
    def of_body(cls, inertia: SpatialInertia, twist: Twist) -> CoriolisOperator:
        """Return the operator of one rigid body; both arguments in its frame."""
        check_frame(twist.frame, inertia.frame, operation="Coriolis operator", argument="twist (frame)")
        com, omega, velocity = inertia.cross_part_components, twist.angular_components, twist.linear_components
        spread = add33(outer(velocity, com), matmul(hat(omega), inertia.pseudo_moment_components))
        return cls(inertia.frame, spread, add3(scale3(velocity, inertia.mass), cross3(omega, com)))

    def __add__(self, other: CoriolisOperator) -> CoriolisOperator:
        """Add the operator of a body rigidly considered together, in the same frame."""
        check_frame(other.frame, self.frame, operation="sum of Coriolis operators", argument="right operand")
        return CoriolisOperator(self.frame, add33(self.spread, other.spread), add3(self.momentum, other.momentum))

    def transformed(self, tf: Transform) -> CoriolisOperator:
        """Return the same operator in the frame `tf` maps to."""
        check_frame(tf.from_frame, self.frame, operation="transform of a Coriolis operator", argument="tf")
        momentum = matvec(tf.rotation_components, self.momentum)
        turned = similarity(tf.rotation_components, self.spread)
        return CoriolisOperator(tf.to_frame, add33(turned, outer(momentum, tf.translation_components)), momentum)

    @property
    def torque_block(self) -> Mat3:
        """The matrix from angular velocity to torque."""
        (a, b, c), (d, e, f), (g, h, i) = self.spread
        return (e + i, -b, -c), (-d, a + i, -f), (-g, -h, a + e)

    def wrenches(self, subspace: GeometricJacobian) -> WrenchMatrix:
        """Return B S for the columns of a motion subspace in this frame."""
        check_frame(subspace.frame, self.frame, operation="Coriolis operator @ subspace", argument="subspace")
        block, h = self.torque_block, self.momentum
        columns = tuple((matvec(block, w), cross3(w, h)) for w, _ in subspace.columns)
        return WrenchMatrix.trusted(self.frame, columns)

    def transposed_wrenches(self, subspace: GeometricJacobian) -> WrenchMatrix:
        """Return the transpose of B times the columns of a motion subspace in this frame."""
        check_frame(subspace.frame, self.frame, operation="Coriolis operator @ subspace", argument="subspace")
        block, h = self.torque_block, self.momentum
        columns = tuple((add3(tmatvec(block, w), cross3(h, v)), zero3()) for w, v in subspace.columns)
        return WrenchMatrix.trusted(self.frame, columns)


def carried(subspace: GeometricJacobian, twist: Twist) -> GeometricJacobian:
    """Return the rate at which motion columns change because their frame moves with `twist`."""
    check_frame(twist.frame, subspace.frame, operation="rate of a subspace", argument="twist (frame)")
    omega, velocity = twist.angular_components, twist.linear_components
    columns = tuple((cross3(omega, w), add3(cross3(omega, v), cross3(velocity, w))) for w, v in subspace.columns)
    return GeometricJacobian.trusted(subspace.body, subspace.base, subspace.frame, columns)


def summed(first: GeometricJacobian, second: GeometricJacobian) -> GeometricJacobian:
    """Return the sum of two sets of motion columns in one frame."""
    check_frame(second.frame, first.frame, operation="sum of subspaces", argument="right operand")
    pairs = zip(first.columns, second.columns, strict=True)
    columns = tuple((add3(a, c), add3(b, d)) for (a, b), (c, d) in pairs)
    return GeometricJacobian.trusted(first.body, first.base, first.frame, columns)


def total(first: WrenchMatrix, second: WrenchMatrix) -> WrenchMatrix:
    """Return the sum of two sets of wrench columns in one frame."""
    check_frame(second.frame, first.frame, operation="sum of wrench columns", argument="right operand")
    pairs = zip(first.columns, second.columns, strict=True)
    return WrenchMatrix.trusted(first.frame, tuple((add3(a, c), add3(b, d)) for (a, b), (c, d) in pairs))


def as_wrenches(momenta: MomentumMatrix) -> WrenchMatrix:
    """Return momenta per unit of velocity as wrenches per unit of acceleration: the same numbers, read in time."""
    return WrenchMatrix.trusted(momenta.frame, momenta.columns)
