"""LLVM's level of optimisation: 0 for tests of other things, which takes a quarter of the time, else 1, as users have.

Tests of `FOLDERS` compile at level 0. The marker `optimised` excepts a test or a file, for tests of the bits of machine
code and for those that run for long; `optimised(False)` excepts a test of such a file.

One process runs tests of both levels. When the level changes, nothing made at one level may serve the other:

- the background thread finishes its tasks, and `jit.OPTIMISATION_LEVEL` is set for those that follow;
- rbd's cache on disk is another;
- rbd's caches of compiled functions are emptied; mechanisms, which keep some, too, belong to one test or module.
  Functions of tests that keep compiled functions are `cached_by_level`.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Generator
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

import pytest

from rbd.native.runtime import jit
from rbd.native.runtime.function_caches import clear_function_caches
from rbd.native.runtime.thread_pool import compiler_thread
from tests.plugins.disk_caches import use_cache

P = ParamSpec("P")
T = TypeVar("T")

FOLDERS = (
    *("tests/algorithms/", "tests/arguments/", "tests/cli/", "tests/compiled/", "tests/contact/", "tests/docs/"),
    *("tests/engine/", "tests/files/", "tests/gym/", "tests/mjcf/", "tests/native/codegen/", "tests/robots/"),
    *("tests/rollout/", "tests/simulation/"),
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Choose the level and the cache on disk of a test; its background tasks end with it."""
    level = level_of(item)
    use_level(level)
    use_cache(f"{item.path.parent.name}-level-{level}")
    try:
        return (yield)
    finally:
        finish_background_tasks()


def level_of(item: pytest.Item) -> int:
    """Return the level of optimisation of a test."""
    marker = item.get_closest_marker("optimised")
    is_marked = marker is not None and marker.args != (False,)
    return 1 if is_marked or not item.nodeid.startswith(FOLDERS) else 0


def use_level(level: int) -> None:
    """Compile at this level from now on."""
    if level != jit.OPTIMISATION_LEVEL:
        finish_background_tasks()
        jit.OPTIMISATION_LEVEL = level
        clear_function_caches()


def cached_by_level(make: Callable[P, T]) -> Callable[P, T]:
    """Return `make` with a cache for each level of optimisation."""
    cached = lru_cache(maxsize=128)(lambda level, args, named: make(*args, **dict(named)))

    @wraps(make)
    def made(*args: P.args, **named: P.kwargs) -> T:
        return cached(jit.OPTIMISATION_LEVEL, args, tuple(named.items()))

    return made


def finish_background_tasks() -> None:
    """Wait until the background thread, if there is one, has run all its tasks."""
    if compiler_thread.has_threads:
        done = threading.Event()
        compiler_thread.submit(done.set)
        assert done.wait(120), _stacks()


def _stacks() -> str:
    """Return the stacks of all threads, to see what the background thread waits for."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    frames = sys._current_frames()
    return "\n".join(f"{names.get(k, k)}:\n{''.join(traceback.format_stack(frame))}" for k, frame in frames.items())
