"""Atomic calls: one call of C code, before or after which signals are handled, but not within it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from operator import call
from typing import Final, TypeVar

R = TypeVar("R")
_done: Final[deque[object]] = deque(maxlen=0)

consume: Final[Callable[[Iterable[object]], None]] = _done.extend
"""Consume an iterator in C."""


def call_atomically(calls: Iterable[Callable[[], object]]) -> None:
    """Call functions written in C, all of them in one call of C code."""
    consume(map(call, calls))


def all_or_nothing(action: Callable[[], R], undo: Iterable[Callable[[], object]]) -> R:
    """Return the result of an action; when it raises anything, make the calls `undo`, which restore what it changed."""
    undone = map(call, undo)  # made now, since memory may be what runs out
    try:
        return action()
    except BaseException:
        consume(undone)
        raise
