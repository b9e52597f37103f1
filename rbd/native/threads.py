"""Threads that help with batches: made when they are first wanted, and kept.

Importing this module makes no thread. A process that was forked makes helpers of its own; at the end of the interpreter
helpers end what they are at, and themselves.

KeyboardInterrupt strikes the main thread between any two steps of the interpreter. So what passes between threads is
done in single steps: a queue and dicts of C, locks that only `with` takes, and nothing that must be undone.
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


def together(task: Callable[[], T], threads: int, stop: Callable[[], object] = _nothing) -> list[T]:
    """Run `task` in this thread and, at the same time, in helpers, `threads` in all; return the results.

    Tasks share their work among themselves, so a helper that has not begun when this thread is done is let off. There
    are no more helpers than processors. Raises what a task raised, once all have ended; so that they end soon, `stop`
    is called when this thread fails or is interrupted.
    """
    parts = [Part(task) for _ in range(min(threads - 1, LIMIT))]
    try:
        for part in parts:
            hand_over(part)
        return [task()] + [part.result() for part in parts if not part.withdraw()]
    except BaseException:
        stop()
        for part in parts:
            if not part.withdraw():
                part.wait()
        raise


def hand_over(part: Part[T]) -> None:
    """Let a helper begin a part as soon as one is free."""
    _helpers.take(part.run)


LIMIT = os.cpu_count() or 1
"""Helpers there are at most."""


@final
class Part(Generic[T]):
    """A task for one helper, which either a helper begins or the caller withdraws."""

    def __init__(self, task: Callable[[], T]) -> None:
        """Take a task that nobody has begun."""
        self._task: Callable[[], T] | None = task
        self._owner = dict[str, Literal["helper", "caller"]]()
        self._ended = threading.Lock()
        self._ended.acquire()
        self._results = list[T]()
        self._error: BaseException | None = None

    def run(self) -> None:
        """Do the task, unless it was withdrawn; a helper calls this."""
        if self._owner.setdefault("owner", "helper") == "caller":
            return
        try:
            if self._task is not None:
                self._results.append(self._task())
        except BaseException as error:  # it is raised where the result is asked for
            self._error = error
        finally:
            self._task = None
            self._ended.release()

    def withdraw(self) -> bool:
        """Return whether no helper has begun; none will then."""
        if self._owner.setdefault("owner", "caller") == "helper":
            return False
        self._task = None  # it may hold arrays, and this part may stay in the queue for long
        return True

    def wait(self) -> None:
        """Return when the helper that has begun is done."""
        with self._ended:
            pass

    def result(self) -> T:
        """Return what the task returned, or raise what it raised, when it is done."""
        self.wait()
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
            return self._results[0]
        finally:
            del error  # it knows this frame, and arrays


@final
class Helpers:
    """The helpers of this process."""

    def __init__(self) -> None:
        """Begin without any."""
        self._queue = SimpleQueue[Callable[[], None] | None]()
        self._idle = list[None]()
        """As many as there are helpers that wait and are not spoken for. Interrupts may lose some, which does no harm:
        a helper is made too early then."""
        self._threads = list[int]()
        self._ended = SimpleQueue[None]()
        self._lock = threading.Lock()

    def take(self, work: Callable[[], None]) -> None:
        """Hand work to a helper, made now if none is idle; when there can be no helpers nobody begins it."""
        try:
            self._idle.pop()
        except IndexError:
            self._make()
        if self._threads:
            self._queue.put(work)

    def _make(self) -> None:
        """Make another helper, if there may be one. It is made and counted in one step."""
        with self._lock, suppress(RuntimeError):  # no more threads, or the interpreter is ending
            if len(self._threads) < LIMIT:
                self._threads.extend(map(start_new_thread, (self._help,), ((),)))

    def _help(self) -> None:
        """Do one piece of work after the other."""
        threading.current_thread().name = "rbd helps"
        while (work := self._queue.get()) is not None:
            work()
            del work  # and the arrays it holds
            if self._queue.empty():
                self._idle.append(None)
        self._ended.put(None)

    def end(self) -> None:
        """Let all helpers end, and wait for them: machine code must not run while the interpreter is taken down."""
        for _ in self._threads:
            self._queue.put(None)
        for _ in self._threads:
            self._ended.get()


_helpers = Helpers()
_left_behind: list[Helpers] = []
"""Those of the processes this one was forked from: their threads are not here, and nothing of them is touched."""


def _begin_anew() -> None:
    """Forget the helpers there were, as they are not in this process or have ended."""
    global _helpers  # those of one process
    _left_behind.append(_helpers)
    _helpers = Helpers()


def _end() -> None:
    """Let the helpers end before the interpreter does."""
    _helpers.end()
    _begin_anew()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
