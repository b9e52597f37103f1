"""Derivatives by position: along joint velocities, or by the entries of q.

`"tangent"` is along joint velocities: column k is the derivative of f as the mechanism moves at unit velocity k; nv
columns.

`"coordinates"` is by the entries of q, of f(normalise(q)); nq columns. Where v is the derivative of q the two are the
same; for spherical, floating and planar joints and angles given by sine and cosine they are not.

With H N = S (H says how the pose moves with position, S how the twist moves with velocity), the second is the first
times the matrix from the derivative of q to the velocity: `JointType.velocity_jacobian`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from rbd.errors import ArgumentError
from rbd.joints.base import velocity_is_derivative
from rbd.kernels.state_view import StateView
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.linear_algebra import dot, identity

Space: TypeAlias = Literal["tangent", "coordinates"]
"""By what a derivative by position is taken: along velocities, or by the entries of q."""
SPACES: tuple[Space, ...] = get_args(Space)


def check_space(space: object) -> None:
    """Raise ArgumentError unless `space` is one of the two."""
    if not (isinstance(space, str) and space in SPACES):
        raise ArgumentError(
            f"unknown space {space!r}; derivatives by position are along velocities ('tangent') or by the entries of "
            "q ('coordinates')",
            argument="space",
            value=space,
            allowed=SPACES,
        )


def column_count(state: StateView, space: Space) -> int:
    """Return the number of columns of a derivative by position."""
    return state.layout.nv if space == "tangent" else state.layout.nq


def directions(state: StateView, space: Space) -> list[Vector]:
    """Return the directions of q of a derivative by position, one per column."""
    if space == "coordinates":
        return list(identity(state.layout.nq))
    result: list[Vector] = []
    for node in state.nodes:
        before, behind = (0,) * node.q_slice.start, (0,) * (state.layout.nq - node.q_slice.stop)
        columns = zip(*node.joint.type.configuration_derivative_jacobian(state.joint_q(node)), strict=True)
        result += [(*before, *column, *behind) for column in columns]
    return result


def in_space(state: StateView, tangent: Matrix, space: Space) -> Matrix:
    """Return a matrix with a column per velocity in the space asked for."""
    return tangent if space == "tangent" else tuple(_by_coordinates(state, row) for row in tangent)


def _by_coordinates(state: StateView, row: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    result: list[Scalar] = []
    for node in state.nodes:
        kind, entries = node.joint.type, row[node.v_slice]
        if velocity_is_derivative(kind):
            result += entries
        elif node.joint.nv:
            columns = zip(*kind.velocity_jacobian(state.joint_q(node)), strict=True)
            result += [dot(entries, column) for column in columns]
    return tuple(result)
