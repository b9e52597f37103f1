"""Reading the bytes of robot files and meshes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from rbd.errors import FileError
from rbd.files.formats import MJCF, URDF, Format
from rbd.files.source import read_bytes


@pytest.mark.parametrize("file_format", [URDF, MJCF], ids=lambda file_format: file_format.name)
def test_files_larger_than_their_status_says_are_refused(
    file_format: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.stl"
    path.write_bytes(b"0123456789")
    empty = os.stat_result((stat.S_IFREG, *(0,) * 9))
    monkeypatch.setattr(os, "fstat", lambda descriptor: empty)
    assert read_bytes(path, 10, file_format) == b"0123456789"
    with pytest.raises(FileError, match="at most 9 are read") as caught:
        read_bytes(path, 9, file_format)
    assert type(caught.value) is file_format.refused_error
