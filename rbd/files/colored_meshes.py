"""Coloured meshes from files with trimesh (extra `viz`): for pictures, and for formats that `files/meshes.py` lacks.

The file is a stranger's. Its bytes are handed to trimesh without its name and without a resolver that opens anything,
so nothing it refers to (materials, textures, buffers) is opened; where a texture has the colour, the mesh has none.
COLLADA is XML: other encodings than UTF-8 and document type declarations are refused.
"""

# trimesh does not type all its arguments:
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import io
import re
import warnings
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from rbd.errors import MissingPackageError
from rbd.extras import names_extra
from rbd.files.meshes import Faces, MeshFault, Vertices, check_mesh

MESH_TRIANGLES: Final = 2_000_000
"""Larger meshes are refused."""
COLORED_FORMATS: Final = frozenset({"stl", "obj", "ply", "off", "glb", "dae"})
_DECLARATION: Final = re.compile(r"<!(?!--|\[CDATA\[)")
_ENCODING: Final = re.compile(r"""<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["']|us-ascii["'])""", re.IGNORECASE)

Color: TypeAlias = tuple[float, float, float, float]


class ColoredMesh(NamedTuple):
    """Vertices (n, 3), triangles (m, 3), which hold indices of vertices, and their colour if the file has one."""

    vertices: Vertices
    triangles: Faces
    color: Color | None


def read_colored_meshes(data: bytes, suffix: str) -> list[ColoredMesh]:
    """Return the meshes of a file, one per colour, from its bytes and the suffix of its name.

    Raises MeshFault, with the reason, for what is no mesh, and MissingPackageError.
    """
    kind = suffix.lower().removeprefix(".")
    if kind not in COLORED_FORMATS:
        raise MeshFault(f"formats of meshes are {', '.join(sorted(COLORED_FORMATS))}, not {suffix or 'none'}")
    if kind == "dae":
        _check_xml(data)
    try:
        parts = _loaded(data, kind)
    except (MeshFault, MissingPackageError):
        raise
    except Exception as error:  # readers of damaged files raise errors of many kinds
        raise MeshFault(f"trimesh cannot read it: {error or type(error).__name__}") from error
    if not parts:
        raise MeshFault("it has no triangles")
    return parts


def _check_xml(data: bytes) -> None:
    """Raise MeshFault unless the XML is UTF-8 without declarations."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise MeshFault("it is not UTF-8") from None
    if "\0" in text or _ENCODING.search(text):
        raise MeshFault("it is not UTF-8")
    if _DECLARATION.search(text):
        raise MeshFault("document type declarations are refused")


@final
class _Textures:
    """Textures of COLLADA files, for trimesh: one pixel each, which tells that there is one; no file is opened."""

    def get(self, name: str) -> bytes:
        """Return an image, whatever its name."""
        return b"P6 1 1 255 \x80\x80\x80"


@names_extra("such meshes")
def _loaded(data: bytes, kind: str) -> list[ColoredMesh]:
    import trimesh

    resolver: Any = None  # trimesh wants its own abstract class
    if kind == "dae":
        import_module("collada")  # with which trimesh reads them
        resolver = _Textures()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="collada")  # of NumPy 2.5, harmless
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, resolver=resolver, process=False)
    by_color: dict[Color | None, list[ColoredMesh]] = {}
    for mesh in scene.dump(concatenate=False):
        if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
            part = _part(mesh)
            by_color.setdefault(part.color, []).append(part)
    if sum(len(part.triangles) for parts in by_color.values() for part in parts) > MESH_TRIANGLES:
        raise MeshFault(f"it has more than {MESH_TRIANGLES} triangles")
    return [_joined(parts) for parts in by_color.values()]


def _part(mesh: Any) -> ColoredMesh:
    vertices: NDArray[np.float64] = np.array(mesh.vertices, dtype=np.float64).reshape(-1, 3)
    triangles: NDArray[np.intp] = np.array(mesh.faces, dtype=np.intp).reshape(-1, 3)
    check_mesh(vertices, triangles, min_count=3)
    return ColoredMesh(vertices, triangles, _color(mesh))


def _color(mesh: Any) -> Color | None:
    """Return the diffuse colour of a mesh, or None where the file has none or a texture has it."""
    kind = mesh.visual.kind
    if kind not in ("texture", "face", "vertex"):
        return None
    if kind == "texture" and getattr(mesh.visual.material, "baseColorTexture", None) is not None:
        return None
    color = mesh.visual.material.main_color if kind == "texture" else mesh.visual.main_color
    red, green, blue, alpha = (float(part) / 255 for part in color)
    return red, green, blue, alpha


def _joined(parts: list[ColoredMesh]) -> ColoredMesh:
    """Return several meshes of one colour as one."""
    starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    triangles = [part.triangles + start for part, start in zip(parts, starts, strict=True)]
    return ColoredMesh(np.concatenate([part.vertices for part in parts]), np.concatenate(triangles), parts[0].color)
