"""How points slide past each other, and friction cones with four corners (internal).

A corner of a cone is the normal n and a direction t across it, n + mu t; forces inside the cone are sums of corners
with weights that are not negative, and what keeps a point from approaching, whichever way it also slides, is one
condition per corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from rbd.algorithms import geometric_jacobian
from rbd.contact.directions import direction
from rbd.contact.pairs import Pair
from rbd.contact.segments import some_perpendicular
from rbd.joints.tuples import matvec
from rbd.scalars import Matrix, Scalar, Vector, const, minimum, sqrt
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, scale3, sub3
from rbd.state import State

CORNERS = 4
_MEAN = const(1, CORNERS)


class PointMotion(NamedTuple):
    """How a point of the first body of a pair moves, seen from the second: one column per velocity."""

    columns: tuple[Vec3, ...]

    def row(self, way: Vec3) -> Vector:
        """Return how fast it moves along `way`, per velocity."""
        return tuple(dot3(way, column) for column in self.columns)

    def velocity(self, v: Vector) -> Vec3:
        """Return its velocity."""
        x, y, z = (self.row(axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        a, b, c = matvec((x, y, z), v)
        return a, b, c

    def slip(self, normal: Vec3, v: Vector) -> Vec3:
        """Return the part of its velocity across a normal of length one."""
        return across(normal, self.velocity(v))


def motion_of(state: State[Any], pair: Pair, point: Vec3) -> PointMotion:
    """Return how `point`, of the first body and in the base frame of the pair, moves."""
    path = state.mechanism.path(pair.body_b, pair.body_a)
    jacobian = geometric_jacobian(state, path, frame=pair.base)
    return PointMotion(tuple(add3(linear, cross3(angular, point)) for angular, linear in jacobian.columns))


def across(normal: Vec3, way: Vec3) -> Vec3:
    """Return the part of `way` across a normal of length one."""
    return sub3(way, scale3(normal, dot3(way, normal)))


def tangents(normal: Vec3, sliding: Vec3) -> tuple[Vec3, Vec3]:
    """Return two directions across `normal` and each other, the first along the sliding velocity if there is one."""
    fallback = some_perpendicular(normal)
    length = sqrt(dot3(fallback, fallback))
    x, y, z = (entry / length for entry in fallback)
    _, first = direction(across(normal, sliding), (x, y, z), 1)
    return first, cross3(normal, first)


def corners(normal: Vector, slopes: Sequence[Vector]) -> Matrix:
    """Return the rows n + s and n - s for the slopes s = mu t of two directions."""
    return tuple(
        tuple(n + sign * s for n, s in zip(normal, slope, strict=True)) for slope in slopes for sign in (1, -1)
    )


def mean_and_least(rates: Vector) -> tuple[Scalar, Scalar]:
    """Return the rate along the normal and the least one, of the rates along the corners of one cone."""
    return reduce(lambda a, b: a + b, rates) * _MEAN, reduce(minimum, rates)
