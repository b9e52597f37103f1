"""Convex hulls of points, by SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbd.extras import requires_extra


def scipy_hull(points: NDArray[np.float64]) -> Any:
    """Return the `scipy.spatial.ConvexHull` of points in space or in a plane; None if they are flat, or on a line."""
    with requires_extra("convex hulls of meshes"):
        from scipy.spatial import ConvexHull, QhullError
    try:
        return ConvexHull(points)
    except QhullError:
        return None


def convex_hull(points: NDArray[np.float64]) -> NDArray[np.intp] | None:
    """Return the triangles of the convex hull, (m, 3) indices of points, oriented outwards; None for flat points."""
    hull = scipy_hull(points)
    if hull is None:
        return None
    triangles = np.asarray(hull.simplices, dtype=np.intp)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), np.asarray(hull.equations)[:, :3]) < 0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return triangles
