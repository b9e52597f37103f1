"""Polyhedral friction cones with four edges: tangents and edges.

An edge of the cone is n + mu t, for the normal n and a tangent direction t; forces in the cone are sums of edges with
weights that are not negative (Stewart, Trinkle 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.contact.geometry.vectors import any_perpendicular, length_and_direction
from rbd.scalars import Matrix, Vector, sqrt
from rbd.spatial.linalg import Vec3, cross3, dot3, scale3, sub3

EDGES: Final = 4
"""Rows of a polyhedral cone."""
AXES: Final = 3
"""Rows of a round cone: normal and tangents."""


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
