"""Tasks that several threads run at the same time, such as the rows of a batch.

KeyboardInterrupt can be raised in the main thread between any two steps of the interpreter. Threads therefore
communicate by atomic operations: dicts implemented in C, and locks acquired by `with`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final, Generic, Literal, TypeVar, final

from rbd.native.runtime.thread_pool import ThreadPool

T = TypeVar("T")

batch_threads: Final = ThreadPool("rbd-batch", os.cpu_count() or 1)
"""The threads of batches, besides those that call."""


def _nothing() -> None:
    """Do nothing."""


def run_on_threads(task: Callable[[], T], threads: int, stop: Callable[[], object] = _nothing) -> list[T]:
    """Run `task` in `threads` threads, this one and threads of the pool, at the same time; return the results.

    Tasks share their work, so a task that has not begun when this thread is done is cancelled. The pool has at most one
    thread per processor. Raises the exception of a task after all have ended; if this thread fails or is interrupted,
    it calls `stop` to end the others.
    """
    others = [PoolTask(task) for _ in range(min(threads - 1, batch_threads.limit))]
    try:
        for other in others:
            batch_threads.submit(other.run)
        return [task(), *_results(others)]
    except BaseException:
        stop()
        for other in others:
            if not other.cancel():
                other.wait()
        raise


def _results(tasks: list[PoolTask[T]]) -> list[T]:
    """Cancel tasks; return the results of those that had begun."""
    return [task.result() for task in tasks if not task.cancel()]


@final
class PoolTask(Generic[T]):
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
