"""Threads that help with batches: made when they are first wanted, and kept.

Room: native; knows nothing of robots. May import: errors and scalars. Importing this module makes no thread. A process
that was forked makes helpers of its own; at the end of the interpreter idle helpers end by themselves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_left_behind: list[ThreadPoolExecutor | None] = []
"""Pools of the processes this one was forked from: their threads are not here, and nothing of them is touched."""


def together(task: Callable[[], T], threads: int) -> list[T]:
    """Run `task` in this thread and, at the same time, in helpers, `threads` in all; return the results.

    Tasks share their work among themselves, so a helper that has not begun when this thread is done is let off. There
    are no more helpers than processors. Raises what a task raised, once all have ended.
    """
    helpers = [future for _ in range(threads - 1) if (future := helper(task)) is not None]
    try:
        results = [task()]
    finally:
        begun = [helper for helper in helpers if not helper.cancel()]
        errors = [helper.exception() for helper in begun]
    for error in errors:
        if error is not None:
            raise error
    return results + [helper.result() for helper in begun]


def helper(task: Callable[[], T]) -> Future[T] | None:
    """Hand `task` to a helper; None when there can be none any more."""
    try:
        return _helpers().submit(task)
    except RuntimeError:  # no more threads, or the interpreter is ending: this thread does it all
        return None


def _helpers() -> ThreadPoolExecutor:
    global _pool  # one for the process
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="rbd")
        return _pool


def _after_fork() -> None:
    """Forget the helpers of the process this one was forked from."""
    global _pool, _lock  # the lock may have been held by a thread that is not here
    _left_behind.append(_pool)
    _pool, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
