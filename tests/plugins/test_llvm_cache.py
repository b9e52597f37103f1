"""Cache of LLVM's output between test runs: same module and processor, same code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rbd.native.runtime import jit
from rbd.native.runtime.jit import assemble
from tests.plugins import llvm_cache

MODULE = "define double @f(double %x) {{\n  %y = fadd double %x, {number}\n  ret double %y\n}}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(jit, "native_code", jit.native_code)
    monkeypatch.setattr(jit, "webassembly_code", jit.webassembly_code)
    llvm_cache.keep_in(tmp_path)
    return tmp_path


def test_the_second_call_returns_the_cached_code(folder: Path) -> None:
    first = assemble(MODULE.format(number="1.0"))
    (kept,) = folder.iterdir()
    assert kept.read_bytes() == first == assemble(MODULE.format(number="1.0"))
    kept.write_bytes(b"asked for")
    assert assemble(MODULE.format(number="1.0")) == b"asked for"


def test_other_modules_levels_and_targets_have_other_code(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = MODULE.format(number="1.0")
    for level in (0, 1):
        monkeypatch.setattr(jit, "OPTIMISATION_LEVEL", level)
        assemble(text)
        jit.assemble_webassembly(text)
    assemble(MODULE.format(number="2.0"))
    assert len(list(folder.iterdir())) == 5
    assert len({place.read_bytes() for place in folder.iterdir()}) >= 3


def test_old_entries_are_removed(folder: Path) -> None:
    assemble(MODULE.format(number="1.0"))
    (old,) = folder.iterdir()
    assemble(MODULE.format(number="2.0"))
    os.utime(old, (1000.0, 1000.0))
    llvm_cache.forget_old(folder)
    assert old not in folder.iterdir()
    assert len(list(folder.iterdir())) == 1
