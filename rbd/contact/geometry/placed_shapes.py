"""Shapes as numbers in one common frame, and what the distance of two of them consists of.

All points, axes and normals of one computation are in the same frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from rbd.contact.geometry.convex_hulls import ConvexHull
from rbd.contact.geometry.height_fields import HeightField
from rbd.contact.geometry.shapes import Box, Capsule, Shape, Sphere
from rbd.contact.geometry.vectors import point_along, where3
from rbd.scalars import Condition, Scalar, const, where
from rbd.spatial import Transform
from rbd.spatial.linalg import Mat3, Vec3, add3, matvec, neg3, scale3, transpose3

FAR = const(10**9, 1)
"""Distance of points that there are not, in unused slots (m)."""
_HALF = const(1, 2)


class PlacedSphere(NamedTuple):
    """A sphere: its centre and radius."""

    center: Vec3
    radius: Scalar


class PlacedCapsule(NamedTuple):
    """A capsule: the middle of its segment, half the segment as a vector that is not zero, and the radius.

    With radius zero it is the segment itself: an edge of a box, for example.
    """

    center: Vec3
    half: Vec3
    radius: Scalar


class PlacedHalfSpace(NamedTuple):
    """A half-space: a point of its plane and the outward unit normal."""

    point: Vec3
    normal: Vec3


class PlacedBox(NamedTuple):
    """A box: its centre, its axes (three rows of length one) and half its edge lengths."""

    center: Vec3
    axes: Mat3
    half: Vec3


class PlacedHull(NamedTuple):
    """A convex hull: its points and radius."""

    points: tuple[Vec3, ...]
    radius: Scalar


class PlacedHeightField(NamedTuple):
    """A height field: its centre and axes, the edges of a cell, and the x and y of its first point, in these axes."""

    center: Vec3
    axes: Mat3
    cell: tuple[Scalar, Scalar]
    corner: tuple[Scalar, Scalar]
    shape: HeightField[Any]
    reach: float
    """Distance, along x and y, up to which nearest points count."""


PlacedShape: TypeAlias = "PlacedSphere | PlacedCapsule | PlacedHalfSpace | PlacedBox | PlacedHull | PlacedHeightField"


class Separation(NamedTuple):
    """Signed distance phi of shapes a and b, their nearest points (witnesses), and the unit normal n from b to a.

    p_a - p_b = phi n. Where the shapes overlap, phi is negative.
    """

    phi: Scalar
    p_a: Vec3
    p_b: Vec3
    n: Vec3

    def swapped(self) -> Separation:
        """Return the same for the shapes in the other order."""
        return Separation(self.phi, self.p_b, self.p_a, neg3(self.n))

    def inflated(self, radius_a: Scalar, radius_b: Scalar) -> Separation:
        """Return the same for the shapes inflated by these radii."""
        phi = self.phi - (radius_a + radius_b)
        return Separation(
            phi, point_along(self.p_a, self.n, -radius_a), point_along(self.p_b, self.n, radius_b), self.n
        )


def where_separation(condition: Condition, a: Separation, b: Separation) -> Separation:
    """Return `a` where the condition holds, else `b`."""
    return Separation(
        where(condition, a.phi, b.phi),
        where3(condition, a.p_a, b.p_a),
        where3(condition, a.p_b, b.p_b),
        where3(condition, a.n, b.n),
    )


def place(
    shape: Shape, tf: Transform[Any, Any], lift: Callable[[Scalar], Scalar] = lambda x: x, reach: float = 0.0
) -> PlacedShape:
    """Return `shape` in the target frame of `tf`, which starts at the shape's frame; `lift` converts its sizes.

    Of a height field, what is farther than `reach` along its x and y does not count.
    """
    origin, axes = tf.translation_components, transpose3(tf.rotation_components)
    if isinstance(shape, Sphere) or (isinstance(shape, Capsule) and shape.length == 0):
        return PlacedSphere(origin, lift(shape.radius))
    if isinstance(shape, Capsule):
        return PlacedCapsule(origin, scale3(axes[2], _HALF * lift(shape.length)), lift(shape.radius))
    if isinstance(shape, Box):
        x, y, z = (_HALF * lift(edge) for edge in shape.size)
        return PlacedBox(origin, axes, (x, y, z))
    if isinstance(shape, ConvexHull):
        points = ((lift(x), lift(y), lift(z)) for x, y, z in shape.points.tolist())
        placed = tuple(add3(matvec(tf.rotation_components, point), origin) for point in points)
        return PlacedHull(placed, lift(shape.radius))
    if isinstance(shape, HeightField):
        (c_x, c_y), (x, y) = (map(lift, pair) for pair in (shape.cell, shape.size))
        return PlacedHeightField(origin, axes, (c_x, c_y), (-_HALF * x, -_HALF * y), shape, reach)
    point, normal = (
        (lift(x), lift(y), lift(z)) for x, y, z in (shape.point.xyz_components, shape.normal.xyz_components)
    )
    return PlacedHalfSpace(add3(matvec(tf.rotation_components, point), origin), matvec(tf.rotation_components, normal))
