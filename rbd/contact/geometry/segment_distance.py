"""Nearest points of two segments, and of a segment and a point.

A point of a segment is given by its parameter s in [-1, 1]: center + s half. The formulas follow Ericson, *Real-Time
Collision Detection* (2005), section 5.1.9. The determinant is the square of a cross product here, which does not cancel
for segments that are nearly parallel.
"""

from __future__ import annotations

from rbd.contact.geometry.placed_shapes import PlacedCapsule
from rbd.scalars import Scalar, const, either, less, less_equal, maximum, minimum, where
from rbd.spatial.linalg import Vec3, cross3, dot3, sub3

_HALF = const(1, 2)
_PARALLEL = const(1, 10**24)
"""Square of the sine of the angle below which two segments count as parallel."""


def clamp(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """Return the number of [low, high] that is nearest to x."""
    return where(less(x, low), low, where(less(high, x), high, x))


def nearest_parameter(segment: PlacedCapsule, point: Vec3) -> Scalar:
    """Return the parameter of the point of a segment that is nearest to `point`."""
    return clamp(dot3(sub3(point, segment.center), segment.half) / dot3(segment.half, segment.half), -1, 1)


def nearest_parameters(a: PlacedCapsule, b: PlacedCapsule) -> tuple[Scalar, Scalar]:
    """Return the parameters (s, t) of the nearest points of two segments.

    Where parallel segments overlap, every point of the overlap is nearest; its middle is returned.
    """
    offset = sub3(a.center, b.center)
    normal = cross3(a.half, b.half)
    square = dot3(normal, normal)
    aa, bb, ab = dot3(a.half, a.half), dot3(b.half, b.half), dot3(a.half, b.half)
    on_a, on_b = -dot3(a.half, offset), dot3(b.half, offset)
    parallel = less_equal(square, _PARALLEL * (aa * bb))
    crossing = dot3(cross3(b.half, offset), normal) / where(parallel, 1, square)
    s = clamp(where(parallel, _middle_of_overlap(aa, ab, on_a), crossing), -1, 1)
    t = (ab * s + on_b) / bb
    beyond = either(less(t, -1), less(1, t))
    t = clamp(t, -1, 1)
    return where(beyond, clamp((ab * t + on_a) / aa, -1, 1), s), t


def _middle_of_overlap(aa: Scalar, ab: Scalar, on_a: Scalar) -> Scalar:
    """Return the parameter, on the first of two parallel segments, of the middle of their overlap."""
    first, second = (on_a - ab) / aa, (on_a + ab) / aa
    start, end = maximum(minimum(first, second), -1), minimum(maximum(first, second), 1)
    middle: Scalar = _HALF * (start + end)
    return middle
