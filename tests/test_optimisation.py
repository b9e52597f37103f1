"""Levels of LLVM's optimisation: what runs without it and what does not."""

from __future__ import annotations

import ast
import os
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llvmlite import binding

from rbd.contact import solve_qp
from rbd.native import repeat
from rbd.native.builtins import builtin, step_loop
from rbd.native.runtime import jit
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.native.runtime.thread_pool import ThreadPool
from rbd.native.shared_functions import shared_rows, shared_sines
from tests import optimisation

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The levels of optimisation of the code that is made from now on; none comes from disk."""
    found, create = list[int](), binding.Target.create_target_machine

    def create_target_machine(self: binding.Target, **options: Any) -> binding.TargetMachine:
        found.append(options["opt"])
        return create(self, **options)

    monkeypatch.setenv("RBD_CACHE", "0")
    monkeypatch.setattr(binding.Target, "create_target_machine", create_target_machine)
    jit.code_generator.cache_clear()
    return found


def test_kept_functions_have_the_level_of_the_block(levels: list[int]) -> None:
    """A function that was made without optimisation is made again with it, and the other way round."""

    def new_levels() -> set[int]:
        levels.clear()
        solve_qp(np.eye(2), [1.0, 2.0], [[1.0, 1.0]], [4.0])
        return set(levels)

    for _ in range(2):  # the second time, functions of both levels were made before
        with optimisation.unoptimised():
            assert (new_levels(), new_levels()) == ({0}, set())
        with optimisation.optimised():
            assert (new_levels(), new_levels()) == ({1}, set())
            with optimisation.unoptimised():
                assert new_levels() == {0}
            assert new_levels() == {1}


def test_the_caches_of_functions_are_listed() -> None:
    """A function of rbd that caches what has machine code is listed; one of tests has a cache for each level."""
    listed = {f"{each.__module__}.{each.__qualname__}" for each in optimisation.CACHES_OF_FUNCTIONS}
    found = set[str]()
    for path in (*ROOT.glob("rbd/**/*.py"), *ROOT.glob("tests/**/*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        functions = (node for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.FunctionDef))
        found |= {f"{module}.{each.name}" for each in functions if is_cache_of_functions(each)}
    assert found == listed


def is_cache_of_functions(function: ast.FunctionDef) -> bool:
    decorators = " ".join(map(ast.unparse, function.decorator_list))
    is_cached = re.search(r"\b(lru_)?cache\b", decorators) is not None
    return is_cached and "RecordedFunction" in ast.unparse(function.returns or ast.Constant(None))


def test_cached_by_level_calls_once_for_each_level() -> None:
    levels = list[int]()

    @optimisation.cached_by_level
    def made(number: int) -> int:
        levels.append(optimisation._kept[0])
        return number

    for _ in range(2):
        with optimisation.unoptimised():
            assert (made(1), made(2), made(number=1)) == (1, 2, 1)
        with optimisation.optimised():
            assert made(1) == 1
    assert levels == [0, 0, 0, 1]


@pytest.mark.parametrize("module", [repeat, builtin, step_loop], ids=lambda module: str(module.__name__))
def test_code_that_all_programs_share_is_optimised(
    module: Any, levels: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_code", once_under_compiler_lock(module._code.__wrapped__))
    with optimisation.unoptimised():
        assert set(levels) == {1}
        levels.clear()
        module._code()
        assert not levels
        assert all(functions._library for functions in (shared_sines(), *map(shared_rows, (1, 2, 4, 8))))


def test_background_compilations_end_before_optimisation_is_switched(monkeypatch: pytest.MonkeyPatch) -> None:
    folders, mine = list[str](), ThreadPool("mine", 1)
    monkeypatch.setattr(optimisation, "compiler_thread", mine)

    def compile_slowly() -> None:
        time.sleep(0.1)
        folders.append(os.environ["RBD_CACHE_DIR"])

    usual = os.environ["RBD_CACHE_DIR"]
    mine.submit(compile_slowly)
    with optimisation.unoptimised():
        assert folders == [usual]
        mine.submit(compile_slowly)
        inside = os.environ["RBD_CACHE_DIR"]
    assert folders == [usual, inside]
    mine.end()
