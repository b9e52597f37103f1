"""The grid of a viewer's ground: its lines, and the file that holds them."""

from __future__ import annotations

import io
import json
import struct

import numpy as np
import pytest

from rbd.viz.ground import grid_lines, grid_spacing, line_file


@pytest.mark.parametrize("size", [0.003, 0.3, 0.6, 1.499, 1.5, 1.8, 2.9, 3.0, 40.0, 1e4])
def test_lines_vanish_at_the_edge_of_a_disc(size: float) -> None:
    spacing, radius = grid_spacing(size), 1.5 * size
    points, colors = grid_lines(spacing, radius)
    ends, radii = points.reshape(-1, 2, 3), np.linalg.norm(points, axis=1)
    number = len(ends) // 4  # two directions, two parts
    assert len(ends) == 4 * number
    assert 9 <= number <= 23
    assert number % 2 == 1  # one through the middle
    assert spacing * number > 2 * radius - 2 * spacing
    assert colors.min() >= 0
    is_edge = colors[:, 3] < 1e-12
    assert is_edge.reshape(-1, 2).sum(axis=1).tolist() == [1] * len(ends)
    np.testing.assert_allclose(radii[is_edge], radius, rtol=1e-12)
    assert (np.diff(ends, axis=1)[:, 0] != 0).sum() == len(ends)  # along one axis
    fixed = np.where(np.diff(ends, axis=1)[:, 0, :1] != 0, ends[:, 0, 1:2], ends[:, 0, :1]) / spacing
    np.testing.assert_allclose(fixed, np.round(fixed), rtol=0, atol=1e-9)
    assert len(np.unique(np.round(ends / size, 9), axis=0)) == len(ends)


def test_a_line_file_is_read_back_by_trimesh() -> None:
    trimesh = pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    points, colors = grid_lines(0.5, 2.0)
    scene = trimesh.load_scene(io.BytesIO(line_file(points, colors)), file_type="glb")
    (path,) = scene.geometry.values()
    read = path.vertices[np.concatenate([entity.points for entity in path.entities])]
    np.testing.assert_allclose(read, points, rtol=0, atol=1e-6)


def test_a_line_file_has_the_length_and_the_colours_it_says() -> None:
    points, colors = grid_lines(0.5, 1.0)
    data = line_file(points, colors)
    magic, version, length = struct.unpack_from("<4sII", data)
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
    document = json.loads(data[20 : 20 + size])
    view = document["bufferViews"][document["accessors"][1]["bufferView"]]
    stored = np.frombuffer(data, "<f4", offset=20 + size + 8 + view["byteOffset"], count=view["byteLength"] // 4)
    np.testing.assert_allclose(stored.reshape(-1, 4), colors, rtol=0, atol=1e-6)
