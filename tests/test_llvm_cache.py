"""Cache of LLVM's output between test runs: same module and processor, same code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from llvmlite import binding

from rbd.native.runtime.jit import assemble
from tests import llvm_cache, optimisation

MODULE = "define double @f(double %x) {{\n  %y = fadd double %x, {number}\n  ret double %y\n}}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(binding.Target, "create_target_machine", binding.Target.create_target_machine)
    monkeypatch.setattr(binding.TargetMachine, "emit_object", binding.TargetMachine.emit_object)
    monkeypatch.setattr(binding, "parse_assembly", binding.parse_assembly)
    optimisation.make_shared_code()  # before code is kept here
    llvm_cache.keep_in(tmp_path)
    return tmp_path


def object_code(number: str, **options: object) -> bytes:
    target = binding.Target.from_default_triple().create_target_machine(**options)
    return bytes(target.emit_object(binding.parse_assembly(MODULE.format(number=number))))


def test_the_second_call_returns_the_cached_code(folder: Path) -> None:
    first = assemble(MODULE.format(number="1.0"))
    (kept,) = folder.iterdir()
    assert kept.read_bytes() == first == assemble(MODULE.format(number="1.0"))
    kept.write_bytes(b"asked for")
    assert assemble(MODULE.format(number="1.0")) == b"asked for"


def test_other_modules_have_other_code(folder: Path) -> None:
    answers = {object_code("1.0"), object_code("2.0"), object_code("1.0", opt=0), object_code("1.0", reloc="static")}
    assert len(list(folder.iterdir())) == 4
    assert len(answers) >= 2


def test_code_without_optimisation_stays_apart(folder: Path) -> None:
    module, usual_folder = MODULE.format(number="3.0"), os.environ["RBD_CACHE_DIR"]
    with optimisation.unoptimised():
        quick = assemble(module)
        assert os.environ["RBD_CACHE_DIR"] != usual_folder
    usual = assemble(module)
    assert os.environ["RBD_CACHE_DIR"] == usual_folder
    assert {place.read_bytes() for place in folder.iterdir()} == {quick, usual}
    assert len(list(folder.iterdir())) == 2


def test_old_entries_are_removed(folder: Path) -> None:
    object_code("1.0")
    (old,) = folder.iterdir()
    object_code("2.0")
    os.utime(old, (1000.0, 1000.0))
    llvm_cache.forget_old(folder)
    assert old not in folder.iterdir()
    assert len(list(folder.iterdir())) == 1
