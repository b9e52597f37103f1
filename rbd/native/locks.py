"""Locks that neither a fork nor an interrupt leaves locked, and what is made once whatever threads ask for it.

A forked process has one thread; what the others were at, it finds as they left it. Locks they held are replaced in it,
which is right where the work under a lock is noted in one step at its end. LLVM is no such work: a fork waits until
nobody uses it.

A fork waits `FORK_WAITS` at most: compiling one program takes seconds, and thousand bodies or the largest derivatives
take tens of them; what takes longer must not keep a process from forking. A child of such a fork never uses the
compiler, whose state is unknown there; it interprets what is not compiled (`native.available` says so).

`with lock.inner` is safe from KeyboardInterrupt: the interpreter does not stop between taking a lock of its own and
entering the block.
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

FORK_WAITS: Final = 60.0
"""Seconds a fork waits for the compiler at most."""


@final
class Lock:
    """A lock that a thread may take several times, and that is free in a forked process: `with lock.inner: ...`."""

    __slots__ = ("__weakref__", "inner")

    def __init__(self) -> None:
        """Begin unlocked."""
        self.inner = threading.RLock()
        _all.add(self)

    def run_if_free(self, action: Callable[[], T]) -> T | None:
        """Run `action` under the lock and return its result; None while another thread holds it."""
        taken = list[bool]()
        try:
            taken.extend(map(self.inner.acquire, (False,)))  # taken and noted in one step, which nothing interrupts
            return action() if taken[0] else None
        finally:
            if taken == [True]:
                self.inner.release()

    def forget_others(self) -> None:
        """Be free, in a forked process: a thread that is not here will not give it back."""
        taken = self.inner.acquire(blocking=False)
        if taken:
            self.inner.release()
        else:
            self.inner = threading.RLock()


_all: WeakSet[Lock] = WeakSet()
compiler: Final = Lock()
"""Held while LLVM is used, or imported. Whoever holds it takes no other lock, and runs no code but rbd's and LLVM's."""


def once(make: Callable[[], T]) -> Callable[[], T]:
    """Return `make`, which is then called once in the process, whatever threads ask, while nobody else compiles."""
    made = list[T]()

    @wraps(make)
    def found() -> T:
        if not made:
            with compiler.inner:
                if not made:
                    made.append(make())
        return made[0]

    return found


def one_at_a_time(make: Callable[P, T]) -> Callable[P, T]:
    """Return `make`, which one thread runs at a time: for what keeps its results, and should make each once."""
    lock = Lock()

    @wraps(make)
    def locked(*args: P.args, **named: P.kwargs) -> T:
        with lock.inner:
            return make(*args, **named)

    return locked


# ---------------------------------------------------------------- forks

_is_lost = False


class _Held(threading.local):
    """What a thread that forks has asked for: locks, and whether it got them."""

    def __init__(self) -> None:
        self.locks = list[tuple[Any, bool]]()
        self.is_complete = False
        """Whether all were asked for: an interrupt may cut that short, and the process forks all the same."""


_held = _Held()


def is_lost() -> bool:
    """Return whether this process was forked in the middle of compiling, and must not compile."""
    return _is_lost


def _llvm_lock() -> Any:
    """Return the object that holds llvmlite's own lock, which it takes for every call; None when it is not loaded."""
    module = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(module, "lib", None), "_lock", None)


def _before_fork() -> None:
    """Wait until nobody compiles."""
    _held.is_complete = False
    deadline = time.monotonic() + FORK_WAITS
    _take(compiler.inner, deadline)
    _take(getattr(_llvm_lock(), "_lock", None), deadline)  # what frees code takes this lock alone
    _held.is_complete = True


def _take(lock: Any, deadline: float) -> None:
    if lock is not None:
        acquire: Callable[[bool, float], bool] = lock.acquire
        waits = max(deadline - time.monotonic(), 0.0)
        _held.locks.extend(zip((lock,), map(acquire, (True,), (waits,)), strict=True))  # in one step, as above


def _give_back() -> None:
    while _held.locks:
        lock, is_taken = _held.locks.pop()
        if is_taken:
            lock.release()


def _in_child() -> None:
    """Free the locks of threads that are not here."""
    global _is_lost  # a fact about the process
    _is_lost = _is_lost or not _held.is_complete or not all(is_taken for _, is_taken in _held.locks)
    _give_back()
    for lock in _all:
        lock.forget_others()
    llvm = _llvm_lock()
    if _is_lost and llvm is not None:  # code may be freed; the compiler alone is in an unknown state
        llvm._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_give_back, after_in_child=_in_child)
