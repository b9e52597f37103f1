"""Locks that survive forks and interrupts, and functions that run once per process.

A forked process has one thread; locks that other threads held are replaced in it. That is correct if work under a
lock takes effect in one step at its end. LLVM does not work so: a fork waits until no thread uses it.

A fork waits for at most `FORK_TIMEOUT`; compiling the largest programs takes tens of seconds. After a timeout, the
state of the compiler in the child is unknown: the child never compiles, and interprets (`native.available` returns
False).

`with lock.inner` is safe from KeyboardInterrupt: CPython is not interrupted between acquiring the lock and entering the
block (3.14 is, before its fix of issue 148874). Loops with conditions do not belong in the block: interrupts of those
skip the release in 3.12 and 3.13 (see tests/test_cleanup_blocks.py).
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, final
from weakref import WeakSet

P = ParamSpec("P")
T = TypeVar("T")

FORK_TIMEOUT: Final = 60.0
"""Seconds that a fork waits for the compiler at most."""


@final
class Lock:
    """A reentrant lock that is free in a forked process: `with lock.inner: ...`."""

    __slots__ = ("__weakref__", "inner")

    def __init__(self) -> None:
        """Begin unlocked."""
        self.inner = threading.RLock()
        _all.add(self)

    def try_run(self, action: Callable[[], T]) -> T | None:
        """Run `action` under the lock and return its result; None while another thread holds it."""
        taken = list[bool]()
        try:
            taken.extend(map(self.inner.acquire, (False,)))  # taken and noted in one step, which nothing interrupts
            return action() if taken[0] else None
        finally:
            if taken == [True]:
                self.inner.release()

    def reset_after_fork(self) -> None:
        """Release the lock in a forked process: the thread that held it does not exist there."""
        taken = self.inner.acquire(blocking=False)
        if taken:
            self.inner.release()
        else:
            self.inner = threading.RLock()


_all: WeakSet[Lock] = WeakSet()
_compiler_lock: Final = Lock()


def compiler_lock() -> threading.RLock:
    """Return the lock to hold while LLVM is used or imported.

    Its holder acquires no other lock, and runs no code but rbd's and LLVM's.
    """
    release_interrupted()
    return _compiler_lock.inner


def release_interrupted() -> None:
    """Release the locks that interrupts left held by this thread, for which other threads would wait for ever.

    That can happen when Ctrl-C strikes in Python code of llvmlite, which enters and leaves its lock there, or in the
    handler behind a fork. This thread is in neither of them.
    """
    if _held.locks:
        _release()
    _release_owned(_llvm_lock())


def _release_owned(lock: Any) -> None:
    while lock is not None and lock._is_owned():
        lock.release()


def once_under_compiler_lock(make: Callable[[], T]) -> Callable[[], T]:
    """Return `make`, called once per process under the compiler's lock; all threads get the same result."""
    made = list[T]()

    @wraps(make)
    def made_once() -> T:
        if not made:
            with compiler_lock():
                if not made:
                    made.append(make())
        return made[0]

    return made_once


def one_at_a_time(make: Callable[P, T]) -> Callable[P, T]:
    """Return `make`, run by one thread at a time; for functions that cache their results."""
    lock = Lock()

    @wraps(make)
    def locked(*args: P.args, **named: P.kwargs) -> T:
        with lock.inner:
            return make(*args, **named)

    return locked


# ---------------------------------------------------------------- forks

_compiler_unusable = False


@final
class _Held(threading.local):
    """The locks that a forking thread has tried to acquire, with the outcome."""

    def __init__(self) -> None:
        self.locks = list[tuple[Any, bool]]()
        self.is_complete = False
        """Whether all locks were tried; an interrupt may prevent it, but the process forks nevertheless."""


_held = _Held()


def compiler_unusable() -> bool:
    """Return whether this process was forked while another thread compiled, and so must not compile."""
    return _compiler_unusable


def _llvm_lock() -> Any:
    """Return llvmlite's own lock, which it acquires for every call; None when llvmlite is not loaded."""
    return getattr(_llvm_lock_owner(), "_lock", None)


def _llvm_lock_owner() -> Any:
    module = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(module, "lib", None), "_lock", None)


def _before_fork() -> None:
    """Acquire the compiler's locks, waiting until no thread compiles."""
    _held.is_complete = False
    deadline = time.monotonic() + FORK_TIMEOUT
    _acquire(compiler_lock(), deadline)
    _acquire(_llvm_lock(), deadline)  # freeing code acquires only this lock
    _held.is_complete = True


def _acquire(lock: Any, deadline: float) -> None:
    if lock is not None:
        acquire: Callable[[bool, float], bool] = lock.acquire
        waits = max(deadline - time.monotonic(), 0.0)
        _held.locks.extend(zip((lock,), map(acquire, (True,), (waits,)), strict=True))  # in one step, as above


def _release() -> None:
    """Release the locks that were taken for a fork; after an interrupt, `release_interrupted` does it again."""
    _release_owned(_llvm_lock())
    _release_owned(_compiler_lock.inner)
    _held.locks.clear()


def _in_child() -> None:
    """Release the locks of threads that do not exist in this process."""
    global _compiler_unusable  # a fact about the process
    _compiler_unusable = _compiler_unusable or not _held.is_complete or not all(is_taken for _, is_taken in _held.locks)
    _release()
    for lock in _all:
        lock.reset_after_fork()
    llvm = _llvm_lock_owner()
    if _compiler_unusable and llvm is not None:  # code may be freed; the compiler alone is in an unknown state
        llvm._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_release, after_in_child=_in_child)
