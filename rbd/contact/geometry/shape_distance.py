"""Signed distance, nearest points and normal of two placed shapes.

There is one function per pair of kinds; a pair in the other order is the same pair swapped. Where the centres or
segments themselves meet, the normal is undefined: it is the caller's previous normal if there is one, else a direction
perpendicular to both segments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from rbd.contact.geometry.box_distance import box_and_point, box_and_solid
from rbd.contact.geometry.cylinder_distance import cylinder_and_plane, cylinder_and_sphere
from rbd.contact.geometry.ellipsoid_distance import ellipsoid_and_plane, ellipsoid_and_sphere
from rbd.contact.geometry.facing_hulls import facing_hulls
from rbd.contact.geometry.height_distance import nearest_on_field
from rbd.contact.geometry.hull_distance import nearest_of_hulls
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
from rbd.contact.geometry.round_solids import Cylinder, Ellipsoid
from rbd.contact.geometry.segment_distance import nearest_parameter, nearest_parameters
from rbd.contact.geometry.separations import Separation, nearest_separation, separation_from_plane
from rbd.contact.geometry.shape_kinds import kind_of, spheres_of
from rbd.contact.geometry.shapes import Shape
from rbd.contact.geometry.vectors import (
    any_perpendicular,
    length_and_direction,
    point_along,
    previous_or_direction,
    where3,
)
from rbd.scalars import Scalar, const, less, where
from rbd.spatial.linalg import Vec3, cross3, dot3, neg3, sub3


def nearest_points(a: PlacedShape, b: PlacedShape, previous: Vec3 = (0, 0, 0)) -> Separation:
    """Return signed distance, nearest points and normal of two shapes; `previous` is an earlier normal, or zero."""
    a, b = with_known_distance(a, b)
    function = _PAIRS.get((type(a), type(b)))
    if function is not None:
        return function(a, b, previous)
    return _PAIRS[type(b), type(a)](b, a, neg3(previous)).swapped()


def with_known_distance(a: PlacedShape, b: PlacedShape) -> tuple[PlacedShape, PlacedShape]:
    """Return two shapes whose distance is known: these, or hulls of cylinders and ellipsoids."""
    return (a, b) if _is_known_pair(type(a), type(b)) else facing_hulls(a, b)


def has_distance(a: Shape, b: Shape) -> bool:
    """Return whether the distance of two shapes is known, or that of their hulls."""
    return not needs_facing_hulls(a, b) or _is_known_pair(_hull_kind(a), _hull_kind(b))


def needs_facing_hulls(a: Shape, b: Shape) -> bool:
    """Return whether the distance of two shapes is not known but by hulls."""
    return not _is_known_pair(kind_of(a).placed, kind_of(b).placed)


def _hull_kind(shape: Shape) -> type[Any]:
    has_hull = isinstance(shape, (Cylinder, Ellipsoid)) and shape.hull_points is not None
    return PlacedHull if has_hull else kind_of(shape).placed


def _is_known_pair(a: type[Any], b: type[Any]) -> bool:
    return (a, b) in _PAIRS or (b, a) in _PAIRS


def _between_points(a: Vec3, b: Vec3, fallback: Vec3, scale: Scalar) -> Separation:
    length, n = length_and_direction(sub3(a, b), fallback, scale)
    return Separation(length, a, b, n)


def _spheres(a: PlacedSphere, b: PlacedSphere, previous: Vec3) -> Separation:
    fallback, size = previous_or_direction(previous, (0, 0, 1)), a.radius + b.radius
    return _between_points(a.center, b.center, fallback, size * size).inflated(a.radius, b.radius)


def _capsule_and_sphere(a: PlacedCapsule, b: PlacedSphere, previous: Vec3) -> Separation:
    point = point_along(a.center, a.half, nearest_parameter(a, b.center))
    fallback = previous_or_direction(previous, any_perpendicular(a.half))
    return _between_points(point, b.center, fallback, dot3(a.half, a.half)).inflated(a.radius, b.radius)


def _capsules(a: PlacedCapsule, b: PlacedCapsule, previous: Vec3) -> Separation:
    s, t = nearest_parameters(a, b)
    crossed, perpendicular = cross3(a.half, b.half), any_perpendicular(a.half)
    scale = dot3(a.half, a.half) + dot3(b.half, b.half)
    parallel = less(dot3(crossed, crossed), const(1, 10**20) * scale * scale)
    fallback = previous_or_direction(previous, where3(parallel, perpendicular, crossed))
    p_a, p_b = point_along(a.center, a.half, s), point_along(b.center, b.half, t)
    return _between_points(p_a, p_b, fallback, scale).inflated(a.radius, b.radius)


def _capsule_and_plane(a: PlacedCapsule, b: PlacedHalfSpace) -> Separation:
    """Return the distance of the lower end, or of the middle of a segment parallel to the plane."""
    slope = dot3(a.half, b.normal)
    lowest = where(less(slope, 0), 1, where(less(0, slope), -1, 0))
    return separation_from_plane(point_along(a.center, a.half, lowest), a.radius, b)


def _hull_and_solid(a: PlacedHull, b: PlacedSphere | PlacedCapsule | PlacedBox | PlacedHull) -> Separation:
    spheres = tuple(spheres_of(b))
    return nearest_of_hulls(a.points, [sphere.center for sphere in spheres]).inflated(a.radius, spheres[0].radius)


def _on_field(a: PlacedShape, b: PlacedHeightField) -> Separation:
    """Return the distance of the nearest of the spheres, or corners, that a shape rests with."""
    return nearest_separation(nearest_on_field(b, point)[0].inflated(radius, 0) for point, radius in spheres_of(a))


_PairFunction: TypeAlias = Callable[[Any, Any, Vec3], Separation]


def _without_previous(distance: Callable[[Any, Any], Separation]) -> _PairFunction:
    """Return the function of a pair whose normal is always defined: it needs no previous one."""
    return lambda a, b, _: distance(a, b)


_PAIRS: Final[Mapping[tuple[type[Any], type[Any]], _PairFunction]] = {
    (PlacedSphere, PlacedSphere): _spheres,
    (PlacedCapsule, PlacedSphere): _capsule_and_sphere,
    (PlacedCapsule, PlacedCapsule): _capsules,
    (PlacedBox, PlacedCapsule): lambda a, b, previous: box_and_solid(a, b, previous).inflated(0, b.radius),
    (PlacedBox, PlacedBox): box_and_solid,
    (PlacedBox, PlacedSphere): lambda a, b, _: box_and_point(a, b.center).inflated(0, b.radius),
    (PlacedHull, PlacedSphere): _without_previous(_hull_and_solid),
    (PlacedHull, PlacedCapsule): _without_previous(_hull_and_solid),
    (PlacedHull, PlacedBox): _without_previous(_hull_and_solid),
    (PlacedHull, PlacedHull): _without_previous(_hull_and_solid),
    (PlacedCylinder, PlacedSphere): _without_previous(cylinder_and_sphere),
    (PlacedEllipsoid, PlacedSphere): _without_previous(ellipsoid_and_sphere),
    (PlacedSphere, PlacedHalfSpace): lambda a, b, _: separation_from_plane(a.center, a.radius, b),
    (PlacedCapsule, PlacedHalfSpace): _without_previous(_capsule_and_plane),
    (PlacedBox, PlacedHalfSpace): lambda a, b, _: separation_from_plane(a.support(neg3(b.normal)), 0, b),
    (PlacedHull, PlacedHalfSpace): lambda a, b, _: nearest_separation(
        separation_from_plane(point, a.radius, b) for point in a.points
    ),
    (PlacedCylinder, PlacedHalfSpace): _without_previous(cylinder_and_plane),
    (PlacedEllipsoid, PlacedHalfSpace): _without_previous(ellipsoid_and_plane),
    (PlacedSphere, PlacedHeightField): _without_previous(_on_field),
    (PlacedCapsule, PlacedHeightField): _without_previous(_on_field),
    (PlacedBox, PlacedHeightField): _without_previous(_on_field),
    (PlacedHull, PlacedHeightField): _without_previous(_on_field),
}
