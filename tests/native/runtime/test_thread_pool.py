"""Thread pools: which work begins, and how threads end."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from rbd.native.runtime.thread_pool import ThreadPool
from tests.marks import needs_timers
from tests.native import processes


def test_a_thread_ends_when_its_task_is_done_and_never_hangs() -> None:
    started, done = threading.Event(), list[bool]()

    def long() -> None:
        started.set()
        time.sleep(0.05)
        done.append(True)

    mine = ThreadPool("mine", 1)
    mine.submit(long)
    assert started.wait(20)
    mine.submit(lambda: done.append(False))
    mine.end()
    assert done == [True]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(500):
            each = ThreadPool("each", 1)
            for _ in range(3):
                each.submit(lambda: None)
            each.end()
    finally:
        sys.setswitchinterval(interval)


def test_no_thread_starts_while_a_pool_ends() -> None:
    """Nobody would tell it to end, and the pool would wait for it."""
    pool, begun, ending, submitted = ThreadPool("mine", 2), threading.Event(), threading.Event(), list[bool]()

    def submit_late() -> None:
        begun.set()
        ending.wait(20)
        submitted.append(pool.submit(lambda: None))

    pool.submit(submit_late)
    assert begun.wait(20)
    end, deadline = threading.Thread(target=pool.end, daemon=True), time.monotonic() + 20
    end.start()
    while pool._queue.empty() and time.monotonic() < deadline:  # the running thread was not told to end yet
        time.sleep(0.001)
    ending.set()
    end.join(20)
    assert not end.is_alive()
    assert submitted == [False]


def test_a_pool_that_has_ended_takes_no_work_and_may_end_again() -> None:
    pool, done = ThreadPool("mine", 1), list[None]()
    assert pool.submit(lambda: None)
    pool.end()
    assert not pool.submit(lambda: done.append(None))
    assert not pool.has_threads
    pool.end()
    assert done == []


_INTERRUPTED_EXIT = """
import atexit, signal, sys, threading, time
from rbd.native.runtime.tasks import batch_threads
from rbd.native.runtime.thread_pool import compiler_thread


def work():
    begun.wait()
    interrupted.wait(20)


def compile():
    work()
    time.sleep(0.3)
    print("compiled", flush=True)


def note(error):
    print(error.exc_type.__name__, flush=True)
    interrupted.set()


begun, interrupted, sys.unraisablehook = threading.Barrier(3, timeout=20), threading.Event(), note
compiler_thread.submit(compile)
batch_threads.submit(work)
begun.wait()
signal.signal(signal.SIGALRM, signal.default_int_handler)  # as Ctrl-C, after a time
atexit.register(signal.setitimer, signal.ITIMER_REAL, 0.3)
"""


@needs_timers
def test_an_interrupt_at_exit_ends_waiting_for_one_pool_only(tmp_path: Path) -> None:
    assert processes.run(_INTERRUPTED_EXIT, (), tmp_path) == "KeyboardInterrupt\ncompiled\n"
