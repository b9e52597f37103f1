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
    Ball,
    PlacedBox,
    PlacedCylinder,
    PlacedEllipsoid,
    PlacedHalfSpace,
    PlacedHeightField,
    PlacedHull,
    PlacedShape,
)
from rbd.contact.geometry.separations import UNUSED_DISTANCE, Separation, onto_plane
from rbd.contact.geometry.shape_distance import nearest_points, with_distance
from rbd.contact.geometry.shape_kinds import spheres_of
from rbd.contact.geometry.support_polygons import MAX_CORNERS, support_polygon
from rbd.scalars import less, where
from rbd.spatial.linalg import Vec3


def contact_points(a: PlacedShape, b: PlacedShape) -> list[Separation]:
    """Return the points at which `a` may rest on `b`, the nearest ones among them."""
    if isinstance(a, PlacedEllipsoid) or isinstance(b, PlacedEllipsoid):
        return [nearest_points(a, b)]
    if type(b) in _ON_GROUND:
        return list(_ON_GROUND[type(b)](a, b))
    if type(a) in _ON_GROUND:
        return [point.swapped() for point in _ON_GROUND[type(a)](b, a)]
    a, b = with_distance(a, b)
    nearest = nearest_points(a, b)
    return [nearest, *_between_faces(a, b, nearest.n)]


def _on_field(a: PlacedShape, field: PlacedHeightField) -> Iterator[Separation]:
    """Yield two points of each sphere, for hollows, and one of each corner of a box or hull.

    Of a cylinder there are the nearest corner of its hull, and those of the face around it.
    """
    if isinstance(a, PlacedCylinder):
        hull, _ = with_distance(a, field)
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
        yield from (onto_plane(point, radius, plane) for point, radius in corners)
    else:
        yield nearest_points(a, plane)
        yield from _on_face(corners, plane.normal, lambda point: onto_plane(point, 0, plane))


def _on_face(corners: Sequence[Ball], n: Vec3, onto: Callable[[Vec3], Separation]) -> Iterator[Separation]:
    """Yield the corners of the face that lies on ground with a normal; `onto` returns the distance of a corner."""
    face = support_polygon([point for point, _ in corners], n, 1)
    for k, point in enumerate(face.corners):
        found = onto(point).inflated(corners[0][1], 0)
        yield found._replace(phi=where(less(k, face.present), found.phi, UNUSED_DISTANCE))


def _between_faces(a: PlacedShape, b: PlacedShape, n: Vec3) -> Iterator[Separation]:
    """Yield the points at which faces of two shapes lie on each other along a normal, if one of them has faces."""
    first, second = list(spheres_of(a)), list(spheres_of(b))
    if min(len(first), len(second)) > 1 and max(len(first), len(second)) > 2:
        for point in face_contacts([x for x, _ in first], [x for x, _ in second], n):
            yield point.inflated(first[0][1], second[0][1])


_ON_GROUND: Final[Mapping[type[Any], Callable[[Any, Any], Iterable[Separation]]]] = {
    PlacedHalfSpace: _on_plane,
    PlacedHeightField: _on_field,
}
