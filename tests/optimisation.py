"""Levels of LLVM's optimisation: a test compiles with or without, whatever ran before in the process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from llvmlite import binding

from rbd import native
from rbd.contact.model import narrow_phase
from rbd.contact.solver import quadratic_program
from rbd.engine import value_plans
from rbd.native import repeat
from rbd.native.builtins import builtin, step_loop, value_builtin
from rbd.native.runtime import abi, jit
from rbd.native.runtime.thread_pool import compiler_thread
from rbd.native.shared_functions import shared_rows, shared_sines
from rbd.rollout import chunks
from rbd.simulation.native import compiled_steps

P = ParamSpec("P")
T = TypeVar("T")

CACHES_OF_FUNCTIONS = (
    narrow_phase._distance_function.__wrapped__,  # in its lock
    quadratic_program._program.__wrapped__,
    chunks._unpickled,
)
"""Functions of rbd that keep recorded functions, which have machine code."""


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
    """Forget the code generator and the functions that rbd keeps if they have another level."""
    if _kept != [level]:
        _kept[:] = [level]
        compiled_steps._cache.clear()
        for each in (jit.code_generator, *CACHES_OF_FUNCTIONS):
            each.cache_clear()


def cached_by_level(make: Callable[P, T]) -> Callable[P, T]:
    """Return `make` with a cache for each level of optimisation; for functions of tests that compile."""
    cached = lru_cache(maxsize=128)(lambda level, args, named: make(*args, **dict(named)))

    @wraps(make)
    def made(*args: P.args, **named: P.kwargs) -> T:
        return cached(_kept[0], args, tuple(named.items()))

    return made


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
