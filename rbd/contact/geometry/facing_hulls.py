"""Cylinders and ellipsoids as convex hulls of points with a radius, for the pairs whose exact distance is not known.

The points turn with the direction of the other shape, not with the body, so that round solids roll: one side edge of
the prism that stands for a cylinder, and corners of the polyhedron for an ellipsoid, are where the solid reaches
farthest towards the other shape. So distances from faces are exact, of the rim of a cylinder up to its rounding;
elsewhere the hull lies a little inside the solid. The points slide, so that the gradient of the distance is not that
of points fixed to the bodies.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbd.contact.geometry.cylinder_distance import lowest_points_of_cylinder
from rbd.contact.geometry.height_distance import nearest_on_field
from rbd.contact.geometry.hull_distance import nearest_of_hulls
from rbd.contact.geometry.placed_shapes import (
    PlacedCylinder,
    PlacedEllipsoid,
    PlacedHeightField,
    PlacedHull,
    PlacedShape,
)
from rbd.contact.geometry.separations import nearest_separation
from rbd.contact.geometry.shape_kinds import spheres_of
from rbd.contact.geometry.vectors import point_along
from rbd.scalars import sqrt
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, matvec, neg3, scale3, tmatvec


def facing_hulls(a: PlacedShape, b: PlacedShape) -> tuple[PlacedShape, PlacedShape]:
    """Return two shapes, with hulls that face each other for cylinders and ellipsoids."""
    if isinstance(a, PlacedHeightField):
        return a, _hull_on_field(b, a)
    if isinstance(b, PlacedHeightField):
        return _hull_on_field(a, b), b
    n = nearest_of_hulls(_coarse_points(a), _coarse_points(b)).n
    a, b = _with_support_point(a, n), _with_support_point(b, neg3(n))
    if isinstance(a, PlacedEllipsoid) or isinstance(b, PlacedEllipsoid):
        n = nearest_of_hulls(_coarse_points(_hull(a, n)), _coarse_points(_hull(b, neg3(n)))).n
        a, b = _with_support_point(a, n), _with_support_point(b, neg3(n))
    return _hull(a, n), _hull(b, neg3(n))


def _hull_on_field(a: PlacedShape, field: PlacedHeightField) -> PlacedShape:
    """Return the hull of a cylinder or ellipsoid that faces the ground at its nearest corner, of those that face down.

    Of a cylinder, these are the corners up to an angle of 60 degrees from its lowest side edge.
    """
    down = _coarse_points(_hull(_with_support_point(a, field.axes[2]), field.axes[2]))
    if isinstance(a, PlacedCylinder):
        sides = len(a.ring)
        down = [point for k, point in enumerate(down) if 6 * min(k % sides, -k % sides) <= sides]
    n = nearest_separation(nearest_on_field(field, point)[0] for point in down).n
    return _hull(_with_support_point(a, n), n)


def _coarse_points(shape: PlacedShape) -> Sequence[Vec3]:
    """Return the axis of a cylinder, and the points of other shapes."""
    if isinstance(shape, PlacedCylinder):
        step = scale3(shape.axes[2], shape.half_length - shape.rounding)
        return add3(shape.center, step), add3(shape.center, neg3(step))
    if isinstance(shape, PlacedEllipsoid):
        return shape.points
    return tuple(sphere.center for sphere in spheres_of(shape))


def _with_support_point(shape: PlacedShape, n: Vec3) -> PlacedShape:
    """Return an ellipsoid whose polyhedron has one more corner, farthest along -n; other shapes as they are."""
    if isinstance(shape, PlacedEllipsoid):
        return shape._replace(points=(*shape.points, _support_point(shape, n)))
    return shape


def _hull(shape: PlacedShape, n: Vec3) -> PlacedShape:
    """Return the hull of a cylinder, with a side edge farthest along -n, or of an ellipsoid; others as they are."""
    if isinstance(shape, PlacedCylinder):
        return PlacedHull(_prism(shape, n), shape.rounding)
    return PlacedHull(shape.points, shape.rounding) if isinstance(shape, PlacedEllipsoid) else shape


def _prism(a: PlacedCylinder, n: Vec3) -> tuple[Vec3, ...]:
    _, down, _ = lowest_points_of_cylinder(a, n)
    aside = cross3(a.axes[2], down)
    r = a.radius - a.rounding
    spokes = [add3(scale3(down, r * c), scale3(aside, r * s)) for c, s in a.ring]
    return tuple(add3(end, spoke) for end in _coarse_points(a) for spoke in spokes)


def _support_point(a: PlacedEllipsoid, n: Vec3) -> Vec3:
    x, y, z = matvec(a.axes, n)
    p, q, r = a.radii
    scaled = (p * x, q * y, r * z)
    length = sqrt(dot3(scaled, scaled))
    on_surface = tmatvec(a.axes, (p * scaled[0] / length, q * scaled[1] / length, r * scaled[2] / length))
    return point_along(add3(a.center, neg3(on_surface)), n, a.rounding)
