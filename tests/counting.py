"""Counts in the place of times: what a task does is the same on every machine, how long it takes is not."""

from __future__ import annotations

import cProfile
import gc
from collections.abc import Callable


def calls(task: Callable[[], object]) -> int:
    """Return how many functions a task calls, those written in C among them."""
    profile = cProfile.Profile()
    gc.collect()
    gc.disable()  # what it would call is not the task's
    profile.enable()
    try:
        task()
    finally:
        profile.disable()
        gc.enable()
    return sum(entry.callcount for entry in profile.getstats())
