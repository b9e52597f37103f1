"""Force vectors (Featherstone 2008, section 2.3): wrenches and momenta, about the origin of their frame."""

from __future__ import annotations

from typing import Any, Generic, Self, final

import attrs
from typing_extensions import override

from rbd.arguments import constructing_call, require_kind
from rbd.scalars import Scalar
from rbd.spatial.frame import F, Frame, G, check_frame, require_frame
from rbd.spatial.linalg import Vec3, cross3, dot3, neg3, transform_force, zero3
from rbd.spatial.motion import Twist
from rbd.spatial.spatial_vector import SpatialVector
from rbd.spatial.transform import Transform
from rbd.spatial.values import VectorLike, checked_frames, require_kind_in_frame, slot_setters
from rbd.spatial.vectors import FreeVector, Point, check_source, vec3_in_frame

_new = object.__new__
_set = object.__setattr__


@attrs.frozen(eq=False, repr=False, init=False)
class ForceVector(SpatialVector, Generic[F]):
    """A wrench or momentum about the origin of `frame`; abstract."""

    frame: Frame[F]

    def __init__(
        self, frame: Frame[F], angular: VectorLike | FreeVector[F], linear: VectorLike | FreeVector[F]
    ) -> None:
        operation = type(self).__name__
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "angular_components", vec3_in_frame(angular, frame, "angular", operation))
        _set(self, "linear_components", vec3_in_frame(linear, frame, "linear", operation))

    def _check(self, other: ForceVector[F], symbol: str) -> None:
        kind = type(self)
        if type(other) is kind and other.frame is self.frame:
            return
        operation = f"{kind.__name__} {symbol} {kind.__name__}"
        require_kind(other, kind, operation=operation, argument="other")
        check_frame(other.frame, self.frame, operation=operation, argument="other.frame")

    @override
    def _with(self, angular: Vec3, linear: Vec3) -> Self:
        kind: Any = type(self)
        value: Self = kind.trusted(self.frame, angular, linear)
        return value

    def __add__(self, other: Self) -> Self:
        self._check(other, "+")
        return self._with(*self._plus(other))

    def __sub__(self, other: Self) -> Self:
        self._check(other, "-")
        return self._with(*self._minus(other))

    def __neg__(self) -> Self:
        return self._with(neg3(self.angular_components), neg3(self.linear_components))

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__} in {self.frame.name!r}: {self._numbers()}"


@constructing_call("Wrench(frame, torque, force)", takes="numbers")
@final
@attrs.frozen(eq=False, repr=False, init=False)
class Wrench(ForceVector[F]):
    """A torque about the origin of `frame` and a force.

    Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is not a Frame.

    >>> world = Frame("world")
    >>> Wrench.of_force(Point(world, [1, 0, 0]), FreeVector(world, [0, 0, -10]))
    Wrench in 'world': angular (0, 10, 0), linear (0, 0, -10)
    """

    @staticmethod
    def trusted(frame: Frame[G], angular: Vec3, linear: Vec3) -> Wrench[G]:
        """Make a wrench of scalars, unchecked."""
        self: Wrench[G] = _new(Wrench)
        _wrench_angular(self, angular)
        _wrench_linear(self, linear)
        _wrench_frame(self, frame)
        return self

    @staticmethod
    def zero(frame: Frame[G]) -> Wrench[G]:
        """Return the zero wrench."""
        return Wrench.trusted(require_frame(frame, "frame"), zero3(), zero3())

    @staticmethod
    def of_force(point: Point[G], force: FreeVector[G]) -> Wrench[G]:
        """Return the wrench of a force that acts at a point, in their frame.

        Raises FrameMismatchError unless both are in one frame.
        """
        require_kind(point, Point, operation="Wrench.of_force", argument="point")
        require_kind(force, FreeVector, operation="Wrench.of_force", argument="force")
        check_frame(force.frame, point.frame, operation="Wrench.of_force", argument="force.frame")
        f = force.xyz_components
        return Wrench.trusted(point.frame, cross3(point.xyz_components, f), f)

    def expect(self, frame: Frame[G]) -> Wrench[G]:
        """Return this wrench, known to type checkers by the frame given; raise FrameMismatchError for others."""
        wrench: Wrench[G] = checked_frames(self, frame=frame)
        return wrench

    def transformed(self, tf: Transform[F, G]) -> Wrench[G]:
        """Return the same wrench about the origin of, and expressed in, `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the wrench's frame.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "Wrench.transformed")
        force = self.angular_components, self.linear_components
        return Wrench.trusted(tf.to_frame, *transform_force(*tf.components, force))

    def dot(self, twist: Twist[Any, Any, F]) -> Scalar:
        """Return the power of the wrench on a body with this twist, in the wrench's frame.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
        require_kind_in_frame(twist, Twist, self.frame, "Wrench.dot", "twist")
        angular = dot3(self.angular_components, twist.angular_components)
        return angular + dot3(self.linear_components, twist.linear_components)


@final
@attrs.frozen(eq=False, repr=False, init=False)
class Momentum(ForceVector[F]):
    """Angular momentum about the origin of `frame`, and linear momentum.

    Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is not a Frame.

    >>> world = Frame("world")
    >>> Momentum(world, [0, 0, 1], [2, 0, 0]) + Momentum(world, [0, 0, 1], [0, 0, 0])
    Momentum in 'world': angular (0, 0, 2), linear (2, 0, 0)
    """

    @staticmethod
    def trusted(frame: Frame[G], angular: Vec3, linear: Vec3) -> Momentum[G]:
        """Make a momentum of scalars, unchecked."""
        self: Momentum[G] = _new(Momentum)
        _momentum_angular(self, angular)
        _momentum_linear(self, linear)
        _momentum_frame(self, frame)
        return self

    @staticmethod
    def zero(frame: Frame[G]) -> Momentum[G]:
        """Return the zero momentum."""
        return Momentum.trusted(require_frame(frame, "frame"), zero3(), zero3())

    def expect(self, frame: Frame[G]) -> Momentum[G]:
        """Return this momentum, known to type checkers by the frame given; raise FrameMismatchError for others."""
        momentum: Momentum[G] = checked_frames(self, frame=frame)
        return momentum

    def transformed(self, tf: Transform[F, G]) -> Momentum[G]:
        """Return the same momentum about the origin of, and expressed in, `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the momentum's frame.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "Momentum.transformed")
        force = self.angular_components, self.linear_components
        return Momentum.trusted(tf.to_frame, *transform_force(*tf.components, force))


_wrench_angular, _wrench_linear, _wrench_frame = slot_setters(Wrench)
_momentum_angular, _momentum_linear, _momentum_frame = slot_setters(Momentum)
