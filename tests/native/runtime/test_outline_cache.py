"""Outlines on disk: what is kept comes back, what is damaged does not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rbd.errors import RecordingError
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime import cache, outline_cache
from rbd.program.graph import Graph
from rbd.program.lazy_program import LazyProgram
from rbd.program.outline import Outline
from rbd.program.ports import Port
from rbd.program.program import Program
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
    damage(entry_of(cache_directory, outline_cache.entry_key(KEY)))
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
    cache.store(outline_cache.entry_key(KEY), content)
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
    CompiledProgram(program, lanes=4).compile_single()
    found = CompiledProgram(LazyProgram(Outline.of(program), unwanted), 4)
    assert found.compile_single().address("single")
    with pytest.raises(AssertionError):
        found.compile_batch()


def test_the_program_is_made_when_machine_code_is_missing() -> None:
    made = list[Program]()

    def record() -> Program:
        made.append(squares())
        return made[-1]

    lazy_program = LazyProgram(Outline.of(squares()), record)
    compiled = CompiledProgram(lazy_program, 4)
    assert not lazy_program.is_recorded
    assert compiled.compile_single().address("single")
    assert compiled.compile_batch().address("batch")
    assert len(made) == 1
    assert lazy_program.is_recorded
    assert lazy_program.program is made[0]


def test_another_program_than_the_outlined_is_refused() -> None:
    lazy_program = LazyProgram(Outline.of(squares()), lambda: squares(2.0))
    with pytest.raises(RecordingError, match="squares"):
        lazy_program.program  # noqa: B018 - this records


def test_the_platform_is_named() -> None:
    assert sys.version in outline_cache.platform_key()
    assert np.__version__ in outline_cache.platform_key()
