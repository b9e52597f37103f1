"""Time measured in turns: every contender gets a short window, again and again.

On a machine that does other things too, a window of one contender says little. Windows close to each other see about
the same machine: the ratio of two neighbours is worth more than either, and the median of many such ratios more than
that. What one thread does is measured in processor time, which stands still while others have the processor.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from time import get_clock_info, perf_counter, sleep, thread_time
from typing import Final, final

import attrs
import numpy as np

from rbd.bench.contender import Contender
from rbd.scalars.arrays import Array

Clock = Callable[[], float]
WALL: Final[Clock] = perf_counter
PROCESSOR: Final[Clock] = thread_time if get_clock_info("thread_time").resolution <= 1e-6 else perf_counter
_REST: Final = 0.01
"""Seconds; the pools of OpenMP wait actively for a few milliseconds."""


@final
@attrs.frozen
class Pace:
    """How long and how often to measure."""

    window: float = 1e-3
    """Seconds a window takes at least."""
    rounds: int = 201
    limit: float = 4.0
    """Seconds after which no further round begins, once there are `fewest` rounds."""
    fewest: int = 7


@final
@attrs.frozen(eq=False)
class Timing:
    """Seconds per state, window by window."""

    windows: Array

    @property
    def median(self) -> float:
        """The typical time."""
        return float(np.median(self.windows))

    @property
    def best(self) -> float:
        """The least time."""
        return float(np.min(self.windows))

    def speedup(self, reference: Timing) -> float:
        """Return how many times as fast as `reference` this is: the median over neighbouring windows."""
        return float(np.median(reference.windows / self.windows))


def alternate(contenders: Sequence[Contender], pace: Pace, clock: Clock = PROCESSOR) -> list[Timing]:
    """Measure all contenders in turns, with a clock that counts seconds."""
    with _no_collections():
        repeats = [_repeats(contender, pace.window, clock) for contender in contenders]
        rows: list[list[float]] = []
        end = perf_counter() + pace.limit
        while len(rows) < pace.rounds and (len(rows) < pace.fewest or perf_counter() < end):
            rows.append([_window(c, n, clock) for c, n in zip(contenders, repeats, strict=True)])
    return [Timing(np.array(column)) for column in zip(*rows, strict=True)]


def _window(contender: Contender, repeats: int, clock: Clock) -> float:
    """Return the seconds per state in one window.

    Time on the wall is that of threads, and those of the contender before may still be busy waiting for more to do:
    they are given time to fall asleep, and this contender's own are woken up.
    """
    if clock is WALL:
        sleep(_REST)
        contender.run(1)
    return _seconds(contender, repeats, clock)


def _repeats(contender: Contender, window: float, clock: Clock) -> int:
    """Return how many times a contender goes through its states in a window; this warms it up, too."""
    repeats = 1
    _seconds(contender, repeats, clock)
    while (taken := _seconds(contender, repeats, clock) * contender.states * repeats) < window / 2:
        repeats = max(2 * repeats, min(16 * repeats, int(repeats * window / max(taken, 1e-9))))
    return max(1, round(repeats * window / taken))


def _seconds(contender: Contender, repeats: int, clock: Clock) -> float:
    """Return the seconds per state in one window."""
    start = clock()
    contender.run(repeats)
    return (clock() - start) / (contender.states * repeats)


@contextmanager
def _no_collections() -> Generator[None]:
    """Keep the garbage collector out of the windows."""
    was = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
