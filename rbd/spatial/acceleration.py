"""Spatial accelerations: the derivatives of the components of twists in an inertial frame.

The acceleration of a point is not its linear part: ask `point_acceleration` (Featherstone, 2008, section 2.11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final, overload

import attrs

from rbd.errors import ArgumentError
from rbd.scalars import Scalar
from rbd.spatial.frame import A, B, C, D, E, F, Frame, check_frame, require_frame, same_frame
from rbd.spatial.linalg import Vec3, add3, cross3, matvec, neg3, scale3, sub3
from rbd.spatial.motion_base import Motion, check_sum, difference_frames, fill, motion_cross
from rbd.spatial.values import VectorLike, require_kind, require_scalar, slot_setters, wrong_kind
from rbd.spatial.vectors import FreeVector, Point, check_source

if TYPE_CHECKING:
    from rbd.spatial.motion import Twist
    from rbd.spatial.transform import Transform

_new = object.__new__
_ZERO: Vec3 = (0, 0, 0)


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
        fill(self, (body, base, frame), angular, linear)

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
        if getattr(tf, "from_frame", None) is not self.frame:
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
        if type(other) is not SpatialAcceleration or other.frame is not self.frame or other.base is not self.body:
            check_sum(self, other)
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
        body, base = difference_frames(self, other)
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
        if type(body) is not Frame:
            require_frame(body, "body")
        return SpatialAcceleration.trusted(body, self.base, self.frame, self.angular_components, self.linear_components)

    def with_base(self, base: Frame[C]) -> SpatialAcceleration[B, C, E]:
        """Return the same with respect to another frame rigidly attached to the base: the caller's promise."""
        if type(base) is not Frame:
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
    _require_twist(twist, operation, argument)
    reverse = same_frame(twist.body, expected[1]) and same_frame(twist.base, expected[0])
    hint = f"-{argument} would fit" if reverse else ""
    check_frame(twist.body, expected[0], operation=operation, argument=f"{argument}.body", hint=hint)
    check_frame(twist.base, expected[1], operation=operation, argument=f"{argument}.base", hint=hint)
    check_frame(twist.frame, expected[2], operation=operation, argument=f"{argument}.frame")


def _require_twist(value: object, operation: str, argument: str) -> None:
    """Raise ArgumentError unless `value` is a twist, the motion that is no acceleration."""
    given: object = value
    if isinstance(value, Motion) and not isinstance(value, SpatialAcceleration):
        return
    raise wrong_kind(given, "Twist", operation, argument)
