"""Tests of formulas run the readable source: `tests/engine/test_live.py` holds live states to it, on every algorithm.

Recording takes ten times as long as computing once, and most tests here compute once on a random mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rbd.engine.interpreted import interpreted


@pytest.fixture(autouse=True, scope="module")
def _readable_source() -> Iterator[None]:
    """Let live states run the source."""
    with interpreted():
        yield
