"""Nearest features of two convex hulls of points: GJK, the algorithm of Gilbert, Johnson and Keerthi (1988).

The nearest points of two hulls are those of two features: a point, an edge or a triangle of each. GJK finds the point v
of the Minkowski difference A - B that is nearest to zero: v is the nearest point of a simplex of differences a - b
(`simplices.py`), to which the difference farthest along -v is added, until none is farther than v. How much farther it
is, the duality gap, bounds the error of |v|: of all simplices the one with the smallest gap is returned. A simplex that
is a part of a face only is completed to a triangle of it (`face_completion.py`). It is an intrinsic, since which points
these are depends on values; the rest is a fixed program (`hull_distance.py`), whose derivatives are those of the
features. Hulls that overlap have a status, and those whose gap is too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final

from rbd.contact.geometry.face_completion import complete_face
from rbd.contact.geometry.float_vectors import LARGEST, cross, dot, dot_at
from rbd.contact.geometry.simplices import ConvexPair, find_nearest, set_difference, store_features
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import sqrt
from rbd.intrinsics.piecewise_constant import zero_cotangents, zero_tangents
from rbd.scalars import Scalar, Vector
from rbd.solvers.operands import solver_error
from rbd.spatial.linalg import Vec3

ROUNDS: Final = 30
"""Simplices, at most. Few pairs need more than 19; if rounding makes them repeat, the best simplex is returned."""
_ROUNDING: Final = 1e-14
"""Share of |v|² and of |v| times the size of the hulls up to which no difference is farther."""
_TOLERANCE: Final = 1e-8
"""Share of the size of the hulls up to which the error may be bounded; those measured are below 1e-10."""
_DIRECTION: Final = 1e-15
"""Share of the size of the hulls by which rounding moves v."""
_TOUCHING: Final = 1e-20
"""Square of the distance, relative to that of the size of the hulls, up to which they overlap."""

# Statuses: 0, or the number of the label that says why there are no features.
FOUND: Final = 0
IS_OVERLAPPING: Final = 1
IS_UNKNOWN: Final = 2


def _add_farthest(w: ConvexPair, place: int) -> None:
    """Set a difference of the simplex to the one that is farthest along -v."""
    least = LARGEST
    most = -LARGEST
    for i in range(w.points_of_a):
        x = dot_at(w.v, w.a, 3 * i)
        if x < least:
            least = x
            w.vertices_a[place] = i
    for i in range(w.points_of_b):
        x = dot_at(w.v, w.b, 3 * i)
        if x > most:
            most = x
            w.vertices_b[place] = i
    margin = _ROUNDING * sqrt(w.square[0]) * w.size[0]
    w.extremes[0] = least + margin
    w.extremes[1] = most - margin
    set_difference(w, place)


def _is_nearest(w: ConvexPair, count: int) -> int:
    """Return 1 if the last difference is not farther along -v than the simplex, up to rounding."""
    w.duality_gap[0] = w.square[0] - dot(w.v, w.simplex[count])
    for i in range(count):
        if w.vertices_a[i] == w.vertices_a[count] and w.vertices_b[i] == w.vertices_b[count]:
            return 1
    if w.duality_gap[0] > _ROUNDING * (w.square[0] + sqrt(w.square[0]) * w.size[0]):
        return 0
    return 1


def _volume(w: ConvexPair, i: int, j: int, k: int) -> float:
    """Return the determinant of three differences."""
    cross(w.simplex[i], w.simplex[j], w.normal)
    return dot(w.normal, w.simplex[k])


def _has_zero_inside(w: ConvexPair) -> int:
    """Return 1 if the tetrahedron of four differences has zero inside."""
    a = _volume(w, 1, 2, 3)
    b = -_volume(w, 0, 2, 3)
    c = _volume(w, 0, 1, 3)
    d = -_volume(w, 0, 1, 2)
    if a > 0.0 and b > 0.0 and c > 0.0 and d > 0.0:
        return 1
    if a < 0.0 and b < 0.0 and c < 0.0 and d < 0.0:
        return 1
    return 0


def _start(w: ConvexPair) -> None:
    """Begin with the difference of the first points; the size is the sum of the hulls' extents from these."""
    w.smallest_gap[0] = LARGEST
    w.vertices_a[0] = 0
    w.vertices_b[0] = 0
    set_difference(w, 0)
    for i in range(w.points_of_a):
        for c in range(3):
            w.size[0] += abs(w.a[3 * i + c] - w.a[c])
    for i in range(w.points_of_b):
        for c in range(3):
            w.size[0] += abs(w.b[3 * i + c] - w.b[c])


def _find_features(w: ConvexPair) -> int:
    _start(w)
    if not dot(w.simplex[0], w.simplex[0]) + w.size[0] * w.size[0] < LARGEST:
        return IS_UNKNOWN
    count = 1
    for _ in range(ROUNDS):
        count = find_nearest(w, count)
        if w.square[0] <= _TOUCHING * w.size[0] * w.size[0]:
            return IS_OVERLAPPING
        _add_farthest(w, count)
        nearest = _is_nearest(w, count)
        _store_if_best(w, count)
        if nearest > 0:
            complete_face(w, count)
            return _status(w)
        count += 1
        if count == 4 and w.duality_gap[0] >= w.square[0] and _has_zero_inside(w) > 0:
            return IS_OVERLAPPING
    return _status(w)


def _store_if_best(w: ConvexPair, count: int) -> None:
    """Keep the features of v if no v before had a smaller duality gap."""
    if w.duality_gap[0] < w.smallest_gap[0]:
        w.smallest_gap[0] = w.duality_gap[0]
        store_features(w, count)


def _status(w: ConvexPair) -> int:
    """Return `FOUND` if the stored |v| is the distance, up to rounding: the gap divided by |v| bounds the error."""
    distance = sqrt(w.square[0])
    if w.smallest_gap[0] > _ROUNDING * w.square[0] + (_TOLERANCE * distance + _DIRECTION * w.size[0]) * w.size[0]:
        return IS_UNKNOWN
    return FOUND


def _operations(points_of_a: int, points_of_b: int) -> int:
    points = points_of_a + points_of_b
    return ROUNDS * (6 * points + 660) + 6 * points + 6 * (12 * points + 40)


FIND_CONVEX_FEATURES: Final = Intrinsic(
    name="find_convex_features",
    workspace=ConvexPair,
    function=_find_features,
    operations=_operations,
    labels=2,
    error=solver_error,
    derivative=zero_tangents,
    adjoint=zero_cotangents,
)
OVERLAP: Final = (
    "convex hulls overlap deeper than their radii, so that their distance is not known; "
    "give them larger radii, or begin where they overlap less"
)

UNKNOWN: Final = (
    "the nearest points of two convex hulls are lost to rounding or beyond the range of float64; "
    "leave out points that lie close to each other"
)


def nearest_features(a: Sequence[Vec3], b: Sequence[Vec3]) -> tuple[Vector, Vector, Scalar]:
    """Return the indices of three points of each of two hulls, and how many of these the nearest points belong to.

    Raises SolverError for hulls that overlap, and where rounding hides the nearest points.

    >>> nearest_features([(0, 0, 0), (1, 0, 0)], [(0.5, 1, -1), (0.5, 1, 1)])[2]
    3.0
    """
    sizes, operands = (len(a), len(b)), tuple(chain(*a, *b))
    outputs = FIND_CONVEX_FEATURES(sizes, operands, (OVERLAP, UNKNOWN))
    found = FIND_CONVEX_FEATURES.layout.split("result", sizes, outputs)
    return found["of_a"], found["of_b"], found["count"][0]
