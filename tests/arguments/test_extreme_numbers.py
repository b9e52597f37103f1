"""Extreme numbers as arguments of public functions: results are finite, or an error of rbd is raised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from tests.deep import share

from . import probes
from .extremes import Spoiler

COUNT = share(100_000)
CALLS = {
    name: probe
    for group in probes.GROUPS.values()
    for name, probe in group.items()
    if not name.startswith(("rbd ", "Trajectory.load"))  # commands, whose numbers are text; files that are not there
}


def _may_overflow(name: str) -> bool:
    """Return whether a function is arithmetic of floats or of framed values, which may overflow, as documented."""
    owner = getattr(rbd, name.partition(".")[0], None)
    return name.startswith("rbd.scalars.") or getattr(owner, "__module__", "").startswith("rbd.spatial.")


def _unexpected(complaint: str) -> bool:
    return " returned " not in complaint or not _may_overflow(complaint.partition("(")[0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of values that overflow
def test_extreme_numbers_give_finite_results_or_errors() -> None:
    spoiler = Spoiler(CALLS, np.random.default_rng(0))
    found = [each for each in spoiler.complaints(1000) if _unexpected(each)]
    assert not found, "\n".join(found)


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of values that overflow
def test_many_calls_with_extreme_numbers(record_property: Callable[[str, object], None]) -> None:
    spoiler = Spoiler(CALLS, np.random.default_rng())
    found = [each for each in spoiler.complaints(COUNT) if _unexpected(each)]
    record_property("what", f"calls of {len(CALLS)} public functions with extreme numbers, or with values made of such")
    record_property("count", f"{COUNT:,}: {len(found)} foreign exceptions and results that are not finite")
    assert not found, "\n".join(found)
