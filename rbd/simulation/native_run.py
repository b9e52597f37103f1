"""A run of a simulation in blocks of native steps; Python takes the steps that machine code refuses."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import partial
from itertools import pairwise
from typing import Any, final

import numpy as np

from rbd.progress import Progress
from rbd.simulation.hold import ZeroOrderHold
from rbd.simulation.native_blocks import NativeBlocks
from rbd.simulation.native_stages import Histories, NativeStages
from rbd.simulation.run import Run

_MIN_BLOCK = 4  # steps between two instants of a hold, from which on one call takes them all


_SPLIT = 8
"""The largest number of instants of a hold within a step of a run that is taken in blocks."""


def splits_few(hold: ZeroOrderHold[Any], times: list[float]) -> bool:
    """Return whether no step of a run is split into many parts by a hold."""
    return all(end - start <= (_SPLIT - 2) * hold.period for start, end in pairwise(times[:3]))


def _nothing(t: float, state: object) -> None:
    """Do nothing: the controller of a hold that only counts instants."""


@final
class NativeRun:
    """A run without events: of `NativeBlocks`, whose control may be a zero-order hold, or of `NativeStages`."""

    def __init__(self, run: Run, blocks: NativeBlocks | NativeStages) -> None:
        """Take a run that has not begun, and what takes its steps in blocks."""
        self._run, self._blocks = run, blocks
        self._hold: ZeroOrderHold[Any] | None = next(iter(run.flow.holds), None)

    def run(self, times: list[float], bar: Progress) -> None:
        """Take the steps between `times`."""
        self._run.begin(times[0])
        if isinstance(self._blocks, NativeStages) and self._blocks.samples_hold and self._hold is not None:
            self._run_held(times, self._blocks, ZeroOrderHold(_nothing, self._hold.period))
            bar.update(len(times) - 1)
            return
        k, last = 0, len(times) - 1
        while k < last:
            end = self._block_end(times, k)
            done = self._take_block(times[k : end + 1]) if end > k else 0
            k += done
            if done:
                bar.update(done)
            if k < end or not done:
                self._run.advance(times[k], times[k + 1])
                k += 1
                bar.update()

    def _run_held(self, times: list[float], stages: NativeStages, clock: ZeroOrderHold[None]) -> None:
        """Take the steps between `times`, split at the instants of the hold, which `clock` counts."""
        k, last = 0, len(times) - 1
        while k < last:
            instants, asks, samples = array("d"), bytearray(), list[int]()
            while k < last and (not samples or len(instants) + _SPLIT < stages.max_steps):
                for t, due in clock.stops(times[k], times[k + 1]):
                    instants.append(t)
                    asks.append(due)
                k += 1
                samples.append(len(instants))
            instants.append(times[k])
            stages.take(instants, self._run.s, partial(self._keep_some, instants, samples), bytes(asks))

    def _keep_some(self, instants: array[float], samples: list[int], steps: int, rows: Histories) -> None:
        """Take the samples at the ends of the steps of the run, of the first `steps` parts of steps."""
        chosen = samples[: bisect_right(samples, steps)]
        if chosen:
            q, v, *s = (each[chosen] for each in rows)
            times = [instants[k] for k in chosen]
            self._run.take_rows(times, q, v, s[0] if s else np.empty((len(chosen), 0)))

    def _block_end(self, times: list[float], k: int) -> int:
        """Return the index of the time to which the block from `times[k]` goes; sample the hold if it is due."""
        last = len(times) - 1
        end, hold = min(k + self._blocks.max_steps, last), self._hold
        if hold is None or isinstance(self._blocks, NativeStages):
            return end
        self._run.sample_holds(times[k])
        self._blocks.hold(self._run.flow.callbacks.torques(times[k], self._run.state))
        held = bisect_right(times, hold.next_instant, lo=k) - 1
        if held < last and not hold.is_before(times[held + 1]):  # equal but for rounding
            held += 1
        return min(end, held) if held - k >= _MIN_BLOCK else k

    def _take_block(self, times: list[float]) -> int:
        """Take the steps between `times` until machine code refuses one; return how many."""
        run = self._run
        if isinstance(self._blocks, NativeStages):
            instants = array("d", times)
            self._blocks.take(instants, run.s, partial(self._keep, instants))
            return len(times) - 1
        q, v, s = self._blocks.take(np.array(times), run.state.q, run.state.v, run.s)
        if len(q):
            run.advance_by_rows(times[1 : len(q) + 1], q, v, s)
        return len(q)

    def _keep(self, times: array[float], steps: int, rows: Histories) -> None:
        """Take the samples of the first `steps` steps between `times`."""
        if steps:
            q, v, *s = (each[1 : steps + 1] for each in rows)
            self._run.take_rows(times[1 : steps + 1], q, v, s[0] if s else np.empty((steps, 0)))
