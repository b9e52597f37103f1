"""Where two segments come closest (internal).

Points of a segment are named by a number from -1 to 1: centre + number * half. Every formula is exact, and every choice
is made by `where`, so that it can be recorded and differentiated.

The parameters follow Ericson, Real-Time Collision Detection (2005), section 5.1.9; the determinant is the square of a
cross product here, which does not cancel for segments that are nearly parallel.
"""

from __future__ import annotations

from rbd.contact.cores import Stick
from rbd.scalars import Scalar, const, either, less, less_equal, maximum, minimum, where
from rbd.spatial.linalg import Vec3, cross3, dot3, sub3

_HALF = const(1, 2)
_PARALLEL = const(1, 10**24)
"""Square of the sine of the angle below which two segments count as parallel."""


def clamped(x: Scalar) -> Scalar:
    """Return the nearest number from -1 to 1."""
    return minimum(maximum(x, -1), 1)


def clamped_to(v: Vec3, half: Vec3) -> Vec3:
    """Return the nearest vector whose entries are at most those of `half`, either way."""
    x, y, z = (minimum(maximum(a, -h), h) for a, h in zip(v, half, strict=True))
    return x, y, z


def nearest_on_stick(stick: Stick, point: Vec3) -> Scalar:
    """Return the number of the point of a segment that is nearest to `point`."""
    return clamped(dot3(sub3(point, stick.center), stick.half) / dot3(stick.half, stick.half))


def nearest_numbers(a: Stick, b: Stick) -> tuple[Scalar, Scalar]:
    """Return the numbers (s, t) of the points where two segments come closest.

    Where parallel segments overlap every point of the overlap is closest; its middle is taken.
    """
    offset = sub3(a.center, b.center)
    normal = cross3(a.half, b.half)
    square = dot3(normal, normal)
    aa, bb, ab = dot3(a.half, a.half), dot3(b.half, b.half), dot3(a.half, b.half)
    on_a, on_b = -dot3(a.half, offset), dot3(b.half, offset)
    parallel = less_equal(square, _PARALLEL * (aa * bb))
    crossing = dot3(cross3(b.half, offset), normal) / where(parallel, 1, square)
    s = clamped(where(parallel, _middle_of_overlap(aa, ab, on_a), crossing))
    t = (ab * s + on_b) / bb
    beyond = either(less(t, -1), less(1, t))
    t = clamped(t)
    return where(beyond, clamped((ab * t + on_a) / aa), s), t


def _middle_of_overlap(aa: Scalar, ab: Scalar, on_a: Scalar) -> Scalar:
    """Return the number, on the first of two parallel segments, of the middle of what they share."""
    first, second = (on_a - ab) / aa, (on_a + ab) / aa
    start, end = maximum(minimum(first, second), -1), minimum(maximum(first, second), 1)
    middle: Scalar = _HALF * (start + end)
    return middle


def some_perpendicular(v: Vec3) -> Vec3:
    """Return a vector perpendicular to `v` and not shorter; any vector for zero."""
    x, y, z = v
    crossed = cross3(v, (1, 0, 0)), cross3(v, (0, 1, 0))
    upright = less(y * y + z * z, x * x)  # then x is the large one, and the product with y keeps it
    chosen = [where(upright, q, p) for p, q in zip(*crossed, strict=True)]
    return chosen[0], chosen[1], chosen[2]
