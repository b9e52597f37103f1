"""Relative velocity of two bodies at a contact point, per velocity coordinate."""

from __future__ import annotations

from typing import Any, NamedTuple

from rbd.algorithms import geometric_jacobian
from rbd.contact.dynamics.friction_cone import tangential
from rbd.contact.model.pairs import Pair
from rbd.kinematics.queries import State
from rbd.scalars import Vector
from rbd.scalars.linear_algebra import matvec
from rbd.spatial.linalg import Vec3, add3, cross3, dot3


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
        return add3(_combined(self.linear, v), cross3(self.angular_velocity(v), self.point))

    def angular_row(self, direction: Vec3) -> Vector:
        """Return the row of the angular velocity about a direction."""
        return tuple(dot3(direction, column) for column in self.angular)

    def angular_velocity(self, v: Vector) -> Vec3:
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
