"""Shapes as numbers in one common frame, and what the distance of two of them consists of.

All points, axes and normals of one computation are in the same frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

from rbd.contact.geometry.convex_hulls import ConvexHull
from rbd.contact.geometry.height_fields import HeightField
from rbd.contact.geometry.round_solids import Cylinder, Ellipsoid
from rbd.contact.geometry.shapes import Box, Capsule, Shape, Sphere
from rbd.contact.geometry.vectors import point_along, sign, signed_distance_to_plane, where3
from rbd.scalars import Condition, Scalar, const, where
from rbd.spatial import Transform
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.linalg import Mat3, Vec3, add3, dot3, matvec, neg3, scale3, tmatvec, transpose3

FAR = const(10**9, 1)
"""Distance of points that there are not, in unused slots (m)."""
_HALF = const(1, 2)


Ball: TypeAlias = tuple[Vec3, Scalar]
"""Centre and radius of a sphere."""


class PlacedSphere(NamedTuple):
    """A sphere: its centre and radius."""

    center: Vec3
    radius: Scalar

    def spheres(self) -> Iterator[Ball]:
        """Yield the spheres that the shape is the convex hull of."""
        yield self.center, self.radius


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

    def spheres(self) -> Iterator[Ball]:
        """Yield the spheres that the shape is the convex hull of."""
        yield from ((end, self.radius) for end in self.corners())


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

    def spheres(self) -> Iterator[Ball]:
        """Yield the spheres that the shape is the convex hull of: its corners."""
        yield from ((corner, 0) for corner in self.corners())


class PlacedHull(NamedTuple):
    """A convex hull: its points and radius."""

    points: tuple[Vec3, ...]
    radius: Scalar

    def spheres(self) -> Iterator[Ball]:
        """Yield the spheres that the shape is the convex hull of."""
        yield from ((point, self.radius) for point in self.points)


class PlacedCylinder(NamedTuple):
    """A cylinder along the third of its axes: its centre, its axes, half its length, and the radius."""

    center: Vec3
    axes: Mat3
    half_length: Scalar
    radius: Scalar


class PlacedEllipsoid(NamedTuple):
    """An ellipsoid: its centre, its axes, and the semi-axes along these."""

    center: Vec3
    axes: Mat3
    radii: Vec3


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
Lift: TypeAlias = Callable[[Scalar], Scalar]
"""Converts a size to a scalar of the state."""


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


def onto_plane(point: Vec3, radius: Scalar, plane: PlacedHalfSpace) -> Separation:
    """Return the distance of a sphere about `point` from a half-space."""
    phi = signed_distance_to_plane(point, plane.point, plane.normal)
    foot = point_along(point, plane.normal, -phi)
    return Separation(phi - radius, point_along(point, plane.normal, -radius), foot, plane.normal)


def place(shape: Shape, tf: Transform[Any, Any], lift: Lift = lambda x: x, reach: float = 0.0) -> PlacedShape:
    """Return `shape` in the target frame of `tf`, which starts at the shape's frame; `lift` converts its sizes.

    Of a height field, what is farther than `reach` along its x and y does not count.
    """
    placed = _PLACES[placed_kind(shape)](shape, tf, lift)
    return placed._replace(reach=reach) if isinstance(placed, PlacedHeightField) else placed


def placed_kind(shape: Shape) -> type[Any]:
    """Return the kind that a shape has when it is placed."""
    return PlacedSphere if isinstance(shape, Capsule) and shape.length == 0 else _KINDS[type(shape)]


def _axes(tf: Transform[Any, Any]) -> Mat3:
    return transpose3(tf.rotation_components)


def _sphere(shape: Sphere[Any] | Capsule[Any], tf: Transform[Any, Any], lift: Lift) -> PlacedSphere:
    return PlacedSphere(tf.translation_components, lift(shape.radius))


def _capsule(shape: Capsule[Any], tf: Transform[Any, Any], lift: Lift) -> PlacedCapsule:
    half = scale3(_axes(tf)[2], _HALF * lift(shape.length))
    return PlacedCapsule(tf.translation_components, half, lift(shape.radius))


def _box(shape: Box[Any], tf: Transform[Any, Any], lift: Lift) -> PlacedBox:
    x, y, z = (_HALF * lift(edge) for edge in shape.size)
    return PlacedBox(tf.translation_components, _axes(tf), (x, y, z))


def _hull(shape: ConvexHull[Any], tf: Transform[Any, Any], lift: Lift) -> PlacedHull:
    points = ((lift(x), lift(y), lift(z)) for x, y, z in shape.points.tolist())
    placed = tuple(add3(matvec(tf.rotation_components, point), tf.translation_components) for point in points)
    return PlacedHull(placed, lift(shape.radius))


def _cylinder(shape: Cylinder[Any], tf: Transform[Any, Any], lift: Lift) -> PlacedCylinder:
    return PlacedCylinder(tf.translation_components, _axes(tf), _HALF * lift(shape.length), lift(shape.radius))


def _ellipsoid(shape: Ellipsoid[Any], tf: Transform[Any, Any], lift: Lift) -> PlacedEllipsoid:
    x, y, z = map(lift, shape.radii)
    return PlacedEllipsoid(tf.translation_components, _axes(tf), (x, y, z))


def _height_field(shape: HeightField[Any], tf: Transform[Any, Any], lift: Lift) -> PlacedHeightField:
    (c_x, c_y), (x, y) = (map(lift, pair) for pair in (shape.cell, shape.size))
    corner = -_HALF * x, -_HALF * y
    return PlacedHeightField(tf.translation_components, _axes(tf), (c_x, c_y), corner, shape, 0.0)


def _half_space(shape: HalfSpace[Any], tf: Transform[Any, Any], lift: Lift) -> PlacedHalfSpace:
    point, normal = (
        (lift(x), lift(y), lift(z)) for x, y, z in (shape.point.xyz_components, shape.normal.xyz_components)
    )
    turn = tf.rotation_components
    return PlacedHalfSpace(add3(matvec(turn, point), tf.translation_components), matvec(turn, normal))


_KINDS: Final[dict[type[Any], type[Any]]] = {
    Sphere: PlacedSphere,
    Capsule: PlacedCapsule,
    Box: PlacedBox,
    ConvexHull: PlacedHull,
    Cylinder: PlacedCylinder,
    Ellipsoid: PlacedEllipsoid,
    HeightField: PlacedHeightField,
    HalfSpace: PlacedHalfSpace,
}
_PLACES: Final[dict[type[Any], Callable[[Any, Transform[Any, Any], Lift], PlacedShape]]] = {
    PlacedSphere: _sphere,
    PlacedCapsule: _capsule,
    PlacedBox: _box,
    PlacedHull: _hull,
    PlacedCylinder: _cylinder,
    PlacedEllipsoid: _ellipsoid,
    PlacedHeightField: _height_field,
    PlacedHalfSpace: _half_space,
}
