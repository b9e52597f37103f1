"""Nearest points of a box and another solid: a point, a segment or a box.

Boxes that are apart: the smallest distance of a corner to the other solid or of two edges. Boxes that overlap: the
direction of least penetration among the face normals and the cross products of edges, by the separating axis theorem
(Gottschalk, Lin, Manocha, *OBBTree*, 1996). The segment of a capsule is treated as a box without faces.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from typing import NamedTuple, final

from rbd.contact.geometry.placed_shapes import PlacedBox, PlacedCapsule
from rbd.contact.geometry.segment_distance import clamp, nearest_parameter
from rbd.contact.geometry.separations import Separation, where_separation
from rbd.contact.geometry.vectors import length_and_direction, point_along, sign, signed_distance_to_plane, where3
from rbd.scalars import Condition, Scalar, absolute, const, less, less_equal, sqrt, where
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, matvec, neg3, scale3, sub3, tmatvec

_PARALLEL = const(1, 10**16)
"""Square of the sine of the angle below which the cross product of two edges is no separating axis."""
_TOUCHING = const(1, 10**11)
"""Share of the size of a box up to which a distance is too small for a direction between the nearest points."""
_NO_SEPARATION = const(-(10**30), 1)
"""Separation along such an axis: below that of every other one."""


@final
class _EdgePoints(NamedTuple):
    """Nearest points of two edges, and their squared distance."""

    p_a: Vec3
    p_b: Vec3
    square: Scalar


# --- a box ------------------------------------------------------------------------------------------------------------


def local_coordinates(box: PlacedBox, point: Vec3) -> Vec3:
    """Return the coordinates of a point in the axes of a box, from its centre."""
    return matvec(box.axes, sub3(point, box.center))


def from_axes(box: PlacedBox, v: Vec3) -> Vec3:
    """Return a vector whose coordinates in the axes of a box are v."""
    return tmatvec(box.axes, v)


def clamp_to_box(box: PlacedBox, v: Vec3) -> Vec3:
    """Return the point of a box nearest to v, both as local coordinates."""
    x, y, z = (clamp(a, -h, h) for a, h in zip(v, box.half, strict=True))
    return x, y, z


# --- a box and a point ------------------------------------------------------------------------------------------------


def box_and_point(a: PlacedBox, point: Vec3) -> Separation:
    """Return the point of a box nearest to `point`; for a point inside, the nearest one of its surface."""
    local = local_coordinates(a, point)
    nearest = clamp_to_box(a, local)
    dx, dy, dz = (n - x for n, x in zip(nearest, local, strict=True))
    depth, inward = _nearest_face(a, local)
    length, normal = length_and_direction((dx, dy, dz), inward, dot3(a.half, a.half))
    phi = where(less(0, length), length, -depth)
    n = from_axes(a, normal)
    return Separation(phi, point_along(point, n, phi), point, n)


def _nearest_face(a: PlacedBox, local: Vec3) -> tuple[Scalar, Vec3]:
    """Return the depth of a point below the nearest face, and that face's inward normal in the axes of the box."""
    depths = [h - absolute(x) for x, h in zip(local, a.half, strict=True)]
    x, y, z = (where(less(x, 0), 1, -1) for x in local)
    depth, (inward, *others) = depths[0], list[Vec3](((x, 0, 0), (0, y, 0), (0, 0, z)))
    for other, axis in zip(depths[1:], others, strict=True):
        shallower = less(other, depth)
        depth, inward = where(shallower, other, depth), where3(shallower, axis, inward)
    return depth, inward


# --- two solids -------------------------------------------------------------------------------------------------------


def box_and_solid(a: PlacedBox, b: PlacedBox | PlacedCapsule, previous: Vec3) -> Separation:
    """Return signed distance, nearest points and normal of a box and a box or segment."""
    apart, penetration = _apart(a, b, previous), _least_penetration(a, b, previous)
    touches = less_equal(penetration.phi, _TOUCHING * (a.half[0] + a.half[1] + a.half[2]))
    return where_separation(touches, penetration, apart)


def _apart(a: PlacedBox, b: PlacedBox | PlacedCapsule, previous: Vec3) -> Separation:
    """Return the nearest points of two solids that do not overlap."""
    best = _nearest_corner(a, b)
    if isinstance(b, PlacedBox):
        other = _nearest_corner(b, a).swapped()
        best = where_separation(less(other.phi, best.phi), other, best)
    p_a, p_b, square = _nearest_edges(a, b, previous)
    length = sqrt(where(less(0, square), square, 1))
    closer = less(square, best.phi * best.phi)
    x, y, z = (d / length for d in sub3(p_a, p_b))
    return where_separation(closer, Separation(where(less(0, square), length, 0), p_a, p_b, (x, y, z)), best)


def _nearest_corner(a: PlacedBox, b: PlacedBox | PlacedCapsule) -> Separation:
    """Return the nearest points of a box and the corner of another solid that is nearest to it."""
    first, *others = ((corner, _squared_distance(a, corner)) for corner in b.corners())
    nearest, square = first
    for corner, other in others:
        closer = less(other, square)
        nearest, square = where3(closer, corner, nearest), where(closer, other, square)
    return box_and_point(a, nearest)


def _squared_distance(a: PlacedBox, point: Vec3) -> Scalar:
    """Return the square of the distance of a point outside a box."""
    local = local_coordinates(a, point)
    beyond = sub3(local, clamp_to_box(a, local))
    return dot3(beyond, beyond)


def _nearest_edges(a: PlacedBox, b: PlacedBox | PlacedCapsule, previous: Vec3) -> _EdgePoints:
    """Return the nearest points of an edge of one solid and one of the other, and their squared distance.

    Where these are inside both edges, the cross product n of the edges separates the solids: it points from one to the
    other as their centres do, and no point of a solid is farther along n than its edge. Nearest points at the end of an
    edge are those of a corner.
    """
    offset = sub3(a.center, b.center)
    found = list[_EdgePoints]()
    for i, j in product(range(3), range(b.edges)):
        half_a, half_b, n, parallel = _crossed_edges(a, i, b, j, offset, previous)
        edges = product(_farthest_edges(a, i, half_a, neg3(n)), _farthest_edges(b, j, half_b, n))
        found += [_edge_points(edge_a, edge_b, parallel) for edge_a, edge_b in edges]
    return reduce(_nearer, found)


def _farthest_edges(solid: PlacedBox | PlacedCapsule, i: int, half: Vec3, n: Vec3) -> Iterator[PlacedCapsule]:
    """Yield two edges along axis i, one of which is the farthest along n; both are if a face is.

    They differ along the axis that is closer to a right angle with n; the sign of the other one is beyond doubt.
    """
    if isinstance(solid, PlacedCapsule):
        yield solid
        return
    j, k = (i + 1) % 3, (i + 2) % 3
    along_j, along_k = dot3(solid.axes[j], n), dot3(solid.axes[k], n)
    differ_j = less(along_j * along_j, along_k * along_k)
    half_j, half_k = scale3(solid.axes[j], solid.half[j]), scale3(solid.axes[k], solid.half[k])
    farthest = where3(differ_j, scale3(half_k, sign(along_k)), scale3(half_j, sign(along_j)))
    between, step = add3(solid.center, farthest), where3(differ_j, half_j, half_k)
    for side in (-1, 1):
        yield PlacedCapsule(point_along(between, step, side), half, 0)


def _nearer(best: _EdgePoints, other: _EdgePoints) -> _EdgePoints:
    closer = less(other.square, best.square)
    p_a, p_b = where3(closer, other.p_a, best.p_a), where3(closer, other.p_b, best.p_b)
    return _EdgePoints(p_a, p_b, where(closer, other.square, best.square))


def _edge_points(p: PlacedCapsule, q: PlacedCapsule, parallel: Condition) -> _EdgePoints:
    """Return the feet of the common perpendicular of two edges; other points of these where it misses one."""
    crossed = cross3(p.half, q.half)
    square = where(parallel, 1, dot3(crossed, crossed))
    s = clamp(dot3(cross3(crossed, q.half), sub3(p.center, q.center)) / square, -1, 1)
    p_a = point_along(p.center, p.half, s)
    p_b = point_along(q.center, q.half, nearest_parameter(q, p_a))
    offset = sub3(p_a, p_b)
    return _EdgePoints(p_a, p_b, dot3(offset, offset))


def _least_penetration(a: PlacedBox, b: PlacedBox | PlacedCapsule, previous: Vec3) -> Separation:
    """Return the separation along the axis of least penetration; phi is positive if that axis separates the solids."""
    axes = _separating_axes(a, b, sub3(a.center, b.center), previous)
    return reduce(lambda best, axis: where_separation(less(best.phi, axis.phi), axis, best), axes)


def _separating_axes(a: PlacedBox, b: PlacedBox | PlacedCapsule, offset: Vec3, previous: Vec3) -> Iterator[Separation]:
    for axis in a.axes:
        n = _oriented(axis, offset, previous)
        p_b = b.support(n)
        phi = signed_distance_to_plane(a.support(neg3(n)), p_b, n)
        yield Separation(phi, point_along(p_b, n, phi), p_b, n)
    for axis in b.face_normals:
        n = _oriented(axis, offset, previous)
        p_a = a.support(neg3(n))
        phi = signed_distance_to_plane(p_a, b.support(n), n)
        yield Separation(phi, p_a, point_along(p_a, n, -phi), n)
    for i, j in product(range(3), range(b.edges)):
        yield _edge_axis(a, i, b, j, offset, previous)


def _edge_axis(a: PlacedBox, i: int, b: PlacedBox | PlacedCapsule, j: int, offset: Vec3, previous: Vec3) -> Separation:
    """Return the separation along the cross product of two edges; none if they are parallel."""
    half_a, half_b, n, parallel = _crossed_edges(a, i, b, j, offset, previous)
    edge_a = PlacedCapsule(a.support(neg3(n), i), half_a, 0)
    edge_b = PlacedCapsule(b.support(n, j), half_b, 0)
    phi = signed_distance_to_plane(edge_a.center, edge_b.center, n)
    p_a, p_b = _crossing(edge_a, edge_b, parallel)
    return Separation(where(parallel, _NO_SEPARATION, phi), p_a, p_b, n)


def _crossed_edges(
    a: PlacedBox, i: int, b: PlacedBox | PlacedCapsule, j: int, offset: Vec3, previous: Vec3
) -> tuple[Vec3, Vec3, Vec3, Condition]:
    """Return half the edges along two axes, the direction of their cross product, and whether they are parallel."""
    half_b, half_a = b.half_edge(j), a.half_edge(i)
    crossed = cross3(half_a, half_b)
    square, size = dot3(crossed, crossed), dot3(half_a, half_a) * dot3(half_b, half_b)
    parallel = less_equal(square, _PARALLEL * size)
    safe = where3(parallel, (0, 0, 1), crossed)
    length = sqrt(where(parallel, 1, square))
    n = _oriented((safe[0] / length, safe[1] / length, safe[2] / length), offset, previous)
    return half_a, half_b, n, parallel


def _crossing(a: PlacedCapsule, b: PlacedCapsule, parallel: Condition) -> tuple[Vec3, Vec3]:
    """Return the nearest points of two lines that are not parallel."""
    crossed = cross3(a.half, b.half)
    square = where(parallel, 1, dot3(crossed, crossed))
    offset = sub3(a.center, b.center)
    s, t = dot3(cross3(b.half, offset), crossed) / square, dot3(cross3(a.half, offset), crossed) / square
    return point_along(a.center, a.half, s), point_along(b.center, b.half, t)


def _oriented(axis: Vec3, offset: Vec3, previous: Vec3) -> Vec3:
    """Return an axis that points from b to a; where the centres do not tell, it points as the previous normal."""
    forward = dot3(axis, offset)
    tie = less_equal(forward * forward, _PARALLEL * dot3(offset, offset))
    side = where(tie, dot3(axis, previous), forward)
    return scale3(axis, where(less(side, 0), -1, 1))
