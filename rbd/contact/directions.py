"""Directions that stay defined where a difference vanishes (internal)."""

from __future__ import annotations

from rbd.scalars import Scalar, const, less, less_equal, sqrt, where
from rbd.spatial.linalg import Vec3, dot3

_TOUCHING = const(1, 10**24)
"""Square of the length, relative to the shapes, below which a difference has no direction."""


def direction(difference: Vec3, instead: Vec3, size: Scalar) -> tuple[Scalar, Vec3]:
    """Return length and direction of a difference, or zero and `instead` where it vanishes beside `size`, a square."""
    square = dot3(difference, difference)
    vanishes = less_equal(square, _TOUCHING * size)
    length = sqrt(where(vanishes, 1, square))
    x, y, z = (where(vanishes, other, d / length) for d, other in zip(difference, instead, strict=True))
    return where(vanishes, 0, length), (x, y, z)


def flipped_towards(candidate: Vec3, previous: Vec3) -> Vec3:
    """Return `previous` if there is one, else the direction of `candidate`, which must not be zero."""
    none = less_equal(dot3(previous, previous), 0)
    length = sqrt(dot3(candidate, candidate))
    x, y, z = (where(none, c / length, p) for c, p in zip(candidate, previous, strict=True))
    return x, y, z


def sign(x: Scalar) -> Scalar:
    """Return -1, 0 or 1."""
    return where(less(x, 0), -1, where(less(0, x), 1, 0))
