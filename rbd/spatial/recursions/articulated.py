"""Articulated-body inertia: apparent inertia of a body and its subtree (Featherstone 2008, chapter 7)."""

from __future__ import annotations

from typing import Any, Generic, final, overload

import attrs
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.scalars import Vector
from rbd.scalars.arrays import Array, array_of
from rbd.spatial.congruence import congruence, similarity
from rbd.spatial.force import Wrench
from rbd.spatial.force_matrices import WrenchMatrix
from rbd.spatial.frame import F, Frame, G, check_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian
from rbd.spatial.linalg import (
    Mat3,
    Vec6,
    add3,
    add33,
    hat,
    identity3,
    matmul,
    matvec,
    outer,
    scale33,
    sub33,
    tmatvec,
    transpose3,
)
from rbd.spatial.motion import SpatialAcceleration
from rbd.spatial.recursions.classical import ClassicalAcceleration
from rbd.spatial.transform import Transform
from rbd.spatial.values import SpatialValue, format_numbers, require_kind_in_frame
from rbd.spatial.vectors import check_source


@final
@attrs.frozen(eq=False, repr=False)
class ArticulatedInertia(SpatialValue, Generic[F]):
    """A symmetric map from accelerations to wrenches, in `frame`: [[angular, cross], [crossᵀ, linear]], angular first.

    Unlike for a rigid body, the apparent mass (linear block) depends on the direction of the force.
    """

    frame: Frame[F]
    angular_block: Mat3
    cross_block: Mat3
    linear_block: Mat3

    @staticmethod
    def of_rigid_body(inertia: SpatialInertia[G]) -> ArticulatedInertia[G]:
        """Return the articulated-body inertia of a body without children."""
        mass = scale33(identity3(), inertia.mass)
        return ArticulatedInertia(inertia.frame, inertia.moment_components, hat(inertia.first_moment_components), mass)

    def __add__(self, other: ArticulatedInertia[F]) -> ArticulatedInertia[F]:
        require_kind_in_frame(other, ArticulatedInertia, self.frame, "ArticulatedInertia + ArticulatedInertia", "other")
        return ArticulatedInertia(
            self.frame,
            add33(self.angular_block, other.angular_block),
            add33(self.cross_block, other.cross_block),
            add33(self.linear_block, other.linear_block),
        )

    @overload
    def __matmul__(self, other: SpatialAcceleration[Any, Any, F]) -> Wrench[F]: ...
    @overload
    def __matmul__(self, other: GeometricJacobian[Any, Any, F]) -> WrenchMatrix[F]: ...
    def __matmul__(
        self, other: SpatialAcceleration[Any, Any, F] | GeometricJacobian[Any, Any, F]
    ) -> Wrench[F] | WrenchMatrix[F]:
        """Return the wrench I^A a of a spatial acceleration, or the wrenches I^A S of a motion subspace."""
        kinds = SpatialAcceleration, GeometricJacobian
        require_kind(other, *kinds, operation="ArticulatedInertia @ ...", argument="the right operand")
        operation = f"ArticulatedInertia @ {type(other).__name__}"
        check_frame(other.frame, self.frame, operation=operation, argument="other.frame")
        if isinstance(other, GeometricJacobian):
            return WrenchMatrix.trusted(self.frame, tuple(self._apply(column) for column in other.columns))
        return Wrench.trusted(self.frame, *self._apply((other.angular_components, other.linear_components)))

    def wrench_of_classical(self, acceleration: ClassicalAcceleration) -> Wrench[F]:
        """Return the wrench I^A a of a classical acceleration of this frame (internal)."""
        operation = "articulated inertia @ classical acceleration"
        check_frame(acceleration.body, self.frame, operation=operation, argument="acceleration")
        return Wrench.trusted(
            self.frame, *self._apply((acceleration.angular_components, acceleration.linear_components))
        )

    def across_joint(self, wrenches: WrenchMatrix, gains: WrenchMatrix) -> ArticulatedInertia[F]:
        """Return I^A - U (U D^-1)^T, which a joint passes on to its predecessor (I^a in Featherstone 2008, table 7.1).

        `wrenches` are U, `gains` U D^-1.
        """
        check_frame(wrenches.frame, self.frame, operation="projection of an articulated inertia", argument="wrenches")
        check_frame(gains.frame, self.frame, operation="projection of an articulated inertia", argument="gains")
        angular, cross, linear = self.angular_block, self.cross_block, self.linear_block
        for (a, b), (c, d) in zip(wrenches.columns, gains.columns, strict=True):
            angular, cross = sub33(angular, outer(a, c)), sub33(cross, outer(a, d))
            linear = sub33(linear, outer(b, d))
        # The sums are symmetric, though not term by term to the last bit.
        return ArticulatedInertia(self.frame, _symmetric(angular), cross, _symmetric(linear))

    def transformed(self, tf: Transform[F, G]) -> ArticulatedInertia[G]:
        """Return the same inertia in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the inertia's frame.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "ArticulatedInertia.transformed")
        rotation, p_hat = tf.rotation_components, hat(tf.translation_components)
        linear = congruence(rotation, self.linear_block)
        R_cross = similarity(rotation, self.cross_block)
        cross = add33(R_cross, matmul(p_hat, linear))
        # p̂ crossᵀ + (p̂ R_crossᵀ)ᵀ is symmetric only as a sum; the moment keeps its symmetry to the last bit
        # because both triangles are taken from one of them.
        moved = add33(matmul(p_hat, transpose3(R_cross)), transpose3(matmul(p_hat, transpose3(cross))))
        angular = add33(congruence(rotation, self.angular_block), _symmetric(moved))
        return ArticulatedInertia(tf.to_frame, angular, cross, linear)

    def _apply(self, column: Vec6) -> Vec6:
        angular, linear = column
        return (
            add3(matvec(self.angular_block, angular), matvec(self.cross_block, linear)),
            add3(tmatvec(self.cross_block, angular), matvec(self.linear_block, linear)),
        )

    @property
    def matrix(self) -> Array:
        """The 6x6 matrix, angular rows and columns first."""
        return array_of(self.components)

    @property
    def components(self) -> tuple[Vector, ...]:
        """The rows of the 6x6 matrix as scalars."""
        top = tuple(a + b for a, b in zip(self.angular_block, self.cross_block, strict=True))
        cross_T = transpose3(self.cross_block)
        return top + tuple(a + b for a, b in zip(cross_T, self.linear_block, strict=True))

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return tuple(a + b + c for a, b, c in (self.angular_block, self.cross_block, self.linear_block))

    @override
    def __repr__(self) -> str:
        angular, cross, linear = map(format_numbers, self._parts())
        return f"ArticulatedInertia in {self.frame.name!r}: angular {angular}, cross {cross}, linear {linear}"


def _symmetric(m: Mat3) -> Mat3:
    """Return `m` with its upper triangle in both halves."""
    return m[0], (m[0][1], m[1][1], m[1][2]), (m[0][2], m[1][2], m[2][2])
