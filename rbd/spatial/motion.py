"""Twists: how fast one frame moves with respect to another.

The linear part of a twist is the velocity of the body-fixed point that passes through the origin of the frame it is
expressed in (Featherstone, 2008, chapter 2). `Twist[B, O, E]`: of B with respect to O, expressed in E.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final, overload

import attrs

from rbd.scalars import Scalar
from rbd.spatial.acceleration import SpatialAcceleration
from rbd.spatial.frame import A, B, C, D, E, F, Frame, check_frame, require_frame
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, matvec, neg3, scale3, sub3
from rbd.spatial.motion_base import Motion, check_sum, difference_frames, fill, motion_cross
from rbd.spatial.so3 import rotation_exp, stumpff
from rbd.spatial.values import VectorLike, require_kind, require_scalar, slot_setters
from rbd.spatial.vectors import FreeVector, Point, check_source

if TYPE_CHECKING:
    from rbd.spatial.transform import Transform

__all__ = ["SpatialAcceleration", "Twist"]

_new = object.__new__
_ZERO: Vec3 = (0, 0, 0)


@final
@attrs.frozen(eq=False, repr=False, init=False)
class Twist(Motion[B, A, E]):
    """The velocity of the frame `body` with respect to `base`, expressed in `frame`.

    Raises ShapeError, NotFiniteError, or ArgumentError when a frame is no frame.

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
        fill(self, (body, base, frame), angular, linear)

    @staticmethod
    def trusted(body: Frame[C], base: Frame[D], frame: Frame[F], angular: Vec3, linear: Vec3) -> Twist[C, D, F]:
        """Make a twist of scalars that need no check."""
        self: Twist[C, D, F] = _new(Twist)
        _twist_angular(self, angular)
        _twist_linear(self, linear)
        _twist_body(self, body)
        _twist_base(self, base)
        _twist_frame(self, frame)
        return self

    @staticmethod
    def zero(body: Frame[C], base: Frame[D], frame: Frame[F]) -> Twist[C, D, F]:
        """Return the twist of frames that do not move."""
        return Twist.trusted(body, base, frame, _ZERO, _ZERO)

    def transformed(self, tf: Transform[E, F]) -> Twist[B, A, F]:
        """Return the same twist expressed in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the frame the twist is expressed in.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "Twist.transformed")
        rotation = tf.rotation_components
        angular = matvec(rotation, self.angular_components)
        linear = add3(matvec(rotation, self.linear_components), cross3(tf.translation_components, angular))
        return Twist.trusted(self.body, self.base, tf.to_frame, angular, linear)

    @overload
    def __add__(self, other: Twist[B, A, E]) -> Twist[B, A, E]: ...
    @overload
    def __add__(self, other: Twist[C, B, E]) -> Twist[C, A, E]: ...
    def __add__(self, other: Twist[C, Any, E]) -> Twist[C, A, E] | Twist[B, A, E]:
        if type(other) is not Twist or other.frame is not self.frame or other.base is not self.body:
            check_sum(self, other)
        return Twist.trusted(
            other.body,
            self.base,
            self.frame,
            add3(self.angular_components, other.angular_components),
            add3(self.linear_components, other.linear_components),
        )

    @overload
    def __sub__(self, other: Twist[B, A, E]) -> Twist[B, A, E]: ...
    @overload
    def __sub__(self, other: Twist[C, A, E]) -> Twist[B, C, E]: ...
    @overload
    def __sub__(self, other: Twist[B, C, E]) -> Twist[C, A, E]: ...
    def __sub__(self, other: Twist[Any, Any, E]) -> Twist[Any, Any, E]:
        body, base = difference_frames(self, other)
        return Twist.trusted(
            body,
            base,
            self.frame,
            sub3(self.angular_components, other.angular_components),
            sub3(self.linear_components, other.linear_components),
        )

    def __neg__(self) -> Twist[A, B, E]:
        return Twist.trusted(
            self.base, self.body, self.frame, neg3(self.angular_components), neg3(self.linear_components)
        )

    def __mul__(self, factor: Scalar) -> Twist[B, A, E]:
        require_scalar(factor, "Twist * factor")
        return Twist.trusted(
            self.body,
            self.base,
            self.frame,
            scale3(self.angular_components, factor),
            scale3(self.linear_components, factor),
        )

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Twist[B, A, E]:
        require_scalar(divisor, "Twist / divisor")
        (a, b, c), (x, y, z) = self.angular_components, self.linear_components
        angular, linear = (a / divisor, b / divisor, c / divisor), (x / divisor, y / divisor, z / divisor)
        return Twist.trusted(self.body, self.base, self.frame, angular, linear)

    def with_body(self, body: Frame[C]) -> Twist[C, A, E]:
        """Return the same twist, said of another frame that is rigidly attached to the body: the caller's promise."""
        if type(body) is not Frame:
            require_frame(body, "body")
        return Twist.trusted(body, self.base, self.frame, self.angular_components, self.linear_components)

    def with_base(self, base: Frame[C]) -> Twist[B, C, E]:
        """Return the same twist with respect to another frame rigidly attached to the base: the caller's promise."""
        if type(base) is not Frame:
            require_frame(base, "base")
        return Twist.trusted(self.body, base, self.frame, self.angular_components, self.linear_components)

    def cross(self, other: Twist[C, D, E]) -> SpatialAcceleration[C, D, E]:
        """Return the motion cross product: how `other`'s components change when it is carried along by this twist.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
        if type(other) is not Twist:
            require_kind(other, Twist, operation="Twist.cross", argument="other")
        if other.frame is not self.frame:
            check_frame(other.frame, self.frame, operation="Twist.cross", argument="other.frame")
        angular, linear = motion_cross(
            self.angular_components, self.linear_components, other.angular_components, other.linear_components
        )
        return SpatialAcceleration.trusted(other.body, other.base, self.frame, angular, linear)

    def point_velocity(self, point: Point[E]) -> FreeVector[E]:
        """Return the velocity, with respect to `base`, of the body-fixed point now at `point`; all in `frame`.

        Raises FrameMismatchError unless the point is in the frame the twist is expressed in.
        """
        if type(point) is not Point:
            require_kind(point, Point, operation="Twist.point_velocity", argument="point")
        if point.frame is not self.frame:
            check_frame(point.frame, self.frame, operation="Twist.point_velocity", argument="point.frame")
        omega = self.angular_components
        return FreeVector.trusted(self.frame, add3(self.linear_components, cross3(omega, point.xyz_components)))

    def exp(self: Twist[C, D, D]) -> Transform[C, D]:
        """Return the pose reached from the identity by this twist, held constant, in one unit of time.

        Raises FrameMismatchError unless the twist is expressed in its base. Inverse of `Transform.log`.
        """
        from rbd.spatial.transform import Transform  # the exponential and the logarithm need each other

        check_frame(self.frame, self.base, operation="Twist.exp", argument="self.frame")
        phi, rho = self.angular_components, self.linear_components
        c = stumpff(dot3(phi, phi))
        once = cross3(phi, rho)
        translation = add3(rho, add3(scale3(once, c.c2), scale3(cross3(phi, once), c.c3)))
        return Transform.trusted(self.body, self.base, rotation_exp(phi), translation)


_twist_angular, _twist_linear, _twist_body, _twist_base, _twist_frame = slot_setters(Twist)
