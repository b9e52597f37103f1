"""The garbage collector is paused while graphs grow."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_pausing: Final[set[int]] = set()
"""Threads that have paused the garbage collector."""


def gc_paused(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that makes many long-lived objects: the garbage collector is paused.

    A collection during a recording traverses all objects of the process and frees none.
    """

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> R:
        collects, thread = gc.isenabled(), threading.get_ident()
        try:
            if collects:
                _pausing.add(thread)
                gc.disable()
            return function(*args, **named)
        finally:
            if collects:
                gc.enable()
                _pausing.discard(thread)

    return call


def _in_child() -> None:
    """Resume the garbage collector in a forked process, where the thread that paused it does not exist."""
    if _pausing - {threading.get_ident()}:
        gc.enable()
    _pausing.intersection_update({threading.get_ident()})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
