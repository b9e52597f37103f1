"""Corners of a face: the points of a convex hull on which it rests, as a polygon of at most eight.

A hull that is tilted a little rests on points far out and low. The polygon begins with two points on opposite sides,
and gets, one at a time as in quickhull (Barber, Dobkin and Huhdanpaa 1996), the point farthest beyond one of its edges,
less `HEIGHT_WEIGHT` times its height. Corners that no longer lie beyond the line of their neighbours are dropped, so
that the polygon is convex. Flat faces give their corners, whatever their shape; edges give two points, and tips one. It
is an intrinsic, since which points these are depends on values.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple, final

from rbd.contact.geometry.float_vectors import LARGEST, cross, dot, dot_at
from rbd.contact.geometry.vectors import where3
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import Floats, divide, fma, sqrt
from rbd.intrinsics.piecewise_constant import zero_cotangents, zero_tangents
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result
from rbd.scalars import Scalar, less
from rbd.spatial.linalg import Vec3

MAX_CORNERS: Final = 8
"""Corners of a polygon, at most."""
HEIGHT_WEIGHT: Final = 20.0
"""Distance outwards per height from which a point is a corner: all corners of faces tilted by up to 1/20 rad are."""
MIN_CORNER_SHARE: Final = 1e-3
"""Share of the extent of the points by which a corner lies beyond the polygon without it, at least."""
_ROUNDS: Final = 2 * MAX_CORNERS
"""Points that are added to a polygon, at most; corners may be dropped for them."""
_OBLIQUE: Final = 0.7


class Candidates(Workspace):
    """Points in a plane with heights, of which the corners of a polygon are chosen."""

    candidates: int
    normal = operand("3")
    u = floats("3")
    """First axis of the plane."""
    v = floats("3")
    x = floats("candidates")
    y = floats("candidates")
    height = floats("candidates")
    candidate_count = ints("1")
    """Number of points."""
    min_offset = floats("1")
    """Least distance of a corner beyond the polygon without it."""
    edge = floats("3")
    """Outward normal of an edge in the plane, and how far out the edge is along it."""
    next_corner = ints("1")
    """The point that becomes a corner next."""
    chosen = ints("8")
    """The corners, counterclockwise about the normal."""


@final
class PointCloud(Candidates):
    """The points of a hull, and on which side of it they are wanted."""

    points = operand("3 * candidates")
    side = operand("1")
    """1 for the lowest points along the normal, -1 for the highest."""
    corners = result("8")
    """The indices of the corners."""
    count = result("1")


def set_axes(w: Candidates) -> None:
    """Set the axes of the plane at right angles to the normal."""
    w.u[1] = w.normal[2]
    w.u[2] = -w.normal[1]
    if abs(w.normal[0]) > _OBLIQUE:
        w.u[0] = -w.normal[2]
        w.u[1] = 0.0
        w.u[2] = w.normal[0]
    length = sqrt(dot(w.u, w.u))
    for c in range(3):
        w.u[c] = divide(w.u[c], length)
    cross(w.normal, w.u, w.v)


def _weighted_offset(w: Candidates, i: int, c: float, s: float) -> float:
    """Return the coordinate of a point along a direction in the plane, minus its weighted height."""
    return fma(c, w.x[i], fma(s, w.y[i], -(HEIGHT_WEIGHT * w.height[i])))


def _farthest(w: Candidates, c: float, s: float) -> int:
    most = -LARGEST
    found = 0
    for i in range(w.candidate_count[0]):
        value = _weighted_offset(w, i, c, s)
        if value > most:
            most = value
            found = i
    return found


def _choose_opposite(w: Candidates) -> int:
    """Choose the points farthest to either side; return how many these are."""
    w.chosen[0] = _farthest(w, 1.0, 0.0)
    w.chosen[1] = _farthest(w, -1.0, 0.0)
    if w.chosen[0] != w.chosen[1]:
        return 2
    w.chosen[0] = _farthest(w, 0.0, 1.0)
    w.chosen[1] = _farthest(w, 0.0, -1.0)
    if w.chosen[0] != w.chosen[1]:
        return 2
    return 1


def next_index(k: int, count: int) -> int:
    """Return the index of the next corner."""
    if k + 1 < count:
        return k + 1
    return 0


def _set_edge(w: Candidates, p: int, q: int) -> None:
    """Set the edge to that from point p to q."""
    along = w.x[q] - w.x[p]
    across = w.y[q] - w.y[p]
    length = sqrt(fma(along, along, across * across))
    w.edge[0] = divide(across, length)
    w.edge[1] = divide(-along, length)
    w.edge[2] = fma(w.edge[0], w.x[p], w.edge[1] * w.y[p])


def _offset_beyond_edge(w: Candidates, i: int) -> float:
    """Return the distance of a point beyond the edge, in the plane."""
    return fma(w.edge[0], w.x[i], fma(w.edge[1], w.y[i], -w.edge[2]))


def _farthest_beyond(w: Candidates) -> int:
    """Return the point farthest out of those that lie beyond the edge in the plane, or -1."""
    most = -LARGEST
    found = -1
    for i in range(w.candidate_count[0]):
        if _offset_beyond_edge(w, i) > w.min_offset[0]:
            value = _weighted_offset(w, i, w.edge[0], w.edge[1])
            if value > most:
                most = value
                found = i
    return found


def _excess(w: Candidates, i: int, p: int, q: int) -> float:
    """Return the smaller distance of a point beyond the two ends of the edge, outwards."""
    value = _weighted_offset(w, i, w.edge[0], w.edge[1])
    first = value - _weighted_offset(w, p, w.edge[0], w.edge[1])
    second = value - _weighted_offset(w, q, w.edge[0], w.edge[1])
    if first < second:
        return first
    return second


def _find_next_corner(w: Candidates, count: int) -> int:
    """Find the point farthest beyond an edge; return its place among the corners, or 0 if no point lies beyond one."""
    most = w.min_offset[0]
    place = 0
    for k in range(count):
        p = w.chosen[k]
        q = w.chosen[next_index(k, count)]
        _set_edge(w, p, q)
        i = _farthest_beyond(w)
        if i >= 0:
            excess = _excess(w, i, p, q)
            if excess > most:
                most = excess
                place = k + 1
                w.next_corner[0] = i
    return place


def _add_corner(w: Candidates, count: int) -> int:
    """Add the point farthest beyond an edge; return 1, or 0 if no point lies beyond one."""
    place = _find_next_corner(w, count)
    if place == 0:
        return 0
    for k in range(count, place, -1):
        w.chosen[k] = w.chosen[k - 1]
    w.chosen[place] = w.next_corner[0]
    return 1


def _drop_reflex_corner(w: Candidates, count: int) -> int:
    """Drop a corner that does not lie beyond the line of its neighbours; return 1, or 0 if all do."""
    for k in range(count):
        following = next_index(k, count)
        _set_edge(w, w.chosen[k], w.chosen[next_index(following, count)])
        if _offset_beyond_edge(w, w.chosen[following]) < w.min_offset[0]:
            for j in range(following + 1, count):
                w.chosen[j - 1] = w.chosen[j]
            return 1
    return 0


def _drop_reflex_corners(w: Candidates, count: int) -> int:
    """Drop corners until each lies beyond the line of its neighbours; return how many are left."""
    drops = 1
    while drops > 0 and count > 2:
        drops = _drop_reflex_corner(w, count)
        count -= drops
    return count


def choose_corners(w: Candidates) -> int:
    """Choose the corners of the polygon, which is convex after each round; return how many these are."""
    if w.candidate_count[0] == 0:
        return 0
    count = _choose_opposite(w)
    grows = 1
    rounds = 0
    while grows > 0 and count > 1 and count < MAX_CORNERS and rounds < _ROUNDS:
        grows = _add_corner(w, count)
        count = _drop_reflex_corners(w, count + grows)
        rounds += 1
    return count


def extent(x: Floats, count: int) -> float:
    """Return the difference of the largest and the smallest number."""
    least = LARGEST
    most = -LARGEST
    for i in range(count):
        if x[i] < least:
            least = x[i]
        if x[i] > most:
            most = x[i]
    return most - least


def _find_polygon(w: PointCloud) -> int:
    set_axes(w)
    w.candidate_count[0] = w.candidates
    for i in range(w.candidates):
        w.x[i] = dot_at(w.u, w.points, 3 * i)
        w.y[i] = dot_at(w.v, w.points, 3 * i)
        w.height[i] = w.side[0] * dot_at(w.normal, w.points, 3 * i)
    w.min_offset[0] = MIN_CORNER_SHARE * (extent(w.x, w.candidates) + extent(w.y, w.candidates))
    count = choose_corners(w)
    for k in range(count):
        w.corners[k] = float(w.chosen[k])
    w.count[0] = float(count)
    return 0


def operations_of_choice(candidates: int) -> int:
    """Return the number of operations of the choice at worst."""
    return _ROUNDS * MAX_CORNERS * (10 * candidates + 20 * MAX_CORNERS + 20) + 22 * candidates + 30


FIND_SUPPORT_POLYGON: Final = Intrinsic(
    name="find_support_polygon",
    workspace=PointCloud,
    function=_find_polygon,
    operations=operations_of_choice,
    derivative=zero_tangents,
    adjoint=zero_cotangents,
)


class SupportPolygon(NamedTuple):
    """The corners of a face, counterclockwise about the normal: eight, of which the first `present` are there."""

    corners: tuple[Vec3, ...]
    present: Scalar


def support_polygon(points: Sequence[Vec3], normal: Vec3, side: int) -> SupportPolygon:
    """Return the corners of the face that is lowest along the normal, if `side` is 1, or highest, if it is -1.

    >>> square = [(0, 0, 0), (0.5, 0.5, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1)]
    >>> support_polygon(square, (0, 0, 1), 1).present, support_polygon(square, (0, 0, 1), -1).present
    (4.0, 1.0)
    """
    operands = {"normal": normal, "points": chain.from_iterable(points), "side": (side,)}
    found = FIND_SUPPORT_POLYGON.call((len(points),), operands)
    (count,) = found["count"]
    return SupportPolygon(tuple(point_at(points, index) for index in found["corners"]), count)


def point_at(points: Sequence[Vec3], index: Scalar) -> Vec3:
    """Return the point with this index."""
    found = points[0]
    for k, point in enumerate(points[1:]):
        found = where3(less(k, index), point, found)
    return found
