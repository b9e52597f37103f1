"""Convex hulls of meshes, of a few of their vertices, rounded.

`rbd.contact` is imported by the functions that need it: readers of files import this module, and load without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.meshes.convex_hulls import scipy_hull
from rbd.meshes.mesh_files import MeshFault, Vertices, check_vertices
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program

if TYPE_CHECKING:
    from rbd.contact import ConvexHull
    from rbd.spatial import Frame

Planes: TypeAlias = NDArray[np.float64]
"""Outward normals and offsets of faces: n x + d is the height of a point above a face. Edges, of flat hulls."""
_MAX_RADIUS_SHARE: Final = 0.25
"""Share of the depth of a hull that its radius is, at most."""
_LEAST_RADIUS_FACTOR: Final = 2.0
"""The least radius of these hulls, as a multiple of that of their vertices; points differ from these by rounding."""
_FLAT: Final = 1e-9
"""Share of the extent of vertices below which they lie in a plane."""
_IDENTITY: Final = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@final
@attrs.frozen(eq=False)
class MeshHull:
    """Convex hull of some vertices of a mesh, as points and a radius; `vertices` is how many the whole hull has.

    It lies inside the hull of the chosen vertices, has its faces, and round edges: each of the `points`, in the frame
    of the mesh, is the nearest to a vertex of those that are below all faces by the `radius`. Small faces, where more
    than three meet at a corner, may come to lie deeper. Of a flat mesh the points are vertices, and the hull is beyond
    it by the radius. A vertex that was left out is up to `beyond` above a face (m).

    >>> from rbd.mjcf import MjcfReport, parse_mjcf
    >>> report = MjcfReport()
    >>> model = parse_mjcf('''<mujoco><asset><mesh name="tip" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
    ...   <geom type="mesh" mesh="tip" mass="0"/></worldbody></mujoco>''', report=report)
    >>> hull = report.mesh_hull(report.geoms[0])
    >>> hull.vertices, hull.beyond, hull.shape(model.root_frame)
    (4, 0.0, <convex hull: 4 points, radius 0.001>)
    """

    points: Vertices
    radius: float
    vertices: int
    beyond: float

    def shape(self, frame: Frame[Any]) -> ConvexHull[Any]:
        """Return the hull as a shape of a collision model."""
        from rbd.contact import ConvexHull

        return ConvexHull(frame, self.points, self.radius)


def mesh_hull(vertices: Vertices, max_points: int, rounding: float) -> MeshHull:
    """Return the hull of at most `max_points` vertices: of the farthest ones, each beyond the hull of those before.

    Solid meshes: the radius is `rounding`, at most a quarter of the depth. Flat meshes, and those whose radius would be
    below the least for their extent: both sides are rounded. The radius is raised to that least value, and to half the
    thickness of a flat mesh. Raises MeshFault for vertices on a line, for fewer than four, and for coordinates that are
    not finite.
    """
    from rbd.contact.geometry.convex_hulls import least_radius

    check_vertices(vertices)
    middle = vertices.mean(axis=0)
    sizes, axes = np.linalg.svd(vertices - middle, full_matrices=False)[1:]
    extent, least = float(np.ptp(vertices, axis=0).max()), _LEAST_RADIUS_FACTOR * least_radius(vertices)
    rounding = max(rounding, least)
    if sizes[-1] > _FLAT * extent * len(vertices) ** 0.5:
        hull = _solid_hull(vertices, max_points, rounding)
        if hull.radius >= least:
            return hull
    return _flat_hull(vertices - middle, middle, axes, max_points, rounding)


def _flat_hull(offsets: Vertices, middle: Vertices, axes: Vertices, max_points: int, radius: float) -> MeshHull:
    """Return the hull of the outline of vertices, by their offsets from the middle, in the plane of two axes."""
    flat = offsets @ axes[:2].T
    radius = max(radius, float(np.abs(offsets @ axes[2]).max()))
    outline = flat[_hull_planes(flat)[0]]
    chosen, beyond = _farthest(outline, max_points)
    return MeshHull(middle + chosen @ axes[:2], radius, len(outline), beyond)


def _solid_hull(vertices: Vertices, max_points: int, rounding: float) -> MeshHull:
    corners = vertices[_hull_planes(vertices)[0]]
    chosen, beyond = _farthest(corners, max_points)
    indices, planes = _hull_planes(chosen)
    points = chosen[indices]
    radius = min(rounding, -_MAX_RADIUS_SHARE * float(_heights(planes, points.mean(axis=0)[None]).max()))
    inside = [_inset(heights, planes, radius) for heights in _heights(planes, points)]
    return MeshHull(points + inside, radius, len(corners), beyond)


def _farthest(corners: Vertices, max_points: int) -> tuple[Vertices, float]:
    """Return some corners, and how far others are beyond a face of their hull."""
    if len(corners) <= max_points:
        return corners, 0.0
    chosen = _simplex(corners)
    while True:
        heights = _heights(_hull_planes(corners[chosen])[1], corners).max(axis=1)
        farthest = int(heights.argmax())
        if len(chosen) == max_points or heights[farthest] <= 0 or farthest in chosen:
            return corners[chosen], max(float(heights[farthest]), 0.0)
        chosen.append(farthest)


def _simplex(corners: Vertices) -> list[int]:
    """Return corners that span the space: the farthest from the middle, and from the point, line, plane so far."""
    chosen = [_longest(corners - corners.mean(axis=0))]
    offsets = corners - corners[chosen[0]]
    for _ in range(corners.shape[1]):
        farthest = _longest(offsets)
        along = offsets[farthest] / np.linalg.norm(offsets[farthest])
        offsets = offsets - np.outer(offsets @ along, along)
        chosen.append(farthest)
    return chosen


def _longest(vectors: Vertices) -> int:
    return int(np.linalg.norm(vectors, axis=1).argmax())


def _hull_planes(points: Vertices) -> tuple[NDArray[np.intp], Planes]:
    """Return the indices of the corners of the convex hull, and the planes of its faces."""
    hull = scipy_hull(points)
    if hull is None:
        raise MeshFault("the vertices of the mesh are on a line, or nearly so")
    return np.asarray(hull.vertices, dtype=np.intp), np.asarray(hull.equations, dtype=np.float64)


def _heights(planes: Planes, points: Vertices) -> NDArray[np.float64]:
    """Return the heights of points above faces, (points, faces)."""
    return np.asarray(points @ planes[:, :-1].T + planes[:, -1], dtype=np.float64)


def _inset(heights: NDArray[np.float64], planes: Planes, radius: float) -> NDArray[np.float64]:
    """Return the shortest shift by which a point at these heights above all faces comes a radius below them."""
    depths = heights / radius + 1
    shift, *_ = solve_quadratic_program(_IDENTITY, (0.0, 0.0, 0.0), (-planes[:, :3]).tolist(), depths.tolist())
    return radius * np.array(shift, dtype=np.float64)
