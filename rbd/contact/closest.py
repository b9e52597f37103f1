"""Distance, witnesses and normal of two placed shapes (internal).

One function per pair of kinds; a pair in the other order is the same pair swapped. Where the cores themselves meet, the
direction between them is undefined: the caller's earlier normal is kept if there is one, else a direction perpendicular
to both is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rbd.contact.bricks import brick_and_ball, brick_and_brick, brick_and_plane, brick_and_stick
from rbd.contact.cores import Ball, Brick, Closest, Core, Plane, Stick, along, gap_along, perpendicular
from rbd.contact.directions import direction, flipped_towards
from rbd.contact.segments import nearest_numbers, nearest_on_stick, some_perpendicular
from rbd.scalars import Scalar, const, less, where
from rbd.spatial.linalg import Vec3, dot3, neg3, sub3


def closest(a: Core, b: Core, previous: Vec3) -> Closest:
    """Return how close two shapes are; `previous` is an earlier normal, or zero."""
    function = _PAIRS.get((type(a), type(b)))
    if function is not None:
        return function(a, b, previous)
    return _PAIRS[type(b), type(a)](b, a, neg3(previous)).swapped()


def _of_points(a: Vec3, b: Vec3, skins: tuple[Scalar, Scalar], instead: Vec3, size: Scalar) -> Closest:
    """Return the distance of two rounded points; `instead` is the normal where they are one."""
    length, normal = direction(sub3(a, b), instead, size)
    skin_a, skin_b = skins
    return Closest(length - (skin_a + skin_b), along(a, normal, -skin_a), along(b, normal, skin_b), normal)


def _balls(a: Ball, b: Ball, previous: Vec3) -> Closest:
    upward = flipped_towards((0, 0, 1), previous)
    return _of_points(a.center, b.center, (a.skin, b.skin), upward, (a.skin + b.skin) * (a.skin + b.skin))


def _stick_and_ball(a: Stick, b: Ball, previous: Vec3) -> Closest:
    point = along(a.center, a.half, nearest_on_stick(a, b.center))
    instead = flipped_towards(some_perpendicular(a.half), previous)
    return _of_points(point, b.center, (a.skin, b.skin), instead, dot3(a.half, a.half))


def _sticks(a: Stick, b: Stick, previous: Vec3) -> Closest:
    s, t = nearest_numbers(a, b)
    crossed, beside = perpendicular(a.half, b.half), some_perpendicular(a.half)
    size = dot3(a.half, a.half) + dot3(b.half, b.half)
    flat = less(dot3(crossed, crossed), const(1, 10**20) * size * size)
    x, y, z = (where(flat, p, q) for p, q in zip(beside, crossed, strict=True))
    instead = flipped_towards((x, y, z), previous)
    return _of_points(along(a.center, a.half, s), along(b.center, b.half, t), (a.skin, b.skin), instead, size)


def _onto_plane(point: Vec3, skin: Scalar, plane: Plane) -> Closest:
    height = gap_along(point, plane.center, plane.normal)
    foot = along(point, plane.normal, -height)
    return Closest(height - skin, along(point, plane.normal, -skin), foot, plane.normal)


def _ball_and_plane(a: Ball, b: Plane, previous: Vec3) -> Closest:
    del previous  # a plane has its normal
    return _onto_plane(a.center, a.skin, b)


def _stick_and_plane(a: Stick, b: Plane, previous: Vec3) -> Closest:
    """Return the lower end, or the middle of a segment that lies along the plane."""
    del previous
    slope = dot3(a.half, b.normal)
    number = where(less(slope, 0), 1, where(less(0, slope), -1, 0))
    return _onto_plane(along(a.center, a.half, number), a.skin, b)


_PAIRS: Final[dict[tuple[type[Any], type[Any]], Callable[[Any, Any, Vec3], Closest]]] = {
    (Ball, Ball): _balls,
    (Stick, Ball): _stick_and_ball,
    (Stick, Stick): _sticks,
    (Ball, Plane): _ball_and_plane,
    (Stick, Plane): _stick_and_plane,
    (Brick, Plane): brick_and_plane,
    (Brick, Ball): brick_and_ball,
    (Brick, Stick): brick_and_stick,
    (Brick, Brick): brick_and_brick,
}
