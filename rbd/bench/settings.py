"""Settings of a run: robots, duration of measurements, sizes of batches."""

from __future__ import annotations

from typing import final

import attrs

from rbd.bench.clock import Pace


@final
@attrs.frozen
class BenchSettings:
    """Robots to measure, and the duration of measurements."""

    robots: tuple[str, ...] = ()
    """Names or URDF files; empty for the default robots."""
    quick: bool = False
    """Few short windows: the numbers are not reliable."""
    peers: bool = True
    """Measure other engines if they are installed."""

    @property
    def pace(self) -> Pace:
        """Duration of the measurement of a group of contenders."""
        return Pace(window=2e-4, rounds=5, time_limit=0.2, minimum_rounds=3) if self.quick else Pace()

    @property
    def batch_size(self) -> int:
        """Number of states of a batch for one thread."""
        return 512 if self.quick else 4096

    @property
    def parallel_batch_size(self) -> int:
        """Number of states of a batch for two threads."""
        return 1024 if self.quick else 65536

    @property
    def world_count(self) -> int:
        """Number of robots on the ground."""
        return 16 if self.quick else 256

    @property
    def preparation_repeats(self) -> int:
        """Number of measurements of preparation."""
        return 2 if self.quick else 9

    @property
    def process_repeats(self) -> int:
        """Number of new processes that are measured."""
        return 1 if self.quick else 15
