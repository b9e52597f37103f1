"""Ground of a viewer: lines of a grid that fade towards its edge, as a binary glTF file.

viser's own grid computes every pixel of the ground, which takes a processor longer than all bodies of a humanoid. The
time for lines is in proportion to their length on the screen: there are from five to eleven on each side of the middle.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rbd.scalars.arrays import Array

_COLOR: Final = (0.35, 0.35, 0.35, 1.0)
"""Linear, with opacity; in the middle."""
_FLOAT, _LINES = 5126, 1
"""Codes of glTF."""


def grid_spacing(size: float) -> float:
    """Return the distance of lines for a robot of a size, up to a third of it: 1, 2 or 5 times a power of ten.

    >>> [grid_spacing(size) for size in (0.3, 1.8, 3.0)]
    [0.1, 0.5, 1.0]
    """
    most = size / 3 * (1 + 1e-9)
    power: float = 10.0 ** math.floor(math.log10(most))
    return max(factor * power for factor in (1, 2, 5) if factor * power <= most)


def grid_lines(spacing: float, radius: float) -> tuple[Array, Array]:
    """Return the ends of lines (n, 3) in a disc around the origin, and their colours (n, 4), linear with opacities.

    A line has two parts, from the middle to the edge, where they vanish.
    """
    count = int(np.ceil(radius / spacing))
    x = spacing * np.arange(1 - count, count, dtype=np.float64)
    y, zero = np.sqrt(radius**2 - x**2), np.zeros_like(x)
    points = np.stack([np.stack([x, end, zero], axis=1) for end in (zero, y, zero, -y)], axis=1).reshape(-1, 3)
    colors = np.tile(_COLOR, (len(points), 1))
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
    """Return the views of arrays in a buffer, and the buffer."""
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
