"""Surfaces of mesh files."""

from __future__ import annotations

from typing import TypeAlias

from rbd.files.colored_meshes import Color, read_colored_meshes
from rbd.viz.surfaces import Surface

ColoredSurface: TypeAlias = tuple[Surface, Color | None]


def read_surfaces(data: bytes, suffix: str) -> list[ColoredSurface]:
    """Return the surfaces of a mesh, one per colour, from the bytes of a file and the suffix of its name.

    Raises MeshFault, with the reason, for what is no mesh that can be shown, and MissingPackageError.
    """
    return [(Surface(mesh.vertices, mesh.triangles), mesh.color) for mesh in read_colored_meshes(data, suffix)]
