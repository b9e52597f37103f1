"""Executables: when programs are compiled, by which thread, and what happens after failures."""

from __future__ import annotations

import ctypes
import threading
from _thread import start_new_thread
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbd import native
from rbd.native import background_compilation, compiled_program, live_executable
from rbd.native.executable import ArrayExecutable
from rbd.native.live_executable import LiveExecutable
from rbd.native.runtime import jit, thread_pool
from rbd.native.runtime.thread_pool import ThreadPool, compiler_thread
from rbd.program.lazy_program import LazyProgram
from rbd.program.outline import Outline
from rbd.scalars import libm
from tests.background import run_before_return, run_here

from .processes import run
from .programs import random_inputs, random_program


@pytest.fixture
def rows() -> list[np.ndarray]:
    return [np.array(each[0]) for each in random_inputs(random_program(8, 40, plain=True), 1, seed=1)]


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> LiveExecutable:
    """An executable that this thread compiles in its third run."""
    program = random_program(8, 40, plain=True)
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_SEARCH", -1)
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_COMPILING", 2 * Outline.of(program).cost)
    monkeypatch.setattr(compiler_thread, "submit", run_here)
    monkeypatch.setenv("RBD_CACHE", "0")
    return LiveExecutable(LazyProgram.of(program))


def test_it_is_compiled_after_enough_interpreted_operations(live: LiveExecutable, rows: list[np.ndarray]) -> None:
    first = live(rows)
    compiled = []
    for _ in range(4):
        found = live(rows)
        compiled.append(live.is_compiled)
        assert first is not None
        assert found is not None
        assert all(np.array_equal(a, b) for a, b in zip(first, found, strict=True))
    assert compiled == [False, True, True, True]


def test_compiling_is_tried_again_when_it_failed(
    live: LiveExecutable, rows: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One failure, say of a full disk, does not leave it interpreted for ever; the next caller is told."""
    make = compiled_program.cached_code

    def failing(*args: Any) -> Any:
        raise OSError("the disk is full")

    monkeypatch.setattr(compiled_program, "cached_code", failing)
    for _ in range(3):
        live(rows)
    assert not live.is_compiled
    monkeypatch.setattr(compiled_program, "cached_code", make)
    with pytest.warns(native.InterpretedWarning, match="the disk is full"):
        live(rows)
    for _ in range(3):
        live(rows)
    assert live.is_compiled


def test_requests_that_fail_are_not_repeated_at_once(live: LiveExecutable, monkeypatch: pytest.MonkeyPatch) -> None:
    """State writers ask at every write."""
    tries = list[None]()

    def failing(*args: Any) -> Any:
        tries.append(None)
        raise MemoryError

    make = compiled_program.cached_code
    monkeypatch.setattr(compiled_program, "cached_code", failing)
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_COMPILING", 20 * live.outline.cost)
    assert [live.code_for_builtin() for _ in range(50)] == [None] * 50
    assert len(tries) == 3
    monkeypatch.setattr(compiled_program, "cached_code", make)
    assert live.code_for_builtin() is None
    assert any(live.code_for_builtin() for _ in range(21))


@pytest.fixture
def never_served(live: LiveExecutable, monkeypatch: pytest.MonkeyPatch) -> LiveExecutable:
    """An executable whose calls are long, queued in a thread that is busy with other work."""
    monkeypatch.setattr(compiler_thread, "submit", lambda task: True)
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_COMPILING", 0)
    monkeypatch.setattr(live_executable, "LONG_CALL", live.outline.cost - 1)
    return live


def test_what_takes_longer_to_interpret_than_to_compile_is_compiled_at_once(
    never_served: LiveExecutable, rows: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_executable, "COMPILING_COST", (0, 0))
    never_served(rows)
    assert never_served.is_compiled


def test_long_calls_wait_once_they_have_cost_more_than_compiling(
    never_served: LiveExecutable, rows: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_executable, "COMPILING_COST", (3 * never_served.outline.cost, 0))
    compiled = []
    for _ in range(5):
        never_served(rows)
        compiled.append(never_served.is_compiled)
    assert compiled == [False, False, False, True, True]


def test_short_calls_never_wait(
    never_served: LiveExecutable, rows: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_executable, "COMPILING_COST", (0, 0))
    monkeypatch.setattr(live_executable, "LONG_CALL", never_served.outline.cost)
    for _ in range(5):
        never_served(rows)
    assert not never_served.is_compiled


def test_failures_of_long_calls_are_told_each_time(
    never_served: LiveExecutable, rows: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*args: Any) -> Any:
        raise OSError("full")

    monkeypatch.setattr(compiled_program, "cached_code", failing)
    monkeypatch.setattr(live_executable, "COMPILING_COST", (0, 0))
    assert never_served(rows) is not None
    with pytest.warns(native.InterpretedWarning, match="full"):
        assert never_served(rows) is not None
    assert not never_served.is_compiled


_DEFAULTS = """
import numpy as np
from rbd import native
from rbd.native import live_executable
from rbd.native.runtime.thread_pool import compiler_thread
from rbd.native.live_executable import LiveExecutable
from rbd.program.lazy_program import LazyProgram
from tests.background import run_here
from tests.native.programs import random_inputs, random_program

program = random_program(8, 40, plain=True)
rows = [np.array(each[0]) for each in random_inputs(program, 1, seed=1)]
native._load()  # the disk cache is searched only if the compiler is loaded
compiler_thread.submit = run_here
searches, find = [], LiveExecutable.load


def noted(self, **options):
    searches.append(calls)
    return find(self, **options)


calls, LiveExecutable.load = 0, noted
live = LiveExecutable(LazyProgram.of(program))
while not live.is_compiled:
    calls += 1
    live(rows)
cost = live.outline.cost
print(cost * (calls - 1), cost * calls, cost * searches[1], cost)
"""


def test_default_numbers_of_operations_before_compiling(tmp_path: Path) -> None:
    """The tests change these numbers; a new process has those of users: 10 000, and 2 000 before the first search."""
    before, after, searched, cost = map(int, run(_DEFAULTS, (), tmp_path).split())
    assert before <= 10_000 < after
    assert searched - cost <= 2_000 < searched


def test_the_c_library_is_the_one_the_interpreter_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has none under the name of the process."""
    asked = []

    def library() -> ctypes.CDLL | None:
        asked.append("library")
        return libm._LIBRARY

    def refused(name: object) -> ctypes.CDLL:
        raise OSError("no library has no name here")

    monkeypatch.setattr(libm, "library", library)
    monkeypatch.setattr(ctypes, "CDLL", refused)
    assert all(jit.c_function_addresses.__wrapped__().values())
    assert asked == ["library"]


def test_a_failure_before_the_caller_goes_on_is_not_the_last_word(
    live: LiveExecutable, rows: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other thread may be done before what was handed to it is noted."""

    def without_memory(*args: Any) -> Any:
        raise MemoryError

    make = compiled_program.cached_code
    monkeypatch.setattr(compiler_thread, "submit", run_before_return)
    monkeypatch.setattr(compiled_program, "cached_code", without_memory)
    for _ in range(4):
        live(rows)
    monkeypatch.setattr(compiled_program, "cached_code", make)
    for _ in range(4):
        live(rows)
    assert live.is_compiled


def refuse(function: object, arguments: object) -> int:
    raise RuntimeError("can't start new thread")


@pytest.fixture
def refused(live: LiveExecutable, monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadPool]:
    """A thread that compiles, whose start fails until the patches end."""
    pool = ThreadPool("mine", 1)
    monkeypatch.setattr(background_compilation, "compiler_thread", pool)
    monkeypatch.setattr(thread_pool, "start_new_thread", refuse)
    yield pool
    pool.end()


def finish(pool: ThreadPool) -> None:
    """Wait until all work of a pool is done."""
    done = threading.Event()
    assert pool.submit(done.set)
    assert done.wait(60)


def test_a_live_state_is_compiled_once_a_thread_can_start(
    live: LiveExecutable, rows: list[np.ndarray], refused: ThreadPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(8):
        live(rows)
    assert not refused.has_threads
    monkeypatch.setattr(thread_pool, "start_new_thread", start_new_thread)
    for _ in range(4):
        live(rows)
    finish(refused)
    assert live.is_compiled


def test_a_function_is_compiled_in_the_background_once_a_thread_can_start(
    live: LiveExecutable, refused: ThreadPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = ArrayExecutable(live.lazy_program)
    with native.background():
        assert [function.code_for_call() for _ in range(3)] == [None] * 3
        assert not refused.has_threads
        monkeypatch.setattr(thread_pool, "start_new_thread", start_new_thread)
        assert function.code_for_call() is None
        finish(refused)
        assert function.code_for_call() is not None
