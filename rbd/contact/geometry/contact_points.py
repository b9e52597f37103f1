"""Contact manifold of two shapes: the points at which one rests on the other.

A box that lies on another needs more than its nearest point to be held. The number of points depends on the kinds of
shapes only, so that they can be recorded; unused slots hold points at the distance `FAR`. For two boxes, each corner of
one is projected onto the face of the other along the normal of the pair; it counts where the boxes face each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from rbd.contact.geometry.box_distance import clamp_to_box, corners, from_axes, local_coordinates, support
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
from rbd.contact.geometry.vectors import point_along, signed_distance_to_plane
from rbd.scalars import Condition, Scalar, absolute, both, const, less_equal, where
from rbd.spatial.linalg import Vec3, add3, neg3

_SLACK = const(1, 1000)
"""A point faces a box up to this share of the box's size outside it."""


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
    if isinstance(a, PlacedBox) and isinstance(b, PlacedBox):
        facing = [*_facing_corners(a, b, nearest.n)]
        facing += [point.swapped() for point in _facing_corners(b, a, neg3(nearest.n))]
        return [nearest, *facing]
    return [nearest]


def _on_field(a: PlacedShape, field: PlacedHeightField) -> Iterator[Separation]:
    """Yield two points of each sphere, for hollows, and one of each corner of a box or hull."""
    for point, radius in spheres_of(a):
        first, second = nearest_on_field(field, point)
        yield first.inflated(radius, 0)
        if not isinstance(a, (PlacedBox, PlacedHull)):
            yield second.inflated(radius, 0)


def _on_plane(a: PlacedShape, plane: PlacedHalfSpace) -> Iterator[Separation]:
    yield from (onto_plane(point, radius, plane) for point, radius in spheres_of(a))


def _facing_corners(a: PlacedBox, b: PlacedBox, n: Vec3) -> Iterator[Separation]:
    """Yield the corners of `a` with their projections onto the supporting plane of `b` along `n`, clamped to `b`."""
    top = support(b, n)
    for corner in corners(a):
        phi = signed_distance_to_plane(corner, top, n)
        local = clamp_to_box(b, local_coordinates(b, point_along(corner, n, -phi)))
        p_b = add3(b.center, from_axes(b, local))
        p_a = point_along(p_b, n, phi)
        yield Separation(where(_contains_within_slack(a, p_a), phi, FAR), p_a, p_b, n)


def _contains_within_slack(a: PlacedBox, point: Vec3) -> Condition:
    """Return whether a point lies in a box, or just outside."""
    inside: Condition = less_equal(0, 0)
    for x, half in zip(local_coordinates(a, point), a.half, strict=True):
        limit: Scalar = half * (1 + _SLACK)
        inside = both(inside, less_equal(absolute(x), limit))
    return inside
