"""Collections of garbage are paused while graphs grow.

The threshold of the youngest generation is zero meanwhile, which pauses automatic collections; whether the collector is
enabled remains the choice of the user, in all threads.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_lock = threading.Lock()
_pauses: Final[dict[object, int]] = {}
"""A token of each pause, and its thread."""
_thresholds: Final[list[int]] = []
"""Those before the first of these pauses."""


def gc_paused(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that makes many long-lived objects: automatic collections of garbage are paused.

    A collection during a recording traverses all objects of the process and frees none.
    """

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> R:
        token = object()
        try:
            _pause(token)
            return function(*args, **named)
        finally:
            _resume(token)

    return call


def _pause(token: object) -> None:
    with _lock:
        if not _pauses:
            _thresholds[:] = gc.get_threshold()
        _pauses[token] = threading.get_ident()
        gc.set_threshold(0, *_thresholds[1:])


def _resume(token: object) -> None:
    """End a pause; the last one restores the thresholds, unless they have been changed meanwhile."""
    with _lock:
        paused = _pauses.pop(token, None) is not None
        if paused and not _pauses and gc.get_threshold()[0] == 0:
            gc.set_threshold(*_thresholds)


def _in_child() -> None:
    """End the pauses of threads that do not exist in a forked process."""
    global _lock
    _lock, mine = threading.Lock(), threading.get_ident()
    for token in [token for token, thread in _pauses.items() if thread != mine]:
        _resume(token)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
