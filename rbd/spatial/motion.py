"""Twists and spatial accelerations: how one frame moves with respect to another.

Room: spatial; may import `frame.py`, `linalg.py`, `so3.py`, `sixvector.py` and `vectors.py`.

The linear part of a twist is the velocity of the body-fixed point that passes through the origin of the frame it is
expressed in; a spatial acceleration is the derivative of a twist's components in an inertial frame (Featherstone,
2008, chapter 2). `Twist[B, O, E]`: of B with respect to O, expressed in E.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, final, overload

import attrs
from typing_extensions import override

from rbd.errors import ArgumentError
from rbd.scalars import Scalar
from rbd.spatial.frame import A, B, C, D, E, F, Frame, check_frame, require_frame, same_frame
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, matvec, neg3, scale3, sub3
from rbd.spatial.sixvector import SixVector
from rbd.spatial.so3 import rotation_exp, stumpff
from rbd.spatial.values import VectorLike, require_kind, require_scalar, slot_setters
from rbd.spatial.vectors import FreeVector, Point, check_source, part

if TYPE_CHECKING:
    from rbd.spatial.transform import Transform

_new = object.__new__
_set = object.__setattr__
_ZERO: Vec3 = (0, 0, 0)


@attrs.frozen(eq=False, repr=False)
class Motion(SixVector, Generic[B, A, E]):
    """What twists and accelerations share: the frames `body`, `base`, and `frame` for the coordinates; abstract."""

    body: Frame[B]
    base: Frame[A]
    frame: Frame[E]

    @override
    def _frames(self) -> tuple[tuple[str, Frame[Any]], ...]:
        return ("body", self.body), ("base", self.base), ("frame", self.frame)

    @override
    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} of {self.body.name!r} with respect to {self.base.name!r} in {self.frame.name!r}: "
            f"{self._numbers()}"
        )


def _fill(
    value: Motion[Any, Any, Any],
    frames: tuple[Frame[Any], Frame[Any], Frame[Any]],
    angular: VectorLike | FreeVector[Any],
    linear: VectorLike | FreeVector[Any],
) -> None:
    """Give a new value its checked frames and numbers."""
    for name, frame in zip(("body", "base", "frame"), frames, strict=True):
        _set(value, name, require_frame(frame, name))
    operation = type(value).__name__
    _set(value, "angular_components", part(angular, frames[2], "angular", operation))
    _set(value, "linear_components", part(linear, frames[2], "linear", operation))


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
        _fill(self, (body, base, frame), angular, linear)

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
        if tf.from_frame is not self.frame:
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
        _check_sum(self, other)
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
        body, base = _difference_frames(self, other)
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
        require_frame(body, "body")
        return Twist.trusted(body, self.base, self.frame, self.angular_components, self.linear_components)

    def with_base(self, base: Frame[C]) -> Twist[B, C, E]:
        """Return the same twist with respect to another frame rigidly attached to the base: the caller's promise."""
        require_frame(base, "base")
        return Twist.trusted(self.body, base, self.frame, self.angular_components, self.linear_components)

    def cross(self, other: Twist[C, D, E]) -> SpatialAcceleration[C, D, E]:
        """Return the motion cross product: how `other`'s components change when it is carried along by this twist.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
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


@final
@attrs.frozen(eq=False, repr=False, init=False)
class SpatialAcceleration(Motion[B, A, E]):
    """The spatial acceleration of the frame `body` with respect to `base`, expressed in `frame`.

    Raises ShapeError, NotFiniteError, or ArgumentError when a frame is no frame.

    >>> hand, world = Frame("hand"), Frame("world")
    >>> SpatialAcceleration(hand, world, world, angular=[0, 0, 2], linear=[1, 0, 0]).linear
    array([1., 0., 0.])
    """

    def __init__(
        self,
        body: Frame[B],
        base: Frame[A],
        frame: Frame[E],
        angular: VectorLike | FreeVector[E],
        linear: VectorLike | FreeVector[E],
    ) -> None:
        _fill(self, (body, base, frame), angular, linear)

    @staticmethod
    def trusted(
        body: Frame[C], base: Frame[D], frame: Frame[F], angular: Vec3, linear: Vec3
    ) -> SpatialAcceleration[C, D, F]:
        """Make an acceleration of scalars that need no check."""
        self: SpatialAcceleration[C, D, F] = _new(SpatialAcceleration)
        _acceleration_angular(self, angular)
        _acceleration_linear(self, linear)
        _acceleration_body(self, body)
        _acceleration_base(self, base)
        _acceleration_frame(self, frame)
        return self

    @staticmethod
    def zero(body: Frame[C], base: Frame[D], frame: Frame[F]) -> SpatialAcceleration[C, D, F]:
        """Return no acceleration."""
        return SpatialAcceleration.trusted(body, base, frame, _ZERO, _ZERO)

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
        if tf.from_frame is not self.frame:
            check_source(tf, self.frame, "SpatialAcceleration.transformed")
        angular, linear = self.angular_components, self.linear_components
        if twist_of_current_wrt_new is not None and twist_of_body_wrt_base is not None:
            carrier, carried = twist_of_current_wrt_new, twist_of_body_wrt_base
            _check_twist(carrier, (self.frame, tf.to_frame, self.frame), "twist_of_current_wrt_new")
            _check_twist(carried, (self.body, self.base, self.frame), "twist_of_body_wrt_base")
            turned, moved = motion_cross(
                carrier.angular_components,
                carrier.linear_components,
                carried.angular_components,
                carried.linear_components,
            )
            angular, linear = add3(angular, turned), add3(linear, moved)
        elif twist_of_current_wrt_new is not None or twist_of_body_wrt_base is not None:
            raise ArgumentError(
                "SpatialAcceleration.transformed: give both twists, or neither when the two frames do not move",
                argument="twist_of_current_wrt_new" if twist_of_current_wrt_new is None else "twist_of_body_wrt_base",
                value=None,
                allowed="Twist",
            )
        rotation = tf.rotation_components
        angular = matvec(rotation, angular)
        linear = add3(matvec(rotation, linear), cross3(tf.translation_components, angular))
        return SpatialAcceleration.trusted(self.body, self.base, tf.to_frame, angular, linear)

    @overload
    def __add__(self, other: SpatialAcceleration[B, A, E]) -> SpatialAcceleration[B, A, E]: ...
    @overload
    def __add__(self, other: SpatialAcceleration[C, B, E]) -> SpatialAcceleration[C, A, E]: ...
    def __add__(
        self, other: SpatialAcceleration[C, Any, E]
    ) -> SpatialAcceleration[C, A, E] | SpatialAcceleration[B, A, E]:
        _check_sum(self, other)
        return SpatialAcceleration.trusted(
            other.body,
            self.base,
            self.frame,
            add3(self.angular_components, other.angular_components),
            add3(self.linear_components, other.linear_components),
        )

    @overload
    def __sub__(self, other: SpatialAcceleration[B, A, E]) -> SpatialAcceleration[B, A, E]: ...
    @overload
    def __sub__(self, other: SpatialAcceleration[C, A, E]) -> SpatialAcceleration[B, C, E]: ...
    @overload
    def __sub__(self, other: SpatialAcceleration[B, C, E]) -> SpatialAcceleration[C, A, E]: ...
    def __sub__(self, other: SpatialAcceleration[Any, Any, E]) -> SpatialAcceleration[Any, Any, E]:
        body, base = _difference_frames(self, other)
        return SpatialAcceleration.trusted(
            body,
            base,
            self.frame,
            sub3(self.angular_components, other.angular_components),
            sub3(self.linear_components, other.linear_components),
        )

    def __neg__(self) -> SpatialAcceleration[A, B, E]:
        return SpatialAcceleration.trusted(
            self.base, self.body, self.frame, neg3(self.angular_components), neg3(self.linear_components)
        )

    def __mul__(self, factor: Scalar) -> SpatialAcceleration[B, A, E]:
        require_scalar(factor, "SpatialAcceleration * factor")
        return SpatialAcceleration.trusted(
            self.body,
            self.base,
            self.frame,
            scale3(self.angular_components, factor),
            scale3(self.linear_components, factor),
        )

    __rmul__ = __mul__

    def with_body(self, body: Frame[C]) -> SpatialAcceleration[C, A, E]:
        """Return the same, said of another frame that is rigidly attached to the body: the caller's promise."""
        require_frame(body, "body")
        return SpatialAcceleration.trusted(body, self.base, self.frame, self.angular_components, self.linear_components)

    def with_base(self, base: Frame[C]) -> SpatialAcceleration[B, C, E]:
        """Return the same with respect to another frame rigidly attached to the base: the caller's promise."""
        require_frame(base, "base")
        return SpatialAcceleration.trusted(self.body, base, self.frame, self.angular_components, self.linear_components)

    def point_acceleration(self, twist: Twist[B, A, E], point: Point[E]) -> FreeVector[E]:
        """Return the acceleration, with respect to `base`, of the body-fixed point now at `point`; all in `frame`.

        `twist` is the one of `body` with respect to `base`. Raises FrameMismatchError unless all frames fit.
        """
        _check_twist(twist, (self.body, self.base, self.frame), "twist", "SpatialAcceleration.point_acceleration")
        require_kind(point, Point, operation="SpatialAcceleration.point_acceleration", argument="point")
        check_frame(point.frame, self.frame, operation="SpatialAcceleration.point_acceleration", argument="point.frame")
        omega, r = twist.angular_components, point.xyz_components
        velocity = add3(cross3(omega, r), twist.linear_components)
        steady = add3(cross3(self.angular_components, r), self.linear_components)
        return FreeVector.trusted(self.frame, add3(steady, cross3(omega, velocity)))


_twist_angular, _twist_linear, _twist_body, _twist_base, _twist_frame = slot_setters(Twist)
(
    _acceleration_angular,
    _acceleration_linear,
    _acceleration_body,
    _acceleration_base,
    _acceleration_frame,
) = slot_setters(SpatialAcceleration)


def motion_cross(omega: Vec3, v: Vec3, other_omega: Vec3, other_v: Vec3) -> tuple[Vec3, Vec3]:
    """Return (omega, v) x (other_omega, other_v), the cross product of motion vectors."""
    return cross3(omega, other_omega), add3(cross3(omega, other_v), cross3(v, other_omega))


def _check_sum(a: Motion[Any, Any, Any], b: Motion[Any, Any, Any]) -> None:
    """Raise unless a + b is a chain (b starts where a ends) or both are of the same pair of frames."""
    kind = type(a).__name__
    operation = f"{kind} + {kind}"
    require_kind(b, type(a), operation=operation, argument="other")
    if b.frame is not a.frame:
        check_frame(b.frame, a.frame, operation=operation, argument="other.frame")
    if a.body is b.base or same_frame(a.body, b.base):
        return
    if same_frame(a.body, b.body) and same_frame(a.base, b.base):
        return
    hint = "the other order would fit" if same_frame(b.body, a.base) else ""
    check_frame(b.base, a.body, operation=operation, argument="other.base", hint=hint)


def _difference_frames(a: Motion[Any, Any, Any], b: Motion[Any, Any, Any]) -> tuple[Frame[Any], Frame[Any]]:
    """Return body and base of a - b: the same pair, or the chain that is left when the common end is dropped."""
    kind = type(a).__name__
    operation = f"{kind} - {kind}"
    require_kind(b, type(a), operation=operation, argument="other")
    check_frame(b.frame, a.frame, operation=operation, argument="other.frame")
    if same_frame(a.base, b.base):
        return (a.body, a.base) if same_frame(a.body, b.body) else (a.body, b.body)
    if same_frame(a.body, b.body):
        return b.base, a.base
    hint = "the sum would fit" if same_frame(a.body, b.base) else ""
    check_frame(b.base, a.base, operation=operation, argument="other.base", hint=hint)
    raise AssertionError("unreachable: the bases differ")


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
