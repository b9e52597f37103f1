"""The screw joint: rotation about an axis, and translation along it in proportion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.joints.axis import lifted, nearest_rotation_angle, perpendicular_axes, rotation_by_angle, unwrap_angle
from rbd.joints.one_axis import OneCoordinateJoint
from rbd.scalars import lift
from rbd.scalars.arrays import float_array
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix
from rbd.spatial.columns import angular_columns, linear_columns
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import dot3, scale3

if TYPE_CHECKING:
    from rbd.scalars import Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B


def _pitch(value: float) -> float:
    return float(float_array([value], (1,), "pitch")[0]) + 0.0


@final
@attrs.frozen
class Screw(OneCoordinateJoint):
    """A joint that rotates about `axis` and translates `pitch` metres along it per radian: q is the angle, v its rate.

    `axis` has the same coordinates in the frames before and after the joint; it is scaled to length one. A pitch of
    zero is legal. Raises ArgumentError when the axis is zero, ShapeError or NotFiniteError when it is not three
    finite numbers or the pitch is not one.

    >>> from rbd import Frame, Screw
    >>> Screw((0, 0, 1), 0.5).transform((2.0,), Frame("after"), Frame("before")).translation
    array([0., 0., 1.])
    """

    pitch: float = attrs.field(converter=_pitch)
    _positions: ClassVar[tuple[str, ...]] = ("angle",)

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        axis = lifted(self.axis, q)
        rotation = rotation_by_angle(self.axis, q[0])
        return Transform.trusted(after, before, rotation, scale3(axis, lift(self.pitch, q) * q[0]))

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        axis = lifted(self.axis, q)
        return GeometricJacobian.trusted(after, before, after, ((axis, scale3(axis, lift(self.pitch, q))),))

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        axis = lifted(self.axis, v)
        return Twist.trusted(after, before, after, scale3(axis, v[0]), scale3(axis, lift(self.pitch, v) * v[0]))

    @override
    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        check_frame(wrench.frame, after, operation="joint torque", argument="wrench")
        angular, linear = wrench.angular_components, wrench.linear_components
        axis = lifted(self.axis, (*angular, *linear))
        return (dot3(axis, angular) + lift(self.pitch, linear) * dot3(axis, linear),)

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return two torques and two forces perpendicular to the axis, then the constraint wrench of the thread."""
        axis, pitch = lifted(self.axis, q), lift(self.pitch, q)
        perpendicular = tuple(lifted(u, q) for u in perpendicular_axes(self.axis))
        scale = lift(1 / math.hypot(1.0, self.pitch), q)
        thread = (scale3(axis, -(pitch * scale)), scale3(axis, scale))
        return WrenchMatrix.trusted(after, (*angular_columns(perpendicular), *linear_columns(perpendicular), thread))

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the angle whose rotation is nearest, in the revolution whose translation is nearest.

        When the pitch is zero, all revolutions have one pose: the angle is the one nearest to `near`.
        """
        rotation, position = transform.rotation_components, transform.translation_components
        axis = lifted(self.axis, (*rotation[0], *position))
        angle = nearest_rotation_angle(rotation, axis)
        if self.pitch == 0.0:
            return (angle if near is None else unwrap_angle(angle, near[0]),)
        return (unwrap_angle(angle, dot3(axis, position) / lift(self.pitch, position)),)
