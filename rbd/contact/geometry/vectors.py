"""Vectors of three scalars: choices between two, and unit vectors that stay defined where a difference vanishes.

Nothing branches on a value, so that every function can be recorded and differentiated.
"""

from __future__ import annotations

from collections.abc import Iterable

from rbd.scalars import Condition, Scalar, Vector, const, less, less_equal, sqrt, where
from rbd.scalars.jets import Jet
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, scale3, sub3

_VANISHING = const(1, 10**24)
"""A difference has no direction if its square is below this share of the shapes' squared size."""


def where3(condition: Condition, a: Vec3, b: Vec3) -> Vec3:
    """Return `a` where the condition holds, else `b`."""
    x, y, z = (where(condition, p, q) for p, q in zip(a, b, strict=True))
    return x, y, z


def point_along(origin: Vec3, direction: Vec3, amount: Scalar) -> Vec3:
    """Return the point origin + amount direction."""
    return add3(origin, scale3(direction, amount))


def signed_distance_to_plane(point: Vec3, base: Vec3, normal: Vec3) -> Scalar:
    """Return the signed distance of `point` from the plane through `base` with this unit normal."""
    return dot3(sub3(point, base), normal)


def length_and_direction(difference: Vec3, fallback: Vec3, scale: Scalar) -> tuple[Scalar, Vec3]:
    """Return length and direction of a difference; zero and `fallback` where its square vanishes beside `scale`."""
    square = dot3(difference, difference)
    vanishes = less_equal(square, _VANISHING * scale)
    length = sqrt(where(vanishes, 1, square))
    x, y, z = (where(vanishes, other, d / length) for d, other in zip(difference, fallback, strict=True))
    return where(vanishes, 0, length), (x, y, z)


def previous_or_direction(previous: Vec3, candidate: Vec3) -> Vec3:
    """Return the unit vector `previous`, or the direction of `candidate` (not zero) where `previous` is zero."""
    none = less_equal(dot3(previous, previous), 0)
    length = sqrt(dot3(candidate, candidate))
    x, y, z = (where(none, c / length, p) for c, p in zip(candidate, previous, strict=True))
    return x, y, z


def any_perpendicular(v: Vec3) -> Vec3:
    """Return a vector perpendicular to `v` that is not much shorter; any vector for zero."""
    x, y, z = v
    by_x, by_y = cross3(v, (1, 0, 0)), cross3(v, (0, 1, 0))
    return where3(less(y * y + z * z, x * x), by_y, by_x)  # the axis away from the largest entry


def without_rates(values: Iterable[Scalar]) -> Vector:
    """Return the values of jets: what an intrinsic chooses by them does not change with time."""
    return tuple(x.value if isinstance(x, Jet) else x for x in values)


def sign(x: Scalar) -> Scalar:
    """Return -1, 0 or 1."""
    return where(less(x, 0), -1, where(less(0, x), 1, 0))
