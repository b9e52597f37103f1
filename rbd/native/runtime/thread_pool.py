"""Thread pools: the thread that compiles, and the threads of batches.

Importing this module starts no thread. A forked process begins without threads and without work; when the interpreter
exits, threads end after the work that they have begun, and no thread starts any more.

KeyboardInterrupt can be raised in the main thread between any two steps of the interpreter. Communication between
threads therefore uses queues and lists implemented in C, and a thread is started and counted in one step.
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

Work = Callable[[], object]


@final
class ThreadPool:
    """At most `limit` threads that run work, which must not raise, in the order in which it was submitted."""

    def __init__(self, name: str, limit: int) -> None:
        """Begin without threads; `name` is that of all threads. Pools live as long as the process."""
        self.name: Final = name
        self.limit: Final = limit
        self._of_parents = list[object]()
        """Queues and locks of parent processes, kept unchanged: their threads do not exist in this process."""
        self._begin()
        atexit.register(self.end)  # pools have handlers of their own: an interrupt ends waiting for one pool only
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset_after_fork)

    def _begin(self) -> None:
        self.process_token = object()
        """An object that another process does not have: work that was submitted before a fork is lost in the child."""
        self._queue = SimpleQueue[Work | None]()
        self._idle = list[None]()
        """One entry per waiting thread without work; if an interrupt loses one, a thread is started too early."""
        self._threads = list[int]()
        self._ended = SimpleQueue[None]()
        self._lock = threading.Lock()
        self._is_ended = False
        """Whether threads may not start any more."""

    @property
    def has_threads(self) -> bool:
        """Whether a thread was started."""
        return bool(self._threads)

    def submit(self, work: Work) -> bool:
        """Queue work; start a thread if none is idle. Return False if there is no thread: the work never begins."""
        try:
            self._idle.pop()
        except IndexError:
            self._start_thread()
        if self._threads:
            self._queue.put(work)
        return bool(self._threads)

    def _start_thread(self) -> None:
        """Start another thread, up to the limit and until the end."""
        with self._lock, suppress(RuntimeError):  # no more threads, or the interpreter is ending
            if len(self._threads) < self.limit and not self._is_ended:
                self._threads.extend(map(start_new_thread, (self._work,), ((),)))

    def _work(self) -> None:
        """Run work from the queue until there is a None."""
        threading.current_thread().name = self.name
        while (work := self._queue.get()) is not None:
            work()
            del work  # and what it holds
            if self._queue.empty():
                self._idle.append(None)
        self._ended.put(None)

    def end(self) -> None:
        """Discard waiting work and end all threads: machine code and LLVM must not run while the interpreter exits."""
        with self._lock:
            self._is_ended = True
            threads, self._threads = self._threads, []
        with suppress(Empty):
            while True:
                self._queue.get_nowait()
        for _ in threads:
            self._queue.put(None)
        for _ in threads:
            self._ended.get()

    def _reset_after_fork(self) -> None:
        """Begin without threads in a forked process."""
        self._of_parents += [self._queue, self._ended, self._lock]
        self._begin()


compiler_thread: Final = ThreadPool("rbd-compiler", 1)
"""The thread that compiles in the background."""
