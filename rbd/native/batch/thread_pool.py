"""The thread pool for batches, made on first use.

Importing this module starts no thread. A forked process has a pool of its own; when the interpreter exits, threads end
after their tasks.

KeyboardInterrupt can be raised in the main thread between any two steps of the interpreter. Communication between
threads therefore uses atomic operations: queues and dicts implemented in C, and locks acquired by `with`.
"""

from __future__ import annotations

import atexit
import os
import threading
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Generic, Literal, TypeVar, final

T = TypeVar("T")


def _nothing() -> None:
    """Do nothing."""


def run_on_threads(task: Callable[[], T], threads: int, stop: Callable[[], object] = _nothing) -> list[T]:
    """Run `task` in `threads` threads, this one and threads of the pool, at the same time; return the results.

    Tasks share their work, so a task that has not begun when this thread is done is cancelled. The pool has at most one
    thread per processor. Raises the exception of a task after all have ended; if this thread fails or is interrupted,
    it calls `stop` to end the others.
    """
    others = [Task(task) for _ in range(min(threads - 1, LIMIT))]
    try:
        for other in others:
            submit(other)
        return [task()] + [other.result() for other in others if not other.cancel()]
    except BaseException:
        stop()
        for other in others:
            if not other.cancel():
                other.wait()
        raise


def submit(task: Task[T]) -> None:
    """Run a task in the pool as soon as a thread is free."""
    _pool.submit(task.run)


LIMIT = os.cpu_count() or 1
"""Maximum number of threads of the pool."""


@final
class Task(Generic[T]):
    """A task for a thread of the pool, which runs it unless the caller cancels it first."""

    def __init__(self, task: Callable[[], T]) -> None:
        """Set the function to call."""
        self._task: Callable[[], T] | None = task
        self._owner = dict[str, Literal["pool", "caller"]]()
        self._ended = threading.Lock()
        self._ended.acquire()
        self._results = list[T]()
        self._error: BaseException | None = None

    def run(self) -> None:
        """Run the task, unless it was cancelled; a thread of the pool calls this."""
        if self._owner.setdefault("owner", "pool") == "caller":
            return
        try:
            if self._task is not None:
                self._results.append(self._task())
        except BaseException as error:  # raised by `result`
            self._error = error
        finally:
            self._task = None
            self._ended.release()

    def cancel(self) -> bool:
        """Cancel the task; return False if it has begun."""
        if self._owner.setdefault("owner", "caller") == "pool":
            return False
        self._task = None  # it may hold arrays, and stays in the queue
        return True

    def wait(self) -> None:
        """Wait until the task, which has begun, is done."""
        with self._ended:
            pass

    def result(self) -> T:
        """Wait for the task; return its result or raise its exception."""
        self.wait()
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
            return self._results[0]
        finally:
            del error  # it refers to this frame


@final
class ThreadPool:
    """The threads of this process for batches."""

    def __init__(self) -> None:
        """Begin without threads."""
        self._queue = SimpleQueue[Callable[[], None] | None]()
        self._idle = list[None]()
        """One entry per waiting thread without a task; if an interrupt loses one, a thread is started too early."""
        self._threads = list[int]()
        self._ended = SimpleQueue[None]()
        self._lock = threading.Lock()

    def submit(self, work: Callable[[], None]) -> None:
        """Queue work; start a thread if none is idle. If no thread can be started, the work never begins."""
        try:
            self._idle.pop()
        except IndexError:
            self._start_thread()
        if self._threads:
            self._queue.put(work)

    def _start_thread(self) -> None:
        """Start another thread, up to `LIMIT`. It is started and counted in one step."""
        with self._lock, suppress(RuntimeError):  # no more threads, or the interpreter is ending
            if len(self._threads) < LIMIT:
                self._threads.extend(map(start_new_thread, (self._work,), ((),)))

    def _work(self) -> None:
        """Run work from the queue until there is a None."""
        threading.current_thread().name = "rbd-worker"
        while (work := self._queue.get()) is not None:
            work()
            del work  # and the arrays it holds
            if self._queue.empty():
                self._idle.append(None)
        self._ended.put(None)

    def end(self) -> None:
        """End all threads and wait for them: machine code must not run while the interpreter exits."""
        for _ in self._threads:
            self._queue.put(None)
        for _ in self._threads:
            self._ended.get()


_pool = ThreadPool()
_pools_of_parents: list[ThreadPool] = []
"""Pools of parent processes, kept unchanged: their threads do not exist in this process."""


def _replace_pool() -> None:
    """Replace the pool, whose threads are not in this process or have ended."""
    global _pool  # one per process
    _pools_of_parents.append(_pool)
    _pool = ThreadPool()


def _end() -> None:
    """End the pool before the interpreter ends."""
    _pool.end()
    _replace_pool()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_replace_pool)
