"""Boxes against points, segments, planes and boxes (internal).

Boxes that are apart: the smallest of the distances of corners from the other solid and of edges from edges. Boxes that
overlap: the direction of least penetration among the normals of faces and the perpendiculars of two edges (separating
axes; Gottschalk, Lin, Manocha, 1996). The cores of capsules are boxes without faces here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from rbd.contact.cores import Ball, Brick, Closest, Plane, Stick, along, gap_along
from rbd.contact.directions import direction, sign
from rbd.contact.segments import clamped_to, nearest_numbers
from rbd.scalars import Condition, Scalar, absolute, const, less, less_equal, sqrt, where
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, neg3, scale3, sub3

_PARALLEL = const(1, 10**16)
"""Square of the sine of the angle below which two edges have no perpendicular of their own."""
_NEVER = const(-(10**30), 1)


def brick_and_plane(a: Brick, b: Plane, previous: Vec3) -> Closest:
    """Return the lowest corner, or the middle of an edge or face that lies along the plane."""
    del previous
    lowest = support(a, neg3(b.normal))
    height = gap_along(lowest, b.center, b.normal)
    return Closest(height, lowest, along(lowest, b.normal, -height), b.normal)


def brick_and_ball(a: Brick, b: Ball, previous: Vec3) -> Closest:
    """Return the distance of a box from a rounded point."""
    del previous
    return _rounded(_brick_and_point(a, b.center), 0, b.skin)


def brick_and_stick(a: Brick, b: Stick, previous: Vec3) -> Closest:
    """Return the distance of a box from a rounded segment."""
    return _rounded(_solids(a, b, previous), 0, b.skin)


def brick_and_brick(a: Brick, b: Brick, previous: Vec3) -> Closest:
    """Return the distance of two boxes."""
    return _solids(a, b, previous)


def _rounded(core: Closest, skin_a: Scalar, skin_b: Scalar) -> Closest:
    on_a, on_b = along(core.on_a, core.normal, -skin_a), along(core.on_b, core.normal, skin_b)
    return Closest(core.value - (skin_a + skin_b), on_a, on_b, core.normal)


# --- a box and a point ------------------------------------------------------------------------------------------------


def _brick_and_point(a: Brick, point: Vec3) -> Closest:
    """Return the nearest point of the box, or of its surface for a point inside."""
    inside = local_coordinates(a, point)
    nearest = clamped_to(inside, a.half)
    dx, dy, dz = (n - x for n, x in zip(nearest, inside, strict=True))
    depth, inward = _way_out(a, inside)
    length, normal = direction((dx, dy, dz), inward, dot3(a.half, a.half))
    value = where(less(0, length), length, -depth)
    towards = turned(a, normal)
    return Closest(value, along(point, towards, value), point, towards)


def _way_out(a: Brick, inside: Vec3) -> tuple[Scalar, Vec3]:
    """Return the depth of a point below the nearest face, and the inward normal of that face (axes of the box)."""
    depths = [h - absolute(x) for x, h in zip(inside, a.half, strict=True)]
    inward = [where(less(x, 0), 1, -1) for x in inside]
    depth, chosen = depths[0], [inward[0], 0, 0]
    for i in (1, 2):
        shallower = less(depths[i], depth)
        other = [inward[i] if j == i else 0 for j in range(3)]
        depth, chosen = (
            where(shallower, depths[i], depth),
            [where(shallower, p, q) for p, q in zip(other, chosen, strict=True)],
        )
    return depth, (chosen[0], chosen[1], chosen[2])


def local_coordinates(a: Brick, point: Vec3) -> Vec3:
    """Return a point along the axes of a box, from its middle."""
    offset = sub3(point, a.center)
    x, y, z = a.axes
    return dot3(x, offset), dot3(y, offset), dot3(z, offset)


def turned(a: Brick, v: Vec3) -> Vec3:
    """Return a vector given along the axes of a box."""
    x, y, z = a.axes
    return add3(add3(scale3(x, v[0]), scale3(y, v[1])), scale3(z, v[2]))


def support(a: Brick, towards: Vec3, without: int = -1) -> Vec3:
    """Return the point farthest in a direction: a corner, or the middle of what lies across; `without` one axis."""
    point = a.center
    for i, (axis, half) in enumerate(zip(a.axes, a.half, strict=True)):
        if i != without:
            point = along(point, axis, sign(dot3(axis, towards)) * half)
    return point


# --- two solids -------------------------------------------------------------------------------------------------------


def _solids(a: Brick, b: Brick | Stick, previous: Vec3) -> Closest:
    apart, through = _apart(a, b), _through(a, b, previous)
    meets = less_equal(through.value, 0)
    return _chosen(meets, through, apart)


def _chosen(condition: Condition, first: Closest, second: Closest) -> Closest:
    def pick(p: Vec3, q: Vec3) -> Vec3:
        x, y, z = (where(condition, s, t) for s, t in zip(p, q, strict=True))
        return x, y, z

    value = where(condition, first.value, second.value)
    vectors = [pick(p, q) for p, q in zip(first[1:], second[1:], strict=True)]
    return Closest(value, *vectors)


def corners(core: Brick | Stick) -> Iterator[Vec3]:
    """Yield the corners of a box, or the ends of a segment."""
    if isinstance(core, Stick):
        yield from (along(core.center, core.half, end) for end in (-1, 1))
        return
    for signs in product((-1, 1), repeat=3):
        yield add3(core.center, turned(core, _scaled(signs, core.half)))


def _scaled(signs: Sequence[int], half: Vec3) -> Vec3:
    x, y, z = (s * h for s, h in zip(signs, half, strict=True))
    return x, y, z


def _edges(core: Brick | Stick) -> Iterator[Stick]:
    if isinstance(core, Stick):
        yield Stick(core.center, core.half, 0.0)
        return
    for i, half in enumerate(core.half):
        for p, q in product((-1, 1), repeat=2):
            signs = [0, 0, 0]
            signs[(i + 1) % 3], signs[(i + 2) % 3] = p, q
            yield Stick(add3(core.center, turned(core, _scaled(signs, core.half))), scale3(core.axes[i], half), 0.0)


def _apart(a: Brick, b: Brick | Stick) -> Closest:
    """Return the nearest points of two solids that do not overlap."""
    found = [_brick_and_point(a, corner) for corner in corners(b)]
    if isinstance(b, Brick):
        found += [_brick_and_point(b, corner).swapped() for corner in corners(a)]
    best = found[0]
    for other in found[1:]:
        best = _chosen(less(other.value, best.value), other, best)
    on_a, on_b, square = _nearest_edges(a, b)
    length = sqrt(where(less(0, square), square, 1))
    closer = less(square, best.value * best.value)
    x, y, z = (d / length for d in sub3(on_a, on_b))
    return _chosen(closer, Closest(where(less(0, square), length, 0), on_a, on_b, (x, y, z)), best)


def _nearest_edges(a: Brick, b: Brick | Stick) -> tuple[Vec3, Vec3, Scalar]:
    """Return the nearest points of edges of one solid and of the other, and the square of their distance."""
    best: tuple[Vec3, Vec3, Scalar] | None = None
    for p, q in product(_edges(a), _edges(b)):
        s, t = nearest_numbers(p, q)
        on_a, on_b = along(p.center, p.half, s), along(q.center, q.half, t)
        offset = sub3(on_a, on_b)
        square = dot3(offset, offset)
        if best is None:
            best = on_a, on_b, square
            continue
        closer = less(square, best[2])
        ax, ay, az, bx, by, bz = (
            where(closer, x, y) for x, y in zip((*on_a, *on_b), (*best[0], *best[1]), strict=True)
        )
        best = (ax, ay, az), (bx, by, bz), where(closer, square, best[2])
    assert best is not None, "a box with three edges of length zero is a point, which has no edges"
    return best


class _Axis(NamedTuple):
    """A direction that may separate two solids: how far it does, where it points, and witnesses."""

    gap: Scalar
    normal: Vec3
    on_a: Vec3
    on_b: Vec3


def _through(a: Brick, b: Brick | Stick, previous: Vec3) -> Closest:
    """Return the direction of least penetration of two solids; a positive value if some direction separates them."""
    offset = sub3(a.center, b.center)
    best: _Axis | None = None
    for axis in _axes(a, b, offset, previous):
        if best is None:
            best = axis
            continue
        wider = less(best.gap, axis.gap)
        old, new = (*best.normal, *best.on_a, *best.on_b), (*axis.normal, *axis.on_a, *axis.on_b)
        n = [where(wider, p, q) for p, q in zip(new, old, strict=True)]
        best = _Axis(where(wider, axis.gap, best.gap), (n[0], n[1], n[2]), (n[3], n[4], n[5]), (n[6], n[7], n[8]))
    assert best is not None, "a box has faces"
    return Closest(best.gap, best.on_a, best.on_b, best.normal)


def _axes(a: Brick, b: Brick | Stick, offset: Vec3, previous: Vec3) -> Iterator[_Axis]:
    for axis in a.axes:
        normal = _oriented(axis, offset, previous)
        on_b = _farthest(b, normal)
        gap = gap_along(support(a, neg3(normal)), on_b, normal)
        yield _Axis(gap, normal, along(on_b, normal, gap), on_b)
    for axis in b.axes if isinstance(b, Brick) else ():
        normal = _oriented(axis, offset, previous)
        on_a = support(a, neg3(normal))
        gap = gap_along(on_a, _farthest(b, normal), normal)
        yield _Axis(gap, normal, on_a, along(on_a, normal, -gap))
    sides = range(3) if isinstance(b, Brick) else (None,)
    for i, j in product(range(3), sides):
        yield _edge_axis(a, i, b, j, offset, previous)


def _edge_axis(a: Brick, i: int, b: Brick | Stick, j: int | None, offset: Vec3, previous: Vec3) -> _Axis:
    """Return the perpendicular of two edges; it separates nothing if they are parallel."""
    half_b = scale3(b.axes[j], b.half[j]) if isinstance(b, Brick) and j is not None else _stick_half(b)
    half_a = scale3(a.axes[i], a.half[i])
    crossed = cross3(half_a, half_b)
    square, size = dot3(crossed, crossed), dot3(half_a, half_a) * dot3(half_b, half_b)
    parallel = less_equal(square, _PARALLEL * size)
    safe = [where(parallel, spare, x) for x, spare in zip(crossed, (0, 0, 1), strict=True)]
    length = sqrt(where(parallel, 1, square))
    normal = _oriented((safe[0] / length, safe[1] / length, safe[2] / length), offset, previous)
    edge_a = Stick(support(a, neg3(normal), i), half_a, 0.0)
    edge_b = Stick(support(b, normal, j), half_b, 0.0) if isinstance(b, Brick) and j is not None else _as_stick(b)
    gap = gap_along(edge_a.center, edge_b.center, normal)
    on_a, on_b = _where_lines_cross(edge_a, edge_b, normal, parallel)
    return _Axis(where(parallel, _NEVER, gap), normal, on_a, on_b)


def _where_lines_cross(a: Stick, b: Stick, normal: Vec3, parallel: Condition) -> tuple[Vec3, Vec3]:
    crossed = cross3(a.half, b.half)
    square = where(parallel, 1, dot3(crossed, crossed))
    offset = sub3(a.center, b.center)
    s, t = dot3(cross3(b.half, offset), crossed) / square, dot3(cross3(a.half, offset), crossed) / square
    return along(a.center, a.half, s), along(b.center, b.half, t)


def _oriented(axis: Vec3, offset: Vec3, previous: Vec3) -> Vec3:
    """Return a direction turned to point from b to a; with the earlier normal where the middles do not tell."""
    forward = dot3(axis, offset)
    tie = less_equal(forward * forward, _PARALLEL * dot3(offset, offset))
    decided = where(tie, dot3(axis, previous), forward)
    flip = where(less(decided, 0), -1, 1)
    return scale3(axis, flip)


def _farthest(b: Brick | Stick, towards: Vec3) -> Vec3:
    if isinstance(b, Brick):
        return support(b, towards)
    return along(b.center, b.half, sign(dot3(b.half, towards)))


def _stick_half(b: Brick | Stick) -> Vec3:
    return b.half if isinstance(b, Stick) else (0, 0, 0)


def _as_stick(b: Brick | Stick) -> Stick:
    return Stick(b.center, _stick_half(b), 0.0)
