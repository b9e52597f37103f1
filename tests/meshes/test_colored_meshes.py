"""Coloured meshes: COLLADA files in other encodings, and the smallest meshes."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.meshes.colored_meshes import read_colored_meshes
from rbd.meshes.mesh_files import MeshFault
from tests.collada_files import box_document


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" + box_document(1, 2, 3),
        box_document(1, 2, 3).replace(b'id="node"', b'id="n\xe9"'),
        box_document(1, 2, 3).decode().encode("utf-16"),
        box_document(1, 2, 3).decode().encode("utf-16-le"),
        box_document(1, 2, 3).replace(b'encoding="utf-8"', b"encoding='iso-8859-1'"),
        box_document(1, 2, 3).replace(b'encoding="utf-8"', b'encoding = "UTF-7"'),
    ],
)
def test_collada_files_that_are_not_utf8_are_refused(data: bytes) -> None:
    with pytest.raises(MeshFault, match=r"^it is not UTF-8$"):
        read_colored_meshes(data, ".dae")


def test_a_mesh_of_three_vertices_is_one() -> None:
    pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    ((vertices, triangles, color),) = read_colored_meshes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ".obj")
    np.testing.assert_array_equal(vertices, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(triangles, [[0, 1, 2]])
    assert color is None
