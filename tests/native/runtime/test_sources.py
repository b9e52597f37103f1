"""Digests of source files: every byte and every name counts, whether or not they are found in the disk cache."""

from __future__ import annotations

import math
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rbd.native.runtime import sources
from tests.native.runtime.test_cache import posix

keeps_digests = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no time of change")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sources, "IMPORT_TIME", math.inf)
    (tmp_path / "package" / "inner").mkdir(parents=True)
    for name in ("a.py", "b.py", "inner/a.py"):
        (tmp_path / "package" / name).write_text(f"x = '{name}'\n")
    return tmp_path / "package"


def digest(folder: Path) -> str | None:
    sources.sources_digest.cache_clear()
    return sources.sources_digest(folder)


def edited(folder: Path) -> None:
    text = (folder / "inner/a.py").read_text()
    (folder / "inner/a.py").write_text(text.replace("'", '"'))


def edited_behind_the_clock(folder: Path) -> None:
    before = (folder / "a.py").stat()
    (folder / "a.py").write_text("y = 'a.py'\n")
    os.utime(folder / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def moved_line(folder: Path) -> None:
    (folder / "a.py").write_text("")
    (folder / "b.py").write_text("x = 'a.py'\nx = 'b.py'\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "an edit of the same length": edited,
    "an edit that leaves size and time": edited_behind_the_clock,
    "a new file": lambda folder: (folder / "c.py").write_text(""),
    "a file less": lambda folder: (folder / "b.py").unlink(),
    "another name": lambda folder: (folder / "b.py").rename(folder / "c.py"),
    "another folder": lambda folder: (folder / "inner").rename(folder / "outer"),
    "contents exchanged": lambda folder: (folder / "a.py").write_text((folder / "b.py").read_text()),
    "a line in another file": moved_line,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_every_change_of_a_source_counts(folder: Path, change: Callable[[Path], object]) -> None:
    before = digest(folder)
    assert before is not None
    change(folder)
    assert digest(folder) not in (before, None)


def test_only_sources_count(folder: Path) -> None:
    before = digest(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.py").write_text("")
    (folder / "data.json").write_text("")
    assert digest(folder) == before
    copy = shutil.copytree(folder, folder.parent / "elsewhere")
    assert digest(copy) == before


@posix
def test_sources_changed_after_the_start_have_no_digest(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "IMPORT_TIME", (folder / "a.py").stat().st_ctime - 1)
    assert digest(folder) is None


@pytest.mark.parametrize("what", ["empty", "missing"])
def test_no_sources_have_no_digest(folder: Path, what: str) -> None:
    if what == "empty":
        (folder / "empty").mkdir()
    assert digest(folder / what) is None


# -- digests on disk --------------------------------------------------------------------------------------------------


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files count as settled, after the resolution of the clock."""
    monkeypatch.setattr(sources, "_SETTLED", -math.inf)
    time.sleep(0.02)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that have been read."""
    paths, content = list[str](), sources._unchanged

    def noted(path: str) -> bytes | None:
        paths.append(path)
        return content(path)

    monkeypatch.setattr(sources, "_unchanged", noted)
    return paths


@keeps_digests
@pytest.mark.usefixtures("cache_directory", "settled")
def test_files_are_read_once(folder: Path, read: list[str]) -> None:
    before = digest(folder)
    assert len(read) == 3
    assert digest(folder) == before
    assert len(read) == 3


@keeps_digests
@pytest.mark.usefixtures("cache_directory", "settled")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_every_change_leads_to_another_digest_on_disk(
    folder: Path, read: list[str], change: Callable[[Path], object]
) -> None:
    before = digest(folder)
    change(folder)
    read.clear()
    assert digest(folder) not in (before, None)
    assert read


@keeps_digests
@pytest.mark.usefixtures("cache_directory", "settled")
def test_sources_changed_after_the_start_are_not_found_on_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert digest(folder) is not None
    monkeypatch.setattr(sources, "IMPORT_TIME", (folder / "a.py").stat().st_ctime - 1)
    assert digest(folder) is None


@keeps_digests
@pytest.mark.usefixtures("cache_directory", "settled")
def test_digests_on_read_only_file_systems_are_not_kept(
    folder: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = os.statvfs(folder)
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result((*found[:8], found.f_flag | os.ST_RDONLY, 255)))
    assert digest(folder) == digest(folder)
    assert len(read) == 6


@pytest.mark.usefixtures("cache_directory")
def test_digests_of_files_that_have_just_changed_are_not_kept(folder: Path, read: list[str]) -> None:
    (folder / "a.py").write_text("z = 'a.py'\n")
    assert digest(folder) == digest(folder)
    assert len(read) == 6
