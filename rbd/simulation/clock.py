"""When the steps of a simulation begin and end.

Times are multiples of the step, never sums: nothing accumulates, and the final time is met exactly.
"""

from __future__ import annotations

import math

import numpy as np

from rbd.arguments import described, is_finite
from rbd.errors import ArgumentError
from rbd.scalars import is_float
from rbd.scalars.arrays import Array

_MOST_STEPS = 1e10
_SLIVER = 1e-6  # of a step: a last step shorter than this is rounding, and joins the one before


def time_grid(final_time: float, dt: float) -> Array:
    """Return the times 0, dt, 2 dt, ... and, exactly, `final_time`. Raises ArgumentError unless they make sense.

    >>> from rbd.simulation.clock import time_grid
    >>> time_grid(0.25, 0.1).tolist()
    [0.0, 0.1, 0.2, 0.25]
    """
    _require("final_time", final_time, _is_time(final_time) and final_time >= 0, "a finite time of 0 or more")
    _require("dt", dt, _is_time(dt) and dt > 0, "a finite step above 0")
    ratio = final_time / dt
    _require("dt", dt, ratio <= _MOST_STEPS, f"at most {_MOST_STEPS:g} steps")
    nearest = round(ratio)
    steps = nearest if abs(ratio - nearest) <= _SLIVER else math.ceil(ratio)
    times = dt * np.arange(max(steps, 1 if final_time else 0) + 1, dtype=np.float64)
    times[-1] = final_time
    return times


def _is_time(value: object) -> bool:
    return is_float(value) and is_finite(value)


def _require(name: str, value: float, legal: bool, allowed: str) -> None:
    if not legal:
        message = f"{name} is {described(value)}, needs {allowed}"
        raise ArgumentError(message, argument=name, value=value, allowed=allowed)
