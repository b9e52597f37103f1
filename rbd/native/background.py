"""Whether compiling may be waited for. Room: native; knows nothing of robots.

A program can be interpreted while another thread compiles it; the results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_wanted: ContextVar[bool] = ContextVar("rbd_background", default=False)


@contextmanager
def background() -> Generator[None]:
    """Let live states that need machine code inside this block have it compiled by another thread.

    Until it is there they interpret. Without this they wait for it. Results do not depend on it.

    >>> import rbd
    >>> from rbd.native import background
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> with background():
    ...     M = rbd.mass_matrix(state)
    """
    token = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(token)


def in_background() -> bool:
    """Return whether compiling is for another thread."""
    return _wanted.get()
