"""Background compilation of compiled functions.

A program can be interpreted while another thread compiles it; the results are bitwise equal.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_wanted: ContextVar[bool] = ContextVar("rbd_background", default=False)


@contextmanager
def background() -> Generator[None]:
    """Compile functions that are called inside this block in another thread, and interpret them until then.

    Otherwise compiled robots and recorded functions wait for the compiler; of live states only long calls wait. Results
    do not depend on it.

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
    """Return whether this thread is inside a `background` block."""
    return _wanted.get()
