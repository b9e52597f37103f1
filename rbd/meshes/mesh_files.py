"""Vertices and triangles from mesh files: STL, OBJ and MSH.

Coordinates are rounded to single precision, whatever the format, as models are weighed by MuJoCo.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rbd.files.numbers import NumberFault, number_of

Vertices: TypeAlias = NDArray[np.float64]
Triangles: TypeAlias = NDArray[np.intp]

MESH_BYTES: Final = 100_000_000
"""Larger files are refused, unless the limits of the reader say otherwise."""
_STL_HEADER: Final = 84
_STL_TRIANGLE: Final = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_CORNER: Final = re.compile(rb"(-?[0-9]{1,18})(?:/(?:-?[0-9]+)?){0,2}")


class TriangleMesh(NamedTuple):
    """Vertices (n, 3), and triangles (m, 3), which hold indices of vertices."""

    vertices: Vertices
    triangles: Triangles


class MeshFault(Exception):
    """Why the bytes are no mesh."""


def read_mesh(data: bytes, suffix: str) -> TriangleMesh:
    """Return the mesh of a file; raise MeshFault for what is none.

    A mesh without triangles has none: its convex hull is meant.
    """
    reader = _READERS.get(suffix.lower())
    if reader is None:
        raise MeshFault(f"the formats of meshes are STL, OBJ and MSH, not {suffix or 'a file without a suffix'}")
    mesh = reader(data)
    check_mesh(mesh.vertices, mesh.triangles)
    return mesh


def read_vertices(data: bytes, suffix: str) -> Vertices:
    """Return the vertices (n, 3) of a mesh, whatever faces an OBJ file has; raise MeshFault for what is none."""
    if suffix.lower() != ".obj":
        return read_mesh(data, suffix).vertices
    rows = [line.split()[1:4] for line in data.splitlines() if line.split()[:1] == [b"v"]]
    vertices = single_precision(_table(rows, 3))
    check_vertices(vertices)
    return vertices


def check_mesh(vertices: Vertices, triangles: Triangles, min_count: int = 4) -> None:
    """Raise MeshFault unless there are four finite vertices, or `min_count`, and the triangles use no others."""
    check_vertices(vertices, min_count)
    if triangles.size and (triangles.min() < 0 or triangles.max() >= len(vertices)):
        raise MeshFault("a triangle has a corner that is no vertex")


def check_vertices(vertices: Vertices, min_count: int = 4) -> None:
    """Raise MeshFault unless there are four finite vertices, or `min_count`."""
    if len(vertices) < min_count:
        raise MeshFault(f"a mesh has at least {min_count} vertices, not {len(vertices)}")
    if not np.isfinite(vertices).all():
        raise MeshFault("a coordinate is not finite")


def single_precision(coordinates: NDArray[np.float64]) -> Vertices:
    """Return coordinates rounded to single precision."""
    with np.errstate(over="ignore"):  # infinite ones are refused by `check_mesh`
        return coordinates.astype(np.float32).astype(np.float64)


def _stl(data: bytes) -> TriangleMesh:
    count = int.from_bytes(data[80:_STL_HEADER], "little")
    if len(data) == _STL_HEADER + count * _STL_TRIANGLE.itemsize:
        corners = np.frombuffer(data, _STL_TRIANGLE, count, _STL_HEADER)["corners"]
        return _separate_triangles(corners.reshape(-1, 3).astype(np.float64))
    if data[:6].strip() == b"solid":
        return _stl_text(data)
    raise MeshFault(f"no STL file: {len(data)} bytes, {count} triangles need others")


def _stl_text(data: bytes) -> TriangleMesh:
    lines = [line.split()[1:] for line in data.splitlines() if line.split()[:1] == [b"vertex"]]
    corners = _table(lines, 3)
    if len(corners) % 3:
        raise MeshFault("no STL file: the last triangle has no three corners")
    return _separate_triangles(single_precision(corners))


def _separate_triangles(corners: Vertices) -> TriangleMesh:
    return TriangleMesh(corners, np.arange(len(corners), dtype=np.intp).reshape(-1, 3))


def _obj(data: bytes) -> TriangleMesh:
    coordinates: list[list[bytes]] = []
    triangles: list[tuple[int, int, int]] = []
    first_shape_ended = False
    for line in data.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            coordinates.append(words[1:4])
        elif words[0] in (b"o", b"g") and triangles:
            first_shape_ended = True
        elif words[0] == b"f" and not first_shape_ended:  # the first shape of a file is the mesh
            triangles += _fan([_corner(word, len(coordinates)) for word in words[1:]])
    return TriangleMesh(single_precision(_table(coordinates, 3)), np.array(triangles, dtype=np.intp).reshape(-1, 3))


def _corner(word: bytes, count: int) -> int:
    match = _CORNER.fullmatch(word)
    number = 0 if match is None else int(match.group(1))
    if match is None or number == 0:
        raise MeshFault(f"no OBJ file: {word[:20]!r} is no corner")
    return number - 1 if number > 0 else count + number


def _fan(corners: list[int]) -> list[tuple[int, int, int]]:
    if not 3 <= len(corners) <= 4:
        raise MeshFault(f"only triangles and quadrangles are read, not faces of {len(corners)} corners")
    return [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]


def _table(rows: list[list[bytes]], width: int) -> NDArray[np.float64]:
    if any(len(row) != width for row in rows):
        raise MeshFault(f"a vertex without {width} coordinates")
    try:
        table = np.array([[number_of(word.decode("ascii")) for word in row] for row in rows], dtype=np.float64)
    except (NumberFault, UnicodeDecodeError) as error:
        reason = error if isinstance(error, NumberFault) else "it is no ASCII text"
        raise MeshFault(f"a coordinate is no number: {reason}") from None
    return table.reshape(-1, width)


def _msh(data: bytes) -> TriangleMesh:
    if len(data) < 16:
        raise MeshFault("no MSH file: it has no header")
    vertices, normals, textures, triangles = (int(n) for n in np.frombuffer(data, "<i4", 4))
    floats = 3 * vertices + 3 * normals + 2 * textures
    if min(vertices, normals, textures, triangles) < 0 or len(data) != 16 + 4 * (floats + 3 * triangles):
        raise MeshFault(f"no MSH file: {len(data)} bytes do not fit its header")
    coordinates = np.frombuffer(data, "<f4", 3 * vertices, 16).astype(np.float64).reshape(-1, 3)
    corners = np.frombuffer(data, "<i4", 3 * triangles, 16 + 4 * floats).astype(np.intp).reshape(-1, 3)
    return TriangleMesh(coordinates, corners)


_READERS: Final[dict[str, Callable[[bytes], TriangleMesh]]] = {".stl": _stl, ".obj": _obj, ".msh": _msh}
MESH_FORMATS: Final = frozenset(_READERS)
"""Suffixes of the files that are read."""
