"""Separations of two shapes: the signed distance, the nearest points and the normal."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Final, NamedTuple

from rbd.contact.geometry.placed_shapes import PlacedHalfSpace
from rbd.contact.geometry.vectors import point_along, signed_distance_to_plane, where3
from rbd.scalars import Condition, Scalar, const, less, where
from rbd.spatial.linalg import Vec3, neg3

UNUSED_DISTANCE: Final = const(10**9, 1)
"""Distance in unused slots of points (m)."""


class Separation(NamedTuple):
    """Signed distance phi of shapes a and b, their nearest points (witnesses), and the unit normal n from b to a.

    p_a - p_b = phi n. Where the shapes overlap, phi is negative.
    """

    phi: Scalar
    p_a: Vec3
    p_b: Vec3
    n: Vec3

    def swapped(self) -> Separation:
        """Return the same for the shapes in the other order."""
        return Separation(self.phi, self.p_b, self.p_a, neg3(self.n))

    def inflated(self, radius_a: Scalar, radius_b: Scalar) -> Separation:
        """Return the same for the shapes inflated by these radii."""
        phi = self.phi - (radius_a + radius_b)
        return Separation(
            phi, point_along(self.p_a, self.n, -radius_a), point_along(self.p_b, self.n, radius_b), self.n
        )


def where_separation(condition: Condition, a: Separation, b: Separation) -> Separation:
    """Return `a` where the condition holds, else `b`."""
    return Separation(
        where(condition, a.phi, b.phi),
        where3(condition, a.p_a, b.p_a),
        where3(condition, a.p_b, b.p_b),
        where3(condition, a.n, b.n),
    )


def nearest_separation(found: Iterable[Separation]) -> Separation:
    """Return the separation with the smallest distance, the first of several."""
    return reduce(lambda one, other: where_separation(less(other.phi, one.phi), other, one), found)


def separation_from_plane(point: Vec3, radius: Scalar, plane: PlacedHalfSpace) -> Separation:
    """Return the distance of a sphere about `point` from a half-space."""
    phi = signed_distance_to_plane(point, plane.point, plane.normal)
    foot = point_along(point, plane.normal, -phi)
    return Separation(phi - radius, point_along(point, plane.normal, -radius), foot, plane.normal)
