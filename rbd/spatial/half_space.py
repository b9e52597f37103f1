"""Half-spaces: all that lies behind a plane."""

from __future__ import annotations

from typing import Generic, final

import attrs
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.scalars import Scalar, Vector, to_float
from rbd.spatial.frame import F, Frame, G, check_frame
from rbd.spatial.transform import Transform
from rbd.spatial.values import SpatialValue, checked_frames, format_numbers
from rbd.spatial.vectors import FreeVector, Point

_set = object.__setattr__


@final
@attrs.frozen(eq=False, repr=False, init=False)
class HalfSpace(SpatialValue, Generic[F]):
    """All points behind a plane: the ground, a wall. The plane goes through `point`; `normal` points out of the solid.

    The normal may have any length but zero and is kept with length one. Point and normal are in one frame, that of the
    half-space.

    Raises FrameMismatchError when they are not, SingularError for a normal of length zero.

    >>> import rbd
    >>> world = rbd.Frame("world")
    >>> floor = HalfSpace(rbd.Point(world, (0, 0, 0)), rbd.FreeVector(world, (0, 0, 1)))
    >>> floor.separation(rbd.Point(world, (3, 1, 0.25)))
    0.25
    """

    point: Point[F]
    normal: FreeVector[F]

    def __init__(self, point: Point[F], normal: FreeVector[F]) -> None:
        require_kind(point, Point, operation="HalfSpace", argument="point")
        require_kind(normal, FreeVector, operation="HalfSpace", argument="normal")
        check_frame(normal.frame, point.frame, operation="HalfSpace", argument="normal.frame")
        _set(self, "point", point)
        _set(self, "normal", normal.normalized())

    @staticmethod
    def trusted(point: Point[G], normal: FreeVector[G]) -> HalfSpace[G]:
        """Make a half-space of a point and a normal of length one in the same frame, unchecked."""
        self: HalfSpace[G] = object.__new__(HalfSpace)
        _set(self, "point", point)
        _set(self, "normal", normal)
        return self

    @property
    def frame(self) -> Frame[F]:
        """The frame the half-space is given in."""
        return self.point.frame

    @property
    def components(self) -> Vector:
        """The point, then the normal, as scalars."""
        return (*self.point.xyz_components, *self.normal.xyz_components)

    def expect(self, frame: Frame[G]) -> HalfSpace[G]:
        """Return this half-space, known to type checkers by the frame given; raise FrameMismatchError for others."""
        half_space: HalfSpace[G] = checked_frames(self, frame=frame)
        return half_space

    def separation(self, point: Point[F]) -> Scalar:
        """Return the signed distance of a point, negative inside. Raises FrameMismatchError for other frames."""
        require_kind(point, Point, operation="HalfSpace.separation", argument="point")
        return self.normal.dot(point - self.point)

    def contains(self, point: Point[F]) -> bool:
        """Return whether a point lies inside or on the plane. Raises FrameMismatchError; ScalarError for symbols."""
        return to_float(self.separation(point)) <= 0

    def transformed(self, tf: Transform[F, G]) -> HalfSpace[G]:
        """Return the same half-space in `tf.to_frame`. Raises FrameMismatchError unless `tf` starts in its frame."""
        return HalfSpace.trusted(self.point.transformed(tf), self.normal.transformed(tf))

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return (self.point.xyz_components, self.normal.xyz_components)

    @override
    def __repr__(self) -> str:
        point, normal = (format_numbers(part) for part in self._parts())
        return f"HalfSpace in {self.frame.name!r}: point {point}, normal {normal}"
