"""Ground of a viewer: lines of a grid that fade towards its edge, as a binary glTF file.

viser's own grid computes every pixel of the ground, which takes a processor longer than all bodies of a humanoid.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rbd.scalars.arrays import Array

_CELLS: Final = 5
"""Cells of a section in each direction."""
_THICK, _THIN = (0.35, 0.35, 0.35, 1.0), (0.5, 0.5, 0.5, 0.7)
_FLOAT, _LINES = 5126, 1
"""Codes of glTF."""


def grid_lines(section: float, sections: int) -> tuple[Array, Array]:
    """Return the ends of lines (n, 3) in a disc around the origin, with `sections` in its radius, and their colours.

    Colours (n, 4) are linear, with opacities. Thin lines are in a disc of half the radius: a processor that draws takes
    its time for every pixel of a line.
    """
    few = max(sections // 2, 1)
    number = np.arange(1 - _CELLS * few, _CELLS * few, dtype=np.float64)
    thick = _fading_lines(section * np.arange(1 - sections, sections, dtype=np.float64), section * sections, _THICK)
    thin = _fading_lines(section / _CELLS * number[number % _CELLS != 0], section * few, _THIN)
    return np.concatenate([thick[0], thin[0]]), np.concatenate([thick[1], thin[1]])


def _fading_lines(x: Array, radius: float, color: tuple[float, float, float, float]) -> tuple[Array, Array]:
    """Return lines at distances `x` from both axes: two parts each, from the middle to the edge, where they vanish."""
    y, zero = np.sqrt(radius**2 - x**2), np.zeros_like(x)
    points = np.stack([np.stack([x, end, zero], axis=1) for end in (zero, y, zero, -y)], axis=1).reshape(-1, 3)
    colors = np.tile(color, (len(points), 1))
    colors[:, 3] *= np.maximum(1 - np.linalg.norm(points, axis=1) / radius, 0.0)
    return np.concatenate([points, points[:, [1, 0, 2]]]), np.tile(colors, (2, 1))


def line_file(points: Array, colors: Array) -> bytes:
    """Return lines as a binary glTF 2.0 file; their material has no lights and is transparent."""
    arrays = [np.asarray(each, dtype="<f4") for each in (points, colors)]
    views, data = _views(arrays)
    primitive = {"attributes": {"POSITION": 0, "COLOR_0": 1}, "mode": _LINES, "material": 0}
    unlit = "KHR_materials_unlit"
    document: dict[str, Any] = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}], "extensionsUsed": [unlit],
        "materials": [{"alphaMode": "BLEND", "extensions": {unlit: {}}}],
        "accessors": [_accessor(k, array) for k, array in enumerate(arrays)],
        "bufferViews": views, "buffers": [{"byteLength": len(data)}],
    }  # fmt: skip
    text = json.dumps(document).encode()
    chunks = _chunk(b"JSON", text + b" " * (-len(text) % 4)) + _chunk(b"BIN\0", data)
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _views(arrays: list[NDArray[np.float32]]) -> tuple[list[dict[str, int]], bytes]:
    """Return where arrays are in a buffer, and the buffer."""
    starts = np.cumsum([0, *(array.nbytes for array in arrays)]).tolist()
    views = [
        {"buffer": 0, "byteOffset": at, "byteLength": array.nbytes} for at, array in zip(starts, arrays, strict=False)
    ]
    return views, b"".join(array.tobytes() for array in arrays)


def _accessor(view: int, array: NDArray[np.float32]) -> dict[str, Any]:
    low, high = array.min(axis=0).tolist(), array.max(axis=0).tolist()
    kind = f"VEC{array.shape[1]}"
    return {"bufferView": view, "componentType": _FLOAT, "count": len(array), "type": kind, "min": low, "max": high}


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("<I4s", len(data), kind) + data
