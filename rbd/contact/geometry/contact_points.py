"""Contact manifold of two shapes: the points at which one rests on the other.

A body that lies on a face of another needs more than its nearest point to be held. The number of points depends on the
kinds of shapes only, so that they can be recorded; unused slots hold points at the distance `UNUSED_DISTANCE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from rbd.contact.geometry.cylinder_distance import cylinder_on_plane
from rbd.contact.geometry.face_contacts import face_contacts
from rbd.contact.geometry.height_distance import nearest_on_field
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
from rbd.contact.geometry.separations import (
    UNUSED_DISTANCE,
    Separation,
    nearest_separation,
    separation_from_plane,
    where_separation,
)
from rbd.contact.geometry.shape_distance import nearest_points, with_known_distance
from rbd.contact.geometry.shape_kinds import spheres_of
from rbd.contact.geometry.support_polygons import MAX_CORNERS, support_polygon
from rbd.contact.geometry.vectors import point_along
from rbd.scalars import const, less, where
from rbd.spatial.linalg import Vec3, cross3, dot3, sub3

_PARALLEL: Final = const(1, 10**12)
"""Square of the sine of the angle up to which capsules are parallel: that of edges in `clipped_polygons.py`.

Also the square of the distance, relative to the size of a capsule, up to which two points are one.
"""


def contact_points(a: PlacedShape, b: PlacedShape) -> list[Separation]:
    """Return the points at which `a` may rest on `b`, the nearest ones among them."""
    if isinstance(a, PlacedEllipsoid) or isinstance(b, PlacedEllipsoid):
        return [nearest_points(a, b)]
    if type(b) in _ON_GROUND:
        return list(_ON_GROUND[type(b)](a, b))
    if type(a) in _ON_GROUND:
        return [point.swapped() for point in _ON_GROUND[type(a)](b, a)]
    if isinstance(a, PlacedCapsule) and isinstance(b, PlacedCapsule):
        return list(_along_capsules(a, b))
    a, b = with_known_distance(a, b)
    nearest = nearest_points(a, b)
    return [nearest, *_between_faces(a, b, nearest.n)]


def _along_capsules(a: PlacedCapsule, b: PlacedCapsule) -> Iterator[Separation]:
    """Yield both ends of the overlap of parallel capsules; of others the nearest point and the end farther from it.

    The end holds a capsule that is nearly parallel, whose nearest point moves far as it tips. Where both are one point,
    as where ends of capsules meet, the second slot is unused.
    """
    nearest, crossed = nearest_points(a, b), cross3(a.half, b.half)
    start, end = (_end_of_overlap(a, b, side, nearest.n) for side in (-1, 1))
    parallel = less(dot3(crossed, crossed), _PARALLEL * dot3(a.half, a.half) * dot3(b.half, b.half))
    first = where_separation(parallel, start, nearest)
    beyond_middle = dot3(sub3(first.p_a, start.p_a), a.half) - dot3(sub3(end.p_a, first.p_a), a.half)
    second = where_separation(less(0, beyond_middle), start, end)
    apart, size = sub3(second.p_a, first.p_a), dot3(a.half, a.half) + a.radius * a.radius
    is_other = less(_PARALLEL * size, dot3(apart, apart))
    yield first
    yield second._replace(phi=where(is_other, second.phi, UNUSED_DISTANCE))


def _end_of_overlap(a: PlacedCapsule, b: PlacedCapsule, side: int, n: Vec3) -> Separation:
    """Return the distance of an end of one capsule from the other one, of the two ends on this side the nearer."""
    side_of_b = where(less(dot3(a.half, b.half), 0), -side, side)
    end_of_a = PlacedSphere(point_along(a.center, a.half, side), a.radius)
    end_of_b = PlacedSphere(point_along(b.center, b.half, side_of_b), b.radius)
    return nearest_separation((nearest_points(end_of_a, b, n), nearest_points(a, end_of_b, n)))


def _on_field(a: PlacedShape, field: PlacedHeightField) -> Iterator[Separation]:
    """Yield two points of each sphere, for hollows, and one of each corner of a box or hull.

    Of a cylinder there are the nearest corner of its hull, and those of the face around it.
    """
    if isinstance(a, PlacedCylinder):
        hull, _ = with_known_distance(a, field)
        nearest = nearest_points(hull, field)
        yield nearest
        yield from _on_face(list(spheres_of(hull)), nearest.n, lambda point: nearest_on_field(field, point)[0])
    for point, radius in spheres_of(a):
        first, second = nearest_on_field(field, point)
        yield first.inflated(radius, 0)
        if not isinstance(a, (PlacedBox, PlacedHull)):
            yield second.inflated(radius, 0)


def _on_plane(a: PlacedShape, plane: PlacedHalfSpace) -> Iterator[Separation]:
    """Yield a point for each corner; of a shape with many corners the nearest, and those of the face around it."""
    corners = list(spheres_of(a))
    if isinstance(a, PlacedCylinder):
        yield from cylinder_on_plane(a, plane)
    elif len(corners) <= MAX_CORNERS:
        yield from (separation_from_plane(point, radius, plane) for point, radius in corners)
    else:
        yield nearest_points(a, plane)
        yield from _on_face(corners, plane.normal, lambda point: separation_from_plane(point, 0, plane))


def _on_face(corners: Sequence[PlacedSphere], n: Vec3, onto: Callable[[Vec3], Separation]) -> Iterator[Separation]:
    """Yield the corners of the face that lies on ground with a normal; `onto` returns the distance of a corner."""
    face = support_polygon([corner.center for corner in corners], n, 1)
    for k, point in enumerate(face.corners):
        found = onto(point).inflated(corners[0].radius, 0)
        yield found._replace(phi=where(less(k, face.present), found.phi, UNUSED_DISTANCE))


def _between_faces(a: PlacedShape, b: PlacedShape, n: Vec3) -> Iterator[Separation]:
    """Yield the points at which faces of two shapes lie on each other along a normal, if one of them has faces."""
    first, second = list(spheres_of(a)), list(spheres_of(b))
    if min(len(first), len(second)) > 1 and max(len(first), len(second)) > 2:
        for point in face_contacts([each.center for each in first], [each.center for each in second], n):
            yield point.inflated(first[0].radius, second[0].radius)


_ON_GROUND: Final[Mapping[type[Any], Callable[[Any, Any], Iterable[Separation]]]] = {
    PlacedHalfSpace: _on_plane,
    PlacedHeightField: _on_field,
}
