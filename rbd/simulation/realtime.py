"""Keeping pace with the clock on the wall."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import final

from rbd.arguments import described, is_finite, require_callable
from rbd.errors import ArgumentError
from rbd.scalars import is_float

_NAP = 1 / 60  # s: longest sleep, so that an interrupt from the keyboard is noticed


@final
class Throttle:
    """Waits until the wall clock has caught up with simulated time, `rate` times as fast.

    A simulation that is slower than that is not waited for, and does not hurry afterwards to make up for it once it is
    behind by more than `patience` seconds. Raises ArgumentError unless the rate is positive and finite.
    """

    def __init__(
        self,
        rate: float = 1.0,
        *,
        patience: float = 1.0,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if not (is_float(rate) and rate > 0 and is_finite(rate)):
            message = f"realtime is {described(rate)}, needs a finite rate above 0"
            raise ArgumentError(message, argument="realtime", value=rate, allowed="a rate above 0")
        if not (is_float(patience) and patience >= 0):
            message = f"patience is {described(patience)}, needs a time of 0 or more"
            raise ArgumentError(message, argument="patience", value=patience, allowed="a time of 0 or more")
        require_callable(clock, "clock")
        require_callable(sleep, "sleep")
        self._rate, self._patience, self._clock, self._sleep = float(rate), patience, clock, sleep
        self._origin = 0.0

    def begin(self) -> None:
        """Start: simulated time 0 is now."""
        self._origin = self._clock()

    def wait(self, t: float) -> None:
        """Sleep until simulated time `t`."""
        due = self._origin + t / self._rate
        while (left := due - self._clock()) > 0:
            self._sleep(min(left, _NAP))
        if -left > self._patience:
            self._origin -= left
