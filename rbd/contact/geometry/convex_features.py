"""Nearest features of two convex hulls of points: the algorithm of Gilbert, Johnson and Keerthi (GJK, 1988).

The nearest points of two hulls are those of two features: a point, an edge or a triangle of each. GJK finds the point v
of the Minkowski difference A - B that is nearest to zero: v is the nearest point of a simplex of differences a - b, to
which the difference farthest along -v is added, until none is farther than v. How much
farther it is bounds the error of |v|: of all simplices the one with the smallest bound is returned. It is an intrinsic,
since which points these are depends on numbers; the rest is a fixed program (`hull_distance.py`), whose derivatives are
those of the features. Where nearest points are not unique, as those of parallel faces, a simplex may be part of a face
only; differences are added until it is a triangle of the face, of which the nearest point does not turn away as hulls
slide. Hulls that overlap have a status, and those whose bound is too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, final

from rbd.contact.geometry.support_polygons import inner
from rbd.intrinsics.constant import no_change, no_influence
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import Floats, divide, fma, sqrt
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result
from rbd.scalars import Scalar, Vector
from rbd.solvers.operands import solver_error
from rbd.spatial.linalg import Vec3

ROUNDS: Final = 30
"""Simplices, at most. Few pairs need more than 19; where rounding leads in a circle, the best simplex counts."""
_ROUNDING: Final = 1e-14
"""Share of |v|² and of |v| times the size of the hulls up to which no difference is farther."""
_IN_FAVOUR: Final = 1e-15
"""Share of |v| times the size by which |v|² may be larger for simplices with the last difference: along nearly parallel
faces, single steps towards the nearest points are smaller than rounding."""
_TOLERANCE: Final = 1e-8
"""Share of the size of the hulls up to which the error may be bounded; those measured are below 1e-10."""
_DIRECTION: Final = 1e-15
"""Share of the size of the hulls by which rounding moves v."""
_TOUCHING: Final = 1e-20
"""Square of the distance, relative to that of the size of the hulls, up to which they overlap."""
_WIDTH: Final = 1e-5
"""Share of the size of the hulls by which a difference is beside the simplex whose face it belongs to, at least."""
_NEAR: Final = 100.0
"""Distance, relative to the size of the hulls, up to which their faces are not lost to rounding."""
_FAR: Final = 1e300
"""Larger than all squares of distances and sizes."""


@final
class ConvexPair(Workspace):
    """The points of two hulls, and the simplex."""

    first: int
    """How many points the first hull has."""
    second: int
    a = operand("3 * first")
    b = operand("3 * second")
    of_a = result("3")
    """The numbers of the points of the first hull whose convex hull has the nearest point."""
    of_b = result("3")
    count = result("1")
    """How many of these there are."""
    picks_a = ints("4")
    """The numbers of the points whose differences are the simplex."""
    picks_b = ints("4")
    simplex = floats("4", "3")
    favour = floats("1")
    """By how much |v|² may be larger for simplices with the last difference."""
    newest = ints("1")
    """Which of the differences came last."""
    kept = ints("3")
    """Which of the differences have v in their convex hull; -1 for none."""
    v = floats("3")
    square = floats("1")
    """|v|²."""
    gap = floats("1")
    """How much farther than v the last difference is along -v, times |v|."""
    least = floats("1")
    """The smallest gap."""
    size = floats("1")
    """Of the hulls."""
    extremes = floats("2")
    """Where the face of the first hull begins along v, and that of the second ends, times |v| and up to rounding."""
    along = floats("3")
    across = floats("3")
    normal = floats("3")
    trial = floats("3")


def _dot(x: Floats, y: Floats) -> float:
    return fma(x[0], y[0], fma(x[1], y[1], x[2] * y[2]))


def _difference(x: Floats, y: Floats, out: Floats) -> None:
    for c in range(3):
        out[c] = x[c] - y[c]


def _cross(x: Floats, y: Floats, out: Floats) -> None:
    out[0] = fma(x[1], y[2], -(x[2] * y[1]))
    out[1] = fma(x[2], y[0], -(x[0] * y[2]))
    out[2] = fma(x[0], y[1], -(x[1] * y[0]))


def _offer(w: ConvexPair, i: int, j: int, k: int) -> None:
    """Take the point `trial` of the hull of these differences as v if it is nearer to zero, up to rounding."""
    square = _dot(w.trial, w.trial)
    if i == w.newest[0] or j == w.newest[0] or k == w.newest[0]:
        square -= w.favour[0]
    if square < w.square[0]:
        w.square[0] = square
        for c in range(3):
            w.v[c] = w.trial[c]
        w.kept[0] = i
        w.kept[1] = j
        w.kept[2] = k


def _offer_point(w: ConvexPair, i: int) -> None:
    for c in range(3):
        w.trial[c] = w.simplex[i][c]
    _offer(w, i, -1, -1)


def _offer_edge(w: ConvexPair, i: int, j: int) -> None:
    """Offer the nearest point of the line through two differences, if it is between them."""
    _difference(w.simplex[j], w.simplex[i], w.along)
    share = divide(-_dot(w.along, w.simplex[i]), _dot(w.along, w.along))
    if share > 0.0 and share < 1.0:
        for c in range(3):
            w.trial[c] = fma(share, w.along[c], w.simplex[i][c])
        _offer(w, i, j, -1)


def _offer_triangle(w: ConvexPair, i: int, j: int, k: int) -> None:
    """Offer the nearest point of the plane through three differences, if it is between them."""
    _difference(w.simplex[j], w.simplex[i], w.along)
    _difference(w.simplex[k], w.simplex[i], w.across)
    _cross(w.along, w.across, w.normal)
    square = _dot(w.normal, w.normal)
    _cross(w.across, w.simplex[i], w.trial)
    first = divide(_dot(w.trial, w.normal), square)
    _cross(w.simplex[i], w.along, w.trial)
    second = divide(_dot(w.trial, w.normal), square)
    if first > 0.0 and second > 0.0 and first + second < 1.0:
        height = divide(_dot(w.simplex[i], w.normal), square)
        for c in range(3):
            w.trial[c] = height * w.normal[c]
        _offer(w, i, j, k)


def _find_nearest(w: ConvexPair, count: int) -> int:
    """Find v; keep the differences that have it in their convex hull, and return how many these are."""
    w.favour[0] = _IN_FAVOUR * sqrt(_dot(w.v, w.v)) * w.size[0]
    w.square[0] = _FAR
    w.newest[0] = count - 1
    for i in range(count):
        _offer_point(w, i)
    for i in range(count):
        for j in range(i + 1, count):
            _offer_edge(w, i, j)
            for k in range(j + 1, count):
                _offer_triangle(w, i, j, k)
    w.square[0] = _dot(w.v, w.v)
    left = 0
    for slot in range(3):
        if w.kept[slot] >= 0:
            _move(w, w.kept[slot], slot)
            left += 1
    return left


def _move(w: ConvexPair, source: int, target: int) -> None:
    w.picks_a[target] = w.picks_a[source]
    w.picks_b[target] = w.picks_b[source]
    for c in range(3):
        w.simplex[target][c] = w.simplex[source][c]


def _add_farthest(w: ConvexPair, place: int) -> None:
    """Set a difference of the simplex to the one that is farthest along -v."""
    least = _FAR
    most = -_FAR
    for i in range(w.first):
        x = inner(w.v, w.a, 3 * i)
        if x < least:
            least = x
            w.picks_a[place] = i
    for i in range(w.second):
        x = inner(w.v, w.b, 3 * i)
        if x > most:
            most = x
            w.picks_b[place] = i
    margin = _ROUNDING * sqrt(w.square[0]) * w.size[0]
    w.extremes[0] = least + margin
    w.extremes[1] = most - margin
    _set_difference(w, place)


def _set_difference(w: ConvexPair, place: int) -> None:
    for c in range(3):
        w.simplex[place][c] = w.a[3 * w.picks_a[place] + c] - w.b[3 * w.picks_b[place] + c]


def _is_nearest(w: ConvexPair, count: int) -> int:
    """Return 1 if the last difference is not farther along -v than the simplex, up to rounding."""
    w.gap[0] = w.square[0] - _dot(w.v, w.simplex[count])
    for i in range(count):
        if w.picks_a[i] == w.picks_a[count] and w.picks_b[i] == w.picks_b[count]:
            return 1
    if w.gap[0] > _ROUNDING * (w.square[0] + sqrt(w.square[0]) * w.size[0]):
        return 0
    return 1


def _volume(w: ConvexPair, i: int, j: int, k: int) -> float:
    """Return the determinant of three differences."""
    _cross(w.simplex[i], w.simplex[j], w.normal)
    return _dot(w.normal, w.simplex[k])


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


def _begin(w: ConvexPair) -> None:
    """Begin with the difference of the first points; the size is the sum of the hulls' extents from these."""
    w.least[0] = _FAR
    w.picks_a[0] = 0
    w.picks_b[0] = 0
    _set_difference(w, 0)
    for i in range(w.first):
        for c in range(3):
            w.size[0] += abs(w.a[3 * i + c] - w.a[c])
    for i in range(w.second):
        for c in range(3):
            w.size[0] += abs(w.b[3 * i + c] - w.b[c])


def _find_features(w: ConvexPair) -> int:
    _begin(w)
    if not _dot(w.simplex[0], w.simplex[0]) + w.size[0] * w.size[0] < _FAR:
        return 2
    count = 1
    for _ in range(ROUNDS):
        count = _find_nearest(w, count)
        if w.square[0] <= _TOUCHING * w.size[0] * w.size[0]:
            return 1
        _add_farthest(w, count)
        nearest = _is_nearest(w, count)
        _keep_best(w, count)
        if nearest > 0:
            _complete_face(w, count)
            return _judge(w)
        count += 1
        if count == 4 and w.gap[0] >= w.square[0] and _has_zero_inside(w) > 0:
            return 1
    return _judge(w)


def _keep_best(w: ConvexPair, count: int) -> None:
    """Keep the features of v if no v before had a smaller gap."""
    if w.gap[0] < w.least[0]:
        w.least[0] = w.gap[0]
        _keep(w, count)


def _keep(w: ConvexPair, count: int) -> None:
    for slot in range(count):
        w.of_a[slot] = float(w.picks_a[slot])
        w.of_b[slot] = float(w.picks_b[slot])
    w.count[0] = float(count)


def _complete_face(w: ConvexPair, count: int) -> None:
    """Add differences to a kept point or edge until it is a triangle, or all of the face it is part of."""
    if w.gap[0] > w.least[0] or w.square[0] > _NEAR * _NEAR * w.size[0] * w.size[0]:
        return
    _set_any_across(w)
    for _ in range(3):
        if count == 2:
            _difference(w.simplex[1], w.simplex[0], w.along)
            _cross(w.v, w.along, w.across)
        if count < 3 and _add_beside(w, count) > 0:
            count += 1
        elif count == 1:
            _cross(w.v, w.across, w.normal)
            for c in range(3):
                w.across[c] = w.normal[c]
    _keep(w, count)


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
    least = _WIDTH * w.size[0] * sqrt(_dot(w.across, w.across))
    for _ in range(2):
        _add_outermost(w, place)
        if _dot(w.across, w.simplex[place]) - _dot(w.across, w.simplex[0]) > least:
            return 1
        for c in range(3):
            w.across[c] = -w.across[c]
    return 0


def _add_outermost(w: ConvexPair, place: int) -> None:
    """Set a difference to one that is farthest across, of those that are farthest along -v up to rounding."""
    least = _FAR
    most = -_FAR
    for i in range(w.first):
        x = inner(w.across, w.a, 3 * i)
        if x > most and inner(w.v, w.a, 3 * i) <= w.extremes[0]:
            most = x
            w.picks_a[place] = i
    for i in range(w.second):
        x = inner(w.across, w.b, 3 * i)
        if x < least and inner(w.v, w.b, 3 * i) >= w.extremes[1]:
            least = x
            w.picks_b[place] = i
    _set_difference(w, place)


def _judge(w: ConvexPair) -> int:
    """Return 0 if the kept |v| is surely the distance, up to rounding: the gap divided by |v| bounds the error."""
    distance = sqrt(w.square[0])
    if w.least[0] > _ROUNDING * w.square[0] + (_TOLERANCE * distance + _DIRECTION * w.size[0]) * w.size[0]:
        return 2
    return 0


def _operations(first: int, second: int) -> int:
    return ROUNDS * (6 * (first + second) + 660) + 6 * (first + second) + 6 * (12 * (first + second) + 40)


FIND_CONVEX_FEATURES: Final = Intrinsic(
    name="find_convex_features",
    workspace=ConvexPair,
    function=_find_features,
    operations=_operations,
    labels=2,
    error=solver_error,
    derivative=no_change,
    adjoint=no_influence,
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
    """Return the numbers of three points of each of two hulls, and how many of these the nearest points belong to.

    Raises SolverError for hulls that overlap, and where rounding hides the nearest points.

    >>> nearest_features([(0, 0, 0), (1, 0, 0)], [(0.5, 1, -1), (0.5, 1, 1)])[2]
    3.0
    """
    sizes, operands = (len(a), len(b)), tuple(chain(*a, *b))
    outputs = FIND_CONVEX_FEATURES(sizes, operands, (OVERLAP, UNKNOWN))
    found = FIND_CONVEX_FEATURES.layout.cut("result", sizes, outputs)
    return found["of_a"], found["of_b"], found["count"][0]
