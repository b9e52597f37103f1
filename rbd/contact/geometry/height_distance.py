"""Distance of a sphere from a height field: the nearest of the triangles around its centre.

Which triangles these are is looked up (`height_lookup.py`); the rest is a fixed program. Everything is computed in the
axes of the field. A centre is below the surface if it is below the triangle at its x and y; then phi is negative and
the normal still points outwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from typing import NamedTuple

from rbd.contact.geometry.height_lookup import heights_around
from rbd.contact.geometry.placed_shapes import PlacedHeightField
from rbd.contact.geometry.segment_distance import clamp
from rbd.contact.geometry.separations import UNUSED_DISTANCE, Separation, where_separation
from rbd.contact.geometry.vectors import length_and_direction, point_along, where3, without_rates
from rbd.scalars import Condition, Scalar, Vector, both, const, either, less, less_equal, sqrt, where
from rbd.spatial.linalg import Vec3, add3, dot3, matvec, scale3, sub3, tmatvec

_HALF = const(1, 2)
_SAME_NORMAL = const(999, 1000)
"""Cosine of the angle between normals above which a second point would be a copy of the first."""


class _Face(NamedTuple):
    """A triangle: whether the point's projection lies in it, and the signed distance and normal of its plane."""

    beside: Condition
    phi: Scalar
    n: Vec3


class _Edge(NamedTuple):
    """The nearest point of an edge, and its squared distance."""

    square: Scalar
    point: Vec3


def nearest_on_field(field: PlacedHeightField, point: Vec3) -> tuple[Separation, Separation]:
    """Return the nearest point of a height field, and one on another face of a hollow; far away if there is none.

    The point is the first shape, the field the second.
    """
    p = matvec(field.axes, sub3(point, field.center))
    patch = _Patch.around(field, p)
    nearest, faces = _nearest_on_edges(patch, p), list(patch.faces(p))
    for face in faces:
        nearer = both(face.beside, less_equal(face.phi * face.phi, nearest.phi * nearest.phi))
        nearest = where_separation(nearer, _on_plane_of_face(p, face.phi, face.n), nearest)
    other = _on_plane_of_face(p, UNUSED_DISTANCE, nearest.n)
    for face in faces:
        hollow = both(face.beside, both(less(0, face.phi), less(dot3(face.n, nearest.n), _SAME_NORMAL)))
        nearer = both(hollow, less(face.phi, other.phi))
        other = where_separation(nearer, _on_plane_of_face(p, face.phi, face.n), other)
    return _in_common_frame(field, nearest), _in_common_frame(field, other)


def _nearest_on_edges(patch: _Patch, p: Vec3) -> Separation:
    """Return the nearest point of all edges."""
    best = reduce(_nearer, patch.edges(p))
    below, n = patch.below(p)
    sign = where(below, -1, 1)
    distance, away = length_and_direction(sub3(p, best.point), scale3(n, sign), patch.cell[0] * patch.cell[1])
    return Separation(sign * distance, p, best.point, scale3(away, sign))


def _nearer(a: _Edge, b: _Edge) -> _Edge:
    closer = less(b.square, a.square)
    return _Edge(where(closer, b.square, a.square), where3(closer, b.point, a.point))


def _on_plane_of_face(p: Vec3, phi: Scalar, n: Vec3) -> Separation:
    return Separation(phi, p, point_along(p, n, -phi), n)


def _in_common_frame(field: PlacedHeightField, found: Separation) -> Separation:
    """Return points and normal in the axes that the field is placed in."""
    p_a, p_b = (add3(tmatvec(field.axes, p), field.center) for p in (found.p_a, found.p_b))
    return Separation(found.phi, p_a, p_b, tmatvec(field.axes, found.n))


class _Patch(NamedTuple):
    """The grid points around a place, in the axes of the field."""

    x: Vector
    y: Vector
    z: list[Vector]
    """Heights: one vector for each x."""
    cell: tuple[Scalar, Scalar]

    @classmethod
    def around(cls, field: PlacedHeightField, p: Vec3) -> _Patch:
        """Return the grid points around the place below a point."""
        grid_shape, window = field.shape.grid_shape, field.shape.window(field.reach)
        offsets = zip(p, field.corner, field.cell, window, strict=False)
        place_x, place_y = without_rates(
            (x - corner) / edge - _HALF * (count - 2) for x, corner, edge, count in offsets
        )
        start, z = heights_around(field.shape.units, grid_shape, window, (place_x, place_y))
        x, y = (
            tuple(corner + (first + k) * edge for k in range(count))
            for corner, first, edge, count in zip(field.corner, start, field.cell, window, strict=True)
        )
        return cls(x, y, z, field.cell)

    @property
    def cells(self) -> Iterator[tuple[int, int]]:
        """The indices of the cells along x and y."""
        return product(range(len(self.x) - 1), range(len(self.y) - 1))

    def point(self, i: int, j: int) -> Vec3:
        """Return a grid point."""
        return self.x[i], self.y[j], self.z[i][j]

    def faces(self, p: Vec3) -> Iterator[_Face]:
        """Yield the triangles, two of each cell."""
        for i, j in self.cells:
            for lower in (True, False):
                n = self._normal(i, j, lower=lower)
                corner = self.point(i, j) if lower else self.point(i + 1, j + 1)
                phi = dot3(sub3(p, corner), n)
                u, v, _ = sub3(point_along(p, n, -phi), corner)
                a, b = (share / edge if lower else -share / edge for share, edge in zip((u, v), self.cell, strict=True))
                yield _Face(both(both(less_equal(0, a), less_equal(0, b)), less_equal(a + b, 1)), phi, n)

    def _normal(self, i: int, j: int, *, lower: bool) -> Vec3:
        z, (c_x, c_y) = self.z, self.cell
        if lower:
            slope_x, slope_y = (z[i + 1][j] - z[i][j]) / c_x, (z[i][j + 1] - z[i][j]) / c_y
        else:
            slope_x, slope_y = (z[i + 1][j + 1] - z[i][j + 1]) / c_x, (z[i + 1][j + 1] - z[i + 1][j]) / c_y
        length = sqrt(1 + slope_x * slope_x + slope_y * slope_y)
        return -slope_x / length, -slope_y / length, 1 / length

    def edges(self, p: Vec3) -> Iterator[_Edge]:
        """Yield the nearest points of all edges of triangles."""
        across, upwards = len(self.x), len(self.y)
        pairs = [((i, j), (i + 1, j)) for i, j in product(range(across - 1), range(upwards))]
        pairs += [((i, j), (i, j + 1)) for i, j in product(range(across), range(upwards - 1))]
        pairs += [((i, j + 1), (i + 1, j)) for i, j in self.cells]
        for start, stop in pairs:
            a, b = self.point(*start), self.point(*stop)
            e = sub3(b, a)
            q = point_along(a, e, clamp(dot3(sub3(p, a), e) / dot3(e, e), 0, 1))
            away = sub3(p, q)
            yield _Edge(dot3(away, away), q)

    def below(self, p: Vec3) -> tuple[Condition, Vec3]:
        """Return whether a point is below the surface, and the normal of the triangle above or below it."""
        under: Condition = less(0, 0)
        n: Vec3 = (0, 0, 1)
        for i, j in self.cells:
            u, v = (p[0] - self.x[i]) / self.cell[0], (p[1] - self.y[j]) / self.cell[1]
            inside = both(both(less_equal(0, u), less_equal(u, 1)), both(less_equal(0, v), less_equal(v, 1)))
            low = less_equal(u + v, 1)
            here = where3(low, self._normal(i, j, lower=True), self._normal(i, j, lower=False))
            corner = where3(low, self.point(i, j), self.point(i + 1, j + 1))
            under = either(under, both(inside, less(dot3(sub3(p, corner), here), 0)))
            n = where3(inside, here, n)
        return under, n
