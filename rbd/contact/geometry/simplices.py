"""Simplices of differences of the points of two convex hulls: the nearest point of one to zero, for GJK.

All points, edges and triangles of a simplex are tried (Ericson 2005, section 9.5).
"""

from __future__ import annotations

from typing import Final, final

from rbd.contact.geometry.float_vectors import LARGEST, cross, dot, subtract
from rbd.intrinsics.language import divide, fma, sqrt
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result

_PREFERENCE: Final = 1e-15
"""Share of |v| times the size by which |v|² may be larger for simplices with the last difference: along nearly parallel
faces, single steps towards the nearest points are smaller than rounding."""


@final
class ConvexPair(Workspace):
    """The points of two hulls, and the simplex."""

    points_of_a: int
    """Number of points of the first hull."""
    points_of_b: int
    a = operand("3 * points_of_a")
    b = operand("3 * points_of_b")
    of_a = result("3")
    """The indices of the points of the first hull whose convex hull has the nearest point."""
    of_b = result("3")
    count = result("1")
    """Number of these."""
    vertices_a = ints("4")
    """The indices of the points whose differences are the simplex."""
    vertices_b = ints("4")
    simplex = floats("4", "3")
    preference = floats("1")
    """By how much |v|² may be larger for simplices with the last difference."""
    last_added = ints("1")
    """Index of the last difference."""
    kept = ints("3")
    """Indices of the differences with v in their convex hull; -1 for none."""
    v = floats("3")
    square = floats("1")
    """|v|²."""
    duality_gap = floats("1")
    """Distance of the last difference beyond v along -v, times |v|."""
    smallest_gap = floats("1")
    """The smallest of these gaps."""
    size = floats("1")
    """Of the hulls."""
    extremes = floats("2")
    """Beginning along v of the face of the first hull, and end of that of the second, times |v| and up to rounding."""
    along = floats("3")
    across = floats("3")
    normal = floats("3")
    trial = floats("3")


def set_difference(w: ConvexPair, place: int) -> None:
    """Set a difference of the simplex to that of its two points."""
    for c in range(3):
        w.simplex[place][c] = w.a[3 * w.vertices_a[place] + c] - w.b[3 * w.vertices_b[place] + c]


def store_features(w: ConvexPair, count: int) -> None:
    """Set the results to the points of the first differences of the simplex."""
    for slot in range(count):
        w.of_a[slot] = float(w.vertices_a[slot])
        w.of_b[slot] = float(w.vertices_b[slot])
    w.count[0] = float(count)


def _take_if_nearer(w: ConvexPair, i: int, j: int, k: int) -> None:
    """Take the point `trial` of the hull of these differences as v if it is nearer to zero, up to rounding."""
    square = dot(w.trial, w.trial)
    if i == w.last_added[0] or j == w.last_added[0] or k == w.last_added[0]:
        square -= w.preference[0]
    if square < w.square[0]:
        w.square[0] = square
        for c in range(3):
            w.v[c] = w.trial[c]
        w.kept[0] = i
        w.kept[1] = j
        w.kept[2] = k


def _project_on_point(w: ConvexPair, i: int) -> None:
    for c in range(3):
        w.trial[c] = w.simplex[i][c]
    _take_if_nearer(w, i, -1, -1)


def _project_on_edge(w: ConvexPair, i: int, j: int) -> None:
    """Offer the nearest point of the line through two differences, if it is between them."""
    subtract(w.simplex[j], w.simplex[i], w.along)
    share = divide(-dot(w.along, w.simplex[i]), dot(w.along, w.along))
    if share > 0.0 and share < 1.0:
        for c in range(3):
            w.trial[c] = fma(share, w.along[c], w.simplex[i][c])
        _take_if_nearer(w, i, j, -1)


def _project_on_triangle(w: ConvexPair, i: int, j: int, k: int) -> None:
    """Offer the nearest point of the plane through three differences, if it is between them."""
    subtract(w.simplex[j], w.simplex[i], w.along)
    subtract(w.simplex[k], w.simplex[i], w.across)
    cross(w.along, w.across, w.normal)
    square = dot(w.normal, w.normal)
    cross(w.across, w.simplex[i], w.trial)
    first = divide(dot(w.trial, w.normal), square)
    cross(w.simplex[i], w.along, w.trial)
    second = divide(dot(w.trial, w.normal), square)
    if first > 0.0 and second > 0.0 and first + second < 1.0:
        height = divide(dot(w.simplex[i], w.normal), square)
        for c in range(3):
            w.trial[c] = height * w.normal[c]
        _take_if_nearer(w, i, j, k)


def find_nearest(w: ConvexPair, count: int) -> int:
    """Find v; keep the differences that have it in their convex hull, and return how many these are."""
    w.preference[0] = _PREFERENCE * sqrt(dot(w.v, w.v)) * w.size[0]
    w.square[0] = LARGEST
    w.last_added[0] = count - 1
    for i in range(count):
        _project_on_point(w, i)
    for i in range(count):
        for j in range(i + 1, count):
            _project_on_edge(w, i, j)
            for k in range(j + 1, count):
                _project_on_triangle(w, i, j, k)
    w.square[0] = dot(w.v, w.v)
    left = 0
    for slot in range(3):
        if w.kept[slot] >= 0:
            _move(w, w.kept[slot], slot)
            left += 1
    return left


def _move(w: ConvexPair, source: int, target: int) -> None:
    w.vertices_a[target] = w.vertices_a[source]
    w.vertices_b[target] = w.vertices_b[source]
    for c in range(3):
        w.simplex[target][c] = w.simplex[source][c]
