"""Nearest points of a cylinder and a half-space or sphere, and the points with which it rests on a half-space."""

from __future__ import annotations

from typing import NamedTuple

from rbd.contact.geometry.placed_shapes import PlacedCylinder, PlacedHalfSpace, PlacedSphere
from rbd.contact.geometry.segment_distance import clamp
from rbd.contact.geometry.separations import Separation, separation_from_plane
from rbd.contact.geometry.vectors import length_and_direction, point_along, sign, where3
from rbd.scalars import Scalar, absolute, both, const, less, less_equal, sqrt, where
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, scale3, sub3

_UPRIGHT = const(1, 10**20)
"""Square of the sine of the angle between axis and normal up to which a cylinder stands upright."""


class LowestPoints(NamedTuple):
    """Lowest points of a cylinder, seen along a normal."""

    tilts: Scalar
    """1, or 0 if the cylinder stands upright."""
    down: Vec3
    """Direction from the axis to the lowest point of the rim; some direction to the rim if all is at one height."""
    end: Scalar
    """The lower end of the axis: 1, -1, or 0 if both are at one height."""


def lowest_points_of_cylinder(a: PlacedCylinder, normal: Vec3) -> LowestPoints:
    """Return the lowest points of a cylinder along a normal."""
    x, _, axis = a.axes
    slope = dot3(axis, normal)
    across = sub3(scale3(axis, slope), normal)
    square = dot3(across, across)
    upright = less_equal(square, _UPRIGHT)
    length = sqrt(where(upright, 1, square))
    u, v, w = (component / length for component in across)
    return LowestPoints(where(upright, 0, 1), where3(upright, x, (u, v, w)), -sign(slope))


def cylinder_and_plane(a: PlacedCylinder, b: PlacedHalfSpace) -> Separation:
    """Return the distance of the lowest point, or of the middle of an end or side that is parallel to the plane."""
    lowest = lowest_points_of_cylinder(a, b.normal)
    middle = point_along(a.center, a.axes[2], lowest.end * a.half_length)
    return separation_from_plane(point_along(middle, lowest.down, lowest.tilts * a.radius), 0, b)


def cylinder_on_plane(a: PlacedCylinder, b: PlacedHalfSpace) -> list[Separation]:
    """Return the lowest points of both rims, and three more of the rim that is lower.

    All move with the lowest point, not with the cylinder, so that none of them comes down as it rolls.
    """
    _, down, end = lowest_points_of_cylinder(a, b.normal)
    step = scale3(a.axes[2], where(less(end, 0), -a.half_length, a.half_length))
    lower, upper, aside = add3(a.center, step), sub3(a.center, step), cross3(a.axes[2], down)
    rim = [(lower, down, 1), (upper, down, 1), (lower, down, -1), (lower, aside, 1), (lower, aside, -1)]
    return [separation_from_plane(point_along(middle, way, side * a.radius), 0, b) for middle, way, side in rim]


def cylinder_and_sphere(a: PlacedCylinder, b: PlacedSphere) -> Separation:
    """Return the distance of a sphere; of one whose centre is inside, from the nearest point of the surface."""
    axis, offset = a.axes[2], sub3(b.center, a.center)
    along = dot3(offset, axis)
    distance, outwards = length_and_direction(sub3(offset, scale3(axis, along)), a.axes[0], a.radius * a.radius)
    z, r = clamp(along, -a.half_length, a.half_length), clamp(distance, 0, a.radius)
    nearest = point_along(point_along(a.center, axis, z), outwards, r)
    inwards, depth = _nearest_side(a, along, distance, outwards)
    apart, n = length_and_direction(sub3(nearest, b.center), inwards, a.radius * a.radius)
    inside = both(less_equal(absolute(along), a.half_length), less_equal(distance, a.radius))
    phi, normal = where(inside, -depth, apart), where3(inside, inwards, n)
    return Separation(phi, point_along(b.center, normal, phi), b.center, normal).inflated(0, b.radius)


def _nearest_side(a: PlacedCylinder, along: Scalar, distance: Scalar, outwards: Vec3) -> tuple[Vec3, Scalar]:
    """Return the inward normal of the end or side that is nearest to a point inside, and the depth below it."""
    below_end, below_side = a.half_length - absolute(along), a.radius - distance
    to_end = scale3(a.axes[2], where(less(along, 0), 1, -1))
    ends = less(below_end, below_side)
    return where3(ends, to_end, scale3(outwards, -1)), where(ends, below_end, below_side)
