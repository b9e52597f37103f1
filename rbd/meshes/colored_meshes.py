"""Coloured meshes from files with trimesh (extra `viz`): for pictures, and for formats that `mesh_files.py` lacks.

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
from rbd.extras import requires_extra
from rbd.meshes.mesh_files import MeshFault, Triangles, Vertices, check_mesh

MAX_TRIANGLES: Final = 2_000_000
"""Larger meshes are refused."""
_FORMATS: Final = frozenset({".stl", ".obj", ".ply", ".off", ".glb", ".dae"})
_DECLARATION: Final = re.compile(r"<!(?!--|\[CDATA\[)")
_ENCODING: Final = re.compile(r"""<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["']|us-ascii["'])""", re.IGNORECASE)

Color: TypeAlias = tuple[float, float, float, float]


class ColoredMesh(NamedTuple):
    """Vertices (n, 3), triangles (m, 3), which hold indices of vertices, and their colour if the file has one."""

    vertices: Vertices
    triangles: Triangles
    color: Color | None


def read_colored_meshes(data: bytes, suffix: str) -> list[ColoredMesh]:
    """Return the meshes of a file, one per colour, from its bytes and the suffix of its name.

    Raises MeshFault, with the reason, for what is no mesh, and MissingPackageError.
    """
    if suffix.lower() not in _FORMATS:
        raise MeshFault(f"formats of meshes are {', '.join(sorted(_FORMATS))}, not {suffix or 'none'}")
    kind = suffix.lower()[1:]
    if kind == "dae":
        _check_xml(data)
    try:
        meshes = _loaded(data, kind)
    except (MeshFault, MissingPackageError):
        raise
    except Exception as error:  # readers of damaged files raise errors of many kinds
        raise MeshFault(f"trimesh cannot read it: {error or type(error).__name__}") from error
    if not meshes:
        raise MeshFault("it has no triangles")
    return meshes


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


@requires_extra("such meshes")
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
            colored = _colored_mesh(mesh)
            by_color.setdefault(colored.color, []).append(colored)
    if sum(len(mesh.triangles) for meshes in by_color.values() for mesh in meshes) > MAX_TRIANGLES:
        raise MeshFault(f"it has more than {MAX_TRIANGLES} triangles")
    return [_joined(meshes) for meshes in by_color.values()]


def _colored_mesh(mesh: Any) -> ColoredMesh:
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
    red, green, blue, alpha = (float(channel) / 255 for channel in color)
    return red, green, blue, alpha


def _joined(meshes: list[ColoredMesh]) -> ColoredMesh:
    """Return several meshes of one colour as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    triangles = [mesh.triangles + start for mesh, start in zip(meshes, starts, strict=True)]
    return ColoredMesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles), meshes[0].color)
