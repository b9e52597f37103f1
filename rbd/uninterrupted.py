"""Calls that nothing interrupts: one call of C code, before or after which signals are handled, but not within it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from operator import call
from typing import Final, TypeVar

R = TypeVar("R")
_done: Final[deque[object]] = deque(maxlen=0)

consume: Final[Callable[[Iterable[object]], None]] = _done.extend
"""Consume an iterator in C."""


def run_uninterrupted(calls: Iterable[Callable[[], object]]) -> None:
    """Make calls of functions of C, in one call of C code."""
    consume(map(call, calls))


def all_or_nothing(action: Callable[[], R], undo: Iterable[object]) -> R:
    """Return the result of an action; when it raises anything, consume `undo`, which restores what it changed."""
    try:
        return action()
    except BaseException:
        consume(undo)
        raise
