"""What machine code on disk is kept under: every source that makes it."""

from __future__ import annotations

import ast
import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import rbd
from rbd.native import cached_code
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime import sources
from rbd.program.graph import Graph
from rbd.program.program import Program
from tests import architecture as rules

WITHOUT_CODE = {"errors", "arguments", "progress", "lazy_property"}
"""Messages, checks and caches of attributes: nothing of them is in machine code."""


@pytest.mark.parametrize("package", cached_code.PACKAGES)
def test_what_the_engine_imports_is_part_of_it(package: str) -> None:
    paths = [path for path in rules.modules() if rules.layer_of(path) == package]
    names = [name for path in paths for _, name in rules.imports(ast.parse(path.read_text(encoding="utf-8")))]
    imported = {name.split(".")[1] for name in names if name.startswith("rbd.")}
    assert imported <= {*cached_code.PACKAGES, *WITHOUT_CODE}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the sources, and nothing remembered."""
    for package in cached_code.PACKAGES:
        shutil.copytree(rules.PACKAGE / package, tmp_path / package)
    monkeypatch.setattr(cached_code, "__file__", str(tmp_path / "native" / "cached_code.py"))
    yield tmp_path
    _forget()


def _forget() -> None:
    cached_code.codegen_digest.cache_clear()
    sources.sources_digest.cache_clear()


@pytest.mark.parametrize(
    "source", ["native/codegen/calls.py", "intrinsics/intrinsic.py", "program/lowering.py", "scalars/sincos.py"]
)
def test_every_source_counts(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "IMPORT_TIME", math.inf)
    digests = set[str | None]()
    for content in ("# one", "# another"):
        (folder / source).write_text(content, encoding="utf-8")
        _forget()
        digests.add(cached_code.codegen_digest())
    assert len(digests - {None}) == 2


def test_code_of_changed_sources_is_not_cached(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process runs the sources as they were: under a key of the new ones its code would be found by others."""
    (folder / "native" / "codegen" / "calls.py").write_text("# upgraded", encoding="utf-8")
    _forget()
    monkeypatch.setenv("RBD_CACHE_DIR", str(folder / "cache"))
    graph = Graph()
    program = Program.of(graph, "double", {"y": 2 * graph.input("x")})
    assert CompiledProgram(program, 1).compile_single().address("single")
    assert cached_code.code_key("single") is None
    assert not (folder / "cache").exists()


@pytest.mark.parametrize("what", ["frozen", "byte-compiled"])
def test_code_of_an_installation_without_sources_is_cached(folder: Path, what: str) -> None:
    for package in cached_code.PACKAGES:
        shutil.rmtree(folder / package)
        if what == "byte-compiled":
            (folder / package / "inner").mkdir(parents=True)
            (folder / package / "inner" / "module.pyc").touch()
    _forget()
    assert cached_code.codegen_digest() == f"{cached_code.CODEGEN_VERSION}-{rbd.__version__}"
    (folder / "native").mkdir(exist_ok=True)
    (folder / "native" / "added.py").touch()
    _forget()
    assert cached_code.codegen_digest() is None
