"""Twists, V_WB_E, and spatial accelerations, A_WB_E: the motion of one frame with respect to another.

The linear part of a twist is the velocity of the body-fixed point at the origin of the frame it is expressed in
(Featherstone 2008, section 2.2). `Twist[B, W, E]` is of B with respect to W, expressed in E.

A spatial acceleration is the time derivative of a twist's components in an inertial frame. Its linear part is not the
acceleration of a point: that is `point_acceleration` (Featherstone 2008, section 2.11).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, final, overload

import attrs

from rbd.arguments import require_kind
from rbd.errors import ArgumentError
from rbd.spatial.frame import A, B, C, D, E, F, Frame, check_frame, require_frame, same_frame
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, motion_cross, neg3, scale3, transform_motion, zero3
from rbd.spatial.motion_vector import MotionVector, check_sum, checked_frames_of_motion, difference_frames
from rbd.spatial.so3 import rotation_of_series
from rbd.spatial.stumpff import stumpff
from rbd.spatial.values import checked_frames, require_kind_in_frame, slot_setters
from rbd.spatial.vectors import FreeVector, Point, check_source

if TYPE_CHECKING:
    from rbd.spatial.transform import Transform

_new = object.__new__


@final
@attrs.frozen(eq=False, repr=False, init=False)
class Twist(MotionVector[B, A, E]):
    """The velocity of the frame `body` with respect to `base`, expressed in `frame`.

    Raises ShapeError, NotFiniteError, or ArgumentError when a frame is not a Frame.

    >>> hand, world = Frame("hand"), Frame("world")
    >>> Twist(hand, world, world, angular=[0, 0, 2], linear=[1, 0, 0])
    Twist of 'hand' with respect to 'world' in 'world': angular (0, 0, 2), linear (1, 0, 0)
    """

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
        return Twist.trusted(*checked_frames_of_motion(body, base, frame), zero3(), zero3())

    def expect(self, body: Frame[C], base: Frame[D], frame: Frame[F]) -> Twist[C, D, F]:
        """Return this twist, known to type checkers by the frames given; raise FrameMismatchError for others."""
        twist: Twist[C, D, F] = checked_frames(self, body=body, base=base, frame=frame)
        return twist

    def transformed(self, tf: Transform[E, F]) -> Twist[B, A, F]:
        """Return the same twist expressed in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the frame the twist is expressed in.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "Twist.transformed")
        motion = self.angular_components, self.linear_components
        angular, linear = transform_motion(tf.rotation_components, tf.translation_components, motion)
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
        """Return the same twist of a frame which the caller promises is fixed to the body."""
        if type(body) is not Frame:
            require_frame(body, "body")
        return Twist.trusted(body, self.base, self.frame, self.angular_components, self.linear_components)

    def with_base(self, base: Frame[C]) -> Twist[B, C, E]:
        """Return the same twist with respect to a frame which the caller promises is fixed to the base."""
        if type(base) is not Frame:
            require_frame(base, "base")
        return Twist.trusted(self.body, base, self.frame, self.angular_components, self.linear_components)

    def cross(self, other: Twist[C, D, E]) -> SpatialAcceleration[C, D, E]:
        """Return the motion cross product V x m: the rate of the components of `other` when it moves with this twist.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
        require_kind_in_frame(other, Twist, self.frame, "Twist.cross", "other")
        motion, moved = (
            (self.angular_components, self.linear_components),
            (other.angular_components, other.linear_components),
        )
        return SpatialAcceleration.trusted(other.body, other.base, self.frame, *motion_cross(motion, moved))

    def point_velocity(self, point: Point[E]) -> FreeVector[E]:
        """Return the velocity, with respect to `base`, of the body-fixed point now at `point`; all in `frame`.

        Raises FrameMismatchError unless the point is in the frame the twist is expressed in.
        """
        require_kind_in_frame(point, Point, self.frame, "Twist.point_velocity", "point")
        omega = self.angular_components
        return FreeVector.trusted(self.frame, add3(self.linear_components, cross3(omega, point.xyz_components)))

    def exp(self: Twist[C, D, D]) -> Transform[C, D]:
        """Return the exponential of the twist: the pose it leads to from the identity in one unit of time.

        Inverse of `Transform.log`; see Murray, Li and Sastry (1994), chapter 2. Raises FrameMismatchError
        unless the twist is expressed in its base.
        """
        if self.frame is not self.base:
            check_frame(self.frame, self.base, operation="Twist.exp", argument="self.frame")
        phi, rho = self.angular_components, self.linear_components
        c = stumpff(dot3(phi, phi))
        once = cross3(phi, rho)
        translation = add3(rho, add3(scale3(once, c.c2), scale3(cross3(phi, once), c.c3)))
        return _transform_class().trusted(self.body, self.base, rotation_of_series(phi, c), translation)


@final
@attrs.frozen(eq=False, repr=False, init=False)
class SpatialAcceleration(MotionVector[B, A, E]):
    """The spatial acceleration of the frame `body` with respect to `base`, expressed in `frame`.

    Raises ShapeError, NotFiniteError, or ArgumentError when a frame is not a Frame.

    >>> hand, world = Frame("hand"), Frame("world")
    >>> SpatialAcceleration(hand, world, world, angular=[0, 0, 2], linear=[1, 0, 0]).linear
    array([1., 0., 0.])
    """

    @staticmethod
    def trusted(
        body: Frame[C], base: Frame[D], frame: Frame[F], angular: Vec3, linear: Vec3
    ) -> SpatialAcceleration[C, D, F]:
        """Make an acceleration of scalars, unchecked."""
        self: SpatialAcceleration[C, D, F] = _new(SpatialAcceleration)
        _acceleration_angular(self, angular)
        _acceleration_linear(self, linear)
        _acceleration_body(self, body)
        _acceleration_base(self, base)
        _acceleration_frame(self, frame)
        return self

    @staticmethod
    def zero(body: Frame[C], base: Frame[D], frame: Frame[F]) -> SpatialAcceleration[C, D, F]:
        """Return the zero acceleration."""
        return SpatialAcceleration.trusted(*checked_frames_of_motion(body, base, frame), zero3(), zero3())

    def expect(self, body: Frame[C], base: Frame[D], frame: Frame[F]) -> SpatialAcceleration[C, D, F]:
        """Return this acceleration, known to type checkers by the frames given; raise FrameMismatchError for others."""
        acceleration: SpatialAcceleration[C, D, F] = checked_frames(self, body=body, base=base, frame=frame)
        return acceleration

    def transformed(
        self,
        tf: Transform[E, F],
        twist_of_current_wrt_new: Twist[E, F, E] | None = None,
        twist_of_body_wrt_base: Twist[B, A, E] | None = None,
    ) -> SpatialAcceleration[B, A, F]:
        """Return the same acceleration expressed in `tf.to_frame`.

        When the frame it is expressed in moves with respect to `tf.to_frame`, give both twists, expressed in the
        current frame: of that frame with respect to the new one, and of `body` with respect to `base`. Without them
        the two frames are taken to be at rest with respect to each other.
        Raises FrameMismatchError unless all frames fit, ArgumentError when one twist is given without the other.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "SpatialAcceleration.transformed")
        angular, linear = self.angular_components, self.linear_components
        if twist_of_current_wrt_new is not None or twist_of_body_wrt_base is not None:
            bias_angular, bias_linear = self._bias_of_moving_frame(
                tf.to_frame, twist_of_current_wrt_new, twist_of_body_wrt_base
            )
            angular, linear = add3(angular, bias_angular), add3(linear, bias_linear)
        angular, linear = transform_motion(tf.rotation_components, tf.translation_components, (angular, linear))
        return SpatialAcceleration.trusted(self.body, self.base, tf.to_frame, angular, linear)

    def _bias_of_moving_frame(
        self, new: Frame[Any], frame_twist: Twist[Any, Any, Any] | None, body_twist: Twist[Any, Any, Any] | None
    ) -> tuple[Vec3, Vec3]:
        """Return the cross product of the twists of the current frame and of the body; see `transformed`."""
        if frame_twist is None or body_twist is None:
            raise ArgumentError(
                "SpatialAcceleration.transformed: give both twists, or neither when the two frames do not move",
                argument="twist_of_current_wrt_new" if frame_twist is None else "twist_of_body_wrt_base",
                value=None,
                allowed="Twist",
            )
        _check_twist(frame_twist, (self.frame, new, self.frame), "twist_of_current_wrt_new")
        _check_twist(body_twist, (self.body, self.base, self.frame), "twist_of_body_wrt_base")
        a, b = ((twist.angular_components, twist.linear_components) for twist in (frame_twist, body_twist))
        return motion_cross(a, b)

    @overload
    def __add__(self, other: SpatialAcceleration[B, A, E]) -> SpatialAcceleration[B, A, E]: ...
    @overload
    def __add__(self, other: SpatialAcceleration[C, B, E]) -> SpatialAcceleration[C, A, E]: ...
    def __add__(
        self, other: SpatialAcceleration[C, Any, E]
    ) -> SpatialAcceleration[C, A, E] | SpatialAcceleration[B, A, E]:
        if type(other) is not SpatialAcceleration or other.frame is not self.frame or other.base is not self.body:
            check_sum(self, other)
        return SpatialAcceleration.trusted(other.body, self.base, self.frame, *self._plus(other))

    @overload
    def __sub__(self, other: SpatialAcceleration[B, A, E]) -> SpatialAcceleration[B, A, E]: ...
    @overload
    def __sub__(self, other: SpatialAcceleration[C, A, E]) -> SpatialAcceleration[B, C, E]: ...
    @overload
    def __sub__(self, other: SpatialAcceleration[B, C, E]) -> SpatialAcceleration[C, A, E]: ...
    def __sub__(self, other: SpatialAcceleration[Any, Any, E]) -> SpatialAcceleration[Any, Any, E]:
        return SpatialAcceleration.trusted(*difference_frames(self, other), self.frame, *self._minus(other))

    def __neg__(self) -> SpatialAcceleration[A, B, E]:
        return SpatialAcceleration.trusted(
            self.base, self.body, self.frame, neg3(self.angular_components), neg3(self.linear_components)
        )

    def with_body(self, body: Frame[C]) -> SpatialAcceleration[C, A, E]:
        """Return the same for a frame which the caller promises is fixed to the body."""
        if type(body) is not Frame:
            require_frame(body, "body")
        return SpatialAcceleration.trusted(body, self.base, self.frame, self.angular_components, self.linear_components)

    def with_base(self, base: Frame[C]) -> SpatialAcceleration[B, C, E]:
        """Return the same with respect to a frame which the caller promises is fixed to the base."""
        if type(base) is not Frame:
            require_frame(base, "base")
        return SpatialAcceleration.trusted(self.body, base, self.frame, self.angular_components, self.linear_components)

    def point_acceleration(self, twist: Twist[B, A, E], point: Point[E]) -> FreeVector[E]:
        """Return the acceleration, with respect to `base`, of the body-fixed point now at `point`; all in `frame`.

        `twist` is the one of `body` with respect to `base`. Raises FrameMismatchError unless all frames fit.
        """
        _check_twist(twist, (self.body, self.base, self.frame), "twist", "SpatialAcceleration.point_acceleration")
        require_kind_in_frame(point, Point, self.frame, "SpatialAcceleration.point_acceleration", "point")
        omega, r = twist.angular_components, point.xyz_components
        velocity = add3(cross3(omega, r), twist.linear_components)
        tangential = add3(cross3(self.angular_components, r), self.linear_components)
        return FreeVector.trusted(self.frame, add3(tangential, cross3(omega, velocity)))


@cache
def _transform_class() -> type[Transform[Any, Any]]:
    """Return the class: the exponential and the logarithm need each other."""
    from rbd.spatial.transform import Transform

    return Transform


_twist_angular, _twist_linear, _twist_body, _twist_base, _twist_frame = slot_setters(Twist)
(
    _acceleration_angular,
    _acceleration_linear,
    _acceleration_body,
    _acceleration_base,
    _acceleration_frame,
) = slot_setters(SpatialAcceleration)


def _check_twist(
    twist: Twist[Any, Any, Any],
    expected: tuple[Frame[Any], Frame[Any], Frame[Any]],
    argument: str,
    operation: str = "SpatialAcceleration.transformed",
) -> None:
    require_kind(twist, Twist, operation=operation, argument=argument)
    reverse = same_frame(twist.body, expected[1]) and same_frame(twist.base, expected[0])
    hint = f"-{argument} would fit" if reverse else ""
    check_frame(twist.body, expected[0], operation=operation, argument=f"{argument}.body", hint=hint)
    check_frame(twist.base, expected[1], operation=operation, argument=f"{argument}.base", hint=hint)
    check_frame(twist.frame, expected[2], operation=operation, argument=f"{argument}.frame")
