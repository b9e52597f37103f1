"""Benchmark of many worlds against a loop over them."""

from __future__ import annotations

import numpy as np
import pytest

from rbd import bench
from rbd.bench import worlds
from rbd.bench.contender import RBD
from rbd.bench.report import Section


def test_both_contenders_have_the_same_bits() -> None:
    case = worlds.quadruped_case(5)
    together, alone = worlds.batched_worlds(case, 2), worlds.sequential_worlds(case)
    assert together.states == alone.states == 5 * worlds.STEPS
    assert together.value is not None
    assert alone.value is not None
    for k in range(5):
        assert np.array_equal(together.value(k), alone.value(k))


@pytest.mark.bench
def test_the_report_has_rows_for_one_and_two_threads() -> None:
    report = bench.run(bench.BenchSettings(robots=(worlds.QUADRUPED,), quick=True, peers=False))
    for section in (Section.WORLDS, Section.WORLDS_THREADS):
        row = report.row(worlds.QUADRUPED, section, worlds.QUADRUPED_STEP, RBD)
        assert row is not None
        assert row.difference == 0
        assert row.speedup is not None
    assert "× loop" in bench.as_text(report)
