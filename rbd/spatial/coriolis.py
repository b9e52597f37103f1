"""The Coriolis operator of a moving body (internal).

Room: spatial; may import the rest of `rbd.spatial` and above. Nothing here is exported.

For inertia I and twist V, B = (V x* I + (I V) x* - I V x) / 2 (Echeandia and Wensing, 2021) maps motions to wrenches.
Multiplied out, B vanishes on linear motion, so that two 3x3 blocks are all there is of it.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.scalars import const
from rbd.spatial.frame import Frame, check_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian, MomentumMatrix, WrenchMatrix
from rbd.spatial.linalg import (
    Mat3,
    add3,
    add33,
    cross3,
    hat,
    matmul,
    matvec,
    neg3,
    scale33,
    sub33,
    tmatvec,
    transpose3,
)
from rbd.spatial.motion import Twist
from rbd.spatial.transform import Transform


@final
@attrs.frozen(eq=False)
class CoriolisOperator:
    """A map from angular velocities to wrenches, in `frame`: torque = torque_block w, force = force_block w."""

    frame: Frame
    torque_block: Mat3
    force_block: Mat3

    @classmethod
    def of_body(cls, inertia: SpatialInertia, twist: Twist) -> CoriolisOperator:
        """Return the operator of one rigid body; both arguments in its frame."""
        check_frame(twist.frame, inertia.frame, operation="Coriolis operator", argument="twist (frame)")
        momentum = inertia @ twist
        moment, com = inertia.moment_components, hat(inertia.cross_part_components)
        omega, velocity = hat(twist.angular_components), hat(twist.linear_components)
        turning = sub33(matmul(omega, moment), matmul(moment, omega))
        moving = add33(matmul(velocity, com), matmul(com, velocity))
        twice = sub33(sub33(turning, moving), hat(momentum.angular_components))
        return cls(inertia.frame, scale33(twice, const(1, 2)), hat(neg3(momentum.linear_components)))

    def __add__(self, other: CoriolisOperator) -> CoriolisOperator:
        """Add the operator of a body rigidly considered together, in the same frame."""
        check_frame(other.frame, self.frame, operation="sum of Coriolis operators", argument="right operand")
        torque, force = add33(self.torque_block, other.torque_block), add33(self.force_block, other.force_block)
        return CoriolisOperator(self.frame, torque, force)

    def transformed(self, tf: Transform) -> CoriolisOperator:
        """Return the same operator in the frame `tf` maps to."""
        check_frame(tf.from_frame, self.frame, operation="transform of a Coriolis operator", argument="tf")
        rotation, arm = tf.rotation_components, hat(tf.translation_components)
        force, torque = _turned(rotation, self.force_block), _turned(rotation, self.torque_block)
        return CoriolisOperator(tf.to_frame, add33(torque, matmul(arm, force)), force)

    def wrenches(self, subspace: GeometricJacobian) -> WrenchMatrix:
        """Return B S for the columns of a motion subspace in this frame."""
        check_frame(subspace.frame, self.frame, operation="Coriolis operator @ subspace", argument="subspace")
        columns = tuple((matvec(self.torque_block, w), matvec(self.force_block, w)) for w, _ in subspace.columns)
        return WrenchMatrix.trusted(self.frame, columns)

    def transposed_wrenches(self, subspace: GeometricJacobian) -> WrenchMatrix:
        """Return the transpose of B times the columns of a motion subspace in this frame."""
        check_frame(subspace.frame, self.frame, operation="Coriolis operator @ subspace", argument="subspace")
        columns = tuple(
            (add3(tmatvec(self.torque_block, w), tmatvec(self.force_block, v)), (0, 0, 0)) for w, v in subspace.columns
        )
        return WrenchMatrix.trusted(self.frame, columns)


def _turned(rotation: Mat3, block: Mat3) -> Mat3:
    return matmul(matmul(rotation, block), transpose3(rotation))


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
