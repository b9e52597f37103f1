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
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, final

from rbd.program.graph import Graph

_pauses: Final[list[weakref.ref[_Pause]]] = []
_thresholds: Final[list[int]] = []
"""Those before the last pause of a collector that was on."""


@final
class _Pause:
    """A pause of the collector by one thread. It ends when this object is gone, also after an interrupt at any line.

    There is no lock, which an interrupt could leave locked: where threads begin and end pauses at once, garbage may be
    collected during a recording, at worst.
    """

    __slots__ = ("__weakref__", "collector_was_on", "thread")

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        live = [each() for each in tuple(_pauses)]
        self.collector_was_on: bool = gc.get_threshold()[0] > 0 or any(
            each is not None and each.collector_was_on for each in live
        )
        """Whether the collector is on without this and other pauses."""


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
    pause, graph = _Pause(), Graph()
    try:
        _begin(pause)
        yield graph
    finally:
        try:
            graph.clear()
        finally:
            _end(pause, collector_was_on=pause.collector_was_on)


def _begin(pause: _Pause) -> None:
    thresholds, collector_was_on = gc.get_threshold(), pause.collector_was_on
    if thresholds[0]:
        _thresholds[:] = thresholds
    _pauses.append(weakref.ref(pause, lambda _: _end(None, collector_was_on=collector_was_on)))
    gc.set_threshold(0, *thresholds[1:])


def _end(pause: _Pause | None, *, collector_was_on: bool) -> None:
    """End a pause, and those that are gone; the last one restores the thresholds, unless they have been changed."""
    others = [each for each in tuple(_pauses) if each() is not None and each() is not pause]
    if collector_was_on and not others and gc.get_threshold()[0] == 0:
        gc.set_threshold(*_thresholds)
    _pauses[:] = others  # last: the end of a pause that is interrupted before is repeated when it is gone


def _in_child() -> None:
    """End the pauses of threads that do not exist in a forked process."""
    mine, live = threading.get_ident(), [each() for each in _pauses]
    for pause in live:
        if pause is not None and pause.thread != mine:
            _end(pause, collector_was_on=pause.collector_was_on)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
