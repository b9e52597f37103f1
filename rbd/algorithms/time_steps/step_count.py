"""Number of time steps of a run, and its limit: for rollouts, contact simulators and time grids."""

from __future__ import annotations

from typing import Final

from rbd.errors import ArgumentError
from rbd.scalars.number_checks import at_least_zero

MAX_STEPS: Final = 10**10
"""Steps of a run, at most."""


def step_count(time: object, dt: float, argument: str) -> int:
    """Return the number of steps of `dt` in a time, rounded; raise ArgumentError for negative times and too many.

    >>> step_count(0.5, 0.125, "final_time")
    4
    """
    duration = at_least_zero(time, argument)
    return round(step_ratio(duration, dt, argument, duration))


def step_ratio(duration: float, dt: float, argument: str, value: float) -> float:
    """Return the duration in steps; raise ArgumentError about a value, one of the two, for too many.

    >>> step_ratio(0.25, 0.5, "dt", 0.5)
    0.5
    """
    ratio = duration / dt
    if not ratio <= MAX_STEPS:
        allowed = f"at most {MAX_STEPS:g} steps"
        message = f"{argument} makes {ratio:.3g} steps of {dt:g} s in {duration:g} s, needs {allowed}"
        raise ArgumentError(message, argument=argument, value=value, allowed=allowed)
    return ratio
