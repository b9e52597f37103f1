"""Cache of LLVM's output between test runs: same module and processor, same code."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llvmlite import binding

from rbd.contact import solve_qp
from rbd.contact.model import narrow_phase
from rbd.contact.solver import quadratic_program
from rbd.native import repeat
from rbd.native.builtins import builtin, step_loop
from rbd.native.runtime.jit import assemble
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.native.runtime.thread_pool import ThreadPool
from tests import assembled

MODULE = "define double @f(double %x) {{\n  %y = fadd double %x, {number}\n  ret double %y\n}}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(binding.Target, "create_target_machine", binding.Target.create_target_machine)
    monkeypatch.setattr(binding.TargetMachine, "emit_object", binding.TargetMachine.emit_object)
    monkeypatch.setattr(binding, "parse_assembly", binding.parse_assembly)
    assembled.make_shared_code()  # before code is kept here
    assembled.keep_in(tmp_path)
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
    with assembled.unoptimised():
        quick = assemble(module)
        assert os.environ["RBD_CACHE_DIR"] != usual_folder
    usual = assemble(module)
    assert os.environ["RBD_CACHE_DIR"] == usual_folder
    assert {place.read_bytes() for place in folder.iterdir()} == {quick, usual}
    assert len(list(folder.iterdir())) == 2


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The levels of optimisation of the code that is made from now on; none comes from disk."""
    found, create = list[int](), binding.Target.create_target_machine

    def create_target_machine(self: binding.Target, **options: Any) -> binding.TargetMachine:
        found.append(options["opt"])
        return create(self, **options)

    monkeypatch.setenv("RBD_CACHE", "0")
    monkeypatch.setattr(binding.Target, "create_target_machine", create_target_machine)
    return found


def test_kept_functions_have_the_level_of_the_block(levels: list[int]) -> None:
    """A function that was made without optimisation is made again with it, and the other way round."""

    def new_levels() -> set[int]:
        levels.clear()
        solve_qp(np.eye(2), [1.0, 2.0], [[1.0, 1.0]], [4.0])
        return set(levels)

    for _ in range(2):  # the second time, functions of both levels were made before
        with assembled.unoptimised():
            assert (new_levels(), new_levels()) == ({0}, set())
        with assembled.optimised():
            assert (new_levels(), new_levels()) == ({1}, set())
            with assembled.unoptimised():
                assert new_levels() == {0}
            assert new_levels() == {1}


def test_the_caches_of_functions_are_found() -> None:
    found = {each.__qualname__ for each in assembled.caches_of_functions()}
    assert found >= {quadratic_program._program.__qualname__, narrow_phase._distance_function.__qualname__}
    assert "codegen_digest" not in found


@pytest.mark.parametrize("module", [repeat, builtin, step_loop], ids=lambda module: str(module.__name__))
def test_code_that_all_programs_share_is_optimised(
    module: Any, levels: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_code", once_under_compiler_lock(module._code.__wrapped__))
    with assembled.unoptimised():
        assert set(levels) == {1}
        levels.clear()
        module._code()
        assert not levels


def test_background_compilations_end_before_optimisation_is_switched(monkeypatch: pytest.MonkeyPatch) -> None:
    folders, mine = list[str](), ThreadPool("mine", 1)
    monkeypatch.setattr(assembled, "compiler_thread", mine)

    def compile_slowly() -> None:
        time.sleep(0.1)
        folders.append(os.environ["RBD_CACHE_DIR"])

    usual = os.environ["RBD_CACHE_DIR"]
    mine.submit(compile_slowly)
    with assembled.unoptimised():
        assert folders == [usual]
        mine.submit(compile_slowly)
        inside = os.environ["RBD_CACHE_DIR"]
    assert folders == [usual, inside]
    mine.end()


def test_old_entries_are_removed(folder: Path) -> None:
    object_code("1.0")
    (old,) = folder.iterdir()
    object_code("2.0")
    os.utime(old, (1000.0, 1000.0))
    assembled.forget_old(folder)
    assert old not in folder.iterdir()
    assert len(list(folder.iterdir())) == 1
