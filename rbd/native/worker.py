"""The background thread that compiles: made when it is first needed, one per process.

KeyboardInterrupt strikes the main thread between any two steps of the interpreter. So the thread is made and noted in
one step, and tasks are handed over by a queue of C.
"""

from __future__ import annotations

import atexit
import os
import threading
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final, final


@final
class Worker:
    """One thread that runs tasks one after the other."""

    def __init__(self) -> None:
        """Begin without the thread."""
        self._tasks: Final[SimpleQueue[Callable[[], object] | None]] = SimpleQueue()
        self._threads: Final[list[int]] = []
        self._ended: Final[SimpleQueue[None]] = SimpleQueue()
        self._lock = threading.Lock()

    def submit(self, task: Callable[[], object]) -> None:
        """Have a task run; where there can be no more threads it waits until there is one."""
        self._tasks.put(task)
        with self._lock, suppress(RuntimeError):
            if not self._threads:
                self._threads.extend(map(start_new_thread, (self._run,), ((),)))

    def _run(self) -> None:
        threading.current_thread().name = "rbd-compiler"
        while (task := self._tasks.get()) is not None:
            task()
            del task
        self._ended.put(None)

    def stop(self) -> None:
        """Drop what waits, and return when the task at work is done: LLVM must not be unloaded beneath it."""
        with suppress(Empty):
            while True:
                self._tasks.get_nowait()
        if self._threads:
            self._tasks.put(None)
            self._ended.get()
            self._threads.clear()


_worker = Worker()


def current() -> Worker:
    """Return the worker of this process; one that was forked has another than the process it was forked from."""
    return _worker


def submit(task: Callable[[], object]) -> None:
    """Have `task`, which must not raise, run by the background thread."""
    _worker.submit(task)


def _after_fork() -> None:
    """Begin anew in a child process: the thread is not there, and what it was doing is not done."""
    global _worker
    _worker = Worker()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(lambda: _worker.stop())
