"""Points and free vectors: three coordinates in a frame.

A transform rotates and translates a point, and rotates a vector.

point - point = vector, point + vector = point; the sum of two points does not exist. `2 * point` and `-point` scale
coordinates, about the frame's origin.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Self, final, overload

import attrs
from typing_extensions import override

from rbd.arguments import constructing_call, kind_error, require_kind
from rbd.errors import ArgumentError
from rbd.scalars import Scalar, Vector, positive, sqrt
from rbd.scalars.arrays import Array, array_of
from rbd.scalars.norms import scaled_into_range, square_sum
from rbd.spatial.frame import F, Frame, G, check_frame, require_frame, same_frame
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, matvec, neg3, norm3, scale3, sub3
from rbd.spatial.values import (
    SpatialValue,
    VectorLike,
    checked_frames,
    format_numbers,
    require_divisor,
    require_kind_in_frame,
    require_scalar,
    slot_setters,
    vec3,
)

if TYPE_CHECKING:
    from rbd.spatial.transform import Transform

_new = object.__new__
_set = object.__setattr__


@attrs.frozen(eq=False, repr=False, init=False)
class Coordinates(SpatialValue, Generic[F]):
    """Base of Point and FreeVector: a frame and three scalars; abstract."""

    frame: Frame[F]
    xyz_components: Vec3

    def __init__(self, frame: Frame[F], xyz: VectorLike) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "xyz_components", vec3(xyz, "xyz"))

    @abstractmethod
    def transformed(self, tf: Transform[F, G]) -> Coordinates[G]:
        """Return the same thing with its coordinates in the frame that `tf` leads to."""

    @property
    def xyz(self) -> Array:
        """The coordinates as a fresh array."""
        return array_of(self.xyz_components)

    @property
    def components(self) -> Vector:
        """The coordinates, as scalars."""
        return self.xyz_components

    def _with(self, xyz: Vec3) -> Self:
        """Return a value of the same class and frame with other coordinates."""
        kind: Any = type(self)
        value: Self = kind.trusted(self.frame, xyz)
        return value

    def __neg__(self) -> Self:
        return self._with(neg3(self.xyz_components))

    def __mul__(self, factor: Scalar) -> Self:
        require_scalar(factor, f"{type(self).__name__} * factor")
        return self._with(scale3(self.xyz_components, factor))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Self:
        require_divisor(divisor, f"{type(self).__name__} / divisor")
        x, y, z = self.xyz_components
        return self._with((x / divisor, y / divisor, z / divisor))

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return (self.xyz_components,)

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__} in {self.frame.name!r}: {format_numbers(self.xyz_components)}"


@constructing_call("Point(frame, xyz)", takes="numbers")
@final
@attrs.frozen(eq=False, repr=False, init=False)
class Point(Coordinates[F]):
    """A point, by its coordinates in a frame.

    Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is not a Frame.

    >>> world = Frame("world")
    >>> Point(world, [1, 2, 3]) - Point(world, [1, 1, 1])
    FreeVector in 'world': (0, 1, 2)
    """

    @staticmethod
    def trusted(frame: Frame[G], xyz: Vec3) -> Point[G]:
        """Make a point of scalars, unchecked."""
        self: Point[G] = _new(Point)
        _set_point_frame(self, frame)
        _set_point_xyz(self, xyz)
        return self

    @staticmethod
    def origin(frame: Frame[G]) -> Point[G]:
        """Return the origin of `frame`."""
        return Point.trusted(require_frame(frame, "frame"), (0, 0, 0))

    def expect(self, frame: Frame[G]) -> Point[G]:
        """Return this point, known to type checkers by the frame given; raise FrameMismatchError for others."""
        point: Point[G] = checked_frames(self, frame=frame)
        return point

    @override
    def transformed(self, tf: Transform[F, G]) -> Point[G]:
        """Return the same point with its coordinates in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the point's frame.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "Point.transformed")
        return Point.trusted(
            tf.to_frame, add3(matvec(tf.rotation_components, self.xyz_components), tf.translation_components)
        )

    def __add__(self, other: FreeVector[F]) -> Point[F]:
        _refuse_point(other)
        require_kind_in_frame(other, FreeVector, self.frame, "Point + FreeVector", "other")
        return Point.trusted(self.frame, add3(self.xyz_components, other.xyz_components))

    @overload
    def __sub__(self, other: Point[F]) -> FreeVector[F]: ...
    @overload
    def __sub__(self, other: FreeVector[F]) -> Point[F]: ...
    def __sub__(self, other: Point[F] | FreeVector[F]) -> FreeVector[F] | Point[F]:
        require_kind(other, Coordinates, operation="Point - ...", argument="other")
        operation = f"Point - {type(other).__name__}"
        if other.frame is not self.frame:
            check_frame(other.frame, self.frame, operation=operation, argument="other.frame")
        difference = sub3(self.xyz_components, other.xyz_components)
        make = FreeVector if isinstance(other, Point) else Point
        return make.trusted(self.frame, difference)

    def cross(self, other: FreeVector[F]) -> FreeVector[F]:
        """Return the moment of `other`, acting at this point, about the frame's origin.

        Raises FrameMismatchError unless both are in one frame.
        """
        require_kind_in_frame(other, FreeVector, self.frame, "Point.cross", "other")
        return FreeVector.trusted(self.frame, cross3(self.xyz_components, other.xyz_components))


@constructing_call("FreeVector(frame, xyz)", takes="numbers")
@final
@attrs.frozen(eq=False, repr=False, init=False)
class FreeVector(Coordinates[F]):
    """A vector without a point of application: a velocity, a force, a direction.

    Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is not a Frame.

    >>> world = Frame("world")
    >>> FreeVector(world, [1, 0, 0]).cross(FreeVector(world, [0, 2, 0]))
    FreeVector in 'world': (0, 0, 2)
    """

    @staticmethod
    def trusted(frame: Frame[G], xyz: Vec3) -> FreeVector[G]:
        """Make a vector of scalars, unchecked."""
        self: FreeVector[G] = _new(FreeVector)
        _set_vector_frame(self, frame)
        _set_vector_xyz(self, xyz)
        return self

    @staticmethod
    def zero(frame: Frame[G]) -> FreeVector[G]:
        """Return the zero vector in `frame`."""
        return FreeVector.trusted(require_frame(frame, "frame"), (0, 0, 0))

    def expect(self, frame: Frame[G]) -> FreeVector[G]:
        """Return this vector, known to type checkers by the frame given; raise FrameMismatchError for others."""
        vector: FreeVector[G] = checked_frames(self, frame=frame)
        return vector

    @override
    def transformed(self, tf: Transform[F, G]) -> FreeVector[G]:
        """Return the same vector with its coordinates in `tf.to_frame`: rotated, not translated.

        Raises FrameMismatchError unless `tf` starts in the vector's frame.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "FreeVector.transformed")
        return FreeVector.trusted(tf.to_frame, matvec(tf.rotation_components, self.xyz_components))

    @overload
    def __add__(self, other: FreeVector[F]) -> FreeVector[F]: ...
    @overload
    def __add__(self, other: Point[F]) -> Point[F]: ...
    def __add__(self, other: FreeVector[F] | Point[F]) -> FreeVector[F] | Point[F]:
        require_kind(other, Coordinates, operation="FreeVector + ...", argument="other")
        operation = f"FreeVector + {type(other).__name__}"
        if other.frame is not self.frame:
            check_frame(other.frame, self.frame, operation=operation, argument="other.frame")
        return type(other).trusted(self.frame, add3(self.xyz_components, other.xyz_components))

    def __sub__(self, other: FreeVector[F]) -> FreeVector[F]:
        self._check(other, "FreeVector - FreeVector")
        return FreeVector.trusted(self.frame, sub3(self.xyz_components, other.xyz_components))

    def dot(self, other: FreeVector[F]) -> Scalar:
        """Return the inner product. Raises FrameMismatchError unless both are in one frame."""
        self._check(other, "FreeVector.dot")
        return dot3(self.xyz_components, other.xyz_components)

    def cross(self, other: FreeVector[F]) -> FreeVector[F]:
        """Return the cross product. Raises FrameMismatchError unless both are in one frame."""
        self._check(other, "FreeVector.cross")
        return FreeVector.trusted(self.frame, cross3(self.xyz_components, other.xyz_components))

    def norm(self) -> Scalar:
        """Return the length."""
        return norm3(self.xyz_components)

    def normalized(self) -> FreeVector[F]:
        """Return the vector of length one in this direction. Raises SingularError for the zero vector."""
        (x, y, z), _ = scaled_into_range(self.xyz_components)
        norm = positive(sqrt(square_sum((x, y, z))), "the length of the vector to be normalized")
        return FreeVector.trusted(self.frame, (x / norm, y / norm, z / norm))

    def _check(self, other: FreeVector[F], operation: str) -> None:
        require_kind_in_frame(other, FreeVector, self.frame, operation, "other")


_set_point_frame, _set_point_xyz = slot_setters(Point)
_set_vector_frame, _set_vector_xyz = slot_setters(FreeVector)


def _refuse_point(value: object) -> None:
    given: object = value
    if isinstance(value, Point):
        raise ArgumentError(
            "Point + Point: the sum of two points means nothing; point - point is a vector, point + vector a point",
            operation="Point + Point",
            argument="other",
            value=given,
            allowed="FreeVector",
        )


def check_source(tf: Transform[Any, Any], frame: Frame[Any], operation: str) -> None:
    """Raise unless `tf` is a transform that starts in `frame`; say when its inverse would fit."""
    if not hasattr(tf, "rotation_components"):
        raise kind_error(tf, "Transform", operation, "tf")
    if same_frame(tf.from_frame, frame):
        return
    hint = "its inverse would fit" if same_frame(tf.to_frame, frame) else ""
    check_frame(tf.from_frame, frame, operation=operation, argument="tf.from_frame", hint=hint)


def vec3_in_frame(
    value: VectorLike | Coordinates[Any],
    frame: Frame[Any],
    name: str,
    operation: str,
    kind: type[Coordinates[Any]] = FreeVector,
) -> Vec3:
    """Return three scalars, of a free vector (or of another `kind`) in `frame` or of anything like an array."""
    vector: Any = value
    if type(vector) is not kind:
        return vec3(vector, name)
    if vector.frame is not frame:
        check_frame(vector.frame, frame, operation=operation, argument=f"{name}.frame")
    components: Vec3 = vector.xyz_components
    return components
