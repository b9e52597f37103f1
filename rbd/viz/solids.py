"""Polygon meshes of shapes.

A polygon is an array (corners, 3) in the shape's frame, with outward orientation.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final, TypeAlias, cast

import numpy as np

from rbd.contact import Box, Capsule, ConvexHull, Cylinder, Ellipsoid, HeightField, Sphere
from rbd.contact.geometry.shapes import Shape, Solid
from rbd.scalars.arrays import Array
from rbd.spatial.half_space import HalfSpace
from rbd.viz import surfaces
from rbd.viz.surfaces import Surface

Polygons: TypeAlias = list[Array]
AROUND, RINGS, CELLS = 28, 7, 6
"""Numbers of polygons around a capsule, along each of its caps, and along each edge of a box."""


def polygons_of(shape: Shape, reach: float) -> Polygons:
    """Return the surface of a shape; for a half-space, a square with edges of length twice `reach`."""
    if isinstance(shape, HalfSpace):
        return patch(shape, reach)
    polygons = _POLYGONS.get(type(shape))
    return facets(surface_of(cast("Solid", shape))) if polygons is None else polygons(shape)


def surface_of(shape: Solid) -> Surface:
    """Return the surface of a solid as triangles."""
    return _SURFACES[type(shape)](shape)


def terrain(field: HeightField[Any]) -> Polygons:
    """Return the cells of a height field."""
    x, y = (np.linspace(-edge / 2, edge / 2, count) for edge, count in zip(field.size, field.grid_shape, strict=True))
    return _quadrilaterals(np.stack([*np.meshgrid(x, y, indexing="ij"), field.heights], axis=-1))


def facets(surface: Surface) -> Polygons:
    """Return triangles as quadrilaterals whose last two corners are one."""
    return list(surface.vertices[surface.triangles][:, [0, 1, 2, 2]])


def rod(radius: float, length: float) -> Polygons:
    """Return a capsule along z: quadrilaterals between rings from pole to pole."""
    up = np.linspace(-np.pi / 2, 0, RINGS)
    heights = np.concatenate([radius * np.sin(up) - length / 2, -radius * np.sin(up[::-1]) + length / 2])
    widths = radius * np.concatenate([np.cos(up), np.cos(up[::-1])])
    turns = np.linspace(0, 2 * np.pi, AROUND + 1)
    x, y = np.outer(widths, np.cos(turns)), np.outer(widths, np.sin(turns))
    return _quadrilaterals(np.stack([x, y, np.broadcast_to(heights[:, None], x.shape)], axis=-1))


def brick(half: Array) -> Polygons:
    """Return the six faces of a box, each divided into cells for sorting by depth."""
    faces: Polygons = []
    for axis, side in product(range(3), (-1, 1)):
        j, k = (axis + 1) % 3, (axis + 2) % 3
        grid = np.empty((CELLS + 1, CELLS + 1, 3))
        grid[..., axis] = side * half[axis]
        grid[..., j] = np.linspace(-half[j], half[j], CELLS + 1)[::side, None]
        grid[..., k] = np.linspace(-half[k], half[k], CELLS + 1)
        faces += _quadrilaterals(grid)
    return faces


def patch(plane: HalfSpace, reach: float) -> Polygons:
    """Return a square around the half-space's point."""
    first, second = plane_axes(plane.normal.xyz)
    numbers = np.linspace(-reach, reach, 2 * CELLS + 1)
    grid = plane.point.xyz + numbers[:, None, None] * first + numbers[None, :, None] * second
    return _quadrilaterals(np.asarray(grid, dtype=np.float64))


def disc(center: Array, normal: Array, radius: float) -> Array:
    """Return a disc perpendicular to a normal as one polygon."""
    first, second = plane_axes(normal)
    turns = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)[:, None]
    return np.asarray(center + radius * (np.cos(turns) * first + np.sin(turns) * second), dtype=np.float64)


def plane_axes(normal: Array) -> tuple[Array, Array]:
    """Return two unit vectors that are orthogonal to a normal and to each other."""
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    crossed = np.asarray(np.cross(normal, helper), dtype=np.float64)
    first = crossed / np.linalg.norm(crossed)
    return first, np.asarray(np.cross(normal, first) / np.linalg.norm(normal), dtype=np.float64)


def _quadrilaterals(grid: Array) -> Polygons:
    """Return the cells of a grid of points, (rows, columns, 3)."""
    corners = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2)
    return list(corners.reshape(-1, 4, 3))


_POLYGONS: Final[dict[type[Any], Callable[[Any], Polygons]]] = {
    Sphere: lambda shape: rod(shape.radius, 0.0),
    Capsule: lambda shape: rod(shape.radius, shape.length),
    Box: lambda shape: brick(np.array(shape.size) / 2),
    HeightField: terrain,
}
_SURFACES: Final[dict[type[Any], Callable[[Any], Surface]]] = {
    Sphere: lambda shape: surfaces.sphere(shape.radius),
    Capsule: lambda shape: surfaces.capsule(shape.radius, shape.length),
    Box: lambda shape: surfaces.box(shape.size),
    ConvexHull: lambda shape: surfaces.rounded_hull(shape.points, shape.radius),
    Cylinder: lambda shape: surfaces.cylinder(shape.radius, shape.length),
    Ellipsoid: lambda shape: surfaces.ellipsoid(shape.radii),
}
