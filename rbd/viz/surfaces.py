"""Triangle meshes of solids: boxes, spheres, cylinders, capsules, ellipsoids, convex hulls, squares.

A surface is in the frame of its solid; its triangles are oriented outwards.
"""

from __future__ import annotations

from itertools import product
from typing import Final, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.files.convex_hulls import convex_hull
from rbd.scalars.arrays import Array

AROUND: Final = 32
"""Edges of a circle."""


@final
@attrs.frozen(eq=False)
class Surface:
    """Vertices (n, 3) and triangles (m, 3), which hold indices of vertices; `smooth` ones are shaded as curved."""

    vertices: Array
    triangles: NDArray[np.intp]
    smooth: bool = False

    def scaled(self, factors: tuple[float, float, float]) -> Surface:
        """Return the surface with its axes scaled; reflections keep triangles oriented outwards."""
        turned = self.triangles[:, ::-1] if float(np.prod(np.sign(factors))) < 0 else self.triangles
        return attrs.evolve(self, vertices=self.vertices * np.array(factors), triangles=turned)

    def moved(self, offset: Array) -> Surface:
        """Return the surface moved by an offset."""
        return attrs.evolve(self, vertices=self.vertices + offset)


def box(size: tuple[float, float, float]) -> Surface:
    """Return a box with edges of lengths `size`, around the origin."""
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * np.array(size)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Surface(corners, np.array([tri for a, b, c, d in faces for tri in ((a, b, c), (a, c, d))], dtype=np.intp))


def grid(size: tuple[float, float], heights: Array) -> Surface:
    """Return the triangles between the points of a height field, in the plane z = 0 with edges of lengths `size`."""
    x, y = (np.linspace(-edge / 2, edge / 2, count) for edge, count in zip(size, heights.shape, strict=True))
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1).reshape(-1, 3)
    numbers = np.arange(heights.size, dtype=np.intp).reshape(heights.shape)
    a, b, c, d = (each.ravel() for each in (numbers[:-1, :-1], numbers[1:, :-1], numbers[:-1, 1:], numbers[1:, 1:]))
    return Surface(points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([d, c, b], axis=1)]))


def square(half: float) -> Surface:
    """Return a square in the plane z = 0 with normal z, seen from both sides."""
    corners = np.array([(-half, -half, 0.0), (half, -half, 0.0), (half, half, 0.0), (-half, half, 0.0)])
    return Surface(corners, np.array([(0, 1, 2), (0, 2, 3), (2, 1, 0), (3, 2, 0)], dtype=np.intp))


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
    return Surface(vertices[used], numbers.reshape(triangles.shape).astype(np.intp))


def capsule(radius: float, length: float) -> Surface:
    """Return a capsule around the segment of `length` along z through the origin."""
    angles = np.linspace(0.0, np.pi / 2, AROUND // 4 + 1)
    widths, heights = radius * np.cos(angles), radius * np.sin(angles) + length / 2
    profile = [*zip(widths[::-1], -heights[::-1], strict=True), *zip(widths, heights, strict=True)]
    return _revolved(np.array(profile), smooth=True)


def cylinder(radius: float, length: float) -> Surface:
    """Return a cylinder along z around the origin."""
    half = length / 2
    return _revolved(np.array([(0.0, -half), (radius, -half), (radius, half), (0.0, half)]), smooth=False)


def _revolved(profile: Array, *, smooth: bool) -> Surface:
    """Return the surface that a profile of points (distance from the axis, height), from below, turns out."""
    turns = np.linspace(0.0, 2 * np.pi, AROUND, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    rings = np.concatenate(
        [profile[:, None, :1] * circle, np.broadcast_to(profile[:, None, 1:], (len(profile), AROUND, 1))], axis=-1
    )
    numbers = np.arange(len(profile) * AROUND, dtype=np.intp).reshape(-1, AROUND)
    a, b = numbers[:-1], np.roll(numbers, -1, axis=1)[:-1]
    c, d = np.roll(numbers, -1, axis=1)[1:], numbers[1:]
    triangles = np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]).reshape(-1, 3)
    return Surface(rings.reshape(-1, 3), triangles, smooth)
