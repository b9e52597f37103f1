"""Surfaces as meshes: of solids, height fields and planes, and of mesh files.

A surface is in the frame of its solid. Plots draw its faces, the viewer its triangles.
"""

from __future__ import annotations

from itertools import product
from typing import Final, Self, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.meshes.colored_meshes import Color, read_colored_meshes
from rbd.meshes.convex_hulls import convex_hull
from rbd.scalars.arrays import Array

AROUND: Final = 28
"""Edges of a circle."""


@final
@attrs.frozen(eq=False)
class Surface:
    """Vertices (n, 3) and faces (m, 4), quadrilaterals of indices of vertices, oriented outwards.

    The last two corners of a triangle are one. `smooth` surfaces are shaded as curved.
    """

    vertices: Array
    faces: NDArray[np.intp]
    smooth: bool = False

    @classmethod
    def of_triangles(cls, vertices: Array, triangles: NDArray[np.intp]) -> Self:
        """Return the surface of triangles (m, 3)."""
        return cls(vertices, triangles[:, [0, 1, 2, 2]])

    @property
    def triangles(self) -> NDArray[np.intp]:
        """Triangles (k, 3): faces are divided by the diagonal from their first corner."""
        first, _, third, last = self.faces.T
        divided = (last != first) & (last != third)
        return np.concatenate([self.faces[:, :3], self.faces[divided][:, [0, 2, 3]]])

    def scaled(self, factors: tuple[float, float, float]) -> Surface:
        """Return the surface with its axes scaled; reflections keep faces oriented outwards."""
        turned = self.faces[:, [2, 1, 0, 3]] if float(np.prod(np.sign(factors))) < 0 else self.faces
        return attrs.evolve(self, vertices=self.vertices * np.array(factors), faces=turned)

    def moved(self, offset: Array) -> Surface:
        """Return the surface moved by an offset."""
        return attrs.evolve(self, vertices=self.vertices + offset)

    def two_sided(self) -> Surface:
        """Return the surface with its back."""
        return attrs.evolve(self, faces=np.concatenate([self.faces, self.faces[:, [2, 1, 0, 3]]]))


ColoredSurface: TypeAlias = tuple[Surface, Color | None]


def read_surfaces(data: bytes, suffix: str) -> list[ColoredSurface]:
    """Return the surfaces of a mesh, one per colour, from the bytes of a file and the suffix of its name.

    Raises MeshFault, with the reason, for what is no mesh that can be shown, and MissingPackageError.
    """
    meshes = read_colored_meshes(data, suffix)
    return [(Surface.of_triangles(mesh.vertices, mesh.triangles), mesh.color) for mesh in meshes]


def box(size: tuple[float, float, float], cells: int = 1) -> Surface:
    """Return a box with edges of lengths `size`, around the origin; its faces are divided for sorting by depth."""
    half, sides = np.array(size) / 2, list[Surface]()
    for axis, side in product(range(3), (-1, 1)):
        j, k = (axis + 1) % 3, (axis + 2) % 3
        points = np.empty((cells + 1, cells + 1, 3))
        points[..., axis] = side * half[axis]
        points[..., j] = np.linspace(-half[j], half[j], cells + 1)[::side, None]
        points[..., k] = np.linspace(-half[k], half[k], cells + 1)
        sides.append(_grid(points))
    count = len(sides[0].vertices)
    faces = np.concatenate([surface.faces + n * count for n, surface in enumerate(sides)])
    return Surface(np.concatenate([surface.vertices for surface in sides]), faces)


def height_field(size: tuple[float, float], heights: Array) -> Surface:
    """Return the faces between the points of a height field, in the plane z = 0 with edges of lengths `size`."""
    x, y = (np.linspace(-edge / 2, edge / 2, count) for edge, count in zip(size, heights.shape, strict=True))
    return _grid(np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1))


def square(half: float, cells: int = 1) -> Surface:
    """Return a square in the plane z = 0 with normal z."""
    return height_field((2 * half, 2 * half), np.zeros((cells + 1, cells + 1)))


def sphere(radius: float) -> Surface:
    """Return a sphere around the origin."""
    return capsule(radius, 0.0)


def ellipsoid(radii: tuple[float, float, float]) -> Surface:
    """Return an ellipsoid around the origin."""
    return sphere(1.0).scaled(radii)


def rounded_hull(points: Array, radius: float) -> Surface:
    """Return the convex hull of spheres around points."""
    vertices = (points[:, None] + sphere(radius).vertices).reshape(-1, 3)
    triangles = convex_hull(vertices)
    assert triangles is not None, "spheres are not flat"
    used, numbers = np.unique(triangles, return_inverse=True)
    return Surface.of_triangles(vertices[used], numbers.reshape(triangles.shape).astype(np.intp))


def capsule(radius: float, length: float) -> Surface:
    """Return a capsule around the segment of `length` along z through the origin."""
    angles = np.linspace(0.0, np.pi / 2, AROUND // 4 + 1)
    widths, heights = radius * np.cos(angles), radius * np.sin(angles) + length / 2
    profile = [*zip(widths[::-1], -heights[::-1], strict=True), *zip(widths, heights, strict=True)]
    return attrs.evolve(_revolved(np.array(profile)), smooth=True)


def cylinder(radius: float, length: float) -> Surface:
    """Return a cylinder along z around the origin."""
    half = length / 2
    return _revolved(np.array([(0.0, -half), (radius, -half), (radius, half), (0.0, half)]))


def plane_axes(normal: Array) -> tuple[Array, Array]:
    """Return two unit vectors that are orthogonal to a normal and to each other."""
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    crossed = np.asarray(np.cross(normal, helper), dtype=np.float64)
    first = crossed / np.linalg.norm(crossed)
    return first, np.asarray(np.cross(normal, first) / np.linalg.norm(normal), dtype=np.float64)


def plane_pose(point: Array, normal: Array) -> Array:
    """Return the pose (4, 4) that maps the plane z = 0 to that through a point, with a unit normal."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.stack([*plane_axes(normal), normal], axis=1), point
    return pose


def _revolved(profile: Array) -> Surface:
    """Return the surface that a profile of points (distance from the axis, height), from below, turns out."""
    turns = np.linspace(0.0, 2 * np.pi, AROUND, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    heights = np.broadcast_to(profile[:, 1:], (AROUND, len(profile), 1))
    points = np.concatenate([circle[:, None] * profile[:, :1], heights], axis=-1)
    rows = _indices(points)
    return Surface(points.reshape(-1, 3), _cells(np.concatenate([rows, rows[:1]])))


def _grid(points: Array) -> Surface:
    """Return the cells of a grid of points (rows, columns, 3); outwards is rows x columns."""
    return Surface(points.reshape(-1, 3), _cells(_indices(points)))


def _indices(points: Array) -> NDArray[np.intp]:
    """Return the indices of the points of a grid."""
    rows, columns, _ = points.shape
    return np.arange(rows * columns, dtype=np.intp).reshape(rows, columns)


def _cells(indices: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the cells of a grid of indices, which begin at the corner of the last row and the first column."""
    corners = indices[1:, :-1], indices[1:, 1:], indices[:-1, 1:], indices[:-1, :-1]
    return np.stack(corners, axis=-1).reshape(-1, 4)
