"""Shapes placed in one common frame: all points, axes and normals of one computation are in the same frame."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from rbd.contact.geometry.height_fields import HeightField
from rbd.contact.geometry.vectors import point_along, sign
from rbd.scalars import Scalar
from rbd.spatial.linalg import Mat3, Vec3, add3, dot3, scale3, tmatvec


class PlacedSphere(NamedTuple):
    """A sphere: its centre and radius."""

    center: Vec3
    radius: Scalar

    def spheres(self) -> Iterator[PlacedSphere]:
        """Yield the spheres that the shape is the convex hull of."""
        yield self


class PlacedCapsule(NamedTuple):
    """A capsule: the middle of its segment, half the segment as a vector that is not zero, and the radius.

    With radius zero it is the segment itself: an edge of a box, for example.
    """

    center: Vec3
    half: Vec3
    radius: Scalar

    @property
    def edges(self) -> int:
        """The number of directions of edges."""
        return 1

    def half_edge(self, _: int) -> Vec3:
        """Return half the segment."""
        return self.half

    @property
    def face_normals(self) -> tuple[Vec3, ...]:
        """None: a segment has no faces."""
        return ()

    def corners(self) -> Iterator[Vec3]:
        """Yield the ends of the segment."""
        yield from (point_along(self.center, self.half, end) for end in (-1, 1))

    def support(self, direction: Vec3, skip_edge: int = -1) -> Vec3:
        """Return the point of the segment that is farthest in a direction, or its middle if its edge is left out."""
        return self.center if skip_edge == 0 else point_along(self.center, self.half, sign(dot3(self.half, direction)))

    def spheres(self) -> Iterator[PlacedSphere]:
        """Yield the spheres that the shape is the convex hull of."""
        yield from (PlacedSphere(end, self.radius) for end in self.corners())


class PlacedHalfSpace(NamedTuple):
    """A half-space: a point of its plane and the outward unit normal."""

    point: Vec3
    normal: Vec3


class PlacedBox(NamedTuple):
    """A box: its centre, its axes (three rows of length one) and half its edge lengths."""

    center: Vec3
    axes: Mat3
    half: Vec3

    @property
    def edges(self) -> int:
        """The number of directions of edges."""
        return 3

    def half_edge(self, i: int) -> Vec3:
        """Return half an edge along axis i."""
        return scale3(self.axes[i], self.half[i])

    @property
    def face_normals(self) -> tuple[Vec3, ...]:
        """The axes."""
        return self.axes

    def corners(self) -> Iterator[Vec3]:
        """Yield the corners."""
        for signs in product((-1, 1), repeat=3):
            x, y, z = (s * h for s, h in zip(signs, self.half, strict=True))
            yield add3(self.center, tmatvec(self.axes, (x, y, z)))

    def support(self, direction: Vec3, skip_edge: int = -1) -> Vec3:
        """Return the point farthest in a direction: the middle of a face or edge at a right angle to the direction.

        `skip_edge` leaves out one axis: then it is the middle of an edge along this.
        """
        point = self.center
        for i, (axis, half) in enumerate(zip(self.axes, self.half, strict=True)):
            if i != skip_edge:
                point = point_along(point, axis, sign(dot3(axis, direction)) * half)
        return point

    def spheres(self) -> Iterator[PlacedSphere]:
        """Yield the spheres that the shape is the convex hull of: its corners."""
        yield from (PlacedSphere(corner, 0) for corner in self.corners())


class PlacedHull(NamedTuple):
    """A convex hull: its points and radius."""

    points: tuple[Vec3, ...]
    radius: Scalar

    def spheres(self) -> Iterator[PlacedSphere]:
        """Yield the spheres that the shape is the convex hull of."""
        yield from (PlacedSphere(point, self.radius) for point in self.points)


class PlacedCylinder(NamedTuple):
    """A cylinder along the third of its axes: its centre, its axes, half its length, and the radius."""

    center: Vec3
    axes: Mat3
    half_length: Scalar
    radius: Scalar
    ring: tuple[tuple[Scalar, Scalar], ...] = ()
    """Side edges of the prism that stands for it, about the axis: cosines and sines."""
    rounding: Scalar = 0
    """Radius of the edges of this prism."""


class PlacedEllipsoid(NamedTuple):
    """An ellipsoid: its centre, its axes, and the semi-axes along these."""

    center: Vec3
    axes: Mat3
    radii: Vec3
    points: tuple[Vec3, ...] = ()
    """Corners of the polyhedron that stands for it."""
    rounding: Scalar = 0
    """Radius of these corners."""


class PlacedHeightField(NamedTuple):
    """A height field: its centre and axes, the edges of a cell, and the x and y of its first point, in these axes."""

    center: Vec3
    axes: Mat3
    cell: tuple[Scalar, Scalar]
    corner: tuple[Scalar, Scalar]
    shape: HeightField[Any]
    reach: float
    """Distance, along x and y, up to which nearest points count."""


PlacedSolid: TypeAlias = "PlacedSphere | PlacedCapsule | PlacedBox | PlacedHull | PlacedCylinder | PlacedEllipsoid"
PlacedShape: TypeAlias = "PlacedSolid | PlacedHalfSpace | PlacedHeightField"
