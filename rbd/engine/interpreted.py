"""Interpreted execution: run the Python source instead of recorded programs."""

from __future__ import annotations

from array import array
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_interprets: ContextVar[bool] = ContextVar("rbd_interpreted", default=False)
INTERPRETED_CONTEXTS = array("q", [0])
"""Number of open `interpreted` blocks of all threads: a word at a fixed address, for machine code reads no context."""


@contextmanager
def interpreted() -> Generator[None]:
    """Run the Python source of algorithms on live states inside this block, in this thread only.

    Use it to step through an algorithm in a debugger. Results agree with those of machine code up to rounding.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> with rbd.interpreted():
    ...     M = rbd.mass_matrix(state)
    >>> bool(np.allclose(M, rbd.mass_matrix(state), atol=1e-12))
    True
    """
    token = _interprets.set(True)
    INTERPRETED_CONTEXTS[0] += 1
    try:
        yield
    finally:
        INTERPRETED_CONTEXTS[0] -= 1
        _interprets.reset(token)


def is_interpreted() -> bool:
    """Return whether this thread runs the Python source."""
    return _interprets.get()
