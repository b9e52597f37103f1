"""The background thread that compiles: made when it is first needed, one per process."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Final


class _Worker:
    """One daemon thread, started when it is first needed, that runs tasks one after the other."""

    def __init__(self) -> None:
        self.tasks: Final[SimpleQueue[Callable[[], object] | None]] = SimpleQueue()
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def submit(self, task: Callable[[], object]) -> None:
        self.tasks.put(task)
        with self.lock:
            if self.thread is None:
                thread = threading.Thread(target=self._run, name="rbd compiles", daemon=True)
                with suppress(RuntimeError):  # no more threads: what waits is run once there is one
                    thread.start()
                    self.thread = thread

    def _run(self) -> None:
        while (task := self.tasks.get()) is not None:
            task()
            del task

    def stop(self) -> None:
        """Drop what waits, and return when the task at work is done: LLVM must not be unloaded beneath it."""
        while not self.tasks.empty():
            self.tasks.get()
        self.tasks.put(None)
        if self.thread is not None:
            self.thread.join()


_worker = _Worker()


def submit(task: Callable[[], object]) -> object:
    """Have `task`, which must not raise, run by the background thread; return what `is_current` knows it by."""
    _worker.submit(task)
    return _worker


def is_current(submitted: object) -> bool:
    """Return whether what was submitted will be run in this process, rather than in the one it was forked from."""
    return submitted is _worker


def _after_fork() -> None:
    """Begin anew in a child process: the thread is not there, and what it was doing is not done."""
    global _worker
    _worker = _Worker()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(lambda: _worker.stop())
