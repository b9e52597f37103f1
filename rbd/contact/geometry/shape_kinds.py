"""The kinds of shapes: one table of all that is known of a single shape of each kind.

Of two shapes there are `shape_distance.py` and `contact_points.py`, whose tables have the pairs of kinds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, final

import attrs
import numpy as np

from rbd.contact.geometry.convex_hulls import ConvexHull
from rbd.contact.geometry.height_fields import HeightField
from rbd.contact.geometry.placed_shapes import (
    PlacedBox,
    PlacedCapsule,
    PlacedCylinder,
    PlacedEllipsoid,
    PlacedHalfSpace,
    PlacedHeightField,
    PlacedHull,
    PlacedShape,
    PlacedSphere,
)
from rbd.contact.geometry.round_solids import Cylinder, Ellipsoid, corners_of, ring_of
from rbd.contact.geometry.shapes import Box, Capsule, Shape, Sphere
from rbd.scalars import Scalar, Vector, const
from rbd.spatial import Transform
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.linalg import Mat3, Vec3, add3, as_vec3, matvec, scale3, transpose3

Lift: TypeAlias = Callable[[Scalar], Scalar]
"""Converts a size to a scalar of the state."""
Coordinates: TypeAlias = tuple[float, float, float]
_HALF: Final = const(1, 2)


class Placement(NamedTuple):
    """Pose of a shape in the common frame, and the function that makes scalars of its sizes."""

    tf: Transform[Any, Any]
    lift: Lift
    reach: float
    """Distance, along the x and y of a height field, up to which it counts."""

    @property
    def center(self) -> Vec3:
        """The origin of the shape's frame."""
        return self.tf.translation_components

    @property
    def axes(self) -> Mat3:
        """The axes of the shape's frame."""
        return transpose3(self.tf.rotation_components)

    def lifted(self, sizes: Iterable[Scalar]) -> Vector:
        """Return sizes as scalars."""
        return tuple(map(self.lift, sizes))

    def vector(self, components: Iterable[Scalar]) -> Vec3:
        """Return a vector of the shape's frame."""
        return matvec(self.tf.rotation_components, as_vec3(self.lifted(components)))

    def point(self, coordinates: Iterable[Scalar]) -> Vec3:
        """Return a point of the shape's frame."""
        return add3(self.vector(coordinates), self.center)


# --- places -----------------------------------------------------------------------------------------------------------


def _sphere(shape: Sphere[Any] | Capsule[Any], at: Placement) -> PlacedSphere:
    return PlacedSphere(at.center, at.lift(shape.radius))


def _capsule(shape: Capsule[Any], at: Placement) -> PlacedCapsule:
    half = scale3(at.axes[2], _HALF * at.lift(shape.length))
    return PlacedCapsule(at.center, half, at.lift(shape.radius))


def _box(shape: Box[Any], at: Placement) -> PlacedBox:
    x, y, z = (_HALF * edge for edge in at.lifted(shape.size))
    return PlacedBox(at.center, at.axes, (x, y, z))


def _hull(shape: ConvexHull[Any], at: Placement) -> PlacedHull:
    return PlacedHull(tuple(map(at.point, shape.points.tolist())), at.lift(shape.radius))


def _cylinder(shape: Cylinder[Any], at: Placement) -> PlacedCylinder:
    ring = tuple((at.lift(c), at.lift(s)) for c, s in ring_of(shape).tolist())
    half, radius, rounding = _HALF * at.lift(shape.length), at.lift(shape.radius), at.lift(shape.rounding)
    return PlacedCylinder(at.center, at.axes, half, radius, ring, rounding)


def _ellipsoid(shape: Ellipsoid[Any], at: Placement) -> PlacedEllipsoid:
    points, radii = tuple(map(at.point, corners_of(shape).tolist())), as_vec3(at.lifted(shape.radii))
    return PlacedEllipsoid(at.center, at.axes, radii, points, at.lift(shape.rounding))


def _height_field(shape: HeightField[Any], at: Placement) -> PlacedHeightField:
    (c_x, c_y), (x, y) = at.lifted(shape.cell), at.lifted(shape.size)
    return PlacedHeightField(at.center, at.axes, (c_x, c_y), (-_HALF * x, -_HALF * y), shape, at.reach)


def _half_space(shape: HalfSpace[Any], at: Placement) -> PlacedHalfSpace:
    return PlacedHalfSpace(at.point(shape.point.xyz_components), at.vector(shape.normal.xyz_components))


# --- the table --------------------------------------------------------------------------------------------------------


def _radius(shape: Sphere[Any] | Capsule[Any] | ConvexHull[Any]) -> float:
    return shape.radius


def _hull_rounding(shape: Cylinder[Any] | Ellipsoid[Any]) -> float:
    return shape.rounding


def _hull_center(hull: ConvexHull[Any]) -> Coordinates:
    """Return the middle of the box around the points."""
    x, y, z = ((hull.points.min(axis=0) + hull.points.max(axis=0)) / 2).tolist()
    return x, y, z


def _hull_radius(hull: ConvexHull[Any]) -> float:
    return float(np.linalg.norm(hull.points - _hull_center(hull), axis=1).max()) + hull.radius


def _hull_widths(hull: ConvexHull[Any]) -> tuple[int, ...]:
    """Return the widths of a hull of 8, 16, 32, 64 or 128 points, so that all hulls are of few kinds."""
    return 3 * max(8, 1 << (len(hull.points) - 1).bit_length()), 1


def _field_radius(field: HeightField[Any]) -> float:
    return math.hypot(*(edge / 2 for edge in field.size), abs(field.heights).max())


@final
@attrs.frozen(eq=False)
class ShapeKind:
    """Kind of shapes: the properties that all its shapes share."""

    shape: type[Any]
    """The class that users make."""
    placed: type[Any]
    """The class of the shape in a common frame."""
    place: Callable[[Any, Placement], PlacedShape]
    bounding_radius: Callable[[Any], float]
    bounding_center: Callable[[Any], Coordinates] = lambda _: (0.0, 0.0, 0.0)
    """Centre of the bounding sphere, in the shape's frame."""
    rounding: Callable[[Any], float] = lambda _: 0.0
    """Radius of the spheres that a shape rests with."""
    spheres: Callable[[Any], Iterable[PlacedSphere]] = lambda _: ()
    """The spheres, or corners, that a placed shape is the convex hull of; round solids and the ground have none."""
    field_widths: Callable[[Any], tuple[int, ...]] = lambda _: ()
    """Columns of the fields of a placed shape: 1 for a scalar, 3 for each vector; none without a broad phase."""


_SPHERE: Final = ShapeKind(
    Sphere,
    PlacedSphere,
    _sphere,
    _radius,
    rounding=_radius,
    spheres=PlacedSphere.spheres,
    field_widths=lambda _: (3, 1),
)
KINDS: Final[tuple[ShapeKind, ...]] = (
    _SPHERE,
    ShapeKind(
        Capsule,
        PlacedCapsule,
        _capsule,
        lambda shape: shape.length / 2 + shape.radius,
        rounding=_radius,
        spheres=PlacedCapsule.spheres,
        field_widths=lambda _: (3, 3, 1),
    ),
    ShapeKind(HalfSpace, PlacedHalfSpace, _half_space, lambda _: math.inf, field_widths=lambda _: (3, 3)),
    ShapeKind(
        Box,
        PlacedBox,
        _box,
        lambda shape: math.hypot(*shape.size) / 2,
        spheres=PlacedBox.spheres,
        field_widths=lambda _: (3, 9, 3),
    ),
    ShapeKind(
        ConvexHull,
        PlacedHull,
        _hull,
        _hull_radius,
        _hull_center,
        rounding=_radius,
        spheres=PlacedHull.spheres,
        field_widths=_hull_widths,
    ),
    ShapeKind(
        Cylinder,
        PlacedCylinder,
        _cylinder,
        lambda shape: math.hypot(shape.length / 2, shape.radius),
        rounding=_hull_rounding,
    ),
    ShapeKind(Ellipsoid, PlacedEllipsoid, _ellipsoid, lambda shape: max(shape.radii), rounding=_hull_rounding),
    ShapeKind(HeightField, PlacedHeightField, _height_field, _field_radius),
)
_BY_SHAPE: Final[Mapping[type[Any], ShapeKind]] = {kind.shape: kind for kind in KINDS}
_BY_PLACED: Final[Mapping[type[Any], ShapeKind]] = {kind.placed: kind for kind in KINDS}


def kind_of(shape: Shape) -> ShapeKind:
    """Return the kind of a shape: a capsule of no length is a sphere."""
    return _SPHERE if isinstance(shape, Capsule) and shape.length == 0 else _BY_SHAPE[type(shape)]


def place(shape: Shape, tf: Transform[Any, Any], lift: Lift = lambda x: x, reach: float = 0.0) -> PlacedShape:
    """Return `shape` in the target frame of `tf`, which starts at the shape's frame; `lift` converts its sizes.

    Of a height field, what is farther than `reach` along its x and y does not count.
    """
    return kind_of(shape).place(shape, Placement(tf, lift, reach))


def bounding_radius(shape: Shape) -> float:
    """Return the radius of the bounding sphere; infinite for a half-space."""
    return kind_of(shape).bounding_radius(shape)


def rounding(shape: Shape) -> float:
    """Return the radius of the spheres that a shape rests with: zero for the corners of boxes."""
    return kind_of(shape).rounding(shape)


def spheres_of(a: PlacedShape) -> Iterator[PlacedSphere]:
    """Yield the spheres, or corners, that a shape is the convex hull of; round solids and the ground have none."""
    yield from _BY_PLACED[type(a)].spheres(a)
