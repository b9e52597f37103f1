"""Whether compiled functions leave compiling to the background thread.

A program can be interpreted while another thread compiles it; the results are the same to the last bit.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import final

_wanted: ContextVar[bool] = ContextVar("rbd_background", default=False)


@contextmanager
def background() -> Generator[None]:
    """Let functions that need machine code inside this block have it compiled by another thread.

    Until it is there they are interpreted. Without this, compiled robots and recorded functions wait for it; live
    states never do, unless waiting is shorter than interpreting. Results do not depend on it.

    >>> import numpy as np, rbd
    >>> from rbd.native import background
    >>> robot = rbd.compile(rbd.robots.double_pendulum())
    >>> with background():
    ...     M = robot.mass_matrix(np.zeros(2))
    """
    token = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(token)


def in_background() -> bool:
    """Return whether compiling is left to another thread."""
    return _wanted.get()


@final
class Aside:
    """Another thread that makes one thing; a process forked meanwhile, where it is not, begins another."""

    def __init__(self) -> None:
        """Begin without a thread."""
        self._begun: tuple[int, threading.Thread] | None = None

    def begin(self, make: Callable[[], object]) -> None:
        """Let a thread call `make`, if that was not begun in this process."""
        if self._begun is None or self._begun[0] != os.getpid():
            thread = threading.Thread(target=make, name="rbd compiles", daemon=True)
            thread.start()
            self._begun = os.getpid(), thread  # after the start: who is interrupted on the way begins once more

    def wait(self) -> None:
        """Return when the thread is done, if there is one."""
        if self._begun is not None and self._begun[0] == os.getpid():
            self._begun[1].join()
