"""Contact manifold of two shapes: the points at which one rests on the other.

A body that lies on a face of another needs more than its nearest point to be held. The number of points depends on the
kinds of shapes only, so that they can be recorded; unused slots hold points at the distance `FAR`.
"""

from __future__ import annotations

from collections.abc import Iterator

from rbd.contact.geometry.face_contacts import face_contacts
from rbd.contact.geometry.height_distance import nearest_on_field
from rbd.contact.geometry.placed_shapes import (
    FAR,
    PlacedBox,
    PlacedHalfSpace,
    PlacedHeightField,
    PlacedHull,
    PlacedShape,
    Separation,
)
from rbd.contact.geometry.shape_distance import nearest_points, onto_plane, spheres_of
from rbd.contact.geometry.support_polygons import MOST, support_polygon
from rbd.scalars import less, where
from rbd.spatial.linalg import Vec3


def contact_points(a: PlacedShape, b: PlacedShape) -> list[Separation]:
    """Return the points at which `a` may rest on `b`, the nearest ones among them."""
    if isinstance(b, PlacedHeightField):
        return list(_on_field(a, b))
    if isinstance(a, PlacedHeightField):
        return [point.swapped() for point in _on_field(b, a)]
    if isinstance(b, PlacedHalfSpace):
        return list(_on_plane(a, b))
    if isinstance(a, PlacedHalfSpace):
        return [point.swapped() for point in _on_plane(b, a)]
    nearest = nearest_points(a, b)
    return [nearest, *_between_faces(a, b, nearest.n)]


def _on_field(a: PlacedShape, field: PlacedHeightField) -> Iterator[Separation]:
    """Yield two points of each sphere, for hollows, and one of each corner of a box or hull."""
    for point, radius in spheres_of(a):
        first, second = nearest_on_field(field, point)
        yield first.inflated(radius, 0)
        if not isinstance(a, (PlacedBox, PlacedHull)):
            yield second.inflated(radius, 0)


def _on_plane(a: PlacedShape, plane: PlacedHalfSpace) -> Iterator[Separation]:
    """Yield a point for each corner; of a shape with many corners the nearest, and those of the face around it."""
    corners = list(spheres_of(a))
    if len(corners) <= MOST:
        yield from (onto_plane(point, radius, plane) for point, radius in corners)
        return
    yield nearest_points(a, plane)
    face = support_polygon([point for point, _ in corners], plane.normal, 1)
    for k, point in enumerate(face.corners):
        found = onto_plane(point, corners[0][1], plane)
        yield found._replace(phi=where(less(k, face.present), found.phi, FAR))


def _between_faces(a: PlacedShape, b: PlacedShape, n: Vec3) -> Iterator[Separation]:
    """Yield the points at which faces of two shapes lie on each other along a normal, if one of them has faces."""
    (first, radii), (second, others) = (tuple(zip(*spheres_of(shape), strict=True)) for shape in (a, b))
    if min(len(first), len(second)) > 1 and max(len(first), len(second)) > 2:
        yield from (point.inflated(radii[0], others[0]) for point in face_contacts(first, second, n))
