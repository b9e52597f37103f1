"""Tasks of several threads: shared work, exceptions, forks, interrupts, and the end of the interpreter."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rbd.native.compiled_program import CompiledProgram
from rbd.native.repeat import repeat_rows
from rbd.native.runtime import tasks
from rbd.native.runtime.tasks import run_on_threads
from rbd.native.runtime.thread_pool import ThreadPool
from tests.marks import needs_forks, needs_timers
from tests.native import processes, programs
from tests.native.programs import assert_same_bits, native_rows, reference


def meeting(count: int) -> Callable[[], str]:
    """Return a task that `count` threads must run at the same time."""
    barrier = threading.Barrier(count, timeout=20)

    def task() -> str:
        barrier.wait()
        return threading.current_thread().name

    return task


def test_helpers_run_at_the_same_time_as_the_caller_and_are_kept() -> None:
    first, second = run_on_threads(meeting(2), 2), run_on_threads(meeting(2), 2)
    assert first[0] == second[0] == threading.current_thread().name
    assert first[1].startswith("rbd")
    assert second[1].startswith("rbd")
    assert sum(thread.name == "rbd-batch" for thread in threading.enumerate()) <= (os.cpu_count() or 1)


def test_one_thread_takes_nohelper() -> None:
    assert run_on_threads(lambda: threading.current_thread().name, 1) == [threading.current_thread().name]


def test_helpers_that_have_not_begun_are_not_waited_for() -> None:
    release = threading.Event()
    blockers = [tasks.PoolTask(lambda: release.wait(20)) for _ in range(tasks.batch_threads.limit)]
    for blocker in blockers:
        tasks.batch_threads.submit(blocker.run)
    try:
        assert run_on_threads(lambda: 7, 3) == [7]
    finally:
        release.set()
    assert [blocker.result() for blocker in blockers] == [True] * len(blockers)


def test_a_part_is_begun_or_withdrawn() -> None:
    begun, withdrawn = tasks.PoolTask(lambda: 1), tasks.PoolTask(lambda: 2)
    begun.run()
    assert not begun.cancel()
    assert begun.result() == 1
    assert withdrawn.cancel()
    withdrawn.run()
    assert withdrawn.cancel()


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
        run_on_threads(task, 2)
    assert len(ended) == 1
    assert len(run_on_threads(meeting(2), 2)) == 2


def test_without_threads_the_caller_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(function: object, arguments: object) -> int:
        raise RuntimeError("can't start new thread")

    pool = ThreadPool("rbd-batch", 4)
    monkeypatch.setattr(tasks, "batch_threads", pool)
    monkeypatch.setattr("rbd.native.runtime.thread_pool.start_new_thread", refuse)
    assert run_on_threads(lambda: 3, 4) == [3]
    assert not pool.submit(lambda: None)
    assert pool._queue.empty()


@pytest.fixture(scope="module")
def kernel() -> CompiledProgram:
    return CompiledProgram(programs.random_program(17, 50, checks=0.05))


@pytest.mark.parametrize("count", [7, 8, 9, 100, 5000])
def test_rows_are_shared_without_gaps(kernel: CompiledProgram, count: int) -> None:
    arrays = programs.random_inputs(kernel.program, count, seed=count, wild=True)
    expected = native_rows(kernel, arrays, count)
    assert_same_bits(expected, reference(kernel.program, arrays, count)) if count < 200 else None
    for number in (2, 3, 64):
        assert_same_bits(native_rows(kernel, arrays, count, number), expected)


def test_many_callers_at_once_get_their_own_results(kernel: CompiledProgram) -> None:
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


def test_arrays_live_as_long_as_helpers_work_on_them(kernel: CompiledProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that is interrupted while it waits leaves a helper behind, which must not write into freed memory."""
    late: list[Callable[[], object]] = []

    def interrupted(task: Callable[[], object], number: int, stop: object) -> list[object]:
        late.append(task)
        raise KeyboardInterrupt

    monkeypatch.setattr("rbd.native.compiled_program.run_on_threads", interrupted)
    arrays = programs.random_inputs(kernel.program, 400, seed=2)
    outputs = [np.zeros((400, *port.shape)) for port in kernel.program.outputs]
    watched = [weakref.ref(each) for each in (*arrays, *outputs)]
    with pytest.raises(KeyboardInterrupt):
        kernel.run_batch(arrays, outputs, 400, 2)
    del arrays, outputs
    gc.collect()
    assert all(watch() is not None for watch in watched)
    late.pop()()
    gc.collect()
    assert all(watch() is None for watch in watched)


def test_threads_are_asked_for_enough_work(kernel: CompiledProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation is what the interpreter counts, so that the same batch has the same threads on every machine."""
    rows, asked = 400, list[int]()

    def noted(task: Callable[[], object], number: int, stop: object) -> list[object]:
        asked.append(number)
        return [task()]

    monkeypatch.setattr("rbd.native.compiled_program.run_on_threads", noted)
    arrays = programs.random_inputs(kernel.program, rows, seed=2)
    outputs = [np.zeros((rows, *port.shape)) for port in kernel.program.outputs]
    work = rows * kernel.outline.cost
    for least, expected in ((work + 1, []), (work, [2])):
        monkeypatch.setattr("rbd.native.compiled_program.OPERATIONS_FOR_THREADS", least)
        asked.clear()
        kernel.run_batch(arrays, outputs, rows, 2)
        assert asked == expected


def test_stop_is_called_before_helpers_are_waited_for() -> None:
    barrier, stopped, caller = threading.Barrier(2, timeout=20), threading.Event(), threading.current_thread()

    def task() -> bool:
        barrier.wait()
        if threading.current_thread() is caller:
            raise KeyboardInterrupt
        ended.append(stopped.wait(20))
        return True

    ended = list[bool]()
    with pytest.raises(KeyboardInterrupt):
        run_on_threads(task, 2, stop=stopped.set)
    assert ended == [True]


@pytest.mark.parametrize("repeated", [False, True])
def test_pieces_nobody_has_begun_when_a_call_is_interrupted_are_left(
    kernel: CompiledProgram, monkeypatch: pytest.MonkeyPatch, repeated: bool
) -> None:
    late, rows = list[Callable[[], object]](), 4000

    def interrupted(task: Callable[[], object], number: int, stop: Callable[[], object]) -> list[object]:
        stop()
        late.append(task)
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "rbd.native.repeat.run_on_threads" if repeated else "rbd.native.compiled_program.run_on_threads", interrupted
    )
    arrays, sizes = programs.random_inputs(kernel.program, rows, seed=2), [p.size for p in kernel.program.inputs]
    outputs = [np.full((rows, *port.shape), 7.0) for port in kernel.program.outputs]

    def call() -> object:
        if repeated:
            return repeat_rows(kernel, 1, [(x, 0) for x in arrays], sizes, [(x, 0) for x in outputs], rows, 2)
        return kernel.run_batch(arrays, outputs, rows, 2)

    with pytest.raises(KeyboardInterrupt):
        call()
    late.pop()()  # a helper that comes late
    assert all((each == 7.0).all() for each in outputs)


_INTERRUPTED = """
import os, random, signal, sys, threading
import numpy as np, rbd
from rbd.native import compiled_program
from rbd.native.runtime import tasks

compiled_program.OPERATIONS_FOR_THREADS = 0
count = int(sys.argv[1])
robot, q = rbd.compile(rbd.robots.double_pendulum()), np.random.default_rng(0).standard_normal((600, 2))
expected, hits = robot.mass_matrix(q), 0
for _ in range(30):  # machine code and builtins are made, which takes longer than the time between interrupts
    robot.mass_matrix(q, threads=3)
signal.signal(signal.SIGALRM, signal.default_int_handler)  # as Ctrl-C, after a time
while hits < count:
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 4e-4))
        while True:
            robot.mass_matrix(q, threads=3)
    except KeyboardInterrupt:
        hits += 1
assert np.array_equal(robot.mass_matrix(q, threads=3), expected)
barrier = threading.Barrier(tasks.batch_threads.limit + 1, timeout=20)
assert len(tasks.run_on_threads(barrier.wait, tasks.batch_threads.limit + 1)) == tasks.batch_threads.limit + 1
print(sum(thread.name.startswith("rbd") for thread in threading.enumerate()) == tasks.batch_threads.limit)
"""


@needs_timers
@pytest.mark.parametrize("interrupts", [1000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_after_interrupts_batches_run_right_and_with_all_threads(interrupts: int, tmp_path: Path) -> None:
    assert processes.run(_INTERRUPTED, (interrupts,), tmp_path, limit=60 + interrupts / 20) == "True\n"


_ENDING = """
import threading, time
from rbd.native.runtime import tasks

def begun():
    barrier.wait()
    time.sleep(0.3)
    print("ended", flush=True)

barrier = threading.Barrier(2, timeout=20)
part = tasks.PoolTask(begun)
tasks.batch_threads.submit(part.run)
barrier.wait()
"""


def test_the_interpreter_waits_for_helpers_at_work(tmp_path: Path) -> None:
    assert processes.run(_ENDING, (), tmp_path) == "ended\n"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # that is what is tested
@needs_forks
def test_a_forked_process_makes_helpers_of_its_own(kernel: CompiledProgram) -> None:
    arrays = programs.random_inputs(kernel.program, 4000, seed=1)
    expected = native_rows(kernel, arrays, 4000, threads=2)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert_same_bits(native_rows(kernel, arrays, 4000, threads=2), expected)
            code = 0 if len(run_on_threads(meeting(2), 2)) == 2 else 2
        finally:
            os._exit(code)
    deadline = time.monotonic() + 30
    while (waited := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert waited == (child, 0)
    assert_same_bits(native_rows(kernel, arrays, 4000, threads=2), expected)


_SCRIPT = """
import threading
from rbd.native.runtime import tasks
assert threading.active_count() == 1
barrier = threading.Barrier(2, timeout=20)
tasks.run_on_threads(barrier.wait, 2)
assert threading.active_count() == 2
print("done")
"""


def test_importing_makes_no_thread_and_the_interpreter_ends() -> None:
    ended = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")
