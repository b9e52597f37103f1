"""Volume, centre and inertia of triangle meshes, in the four ways of the format.

`exact` counts signed tetrahedra, `legacy` their sizes, `convex` those of the convex hull, `shell` the triangles alone.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.files.pose import FloatMat3, FloatVec3, Pose, matrix_of_array
from rbd.meshes.convex_hulls import convex_hull
from rbd.meshes.mesh_files import MeshFault, Triangles, Vertices

InertiaMode: TypeAlias = Literal["legacy", "exact", "convex", "shell"]
_MIN_VOLUME = 1e-15
_ROUNDING = 1e-7
"""Products of inertia, relative to the sum of the moments, that vertices have which are single floats."""
_TOO_LARGE = "the mesh is too large: its inertia is beyond floats"


@final
@attrs.frozen(eq=False)
class MeshInertia:
    """Inertia of a mesh at density one: `moment` is about `center`, in the axes of the mesh.

    `low` and `high` are the corners of the box around it, in the frame of its `principal` axes.
    """

    volume: float
    center: FloatVec3
    moment: FloatMat3
    principal: Pose
    half_sizes: FloatVec3
    """Half lengths of the equivalent box: of the mass and principal moments of the mesh, along the principal axes."""
    low: FloatVec3
    high: FloatVec3


@np.errstate(over="ignore", invalid="ignore")
def mesh_inertia(vertices: Vertices, triangles: Triangles, mode: InertiaMode) -> MeshInertia:
    """Return a mesh's volume and inertia; raise MeshFault when there is none."""
    if mode == "convex" or not len(triangles):
        triangles = triangles_of_hull(vertices)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a) / 2  # their lengths are the areas
    areas = np.linalg.norm(normals, axis=1)
    middles = (a + b + c) / 3
    if not areas.sum() < np.inf:
        raise MeshFault(_TOO_LARGE)
    if areas.sum() < _MIN_VOLUME:
        raise MeshFault("the mesh has no surface")
    start = areas @ middles / areas.sum()
    volumes = _volumes(normals, areas, middles - start, mode)
    total = float(volumes.sum())
    if total < _MIN_VOLUME:
        reason = "negative: triangles face inwards" if total < 0 else "too small; inertia='shell' weighs the surface"
        raise MeshFault(f"the volume of the mesh is {reason}")
    center = volumes @ (middles * 3 / 4 + start / 4) / total
    return _inertia_about(vertices - center, triangles, center, mode)


def _volumes(
    normals: NDArray[np.float64], areas: NDArray[np.float64], middles: NDArray[np.float64], mode: InertiaMode
) -> NDArray[np.float64]:
    if mode == "shell":
        return areas
    volumes: NDArray[np.float64] = np.einsum("ij,ij->i", normals, middles) / 3
    return np.abs(volumes) if mode == "legacy" else volumes


def _inertia_about(
    vertices: Vertices, triangles: Triangles, center: NDArray[np.float64], mode: InertiaMode
) -> MeshInertia:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a) / 2
    # volumes again, of tetrahedra with their apex at the centre: those of the mode `legacy` depend on the apex
    volumes = _volumes(normals, np.linalg.norm(normals, axis=1), (a + b + c) / 3, mode)
    weights = volumes / (12 if mode == "shell" else 20)
    total = a + b + c
    second_moment = np.asarray(sum((x * weights[:, None]).T @ x for x in (a, b, c, total)))
    moment = np.trace(second_moment) * np.eye(3) - second_moment
    return _principal(float(volumes.sum()), center, moment, vertices)


def _principal(
    volume: float, center: NDArray[np.float64], moment: NDArray[np.float64], vertices: Vertices
) -> MeshInertia:
    if not np.isfinite(moment).all():
        raise MeshFault(_TOO_LARGE)
    moments, axes = _principal_axes(moment)
    if moments[2] <= 0:
        raise MeshFault("the mesh has no inertia")
    squares = 6 * (moments.sum() - 2 * moments) / volume
    sizes = np.sqrt(np.maximum(squares, 0)) / 2
    turned = vertices @ axes
    principal = Pose(matrix_of_array(axes), _vector3(center))
    low, high = turned.min(axis=0), turned.max(axis=0)
    return MeshInertia(
        volume, _vector3(center), matrix_of_array(moment), principal, _vector3(sizes), _vector3(low), _vector3(high)
    )


def _principal_axes(moment: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the principal moments, the largest first, and their axes as columns of a rotation matrix.

    Axes of the mesh that are principal axes up to rounding stay: of equal moments, rounding would choose any axes.
    """
    diagonal = np.diag(moment)
    if np.abs(moment - np.diag(diagonal)).max() <= _ROUNDING * diagonal.sum():
        order = np.argsort(-diagonal, kind="stable")
        moments, axes = diagonal[order], np.eye(3)[:, order]
    else:
        ascending, columns = np.linalg.eigh(moment)
        moments, axes = ascending[::-1], columns[:, ::-1]
    return moments, axes * np.sign(np.linalg.det(axes))


def triangles_of_hull(vertices: Vertices) -> Triangles:
    """Return the triangles of the convex hull; raise MeshFault for flat meshes."""
    triangles = convex_hull(vertices)
    if triangles is None:
        raise MeshFault("the mesh is flat: it has no convex hull")
    return triangles


def _vector3(values: NDArray[np.float64]) -> FloatVec3:
    x, y, z = (float(v) for v in values)
    return x, y, z
