"""Running the readable source in place of what was recorded of it."""

from __future__ import annotations

from array import array
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_wanted: ContextVar[bool] = ContextVar("rbd_interpreted", default=False)
BLOCKS = array("q", [0])
"""How many `interpreted` blocks are open anywhere. While it is not zero, machine code asks first."""


@contextmanager
def interpreted() -> Generator[None]:
    """Let live states run the readable Python source of algorithms inside this block, in this thread only.

    That is for stepping through an algorithm in a debugger. Results agree with those of machine code to rounding.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> with rbd.interpreted():
    ...     M = rbd.mass_matrix(state)
    >>> bool(np.allclose(M, rbd.mass_matrix(state), atol=1e-12))
    True
    """
    token = _wanted.set(True)
    BLOCKS[0] += 1
    try:
        yield
    finally:
        BLOCKS[0] -= 1
        _wanted.reset(token)


def is_interpreted() -> bool:
    """Return whether the readable source is asked for."""
    return _wanted.get()
