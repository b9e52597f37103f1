"""Mesh files of URDF shapes: their bytes, and the convex hulls of their vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rbd.errors import UrdfValueError, quoted
from rbd.files.formats import URDF
from rbd.files.source import read_bytes
from rbd.meshes.colored_meshes import read_colored_meshes
from rbd.meshes.mesh_files import MESH_BYTES, MESH_FORMATS, MeshFault, Vertices, read_vertices, single_precision
from rbd.meshes.rounded_hulls import MeshHull, mesh_hull

if TYPE_CHECKING:
    from rbd.urdf.report import Geometry, UrdfReport


def read_mesh_file(report: UrdfReport, mesh: Geometry | str) -> tuple[bytes, str]:
    """Return the bytes of the file that a shape or a reference names, and the suffix of its name."""
    path = report.resolve_mesh(mesh)
    return read_bytes(path, MESH_BYTES, URDF), path.suffix


def hull_of_mesh(report: UrdfReport, mesh: Geometry, max_points: int, rounding: float) -> MeshHull:
    """Return the convex hull of a mesh, of `max_points` vertices at most, in its own frame."""
    data, suffix = read_mesh_file(report, mesh)
    try:
        return mesh_hull(_vertices(data, suffix) * np.array(mesh.size), max_points, rounding)
    except MeshFault as error:
        message = f"mesh {quoted(mesh.mesh or '')}: {error}"
        raise UrdfValueError(message, file=report.file, line=mesh.line, element=f"link '{mesh.link}'") from None


def _vertices(data: bytes, suffix: str) -> Vertices:
    """Return the vertices of a mesh, by trimesh for the formats that rbd does not read itself."""
    if suffix.lower() in MESH_FORMATS:
        return read_vertices(data, suffix)
    return single_precision(np.concatenate([mesh.vertices for mesh in read_colored_meshes(data, suffix)]))
