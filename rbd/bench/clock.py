"""Alternating time measurement: contenders take turns in short windows.

On a shared machine the load varies over time. Neighbouring windows have about the same load, so the median of the
ratios of neighbouring windows is more reliable than a ratio of total times. One thread is measured in processor time,
which excludes other processes.
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
"""Processor time of the thread; wall time where that clock is coarser than a microsecond."""
_REST: Final = 0.01
"""Pause in seconds: OpenMP's threads wait actively for a few milliseconds."""


@final
@attrs.frozen
class Pace:
    """Duration and number of windows."""

    window: float = 1e-3
    """Minimum duration of a window in seconds."""
    rounds: int = 201
    time_limit: float = 4.0
    """Duration in seconds after which no round starts, if there are at least `minimum_rounds`."""
    minimum_rounds: int = 7


@final
@attrs.frozen(eq=False)
class Timing:
    """Seconds per state of each window."""

    windows: Array

    @property
    def median(self) -> float:
        """The median time."""
        return float(np.median(self.windows))

    @property
    def best(self) -> float:
        """The shortest time."""
        return float(np.min(self.windows))

    def speedup(self, reference: Timing) -> float:
        """Return the speedup over `reference`: the median over neighbouring windows."""
        return float(np.median(reference.windows / self.windows))


def alternate(contenders: Sequence[Contender], pace: Pace, clock: Clock = PROCESSOR) -> list[Timing]:
    """Measure all contenders in alternating windows, with a clock in seconds."""
    with _no_collections():
        rows = _windows(contenders, pace, clock)
    return [Timing(np.array(column)) for column in zip(*rows, strict=True)]


def _windows(contenders: Sequence[Contender], pace: Pace, clock: Clock) -> list[list[float]]:
    """Return rounds of seconds per state, one window per contender."""
    repeats = [_repeats(contender, pace.window, clock) for contender in contenders]
    rows: list[list[float]] = []
    end = perf_counter() + pace.time_limit
    while len(rows) < pace.rounds and (len(rows) < pace.minimum_rounds or perf_counter() < end):
        rows.append([_window(c, n, clock) for c, n in zip(contenders, repeats, strict=True)])
    return rows


def _window(contender: Contender, repeats: int, clock: Clock) -> float:
    """Return the seconds per state in one window.

    Wall time measures contenders with threads. A pause lets the previous contender's threads stop waiting actively, and
    a call wakes up this contender's threads.
    """
    if clock is WALL:
        sleep(_REST)
        contender.run(1)
    return _seconds(contender, repeats, clock)


def _repeats(contender: Contender, window: float, clock: Clock) -> int:
    """Return the number of passes over the states per window; this also warms up the contender."""
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
    """Disable the garbage collector during windows."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
