"""Articulated inertia: what a body with moving parts behind it feels like to push.

Featherstone (2008), chapter 7.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.scalars import Vector
from rbd.scalars.arrays import Array, to_float_array
from rbd.spatial.classical import ClassicalAcceleration
from rbd.spatial.force import Wrench
from rbd.spatial.frame import Frame, check_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian, WrenchMatrix
from rbd.spatial.linalg import (
    Mat3,
    Vec3,
    add3,
    add33,
    congruence,
    hat,
    identity3,
    matmul,
    matvec,
    outer,
    scale33,
    similarity,
    sub33,
    tmatvec,
    transpose3,
)
from rbd.spatial.motion import SpatialAcceleration
from rbd.spatial.transform import Transform

Column = tuple[Vec3, Vec3]


@final
@attrs.frozen(eq=False)
class ArticulatedInertia:
    """A symmetric map from accelerations to wrenches, in `frame`: [[angular, cross], [crossᵀ, linear]], angular first.

    Unlike a rigid body's, its "mass" (the linear block) depends on the direction of the push.
    """

    frame: Frame
    angular_block: Mat3
    cross_block: Mat3
    linear_block: Mat3

    @classmethod
    def of_rigid_body(cls, inertia: SpatialInertia) -> ArticulatedInertia:
        """Return the inertia of a body with nothing movable behind it."""
        mass = scale33(identity3(), inertia.mass)
        return cls(inertia.frame, inertia.moment_components, hat(inertia.cross_part_components), mass)

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        """Add an inertia in the same frame."""
        check_frame(other.frame, self.frame, operation="sum of articulated inertias", argument="right operand")
        return ArticulatedInertia(
            self.frame,
            add33(self.angular_block, other.angular_block),
            add33(self.cross_block, other.cross_block),
            add33(self.linear_block, other.linear_block),
        )

    def __matmul__(self, acceleration: ClassicalAcceleration | SpatialAcceleration) -> Wrench:
        """Return the wrench that `acceleration` takes: of this frame, or spatial and expressed in it."""
        frame, column = _column_of(acceleration)
        check_frame(frame, self.frame, operation="articulated inertia @ acceleration", argument="acceleration")
        return Wrench.trusted(self.frame, *self._apply(column))

    def wrenches(self, subspace: GeometricJacobian) -> WrenchMatrix:
        """Return the wrenches that unit accelerations along the columns of `subspace` (in this frame) take."""
        check_frame(subspace.frame, self.frame, operation="articulated inertia @ subspace", argument="subspace")
        return WrenchMatrix.trusted(self.frame, tuple(self._apply(column) for column in subspace.columns))

    def without(self, wrenches: WrenchMatrix, gains: WrenchMatrix) -> ArticulatedInertia:
        """Return this inertia less `wrenches` times transposed `gains`: what is left once a joint gives way."""
        check_frame(wrenches.frame, self.frame, operation="projection of an articulated inertia", argument="wrenches")
        check_frame(gains.frame, self.frame, operation="projection of an articulated inertia", argument="gains")
        angular, cross, linear = self.angular_block, self.cross_block, self.linear_block
        for (a, b), (c, d) in zip(wrenches.columns, gains.columns, strict=True):
            angular, cross = sub33(angular, outer(a, c)), sub33(cross, outer(a, d))
            linear = sub33(linear, outer(b, d))
        # The sums are symmetric, though not term by term to the last bit.
        return ArticulatedInertia(self.frame, _mirrored(angular), cross, _mirrored(linear))

    def transformed(self, tf: Transform) -> ArticulatedInertia:
        """Return the same inertia in the frame `tf` maps to."""
        check_frame(tf.from_frame, self.frame, operation="transform of an articulated inertia", argument="tf")
        rotation, arm = tf.rotation_components, hat(tf.translation_components)
        linear = congruence(rotation, self.linear_block)
        turned = similarity(rotation, self.cross_block)
        cross = add33(turned, matmul(arm, linear))
        # arm @ crossᵀ + (arm @ turnedᵀ)ᵀ is symmetric only as a sum; the moment keeps its symmetry to the last bit
        # because both triangles are taken from one of them.
        shift = add33(matmul(arm, transpose3(turned)), transpose3(matmul(arm, transpose3(cross))))
        angular = add33(congruence(rotation, self.angular_block), _mirrored(shift))
        return ArticulatedInertia(tf.to_frame, angular, cross, linear)

    def _apply(self, column: Column) -> Column:
        angular, linear = column
        return (
            add3(matvec(self.angular_block, angular), matvec(self.cross_block, linear)),
            add3(tmatvec(self.cross_block, angular), matvec(self.linear_block, linear)),
        )

    @property
    def matrix(self) -> Array:
        """The 6x6 matrix, angular rows and columns first."""
        return to_float_array(self.components)

    @property
    def components(self) -> tuple[Vector, ...]:
        """The rows of the 6x6 matrix as scalars."""
        top = tuple(a + b for a, b in zip(self.angular_block, self.cross_block, strict=True))
        turned = transpose3(self.cross_block)
        return top + tuple(a + b for a, b in zip(turned, self.linear_block, strict=True))


def _column_of(acceleration: ClassicalAcceleration | SpatialAcceleration) -> tuple[Frame, Column]:
    """Return the frame of an acceleration, and its parts."""
    if isinstance(acceleration, SpatialAcceleration):
        return acceleration.frame, (acceleration.angular_components, acceleration.linear_components)
    return acceleration.body, (acceleration.angular, acceleration.linear)


def _mirrored(m: Mat3) -> Mat3:
    """Return `m` with its upper triangle in both halves."""
    return m[0], (m[0][1], m[1][1], m[1][2]), (m[0][2], m[1][2], m[2][2])
