"""The points at which two shapes rest on each other (internal).

A box that lies on another needs more than its nearest point to stand. The points are always the same in number, so that
they can be recorded: those that are none are far away. For boxes, each corner of one is moved into the other, along the
normal of the pair and then sideways; it counts where the boxes face each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from rbd.contact.bricks import corners, local_coordinates, support, turned
from rbd.contact.closest import closest
from rbd.contact.cores import Ball, Brick, Closest, Core, Plane, Stick, along, gap_along
from rbd.contact.segments import clamped_to
from rbd.scalars import Condition, Scalar, absolute, both, const, less_equal, where
from rbd.spatial.linalg import Vec3, neg3

FAR = const(10**9, 1)
"""The distance of points that are none."""
_SLACK = const(1, 1000)
"""How far outside a face, relative to its size, a point still counts as facing it."""


def resting_points(a: Core, b: Core) -> list[Closest]:
    """Return the points at which `a` may rest on `b`, the nearest ones among them."""
    if isinstance(b, Plane):
        return list(_on_plane(a, b))
    if isinstance(a, Plane):
        return [point.swapped() for point in _on_plane(b, a)]
    nearest = closest(a, b, (0, 0, 0))
    if isinstance(a, Brick) and isinstance(b, Brick):
        facing = [*_corners_facing(a, b, nearest.normal)]
        facing += [point.swapped() for point in _corners_facing(b, a, neg3(nearest.normal))]
        return [nearest, *facing]
    return [nearest]


def _on_plane(a: Core, plane: Plane) -> Iterator[Closest]:
    for point in _ends(a):
        skin = a.skin if isinstance(a, (Ball, Stick)) else 0
        height = gap_along(point, plane.center, plane.normal)
        foot = along(point, plane.normal, -height)
        yield Closest(height - skin, along(point, plane.normal, -skin), foot, plane.normal)


def _ends(a: Core) -> Iterator[Vec3]:
    if isinstance(a, (Brick, Stick)):
        yield from corners(a)
    else:
        yield a.center


def _corners_facing(a: Brick, b: Brick, normal: Vec3) -> Iterator[Closest]:
    """Yield the corners of `a` against the face of `b` that `normal` points out of."""
    top = support(b, normal)
    for corner in corners(a):
        height = gap_along(corner, top, normal)
        inside = clamped_to(local_coordinates(b, along(corner, normal, -height)), b.half)
        foot = _placed(b, inside)
        above = along(foot, normal, height)
        value = where(_covers(a, above), height, FAR)
        yield Closest(value, above, foot, normal)


def _placed(b: Brick, inside: Vec3) -> Vec3:
    x, y, z = turned(b, inside)
    return b.center[0] + x, b.center[1] + y, b.center[2] + z


def _covers(a: Brick, point: Vec3) -> Condition:
    """Return whether a point lies in a box, or just outside."""
    inside: Condition = less_equal(0, 0)
    for x, half in zip(local_coordinates(a, point), a.half, strict=True):
        room: Scalar = half * (1 + _SLACK)
        inside = both(inside, less_equal(absolute(x), room))
    return inside
