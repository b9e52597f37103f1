"""Real-time pacing of a simulation."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import final

from rbd.arguments import require_callable
from rbd.scalars.number_checks import above_zero, at_least_zero_or_infinite, finite

_MAX_SLEEP = 1 / 60  # s, so that an interrupt from the keyboard is noticed


@final
class Throttle:
    """Delays a simulation so that simulated time runs `rate` times as fast as the wall clock.

    A simulation that falls behind catches up at full speed, unless it is behind by more than `patience` seconds: then
    pacing starts again from the current time. Raises ArgumentError unless the rate is positive and finite.

    >>> import rbd
    >>> slept = []
    >>> now = lambda: sum(slept)
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> slow = Throttle(0.5, clock=now, sleep=slept.append)
    >>> trajectory = rbd.simulate(state, 0.1, dt=0.01, realtime=slow)
    >>> round(sum(slept), 3)
    0.2
    """

    def __init__(
        self,
        rate: float = 1.0,
        *,
        patience: float = 1.0,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._rate = above_zero(rate, "realtime")
        self._patience = at_least_zero_or_infinite(patience, "patience")
        require_callable(clock, "clock")
        require_callable(sleep, "sleep")
        self._clock, self._sleep = clock, sleep
        self._origin = 0.0

    def begin(self) -> None:
        """Start: simulated time 0 is now."""
        self._origin = self._clock()

    def wait(self, t: float) -> None:
        """Sleep until simulated time `t`. Raises ArgumentError unless it is a finite number."""
        due = self._origin + finite(t, "t") / self._rate
        while (remaining := due - self._clock()) > 0:
            self._sleep(min(remaining, _MAX_SLEEP))
        if -remaining > self._patience:
            self._origin -= remaining
