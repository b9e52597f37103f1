"""Outlines on disk: what is kept comes back, what is damaged does not, and sources count by every byte and name."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rbd.errors import RecordingError
from rbd.native.compiled_program import CompiledProgram, compile_program
from rbd.native.runtime import cache, outline_cache
from rbd.program.graph import Graph
from rbd.program.outline import Outline, Source
from rbd.program.program import Port, Program
from tests.native.runtime.test_cache import DAMAGES, entry_of, posix

KEY = "some robot|some algorithm"
OUTLINE = Outline(
    "f", (Port("q", (7,)), Port("dt", ())), (Port("M", (7, 7)), Port("é", (0, 3))), ("label ü",), "ab" * 32
)


def test_what_is_kept_comes_back() -> None:
    assert outline_cache.load(KEY) is None
    outline_cache.store(KEY, OUTLINE)
    assert outline_cache.load(KEY) == OUTLINE
    assert outline_cache.load(KEY + " ") is None


def test_an_outline_is_not_taken_for_machine_code() -> None:
    outline_cache.store(KEY, OUTLINE)
    assert cache.load(KEY) is None


@posix
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_and_foreign_outlines_are_ignored_and_rebuilt(
    cache_directory: Path, damage: Callable[[Path], None]
) -> None:
    outline_cache.store(KEY, OUTLINE)
    damage(entry_of(cache_directory, outline_cache.entry(KEY)))
    assert outline_cache.load(KEY) is None
    outline_cache.store(KEY, OUTLINE)
    assert outline_cache.load(KEY) == OUTLINE


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"3",
        b"[]",
        b'["f", [], [], []]',
        b'["f", 3, [], [], "d"]',
        b'["f", [["q"]], [], [], "d"]',
    ]
    + [b'["f", [["q", ["x"]]], [], [], "d"]', b'{"name": "f"}'],
)
def test_what_is_no_outline_is_not_there(content: bytes) -> None:
    cache.store(outline_cache.entry(KEY), content)
    assert outline_cache.load(KEY) is None


# -- compiled programs of outlines ------------------------------------------------------------------------------------


def squares(factor: float = 1.0) -> Program:
    graph = Graph()
    (x, y) = graph.input("x", (2,))
    return Program.of(graph, "squares", {"sum": factor * x * x + y * y})


def unwanted() -> Program:
    raise AssertionError("recorded without need")


def test_machine_code_is_found_without_the_program() -> None:
    program = squares()
    compile_program(program, lanes=4).compile_single()
    found = CompiledProgram(Source(Outline.of(program), unwanted), 4)
    assert found.compile_single().address("single")
    with pytest.raises(AssertionError):
        found.compile_batch()


def test_the_program_is_made_when_machine_code_is_missing() -> None:
    made = list[Program]()

    def record() -> Program:
        made.append(squares())
        return made[-1]

    source = Source(Outline.of(squares()), record)
    compiled = CompiledProgram(source, 4)
    assert not source.is_recorded
    assert compiled.compile_single().address("single")
    assert compiled.compile_batch().address("batch")
    assert len(made) == 1
    assert source.is_recorded
    assert source.program is made[0]


def test_another_program_than_the_outlined_is_refused() -> None:
    source = Source(Outline.of(squares()), lambda: squares(2.0))
    with pytest.raises(RecordingError, match="squares"):
        source.program  # noqa: B018 - this records


# -- sources ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(outline_cache, "LOADED", math.inf)
    (tmp_path / "package" / "inner").mkdir(parents=True)
    for name in ("a.py", "b.py", "inner/a.py"):
        (tmp_path / "package" / name).write_text(f"x = '{name}'\n")
    return tmp_path / "package"


def digest(folder: Path) -> str | None:
    outline_cache.sources_digest.cache_clear()
    return outline_cache.sources_digest(folder)


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
    monkeypatch.setattr(outline_cache, "LOADED", (folder / "a.py").stat().st_ctime - 1)
    assert digest(folder) is None


@pytest.mark.parametrize("what", ["empty", "missing"])
def test_no_sources_have_no_digest(folder: Path, what: str) -> None:
    if what == "empty":
        (folder / "empty").mkdir()
    assert digest(folder / what) is None


def test_the_platform_is_named() -> None:
    assert sys.version in outline_cache.platform_key()
    assert np.__version__ in outline_cache.platform_key()
