"""Blocks of native steps of a run; Python takes the steps that machine code refuses."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import partial
from itertools import pairwise
from typing import Any, Final, final

import numpy as np
from typing_extensions import override

from rbd.progress import Progress
from rbd.simulation.hold import ZeroOrderHold
from rbd.simulation.integrator import Integrator
from rbd.simulation.native.blocks import NativeBlocks
from rbd.simulation.native.stages import Histories, NativeStages
from rbd.simulation.run import Run
from rbd.simulation.run_path import RunPath

_MIN_BLOCK: Final = 4
"""Steps between two instants of a hold, from which on one call takes them all."""
_SPLIT: Final = 8
"""The largest number of instants of a hold within a step of a run that is taken in blocks."""


def hold_splits_few_steps(hold: ZeroOrderHold[Any], times: list[float]) -> bool:
    """Return whether no step of a run is split into many parts by a hold."""
    return all(end - start <= (_SPLIT - 2) * hold.period for start, end in pairwise(times[:3]))


def _no_control(t: float, state: object) -> None:
    """Do nothing: the controller of a hold that only counts instants."""


@final
class BlocksOfSteps(RunPath):
    """Whole steps in machine code, while the torques are constant or the control is recorded."""

    def __init__(self, method: Integrator, blocks: NativeBlocks, hold: ZeroOrderHold[Any] | None) -> None:
        """Take blocks of steps between the instants of `hold`; `method` takes single steps."""
        super().__init__(method)
        self._blocks, self._hold = blocks, hold

    @override
    def take_steps(self, run: Run, times: list[float], bar: Progress) -> None:
        k, last = 0, len(times) - 1
        while k < last:
            end = self._block_end(run, times, k)
            done = self._take_block(run, times[k : end + 1]) if end > k else 0
            k += done
            if done:
                bar.update(done)
            if k < end or not done:
                run.move_to_sample(times[k], times[k + 1])
                k += 1
                bar.update()

    def _block_end(self, run: Run, times: list[float], k: int) -> int:
        """Return the index of the time to which the block from `times[k]` goes; sample the hold if it is due."""
        last = len(times) - 1
        end, hold = min(k + self._blocks.max_steps, last), self._hold
        if hold is None:
            return end
        run.sample_holds(times[k])
        self._blocks.set_torques(run.equations.callbacks.torques(times[k], run.state))
        held = bisect_right(times, hold.next_instant, lo=k) - 1
        if held < last and not hold.is_before(times[held + 1]):  # equal but for rounding
            held += 1
        return min(end, held) if held - k >= _MIN_BLOCK else k

    def _take_block(self, run: Run, times: list[float]) -> int:
        """Take the steps between `times` until machine code refuses one; return how many."""
        q, v, s = self._blocks.advance(np.array(times), run.state.q, run.state.v, run.s)
        if len(q):
            run.move_by_rows(times[1 : len(q) + 1], q, v, s)
        return len(q)


@final
class BlocksOfStages(RunPath):
    """Stages in machine code with callbacks in Python between them, and the samples in blocks."""

    def __init__(self, stages: NativeStages) -> None:
        """Take blocks as long as `stages` allow."""
        super().__init__(stages)
        self._stages = stages

    @override
    def take_steps(self, run: Run, times: list[float], bar: Progress) -> None:
        for k in range(0, len(times) - 1, self._stages.max_steps):
            instants = array("d", times[k : k + self._stages.max_steps + 1])
            with run.taking_steps():
                self._stages.advance(instants, run.s, partial(self._flush, run, instants))
            bar.update(len(instants) - 1)

    def _flush(self, run: Run, times: array[float], steps: int, rows: Histories) -> None:
        """Record the samples of the first `steps` steps between `times`."""
        _store_samples(run, list(times[1 : steps + 1]), [history[1 : steps + 1] for history in rows])


@final
class SampledHoldRun(RunPath):
    """Stages in machine code, which samples a zero-order hold itself at its instants, within the steps."""

    def __init__(self, method: Integrator, stages: NativeStages, hold: ZeroOrderHold[Any]) -> None:
        """Take steps split at the instants of `hold`."""
        super().__init__(method)
        self._stages, self._clock = stages, ZeroOrderHold(_no_control, hold.period)

    @override
    def take_steps(self, run: Run, times: list[float], bar: Progress) -> None:
        k, last = 0, len(times) - 1
        while k < last:
            instants, is_sampled, ends = array("d"), bytearray(), list[int]()
            while k < last and (not ends or len(instants) + _SPLIT < self._stages.max_steps):
                for t, due in self._clock.stops(times[k], times[k + 1]):
                    instants.append(t)
                    is_sampled.append(due)
                k += 1
                ends.append(len(instants))
            instants.append(times[k])
            with run.taking_steps():
                self._stages.advance(instants, run.s, partial(self._flush, run, instants, ends), bytes(is_sampled))
        bar.update(last)

    def _flush(self, run: Run, instants: array[float], ends: list[int], steps: int, rows: Histories) -> None:
        """Record the samples at the ends of the steps of the run, of the first `steps` parts of steps."""
        chosen = ends[: bisect_right(ends, steps)]
        _store_samples(run, [instants[k] for k in chosen], [history[chosen] for history in rows])


def _store_samples(run: Run, times: list[float], rows: Histories) -> None:
    """Record the samples at `times`, if there are any."""
    if times:
        q, v, *s = rows
        run.store_rows(times, q, v, s[0] if s else np.empty((len(times), 0)))
