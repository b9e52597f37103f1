"""Step times: multiples of dt, and the final time exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ArgumentError
from rbd.simulation.time_grid import time_grid


@pytest.mark.parametrize(
    ("final_time", "dt", "steps"),
    [(0.1, 0.01, 10), (1.0, 0.3, 4), (0.1, 1 / 3, 1), (0.3, 0.1, 3), (1e-3, 1.0, 1), (0.0, 0.1, 0), (0.7, 0.1, 7)],
)
def test_number_of_steps(final_time: float, dt: float, steps: int) -> None:
    times = time_grid(final_time, dt)
    assert len(times) == steps + 1
    assert times[-1] == final_time
    assert times[0] == 0


@given(st.floats(1e-6, 1e3), st.floats(1e-4, 3.0))
def test_grid_is_regular_and_ends_exactly(final_time: float, fraction: float) -> None:
    dt = final_time * fraction
    times = time_grid(final_time, dt)
    gaps = np.diff(times)
    assert times[-1] == final_time
    assert (gaps > 0).all()
    assert (gaps <= dt * (1 + 2e-6)).all()
    assert all(times[i] == i * dt for i in range(len(times) - 1))
    assert gaps[-1] > 0.9e-6 * dt


@pytest.mark.parametrize(
    ("final_time", "dt", "argument"),
    [
        (-1.0, 0.1, "final_time"),
        (math.inf, 0.1, "final_time"),
        (math.nan, 0.1, "final_time"),
        (1.0, 0.0, "dt"),
        (1.0, -0.1, "dt"),
        (1.0, math.nan, "dt"),
        (1.0, math.inf, "dt"),
        (1.0, 1e-300, "dt"),
        ("1", 0.1, "final_time"),
        (None, 0.1, "final_time"),
        (1j, 0.1, "final_time"),
        (True, 0.1, "final_time"),
        (1.0, "0.1", "dt"),
    ],
)
def test_times_that_make_no_sense(final_time: float, dt: float, argument: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        time_grid(final_time, dt)
    assert caught.value.argument == argument
