"""The background thread that compiles: one per process, started at first use.

KeyboardInterrupt can be raised in the main thread between any two steps of the interpreter. The thread is therefore
started and counted in one step, and tasks go through a queue implemented in C.
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
    """A thread that runs tasks in order."""

    def __init__(self) -> None:
        """Begin without the thread."""
        self._tasks: Final[SimpleQueue[Callable[[], object] | None]] = SimpleQueue()
        self._threads: Final[list[int]] = []
        self._ended: Final[SimpleQueue[None]] = SimpleQueue()
        self._lock = threading.Lock()

    def submit(self, task: Callable[[], object]) -> None:
        """Queue a task; start the thread if there is none. If it cannot be started, a later call tries again."""
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
        """Discard waiting tasks, and wait for the running one: LLVM must not be unloaded before it ends."""
        with suppress(Empty):
            while True:
                self._tasks.get_nowait()
        if self._threads:
            self._tasks.put(None)
            self._ended.get()
            self._threads.clear()


_worker = Worker()


def current() -> Worker:
    """Return the worker of this process; a forked process has its own."""
    return _worker


def submit(task: Callable[[], object]) -> None:
    """Run `task`, which must not raise, in the background thread."""
    _worker.submit(task)


def _after_fork() -> None:
    """Make a new worker in a child process, where the thread does not exist."""
    global _worker
    _worker = Worker()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(lambda: _worker.stop())
