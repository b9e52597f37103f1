"""Distance of two convex hulls of points with radii: spheres, capsules and boxes among them.

Which features are nearest is found by GJK (`convex_features.py`); the nearest points of these, and with them all
derivatives, are a fixed program.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbd.contact.geometry.convex_features import nearest_features
from rbd.contact.geometry.separations import Separation
from rbd.contact.geometry.support_polygons import point_at
from rbd.contact.geometry.vectors import length_and_direction, point_along, without_rates
from rbd.scalars import Scalar, const, less, where
from rbd.spatial.linalg import Vec3, as_vec3, cross3, dot3, sub3


def nearest_of_hulls(a: Sequence[Vec3], b: Sequence[Vec3]) -> Separation:
    """Return the distance of the convex hulls of points; raise SolverError where they overlap."""
    of_a, of_b, count = nearest_features(*([as_vec3(without_rates(point)) for point in hull] for hull in (a, b)))
    a0, a1, a2 = (point_at(a, index) for index in of_a)
    b0, b1, b2 = (point_at(b, index) for index in of_b)
    s, t = _barycentric_coordinates(sub3(a0, b0), sub3(a1, b1), sub3(a2, b2), count)
    p_a = point_along(point_along(a0, sub3(a1, a0), s), sub3(a2, a0), t)
    p_b = point_along(point_along(b0, sub3(b1, b0), s), sub3(b2, b0), t)
    phi, n = length_and_direction(sub3(p_a, p_b), (0, 0, 1), 0)
    return Separation(phi, p_a, p_b, n)


def _barycentric_coordinates(w: Vec3, second: Vec3, third: Vec3, count: Scalar) -> tuple[Scalar, Scalar]:
    """Return the shares of the second and third point in the point of their plane, or line, that is nearest to zero."""
    e, f = sub3(second, w), sub3(third, w)
    normal = cross3(e, f)
    has_edge, has_face = less(const(3, 2), count), less(const(5, 2), count)
    square = where(has_face, dot3(normal, normal), 1)
    between = -dot3(w, e) / where(has_edge, dot3(e, e), 1)
    s = where(has_face, dot3(cross3(f, w), normal) / square, where(has_edge, between, 0))
    return s, where(has_face, dot3(cross3(w, e), normal) / square, 0)
