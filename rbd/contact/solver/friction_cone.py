"""Polyhedral friction cones with four edges, and the relative velocity of the bodies at a contact point.

An edge of the cone is n + mu t, for the normal n and a tangent direction t; forces in the cone are sums of edges with
weights that are not negative. (Stewart, Trinkle, *An implicit time-stepping scheme for rigid body dynamics with
inelastic collisions and Coulomb friction*, 1996.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from rbd.algorithms import geometric_jacobian
from rbd.contact.geometry.vectors import any_perpendicular, length_and_direction
from rbd.contact.model.pairs import Pair
from rbd.kinematics.queries import State
from rbd.scalars import Matrix, Vector, sqrt
from rbd.scalars.linear_algebra import matvec
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, scale3, sub3

EDGES: Final = 4
"""Rows of a polyhedral cone."""
AXES: Final = 3
"""Rows of a round cone: normal and tangents."""


class ContactPointJacobian(NamedTuple):
    """Velocity of a material point of a pair's first body relative to the second, per velocity coordinate."""

    columns: tuple[Vec3, ...]
    angular: tuple[Vec3, ...]
    """The angular velocity of the first body relative to the second, per velocity coordinate."""
    linear: tuple[Vec3, ...]
    """The velocity of its point at the origin, per velocity coordinate."""
    point: Vec3

    def row(self, direction: Vec3) -> Vector:
        """Return the row of the velocity along a direction."""
        return tuple(dot3(direction, column) for column in self.columns)

    def velocity(self, v: Vector) -> Vec3:
        """Return the velocity of the point, by the twist that all points of the bodies share."""
        return add3(_combined(self.linear, v), cross3(self.turning(v), self.point))

    def turning_row(self, direction: Vec3) -> Vector:
        """Return the row of the angular velocity about a direction."""
        return tuple(dot3(direction, column) for column in self.angular)

    def turning(self, v: Vector) -> Vec3:
        """Return the angular velocity."""
        return _combined(self.angular, v)

    def slip(self, n: Vec3, v: Vector) -> Vec3:
        """Return the tangential velocity of the point."""
        return tangential(n, self.velocity(v))


def contact_point_jacobian(state: State[Any], pair: Pair, point: Vec3) -> ContactPointJacobian:
    """Return the Jacobian at `point`, in the base frame of the pair."""
    path = state.mechanism.path(pair.body_b, pair.body_a)
    J = geometric_jacobian(state, path, frame=pair.base)
    columns = tuple(add3(linear, cross3(angular, point)) for angular, linear in J.columns)
    angular, linear = (tuple(column[part] for column in J.columns) for part in range(2))
    return ContactPointJacobian(columns, angular, linear, point)


def _combined(columns: tuple[Vec3, ...], v: Vector) -> Vec3:
    """Return the sum of columns times velocities."""
    x, y, z = matvec(tuple(tuple(column[k] for column in columns) for k in range(3)), v)
    return x, y, z


def tangential(n: Vec3, x: Vec3) -> Vec3:
    """Return the part of x in the tangent plane of the unit normal n."""
    return sub3(x, scale3(n, dot3(x, n)))


def tangents(n: Vec3, sliding: Vec3) -> tuple[Vec3, Vec3]:
    """Return two orthogonal unit tangents, the first along the sliding velocity unless that is zero."""
    fallback = any_perpendicular(n)
    length = sqrt(dot3(fallback, fallback))
    x, y, z = (entry / length for entry in fallback)
    _, first = length_and_direction(tangential(n, sliding), (x, y, z), 1)
    return first, cross3(n, first)


def cone_edges(J_n: Vector, J_t: Sequence[Vector]) -> Matrix:
    """Return the rows of the edges: J_n + J_t and J_n - J_t for each of the rows J_t = mu t' J."""
    return tuple(tuple(n + sign * t for n, t in zip(J_n, row, strict=True)) for row in J_t for sign in (1, -1))
