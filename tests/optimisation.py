"""Levels of LLVM's optimisation: a test compiles with or without, whatever ran before in the process."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

from llvmlite import binding

from rbd import native
from rbd.engine import value_plans
from rbd.native import repeat
from rbd.native.builtins import builtin, step_loop, value_builtin
from rbd.native.runtime import abi, jit
from rbd.native.runtime.thread_pool import compiler_thread
from rbd.native.shared_functions import shared_rows, shared_sines
from rbd.simulation.native import compiled_steps


@contextmanager
def unoptimised() -> Iterator[None]:
    """Compile without LLVM's optimisation, which takes three quarters of its time, for tests of other things.

    The marker `optimised` is for tests of the bits of machine code: they run what users run.
    """
    make_shared_code()
    create, usual = binding.Target.create_target_machine, os.environ["RBD_CACHE_DIR"]

    def create_target_machine(self: Any, **options: Any) -> Any:
        return create(self, **(options | {"opt": 0}))

    finish_background_tasks()
    binding.Target.create_target_machine = create_target_machine
    os.environ["RBD_CACHE_DIR"] = str(Path(usual) / "unoptimised")  # no other test loads this code
    try:
        with _level(0):
            yield
    finally:
        finish_background_tasks()
        binding.Target.create_target_machine, os.environ["RBD_CACHE_DIR"] = create, usual


@contextmanager
def optimised() -> Iterator[None]:
    """Compile as users do, and use no code that was made without optimisation."""
    with _level(1):
        yield


_levels = list[int]()
"""Levels of optimisation of the blocks that are entered."""
_kept = [1]
"""The level of the functions that caches keep."""


@contextmanager
def _level(level: int) -> Iterator[None]:
    """Keep functions of this level in caches, and afterwards those of the block around this one."""
    _levels.append(level)
    _keep_only(level)
    try:
        yield
    finally:
        _levels.pop()
        if _levels:
            _keep_only(_levels[-1])


def _keep_only(level: int) -> None:
    """Forget the code generator and the compiled functions that caches keep if they have another level."""
    if _kept != [level]:
        _kept[:] = [level]
        jit.code_generator.cache_clear()
        compiled_steps._cache.clear()
        for each in caches_of_functions():
            each.cache_clear()


def caches_of_functions() -> list[Any]:
    """Return the caches, of rbd and of tests, whose values are functions with machine code."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] in ("rbd", "tests")]
    functions = [x for module in modules for x in list(vars(module).values()) if hasattr(x, "__wrapped__")]
    cached = [y for x in functions for y in (x, x.__wrapped__) if isinstance(y, _lru_cache_wrapper)]
    return [each for each in cached if "RecordedFunction" in str(each.__annotations__.get("return", ""))]


def make_shared_code() -> None:
    """Make the code that all programs of a process share, with optimisation; if there is some, do nothing."""
    if native.available():
        repeat._code()
        for functions in (shared_sines(), *map(shared_rows, (1, 2, 4, 8))):
            _ = functions.addresses
        if abi.is_supported():
            for make in (builtin._code, step_loop._code, value_builtin._code, value_plans._arithmetic):
                make()


def finish_background_tasks() -> None:
    """Wait until the background thread, if there is one, has run all its tasks: it compiles with what is set now."""
    if compiler_thread.has_threads:
        done = threading.Event()
        compiler_thread.submit(done.set)
        assert done.wait(120)
