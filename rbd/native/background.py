"""Background compilation of compiled functions.

A program can be interpreted while another thread compiles it; the results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

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
