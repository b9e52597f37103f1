"""Edits are all or nothing: interrupted, or out of memory, at any line, a mechanism is as before or as after."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mechanism import interrupts

ERRORS = (KeyboardInterrupt, MemoryError)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", interrupts.EDITS)
def test_interrupted_edits_leave_mechanisms_as_before_or_as_after(name: str, error: type[BaseException]) -> None:
    edit = interrupts.EDITS[name]
    count = interrupts.lines_of(edit)
    lines = sorted({*range(count - 3, count + 1), *np.linspace(1, count, 12, dtype=int).tolist()})
    found = [interrupts.interrupt(edit, line, error) for line in lines]
    assert "before" in found


@pytest.mark.deep
@pytest.mark.parametrize("error", ERRORS)
def test_twenty_thousand_interrupts(error: type[BaseException]) -> None:
    rng, names = np.random.default_rng(), list(interrupts.EDITS)
    counts = {name: interrupts.lines_of(edit) for name, edit in interrupts.EDITS.items()}
    found = {"before": 0, "after": 0}
    for number in range(20_000):
        name = names[number % len(names)]
        found[interrupts.interrupt(interrupts.EDITS[name], int(rng.integers(1, counts[name] + 1)), error)] += 1
    assert sum(found.values()) == 20_000
