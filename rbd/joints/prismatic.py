"""The prismatic joint: translation along an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.joints.axis import lifted, perpendicular_axes
from rbd.joints.one_axis import OneCoordinateJoint
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix
from rbd.spatial.columns import angular_columns, linear_columns
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import dot3, identity3, scale3, zero3

if TYPE_CHECKING:
    from rbd.scalars import Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B


@final
@attrs.frozen
class Prismatic(OneCoordinateJoint):
    """A joint that translates along `axis`: q is the displacement, v its rate.

    `axis` has the same coordinates in the frames before and after the joint; it is scaled to length one. Raises
    ArgumentError when it is zero, ShapeError or NotFiniteError when it is not three finite numbers.

    >>> from rbd import Prismatic
    >>> Prismatic((0, 3, 0))
    Prismatic(axis=(0.0, 1.0, 0.0))
    """

    _positions: ClassVar[tuple[str, ...]] = ("displacement",)
    _velocities: ClassVar[tuple[str, ...]] = ("linear_velocity",)

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        return Transform.trusted(after, before, identity3(), scale3(lifted(self.axis, q), q[0]))

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        return GeometricJacobian.trusted(after, before, after, ((zero3(), lifted(self.axis, q)),))

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        return Twist.trusted(after, before, after, zero3(), scale3(lifted(self.axis, v), v[0]))

    @override
    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        check_frame(wrench.frame, after, operation="joint torque", argument="wrench")
        linear = wrench.linear_components
        return (dot3(lifted(self.axis, linear), linear),)

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return three torques, then two forces perpendicular to the axis."""
        perpendicular = tuple(lifted(u, q) for u in perpendicular_axes(self.axis))
        columns = angular_columns((*perpendicular, lifted(self.axis, q))) + linear_columns(perpendicular)
        return WrenchMatrix.trusted(after, columns)

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the displacement along the axis; the rotation and `near` have no effect."""
        position = transform.translation_components
        return (dot3(lifted(self.axis, position), position),)
