"""The reversed joint: predecessor and successor exchanged, for joint types that do not define their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs
from typing_extensions import override

from rbd.joints.base import JointType
from rbd.spatial import Frame, GeometricJacobian, Transform, WrenchMatrix
from rbd.spatial.linalg import Vec6, add6, cross3, matvec, motion_cross, neg3, sub3, transform_force

if TYPE_CHECKING:
    import numpy as np

    from rbd.scalars import Matrix, Scalar, Vector
    from rbd.spatial.frame import A, B


@final
@attrs.frozen
class Reversed(JointType):
    """The joint whose transform is the inverse of that of `original`, in the same coordinates.

    >>> from rbd import Revolute
    >>> from rbd.joints import Reversed
    >>> Reversed(Revolute((0, 0, 1))).flipped()
    Revolute(axis=(0.0, 0.0, 1.0))
    """

    original: JointType

    @property
    @override
    def nq(self) -> int:
        return self.original.nq

    @property
    @override
    def nv(self) -> int:
        return self.original.nv

    @property
    @override
    def position_names(self) -> tuple[str, ...]:
        return self.original.position_names

    @property
    @override
    def velocity_names(self) -> tuple[str, ...]:
        return self.original.velocity_names

    # ---------------------------------------------------------------- kinematics: minus the original's, in after

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        return self.original.transform(q, before, after).inverse()

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        subspace, pose = self.original.motion_subspace(q, before, after), self.original.transform(q, before, after)
        columns = tuple(_negated_transformed_motion(pose, column) for column in subspace.columns)
        return GeometricJacobian.trusted(after, before, after, columns)

    @override
    def motion_subspace_rate(
        self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]
    ) -> GeometricJacobian[A, B, A]:
        # The columns also change because the pose that transforms them changes: with the original's twist.
        pose, twist = self.original.transform(q, before, after), self.original.twist(q, v, before, after)
        columns = self.original.motion_subspace(q, before, after).columns
        rates = self.original.motion_subspace_rate(q, v, before, after).columns
        motion = (twist.angular_components, twist.linear_components)
        moved = tuple(
            _negated_transformed_motion(pose, add6(rate, motion_cross(motion, column)))
            for rate, column in zip(rates, columns, strict=True)
        )
        return GeometricJacobian.trusted(after, before, after, moved)

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        other: Frame = Frame("after the original joint")
        wrenches, pose = self.original.constraint_wrench_subspace(q, other), self.original.transform(q, other, after)
        columns = tuple(transform_force(*pose.components, column) for column in wrenches.columns)
        return WrenchMatrix.trusted(after, columns)

    # ---------------------------------------------------------------- coordinates: the original's

    @override
    def configuration_derivative(self, q: Vector, v: Vector) -> Vector:
        return self.original.configuration_derivative(q, v)

    @override
    def velocity(self, q: Vector, qd: Vector) -> Vector:
        return self.original.velocity(q, qd)

    @override
    def configuration_derivative_jacobian(self, q: Vector) -> Matrix:
        return self.original.configuration_derivative_jacobian(q)

    @override
    def velocity_jacobian(self, q: Vector) -> Matrix:
        return self.original.velocity_jacobian(q)

    @override
    def local_coordinates(self, q0: Vector, q: Vector) -> Vector:
        return self.original.local_coordinates(q0, q)

    @override
    def local_coordinates_rate(self, q0: Vector, q: Vector, v: Vector) -> Vector:
        return self.original.local_coordinates_rate(q0, q, v)

    @override
    def global_coordinates(self, q0: Vector, phi: Vector) -> Vector:
        return self.original.global_coordinates(q0, phi)

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        return self.original.project(transform.inverse(), near)

    @override
    def zero(self) -> tuple[float, ...]:
        return self.original.zero()

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return self.original.random(rng)

    @override
    def normalize(self, q: Vector) -> Vector:
        return self.original.normalize(q)

    @override
    def normalization_error(self, q: Vector) -> Scalar:
        return self.original.normalization_error(q)

    @override
    def principal_value(self, q: Vector) -> Vector:
        return self.original.principal_value(q)

    @override
    def flipped(self) -> JointType:
        """Return the original joint."""
        return self.original


def _negated_transformed_motion(pose: Transform[A, B], column: Vec6) -> Vec6:
    """Return minus the motion vector, transformed by `pose`."""
    angular, linear = (matvec(pose.rotation_components, part) for part in column)
    return neg3(angular), sub3(cross3(angular, pose.translation_components), linear)
