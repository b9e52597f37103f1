"""Twists: the velocity of one frame with respect to another, V_WB_E.

The linear part of a twist is the velocity of the body-fixed point at the origin of the frame it is expressed in
(Featherstone 2008, section 2.2). `Twist[B, W, E]` is of B with respect to W, expressed in E.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, final, overload

import attrs

from rbd.spatial.acceleration import SpatialAcceleration
from rbd.spatial.frame import A, B, C, D, E, F, Frame, check_frame, require_frame
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, moved6, neg3, scale3
from rbd.spatial.motion_vector import (
    MotionVector,
    check_sum,
    checked_frames_of_motion,
    difference_frames,
    init_fields,
    motion_cross,
)
from rbd.spatial.so3 import rotation_of_series
from rbd.spatial.stumpff import stumpff
from rbd.spatial.values import (
    VectorLike,
    checked_frames,
    require_kind_in_frame,
    slot_setters,
)
from rbd.spatial.vectors import FreeVector, Point, check_source

if TYPE_CHECKING:
    from rbd.spatial.transform import Transform

_new = object.__new__
_ZERO: Vec3 = (0, 0, 0)


@final
@attrs.frozen(eq=False, repr=False, init=False)
class Twist(MotionVector[B, A, E]):
    """The velocity of the frame `body` with respect to `base`, expressed in `frame`.

    Raises ShapeError, NotFiniteError, or ArgumentError when a frame is not a Frame.

    >>> hand, world = Frame("hand"), Frame("world")
    >>> Twist(hand, world, world, angular=[0, 0, 2], linear=[1, 0, 0])
    Twist of 'hand' with respect to 'world' in 'world': angular (0, 0, 2), linear (1, 0, 0)
    """

    def __init__(
        self,
        body: Frame[B],
        base: Frame[A],
        frame: Frame[E],
        angular: VectorLike | FreeVector[E],
        linear: VectorLike | FreeVector[E],
    ) -> None:
        init_fields(self, (body, base, frame), angular, linear)

    @staticmethod
    def trusted(body: Frame[C], base: Frame[D], frame: Frame[F], angular: Vec3, linear: Vec3) -> Twist[C, D, F]:
        """Make a twist of scalars, unchecked."""
        self: Twist[C, D, F] = _new(Twist)
        _twist_angular(self, angular)
        _twist_linear(self, linear)
        _twist_body(self, body)
        _twist_base(self, base)
        _twist_frame(self, frame)
        return self

    @staticmethod
    def zero(body: Frame[C], base: Frame[D], frame: Frame[F]) -> Twist[C, D, F]:
        """Return the zero twist."""
        return Twist.trusted(*checked_frames_of_motion(body, base, frame), _ZERO, _ZERO)

    def expect(self, body: Frame[C], base: Frame[D], frame: Frame[F]) -> Twist[C, D, F]:
        """Return this twist, known to type checkers by the frames given; raise FrameMismatchError for others."""
        found: Twist[C, D, F] = checked_frames(self, body=body, base=base, frame=frame)
        return found

    def transformed(self, tf: Transform[E, F]) -> Twist[B, A, F]:
        """Return the same twist expressed in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the frame the twist is expressed in.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "Twist.transformed")
        motion = self.angular_components, self.linear_components
        angular, linear = moved6(tf.rotation_components, tf.translation_components, motion)
        return Twist.trusted(self.body, self.base, tf.to_frame, angular, linear)

    @overload
    def __add__(self, other: Twist[B, A, E]) -> Twist[B, A, E]: ...
    @overload
    def __add__(self, other: Twist[C, B, E]) -> Twist[C, A, E]: ...
    def __add__(self, other: Twist[C, Any, E]) -> Twist[C, A, E] | Twist[B, A, E]:
        if type(other) is not Twist or other.frame is not self.frame or other.base is not self.body:
            check_sum(self, other)
        return Twist.trusted(other.body, self.base, self.frame, *self._plus(other))

    @overload
    def __sub__(self, other: Twist[B, A, E]) -> Twist[B, A, E]: ...
    @overload
    def __sub__(self, other: Twist[C, A, E]) -> Twist[B, C, E]: ...
    @overload
    def __sub__(self, other: Twist[B, C, E]) -> Twist[C, A, E]: ...
    def __sub__(self, other: Twist[Any, Any, E]) -> Twist[Any, Any, E]:
        return Twist.trusted(*difference_frames(self, other), self.frame, *self._minus(other))

    def __neg__(self) -> Twist[A, B, E]:
        return Twist.trusted(
            self.base, self.body, self.frame, neg3(self.angular_components), neg3(self.linear_components)
        )

    def with_body(self, body: Frame[C]) -> Twist[C, A, E]:
        """Return the same twist of a frame which the caller promises is rigidly attached to the body."""
        if type(body) is not Frame:
            require_frame(body, "body")
        return Twist.trusted(body, self.base, self.frame, self.angular_components, self.linear_components)

    def with_base(self, base: Frame[C]) -> Twist[B, C, E]:
        """Return the same twist with respect to a frame which the caller promises is rigidly attached to the base."""
        if type(base) is not Frame:
            require_frame(base, "base")
        return Twist.trusted(self.body, base, self.frame, self.angular_components, self.linear_components)

    def cross(self, other: Twist[C, D, E]) -> SpatialAcceleration[C, D, E]:
        """Return the motion cross product V x m: the rate of the components of `other` when it moves with this twist.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
        require_kind_in_frame(other, Twist, self.frame, "Twist.cross", "other")
        angular, linear = motion_cross(
            self.angular_components, self.linear_components, other.angular_components, other.linear_components
        )
        return SpatialAcceleration.trusted(other.body, other.base, self.frame, angular, linear)

    def point_velocity(self, point: Point[E]) -> FreeVector[E]:
        """Return the velocity, with respect to `base`, of the body-fixed point now at `point`; all in `frame`.

        Raises FrameMismatchError unless the point is in the frame the twist is expressed in.
        """
        require_kind_in_frame(point, Point, self.frame, "Twist.point_velocity", "point")
        omega = self.angular_components
        return FreeVector.trusted(self.frame, add3(self.linear_components, cross3(omega, point.xyz_components)))

    def exp(self: Twist[C, D, D]) -> Transform[C, D]:
        """Return the exponential of the twist: the pose it leads to from the identity in one unit of time.

        Inverse of `Transform.log`; see Murray, Li, Sastry (1994), chapter 2, section 3.2. Raises FrameMismatchError
        unless the twist is expressed in its base.
        """
        if self.frame is not self.base:
            check_frame(self.frame, self.base, operation="Twist.exp", argument="self.frame")
        phi, rho = self.angular_components, self.linear_components
        c = stumpff(dot3(phi, phi))
        once = cross3(phi, rho)
        translation = add3(rho, add3(scale3(once, c.c2), scale3(cross3(phi, once), c.c3)))
        return _transforms().trusted(self.body, self.base, rotation_of_series(phi, c), translation)


@cache
def _transforms() -> type[Transform[Any, Any]]:
    """Return the class: the exponential and the logarithm need each other."""
    from rbd.spatial.transform import Transform

    return Transform


_twist_angular, _twist_linear, _twist_body, _twist_base, _twist_frame = slot_setters(Twist)
