"""The time grid of a simulation.

Times are multiples of the step, not sums: rounding does not accumulate, and the final time is exact.
"""

from __future__ import annotations

import math

import numpy as np

from rbd.algorithms.time_steps.step_count import step_ratio
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import above_zero, at_least_zero

_RELATIVE_TOLERANCE = 1e-6  # of a step: a shorter last step is a rounding error, and joins the step before


def time_grid(final_time: float, dt: float) -> Array:
    """Return the times 0, dt, 2 dt, ... and, exactly, `final_time`. Raises ArgumentError for invalid times.

    >>> from rbd.simulation.time_grid import time_grid
    >>> time_grid(0.25, 0.1).tolist()
    [0.0, 0.1, 0.2, 0.25]
    """
    final_time, dt = at_least_zero(final_time, "final_time"), above_zero(dt, "dt")
    ratio = step_ratio(final_time, dt, "dt", dt)
    nearest = round(ratio)
    steps = nearest if abs(ratio - nearest) <= _RELATIVE_TOLERANCE else math.ceil(ratio)
    times = dt * np.arange(max(steps, 1 if final_time else 0) + 1, dtype=np.float64)
    times[-1] = final_time
    return times
