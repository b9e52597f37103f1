"""Recordings: graphs whose nodes are freed at the end, and which no collection of garbage traverses.

A recording makes many objects that live until its end: a collection would traverse all objects of the process and free
none. Nodes and their graph refer to each other, so that only the collector would free a graph that is not cleared.

The threshold of the youngest generation is zero meanwhile, which pauses automatic collections; whether the collector is
enabled remains the choice of the user, in all threads.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from rbd.program.graph import Graph

_lock = threading.Lock()
_pauses: Final[dict[object, int]] = {}
"""A token of each pause, and its thread."""
_thresholds: Final[list[int]] = []
"""Those before the first of these pauses."""


@contextmanager
def recording() -> Generator[Graph]:
    """Return a context with a new graph: automatic collections of garbage are paused; its end frees all nodes.

    >>> from rbd.program.program import Program
    >>> with recording() as graph:
    ...     x, y = graph.input("x", (2,))
    ...     program = Program.of(graph, "product", {"z": x * y})
    >>> len(graph.order), program.interpret(x=[2.0, 3.0])
    (0, {'z': array(6.)})
    """
    token, graph = object(), Graph()
    try:
        _pause(token)
        yield graph
    finally:
        graph.clear()
        _resume(token)


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
