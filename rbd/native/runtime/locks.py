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
from collections import defaultdict
from collections.abc import Callable
from functools import partial, wraps
from inspect import currentframe
from itertools import repeat
from operator import call, methodcaller
from threading import get_ident
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

    Its holder acquires no other lock, and runs no code but rbd's and LLVM's; signal handlers and finalizers excepted.
    """
    release_llvm_lock()
    return _compiler_lock.inner


def release_llvm_lock() -> None:
    """Release llvmlite's own lock if an interrupt left it held by this thread: other threads would wait for ever.

    llvmlite enters and leaves its lock in Python code, which Ctrl-C interrupts. Callbacks registered with that lock
    are not called.
    """
    lock = _llvm_lock()
    while lock is not None and lock._is_owned() and not _is_in_llvmlite() and not _of_llvm[get_ident()]:
        lock.release()


def _is_in_llvmlite() -> bool:
    """Return whether this thread is inside a call of LLVM, as in a signal handler or finalizer."""
    names, frame = vars(sys.modules["llvmlite.binding.ffi"]), currentframe()
    while frame is not None and frame.f_globals is not names:
        frame = frame.f_back
    return frame is not None


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


_not_taken: Final = bool
"""In the place of what releases a lock that was not taken in time."""
_of_compiler: Final = defaultdict[int, list[Callable[[], object]]](list)
"""Functions that release the compiler's lock, one per fork that a thread is in, by thread."""
_of_llvm: Final = defaultdict[int, list[Callable[[], object]]](list)
"""The same for llvmlite's lock."""


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
    deadline = time.monotonic() + FORK_TIMEOUT
    _acquire(compiler_lock(), _of_compiler, deadline)
    _acquire(_llvm_lock() or threading.RLock(), _of_llvm, deadline)  # freeing code acquires only this lock


def _acquire(lock: Any, releases: dict[int, list[Callable[[], object]]], deadline: float) -> None:
    waits = max(deadline - time.monotonic(), 0.0)
    taken = map(lock.acquire, (True,), (waits,))
    releases[get_ident()].extend(map((_not_taken, lock.release).__getitem__, taken))  # in one step, as above


def _release(releases: dict[int, list[Callable[[], object]]]) -> Callable[[], object]:
    """Return a function that releases the lock that this thread has acquired last for a fork.

    It calls functions implemented in C only: a signal that arrives during the fork does not interrupt them.
    """
    stacks = map(releases.__getitem__, map(call, repeat(get_ident)))
    return partial(next, map(call, map(methodcaller("pop"), stacks)))


def _begin_child() -> None:
    """Note whether another thread was in the compiler."""
    global _compiler_unusable  # a fact about the process
    acquired = [releases[get_ident()][-1:] for releases in (_of_compiler, _of_llvm)]
    _compiler_unusable = _compiler_unusable or any(each in ([], [_not_taken]) for each in acquired)


def _release_in_child() -> None:
    """Replace the locks of threads that do not exist in this process."""
    for lock in _all:
        lock.reset_after_fork()
    llvm = _llvm_lock_owner()
    if _compiler_unusable and llvm is not None:  # code may be freed; the compiler alone is in an unknown state
        llvm._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_begin_child)
    for _releases in (_of_llvm, _of_compiler):
        os.register_at_fork(after_in_parent=_release(_releases), after_in_child=_release(_releases))
    os.register_at_fork(after_in_child=_release_in_child)
