"""Joints with one axis; those with one coordinate; those that rotate about the axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import attrs
from typing_extensions import override

from rbd.arguments import require_generator
from rbd.joints.axis import Axis, lifted, negate_axis, perpendicular_axes, unit_axis
from rbd.joints.base import LibraryJointType
from rbd.spatial import GeometricJacobian, Twist, WrenchMatrix
from rbd.spatial.columns import angular_columns, linear_columns
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import dot3, scale3, zero3

if TYPE_CHECKING:
    import numpy as np

    from rbd.scalars import Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B


@attrs.frozen
class OneAxisJoint(LibraryJointType):
    """A joint with one degree of freedom and an `axis`, which is scaled to length one; abstract."""

    axis: Axis = attrs.field(converter=unit_axis)
    _velocities: ClassVar[tuple[str, ...]] = ("angular_velocity",)

    @override
    def flipped(self) -> Self:
        """Return the joint with the opposite axis, which has the same coordinates."""
        return attrs.evolve(self, axis=negate_axis(self.axis))


class OneCoordinateJoint(OneAxisJoint):
    """A joint whose velocity is the derivative of its only coordinate; abstract."""

    __slots__ = ()

    @override
    def position_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        return self.motion_subspace(q, after, before)  # since qd = v

    @override
    def zero(self) -> tuple[float, ...]:
        return (0.0,)

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        require_generator(rng)
        return (float(rng.standard_normal()),)


class AxisRotationJoint(OneAxisJoint):
    """A joint that rotates about `axis` at the rate v, for any coordinates; abstract."""

    __slots__ = ()

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        return GeometricJacobian.trusted(after, before, after, ((lifted(self.axis, q), zero3()),))

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        return Twist.trusted(after, before, after, scale3(lifted(self.axis, v), v[0]), zero3())

    @override
    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        check_frame(wrench.frame, after, operation="joint torque", argument="wrench")
        angular = wrench.angular_components
        return (dot3(lifted(self.axis, angular), angular),)

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return two torques perpendicular to the axis, then three forces."""
        perpendicular = tuple(lifted(u, q) for u in perpendicular_axes(self.axis))
        columns = angular_columns(perpendicular) + linear_columns((*perpendicular, lifted(self.axis, q)))
        return WrenchMatrix.trusted(after, columns)
