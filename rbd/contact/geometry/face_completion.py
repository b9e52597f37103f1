"""Faces of two convex hulls, of which GJK has found a point or an edge: triangles of their Minkowski difference.

Where nearest points are not unique, as those of parallel faces, a simplex of GJK may be part of a face only.
Differences are added until it is a triangle of the face, of which the nearest point does not turn away as hulls slide.
"""

from __future__ import annotations

from typing import Final

from rbd.contact.geometry.float_vectors import LARGEST, cross, dot, dot_at, subtract
from rbd.contact.geometry.simplices import ConvexPair, set_difference, store_features
from rbd.intrinsics.language import sqrt

_MIN_WIDTH: Final = 1e-5
"""Share of the size of the hulls by which a difference is beside the simplex whose face it belongs to, at least."""
_MAX_DISTANCE: Final = 100.0
"""Distance, relative to the size of the hulls, up to which their faces are not lost to rounding."""


def complete_face(w: ConvexPair, count: int) -> None:
    """Add differences to a kept point or edge until it is a triangle, or all of the face it is part of."""
    if w.duality_gap[0] > w.smallest_gap[0] or w.square[0] > _MAX_DISTANCE * _MAX_DISTANCE * w.size[0] * w.size[0]:
        return
    _set_any_across(w)
    for _ in range(3):
        if count == 2:
            subtract(w.simplex[1], w.simplex[0], w.along)
            cross(w.v, w.along, w.across)
        if count < 3 and _add_beside(w, count) > 0:
            count += 1
        elif count == 1:
            cross(w.v, w.across, w.normal)
            for c in range(3):
                w.across[c] = w.normal[c]
    store_features(w, count)


def _set_any_across(w: ConvexPair) -> None:
    """Set a direction at right angles to v."""
    w.across[0] = -w.v[1]
    w.across[1] = w.v[0]
    w.across[2] = 0.0
    if abs(w.v[2]) > abs(w.v[0]):
        w.across[0] = 0.0
        w.across[1] = w.v[2]
        w.across[2] = -w.v[1]


def _add_beside(w: ConvexPair, place: int) -> int:
    """Set a difference to one of the face that is farthest across or against it; return 1 if it is beside the first."""
    least = _MIN_WIDTH * w.size[0] * sqrt(dot(w.across, w.across))
    for _ in range(2):
        _add_outermost(w, place)
        if dot(w.across, w.simplex[place]) - dot(w.across, w.simplex[0]) > least:
            return 1
        for c in range(3):
            w.across[c] = -w.across[c]
    return 0


def _add_outermost(w: ConvexPair, place: int) -> None:
    """Set a difference to one that is farthest across, of those that are farthest along -v up to rounding."""
    least = LARGEST
    most = -LARGEST
    for i in range(w.points_of_a):
        x = dot_at(w.across, w.a, 3 * i)
        if x > most and dot_at(w.v, w.a, 3 * i) <= w.extremes[0]:
            most = x
            w.vertices_a[place] = i
    for i in range(w.points_of_b):
        x = dot_at(w.across, w.b, 3 * i)
        if x < least and dot_at(w.v, w.b, 3 * i) >= w.extremes[1]:
            least = x
            w.vertices_b[place] = i
    set_difference(w, place)
