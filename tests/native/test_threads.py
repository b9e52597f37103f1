"""Helpers share work, report what goes wrong, outlive a fork and end with the interpreter."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from rbd.native import threads
from rbd.native.kernel import NativeKernel, compile_program
from rbd.native.threads import together
from tests.native import programs
from tests.native.programs import assert_same_bits, native_rows, reference


def meeting(count: int) -> Callable[[], str]:
    """Return a task that `count` threads must run at the same time."""
    barrier = threading.Barrier(count, timeout=20)

    def task() -> str:
        barrier.wait()
        return threading.current_thread().name

    return task


def test_helpers_run_at_the_same_time_as_the_caller_and_are_kept() -> None:
    first, second = together(meeting(2), 2), together(meeting(2), 2)
    assert first[0] == second[0] == threading.current_thread().name
    assert first[1].startswith("rbd")
    assert second[1].startswith("rbd")
    assert sum(thread.name.startswith("rbd") for thread in threading.enumerate()) <= (os.cpu_count() or 1)


def test_one_thread_takes_nohelper() -> None:
    assert together(lambda: threading.current_thread().name, 1) == [threading.current_thread().name]


def test_helpers_that_have_not_begun_are_not_waited_for() -> None:
    release = threading.Event()
    blockers = [threads.helper(lambda: release.wait(20)) for _ in range(os.cpu_count() or 1)]
    try:
        assert together(lambda: 7, 3) == [7]
    finally:
        release.set()
    assert [blocker.result(20) for blocker in blockers if blocker is not None] == [True] * len(blockers)


@pytest.mark.parametrize("fails", ["here", "there"])
def test_an_exception_is_raised_after_everybody_has_ended(fails: str) -> None:
    barrier, ended = threading.Barrier(2, timeout=20), list[str]()
    caller = threading.current_thread()

    def task() -> None:
        barrier.wait()
        place = "here" if threading.current_thread() is caller else "there"
        if place == fails:
            raise InterruptedError(place)
        time.sleep(0.05)
        ended.append(place)

    with pytest.raises(InterruptedError, match=fails):
        together(task, 2)
    assert len(ended) == 1
    assert len(together(meeting(2), 2)) == 2


def test_without_threads_the_caller_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "_helpers", refuse)
    assert together(lambda: 3, 4) == [3]


@pytest.fixture(scope="module")
def kernel() -> NativeKernel:
    return compile_program(programs.random_program(17, 50, checks=0.05))


@pytest.mark.parametrize("count", [7, 8, 9, 100, 5000])
def test_rows_are_shared_without_gaps(kernel: NativeKernel, count: int) -> None:
    arrays = programs.random_inputs(kernel.program, count, seed=count, wild=True)
    expected = native_rows(kernel, arrays, count)
    assert_same_bits(expected, reference(kernel.program, arrays, count)) if count < 200 else None
    for number in (2, 3, 64):
        assert_same_bits(native_rows(kernel, arrays, count, number), expected)


def test_many_callers_at_once_get_their_own_results(kernel: NativeKernel) -> None:
    arrays = [programs.random_inputs(kernel.program, 3000, seed=k) for k in range(6)]
    expected = [native_rows(kernel, each, 3000) for each in arrays]
    found: dict[int, tuple[np.ndarray, tuple[int, int]]] = {}

    def call(k: int) -> None:
        for _ in range(10):
            found[k] = native_rows(kernel, arrays[k], 3000, threads=3)

    callers = [threading.Thread(target=call, args=(k,)) for k in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    for k in range(6):
        assert_same_bits(found[k], expected[k])


def test_arrays_live_as_long_as_helpers_work_on_them(kernel: NativeKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that is interrupted while it waits leaves a helper behind, which must not write into freed memory."""
    tasks: list[Callable[[], object]] = []

    def interrupted(task: Callable[[], object], number: int) -> list[object]:
        tasks.append(task)
        raise KeyboardInterrupt

    monkeypatch.setattr("rbd.native.kernel.together", interrupted)
    arrays = programs.random_inputs(kernel.program, 400, seed=2)
    outputs = [np.zeros((400, *port.shape)) for port in kernel.program.outputs]
    watched = [weakref.ref(each) for each in (*arrays, *outputs)]
    with pytest.raises(KeyboardInterrupt):
        kernel.run_batch(arrays, [port.size for port in kernel.program.inputs], outputs, 400, 2)
    del arrays, outputs
    gc.collect()
    assert all(watch() is not None for watch in watched)
    tasks.pop()()
    gc.collect()
    assert all(watch() is None for watch in watched)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # that is what is tested
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_forked_process_makes_helpers_of_its_own(kernel: NativeKernel) -> None:
    arrays = programs.random_inputs(kernel.program, 4000, seed=1)
    expected = native_rows(kernel, arrays, 4000, threads=2)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert_same_bits(native_rows(kernel, arrays, 4000, threads=2), expected)
            code = 0 if len(together(meeting(2), 2)) == 2 else 2
        finally:
            os._exit(code)
    deadline = time.monotonic() + 30
    while (waited := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert waited == (child, 0)
    assert_same_bits(native_rows(kernel, arrays, 4000, threads=2), expected)


_SCRIPT = """
import threading
from rbd.native import threads
assert threading.active_count() == 1
barrier = threading.Barrier(2, timeout=20)
threads.together(barrier.wait, 2)
assert threading.active_count() == 2
print("done")
"""


def test_importing_makes_no_thread_and_the_interpreter_ends() -> None:
    ended = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")
