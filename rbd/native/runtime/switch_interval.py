"""Switch interval of the interpreter while a thread compiles in the background.

Each call of LLVM releases the interpreter's lock. A thread gets it back from one that computes only after the switch
interval, 5 ms by default: a program that compiles in 60 ms would be ready after 900 ms.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

COMPILING_INTERVAL: Final = 2e-4
"""Seconds between switches while a thread compiles in the background."""

_replaced = list[float]()
"""The interval that is set again afterwards, while there is one."""


@contextmanager
def short_switch_interval() -> Generator[None]:
    """Shorten the switch interval of this process for the block; an interval that others set meanwhile stays."""
    before = sys.getswitchinterval()
    if before > COMPILING_INTERVAL:
        _replaced.append(before)
        sys.setswitchinterval(COMPILING_INTERVAL)
    try:
        yield
    finally:
        _restore()


def _restore() -> None:
    """Set the interval that was replaced again."""
    if _replaced:
        before = _replaced.pop()
        _replaced.clear()
        if abs(sys.getswitchinterval() - COMPILING_INTERVAL) < 1e-6:  # it is stored in whole microseconds
            sys.setswitchinterval(before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restore)  # the thread that would do so does not exist in the child
