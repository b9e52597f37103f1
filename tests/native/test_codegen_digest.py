"""What machine code on disk is kept under: every source that makes it."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from rbd.native import compiled_program
from tests import architecture as house

WITHOUT_CODE = {"errors", "arguments", "progress"}
"""Messages and checks: nothing of them is in machine code."""


@pytest.mark.parametrize("package", compiled_program.PACKAGES)
def test_what_the_engine_imports_is_part_of_it(package: str) -> None:
    paths = [path for path in house.modules() if house.layer_of(path) == package]
    names = [name for path in paths for _, name in house.imports(ast.parse(path.read_text(encoding="utf-8")))]
    imported = {name.split(".")[1] for name in names if name.startswith("rbd.")}
    assert imported <= {*compiled_program.PACKAGES, *WITHOUT_CODE}


@pytest.mark.parametrize(
    "source", ["native/codegen/calls.py", "intrinsics/intrinsic.py", "program/lowering.py", "scalars/sincos.py"]
)
def test_every_source_counts(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in compiled_program.PACKAGES:
        shutil.copytree(house.PACKAGE / package, tmp_path / package)
    monkeypatch.setattr(compiled_program, "__file__", str(tmp_path / "native" / "compiled_program.py"))
    try:
        compiled_program.codegen_digest.cache_clear()
        original = compiled_program.codegen_digest()
        (tmp_path / source).write_text("# another", encoding="utf-8")
        compiled_program.codegen_digest.cache_clear()
        assert compiled_program.codegen_digest() != original
    finally:
        compiled_program.codegen_digest.cache_clear()
