"""What robots that come and go leave behind: nothing that grows."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.deep import share

ROOT = Path(__file__).resolve().parents[1]
SECONDS = share(600)


def fewest(samples: list[list[int]]) -> list[int]:
    """Return the fewest open files and threads: more of them may be of compilation in the background."""
    return [min(column) for column in zip(*(sample[2:] for sample in samples), strict=True)]


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read as Linux shows it")
def test_ten_minutes_of_mixed_calls(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Memory after the first third, in which caches fill, grows by less than a twentieth in the rest."""
    environment = {**os.environ, "RBD_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore", "-m", "tests.mixed_calls", str(SECONDS)]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    samples = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    count, last, *_ = samples[-1]
    settled = samples[len(samples) // 3]
    first = sum(sample[1] for sample in samples[10:15]) / 5
    final = sum(sample[1] for sample in samples[-5:]) / 5
    record_property("what", f"calls that make, edit, compile, simulate and drop robots, for {SECONDS} s")
    record_property("count", f"{count:,}: memory {first / 1e6:.0f} MB after a third, {final / 1e6:.0f} MB at the end")
    assert final < 1.05 * first, [sample[1] for sample in samples]
    assert last < 1.1 * settled[1]
    assert fewest(samples[-5:]) == fewest(samples[10:15])
