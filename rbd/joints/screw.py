"""The screw joint: turning about an axis and sliding along it in proportion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, final

import attrs
from typing_extensions import override

from rbd.joints.axis import Axis, flipped_axis, lifted, nearest_turn, triad, turn_angle, unit_axis
from rbd.joints.one_dof import OneDofJoint
from rbd.scalars import cos, lift, sin
from rbd.scalars.arrays import float_array
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import dot3, scale3, zero3
from rbd.spatial.so3 import rotation_about

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rbd.scalars import Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B


@final
@attrs.frozen(init=False)
class Screw(OneDofJoint):
    """A joint that turns about `axis` and slides `pitch` metres along it per radian: q is the angle, v its rate.

    `axis` has the same coordinates in the frames before and after the joint; it is scaled to length one. A pitch of
    zero is legal. Raises ArgumentError when the axis is zero, ShapeError or NotFiniteError when it is not three
    finite numbers or the pitch is not one.

    >>> from rbd import Frame, Screw
    >>> Screw((0, 0, 1), 0.5).transform((2.0,), Frame("after"), Frame("before")).translation
    array([0., 0., 1.])
    """

    axis: Axis
    pitch: float

    def __init__(self, axis: ArrayLike, pitch: float) -> None:
        object.__setattr__(self, "axis", unit_axis(axis, "axis"))
        object.__setattr__(self, "pitch", float(float_array([pitch], (1,), "pitch")[0]) + 0.0)

    @property
    @override
    def position_names(self) -> tuple[str, ...]:
        return ("angle",)

    @property
    @override
    def velocity_names(self) -> tuple[str, ...]:
        return ("angular_velocity",)

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        axis = lifted(self.axis, q)
        rotation = rotation_about(axis, cos(q[0]), sin(q[0]))
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
        """Return two torques and two forces across the axis, then the wrench along it that the thread bears."""
        axis, pitch = lifted(self.axis, q), lift(self.pitch, q)
        across = tuple(lifted(u, q) for u in triad(self.axis))
        scale = lift(1 / math.hypot(1.0, self.pitch), q)
        thread = (scale3(axis, -(pitch * scale)), scale3(axis, scale))
        columns = (*((u, zero3()) for u in across), *((zero3(), u) for u in across), thread)
        return WrenchMatrix.trusted(after, columns)

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the angle whose rotation is nearest, in the turn whose translation is nearest.

        With `near`, or when the pitch is zero, the translation does not matter: the turn is that nearest to `near`.
        """
        rotation, position = transform.rotation_components, transform.translation_components
        axis = lifted(self.axis, (*rotation[0], *position))
        angle = turn_angle(rotation, axis)
        if near is not None:
            return (nearest_turn(angle, near[0]),)
        if self.pitch == 0.0:
            return (angle,)
        return (nearest_turn(angle, dot3(axis, position) / lift(self.pitch, position)),)

    @override
    def flipped(self) -> Screw:
        return Screw(flipped_axis(self.axis), self.pitch)
