"""Printed measurements: `pytest -m bench -s tests/benchmarks`. Times are not tested."""

from __future__ import annotations

import pytest

from rbd import bench
from rbd.bench import robots

pytestmark = pytest.mark.bench


@pytest.mark.filterwarnings("ignore")  # other engines warn as they like
@pytest.mark.parametrize("robot", robots.default_names())
def test_times(robot: str) -> None:
    report = bench.run(bench.BenchSettings(robots=(robot,)), print)
    print(bench.as_text(report))
    assert report.rows
