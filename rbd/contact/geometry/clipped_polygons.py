"""Corners of the region in which two faces lie on each other: one face clipped by the other.

The region is that of polygon clipping (Sutherland and Hodgman 1974); its corners are found all at once, not edge by
edge, so that loops are counted. Both are polygons, seen along the normal, or segments. The corners of the region are
corners of one polygon inside the other, corners on a segment, and points where edges cross. Of these at most eight are
chosen, as the corners of a face are (`support_polygons.py`). It is an intrinsic, since which corners and edges these
are depends on values.
"""

from __future__ import annotations

from itertools import chain
from typing import Final, NamedTuple, final

from rbd.contact.geometry.float_vectors import dot_at
from rbd.contact.geometry.support_polygons import (
    MAX_CORNERS,
    MIN_CORNER_SHARE,
    Candidates,
    SupportPolygon,
    choose_corners,
    extent,
    next_index,
    operations_of_choice,
    set_axes,
)
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import Floats, Rows, divide, fma, sqrt
from rbd.intrinsics.piecewise_constant import zero_cotangents, zero_tangents
from rbd.intrinsics.workspace import floats, ints, operand, result
from rbd.scalars import Scalar, Vector
from rbd.spatial.linalg import Vec3

CORNER_OF_A: Final = 1
CORNER_OF_B: Final = 2
CROSSING: Final = 3
_CANDIDATES: Final = 4 * MAX_CORNERS
"""Corners of both, and two crossings for each edge of one."""
_OF_B: Final = 3
"""Place of the first corner of b among the six of a candidate."""
_PARALLEL: Final = 1e-6
"""Sine of the angle up to which edges do not cross."""


@final
class FacingPolygons(Candidates):
    """Two polygons and the corners of the region in which both are."""

    a = operand("24")
    b = operand("24")
    counts = operand("2")
    kinds = result("8")
    """The kind of each corner of the region, 0 for none."""
    of_a = result("24")
    """For each, the indices of three corners of a."""
    of_b = result("24")
    flat_a = floats("3", "8")
    """x, y and height of the corners of a."""
    flat_b = floats("3", "8")
    tolerance = floats("1")
    """Largest distance of a corner from a polygon that counts as inside: edges that nearly coincide do not cross."""
    candidate_kinds = ints("candidates")
    """The kind of each candidate."""
    candidate_corners = ints("6 * candidates")
    """For each candidate, the indices of three corners of a, then of three corners of b."""


def _corner_count(w: FacingPolygons, which: int) -> int:
    found = 0
    for k in range(MAX_CORNERS):
        if float(k) < w.counts[which]:
            found += 1
    return found


def _project_corners(w: FacingPolygons, points: Floats, out: Rows) -> None:
    for i in range(MAX_CORNERS):
        out[0][i] = dot_at(w.u, points, 3 * i)
        out[1][i] = dot_at(w.v, points, 3 * i)
        out[2][i] = dot_at(w.normal, points, 3 * i)


def _doubled_area(p: Rows, i: int, j: int, x: float, y: float) -> float:
    """Return twice the area of the triangle of two corners and a point; positive if the point is to the left."""
    return fma(p[0][j] - p[0][i], y - p[1][i], -((p[1][j] - p[1][i]) * (x - p[0][i])))


def _edge_length(p: Rows, i: int, j: int) -> float:
    along = p[0][j] - p[0][i]
    across = p[1][j] - p[1][i]
    return sqrt(fma(along, along, across * across))


def _projection_on_segment(p: Rows, x: float, y: float) -> float:
    """Return the projection of a point onto a segment, times the length of the segment."""
    return fma(p[0][1] - p[0][0], x - p[0][0], (p[1][1] - p[1][0]) * (y - p[1][0]))


def _is_on_segment(p: Rows, x: float, y: float, tolerance: float) -> int:
    """Return 1 if a point is on a segment, or just beside; 0 if the segment has no length."""
    length = _edge_length(p, 0, 1)
    if length <= tolerance or abs(_doubled_area(p, 0, 1, x, y)) > tolerance * length:
        return 0
    along = divide(_projection_on_segment(p, x, y), length)
    if along < -tolerance or along > length + tolerance:
        return 0
    return 1


def _contains(p: Rows, count: int, x: float, y: float, tolerance: float) -> int:
    """Return 1 if a point is inside a convex polygon or segment, or just outside; 0 if a polygon has no area."""
    if count < 2:
        return 0
    if count < 3:
        return _is_on_segment(p, x, y, tolerance)
    for i in range(count):
        j = next_index(i, count)
        if _doubled_area(p, i, j, x, y) < -(tolerance * _edge_length(p, i, j)):
            return 0
    return 1


def _triangle_around(p: Rows, count: int, x: float, y: float) -> int:
    """Return k for the triangle of the corners 0, k and k + 1 that has a point inside; 1 for a segment."""
    found = 1
    for k in range(2, count - 1):
        if _doubled_area(p, 0, k, x, y) > 0.0:
            found = k
    return found


def _third_corner(k: int, count: int) -> int:
    """Return the index of the third corner of a triangle; 0 for a segment."""
    if count < 3:
        return 0
    return k + 1


def _height_at(p: Rows, count: int, k: int, x: float, y: float) -> float:
    """Return the height of the plane of the corners 0, k and k + 1, or of the segment, at (x, y)."""
    if count < 3:
        length = _edge_length(p, 0, 1)
        return fma(divide(_projection_on_segment(p, x, y), length * length), p[2][1] - p[2][0], p[2][0])
    area = _doubled_area(p, 0, k, p[0][k + 1], p[1][k + 1])
    t = divide(_doubled_area(p, 0, k, x, y), area)
    s = divide(-_doubled_area(p, 0, k + 1, x, y), area)
    return p[2][0] + fma(s, p[2][k] - p[2][0], t * (p[2][k + 1] - p[2][0]))


def _add_candidate(w: FacingPolygons, kind: int, x: float, y: float, gap: float) -> int:
    """Add a candidate; return where its indices of corners begin."""
    place = w.candidate_count[0]
    w.x[place] = x
    w.y[place] = y
    w.height[place] = gap
    w.candidate_kinds[place] = kind
    w.candidate_count[0] = place + 1
    return 6 * place


def _add_corners(w: FacingPolygons, kind: int, own: Rows, count: int, other: Rows, others: int) -> None:
    """Add the corners of one polygon that are inside the other, with indices of corners of both."""
    of_own = 0
    if kind == CORNER_OF_B:
        of_own = _OF_B
    for i in range(count):
        x = own[0][i]
        y = own[1][i]
        if _contains(other, others, x, y, w.tolerance[0]) > 0:
            k = _triangle_around(other, others, x, y)
            gap = _gap(kind, own[2][i], _height_at(other, others, k, x, y))
            at = _add_candidate(w, kind, x, y, gap)
            w.candidate_corners[at + of_own] = i
            w.candidate_corners[at + (_OF_B - of_own) + 1] = k
            w.candidate_corners[at + (_OF_B - of_own) + 2] = _third_corner(k, others)


def _gap(kind: int, own: float, other: float) -> float:
    """Return the height of a above b."""
    if kind == CORNER_OF_A:
        return own - other
    return other - own


def _add_crossing(w: FacingPolygons, i: int, j: int, k: int, m: int) -> None:
    """Add the crossing of the edge from i to j of a, and that from k to m of b, if there is one."""
    along = w.flat_a[0][j] - w.flat_a[0][i]
    across = w.flat_a[1][j] - w.flat_a[1][i]
    turn = fma(along, w.flat_b[1][m] - w.flat_b[1][k], -(across * (w.flat_b[0][m] - w.flat_b[0][k])))
    least = _PARALLEL * _edge_length(w.flat_a, i, j) * _edge_length(w.flat_b, k, m)
    if abs(turn) > least and w.candidate_count[0] < w.candidates:
        s = divide(_doubled_area(w.flat_b, k, m, w.flat_a[0][i], w.flat_a[1][i]), turn)
        t = divide(-_doubled_area(w.flat_a, i, j, w.flat_b[0][k], w.flat_b[1][k]), turn)
        if s > 0.0 and s < 1.0 and t > 0.0 and t < 1.0:
            gap = fma(s, w.flat_a[2][j] - w.flat_a[2][i], w.flat_a[2][i])
            gap -= fma(t, w.flat_b[2][m] - w.flat_b[2][k], w.flat_b[2][k])
            at = _add_candidate(w, CROSSING, fma(s, along, w.flat_a[0][i]), fma(s, across, w.flat_a[1][i]), gap)
            w.candidate_corners[at] = i
            w.candidate_corners[at + 1] = j
            w.candidate_corners[at + _OF_B] = k
            w.candidate_corners[at + _OF_B + 1] = m


def _add_crossings(w: FacingPolygons, count_a: int, count_b: int) -> None:
    for i in range(count_a):
        for k in range(count_b):
            j = next_index(i, count_a)
            m = next_index(k, count_b)
            if (count_a > 2 or i < j) and (count_b > 2 or k < m):
                _add_crossing(w, i, j, k, m)


def _extents(p: Rows, count: int) -> float:
    return extent(p[0], count) + extent(p[1], count)


def _store(w: FacingPolygons, count: int) -> None:
    """Set the results to the candidates that were chosen."""
    for k in range(count):
        place = w.chosen[k]
        w.kinds[k] = float(w.candidate_kinds[place])
        for c in range(3):
            w.of_a[3 * k + c] = float(w.candidate_corners[6 * place + c])
            w.of_b[3 * k + c] = float(w.candidate_corners[6 * place + _OF_B + c])


def _clip(w: FacingPolygons) -> int:
    set_axes(w)
    _project_corners(w, w.a, w.flat_a)
    _project_corners(w, w.b, w.flat_b)
    count_a = _corner_count(w, 0)
    count_b = _corner_count(w, 1)
    size = _extents(w.flat_a, count_a)
    if _extents(w.flat_b, count_b) < size:
        size = _extents(w.flat_b, count_b)
    w.min_offset[0] = MIN_CORNER_SHARE * size
    w.tolerance[0] = _PARALLEL * size
    _add_corners(w, CORNER_OF_A, w.flat_a, count_a, w.flat_b, count_b)
    _add_corners(w, CORNER_OF_B, w.flat_b, count_b, w.flat_a, count_a)
    _add_crossings(w, count_a, count_b)
    _store(w, choose_corners(w))
    return 0


def _operations(candidates: int) -> int:
    return operations_of_choice(candidates) + MAX_CORNERS * MAX_CORNERS * 80 + 500


CLIP_POLYGONS: Final = Intrinsic(
    name="clip_polygons",
    workspace=FacingPolygons,
    function=_clip,
    operations=_operations,
    derivative=zero_tangents,
    adjoint=zero_cotangents,
)


class RegionCorner(NamedTuple):
    """A corner of the region in which two faces lie on each other: its kind, and the indices of corners of the faces.

    The kind is 0 if there is no such corner. A corner of one face lies above or below the triangle of three corners of
    the other, or the edge of two, if the third index is 0; edges that cross go from the first to the second corner.
    """

    kind: Scalar
    of_a: Vector
    of_b: Vector


def clipped_corners(a: SupportPolygon, b: SupportPolygon, normal: Vec3) -> list[RegionCorner]:
    """Return eight corners of the region in which two polygons lie on each other."""
    operands = {"normal": normal, "a": chain.from_iterable(a.corners), "b": chain.from_iterable(b.corners)}
    found = CLIP_POLYGONS.call((_CANDIDATES,), {**operands, "counts": (a.present, b.present)})
    of_a, of_b = (
        [indices[k : k + 3] for k in range(0, 3 * MAX_CORNERS, 3)] for indices in (found["of_a"], found["of_b"])
    )
    return [RegionCorner(*corner) for corner in zip(found["kinds"], of_a, of_b, strict=True)]
