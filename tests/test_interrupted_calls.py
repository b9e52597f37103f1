"""Interrupted, or out of memory, at any line: states and results are as before the call or as after it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from tests import interrupted_calls
from tests.deep import share
from tests.interrupted_calls import CALLS
from tests.marks import needs_timers
from tests.mechanism.interrupts import raise_after

ERRORS = (KeyboardInterrupt, MemoryError)
COUNT = share(1250)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # background compilation that failed for want of memory says so
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", CALLS)
def test_interrupted_calls_change_all_or_nothing(name: str, error: type[BaseException]) -> None:
    subject = CALLS[name]
    count = interrupted_calls.lines_of(subject)
    lines = sorted({1, 2, *np.linspace(3, count, 8, dtype=int).tolist()})
    found = [interrupted_calls.interrupt(subject, line, error) for line in lines]
    assert "before" in found


@pytest.mark.parametrize("name", ["inverse dynamics", "inverse dynamics of a loop"])
def test_results_and_arrays_are_written_together(name: str) -> None:
    subject = CALLS[name]
    subject.call(subject.make())  # recorded: every further call runs through the same lines
    count = interrupted_calls.lines_of(subject)
    found = {interrupted_calls.interrupt(subject, line, KeyboardInterrupt) for line in range(count - 60, count + 1)}
    assert found == {"before", "after"}


@pytest.mark.parametrize("name", ["set_configuration", "zero", "randomize", "add_all_pairs"])
def test_writes_are_whole_at_every_line(name: str) -> None:
    subject = CALLS[name]
    lines = range(1, interrupted_calls.lines_of(subject) + 1)
    assert "before" in {interrupted_calls.interrupt(subject, line, KeyboardInterrupt) for line in lines}


def test_resets_of_worlds_are_whole_at_every_line() -> None:
    """The last line does all of it."""
    subject = CALLS["reset worlds"]
    lines = range(1, interrupted_calls.lines_of(subject) + 1)
    assert {interrupted_calls.interrupt(subject, line, KeyboardInterrupt) for line in lines} == {"before"}


@pytest.mark.parametrize("name", [name for name in CALLS if "environment" in name])
def test_steps_and_resets_of_environments_are_whole_at_every_line(name: str) -> None:
    subject = CALLS[name]
    lines = range(1, interrupted_calls.lines_of(subject) + 1)
    assert "before" in {interrupted_calls.interrupt(subject, line, KeyboardInterrupt) for line in lines}


@pytest.mark.deep
@needs_timers
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # interrupts arrive in finalizers, too
def test_calls_that_a_timer_interrupts_change_all_or_nothing(record_property: Callable[[str, object], None]) -> None:
    """At any instruction, not only at lines."""
    rng, found = np.random.default_rng(), {"before": 0, "after": 0, "ended": 0}
    for subject in CALLS.values():
        longest = max(1.3 * interrupted_calls.duration(subject), 1e-5)
        for _ in range(COUNT):
            found[interrupted_calls.outcome(subject, partial(raise_after, rng.uniform(2e-6, longest)))] += 1
    assert found["before"] > 0
    record_property("what", f"`KeyboardInterrupt` by a timer in {len(CALLS)} kinds of calls")
    record_property("count", f"{sum(found.values()):,}: {found['before']:,} as before, {found['after']:,} as after")


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", CALLS)
def test_interrupts_at_random_lines_of_calls(
    name: str, error: type[BaseException], record_property: Callable[[str, object], None]
) -> None:
    rng, subject = np.random.default_rng(), CALLS[name]
    subject.call(subject.make())  # later calls have fewer lines: they neither record nor compile
    count = interrupted_calls.lines_of(subject)
    found = {"before": 0, "after": 0, "ended": 0}
    while found["before"] + found["after"] < COUNT:
        found[interrupted_calls.interrupt(subject, int(rng.integers(1, count + 1)), error)] += 1
    record_property("what", f"`{error.__name__}` in {name}")
    record_property("count", f"{COUNT:,}: {found['before']:,} as before, {found['after']:,} as after")
