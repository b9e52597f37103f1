"""Run paths of programs: blocks of whole steps, and blocks of stages with callbacks in Python between them.

Python takes the steps that machine code refuses.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, final

import numpy as np
from typing_extensions import override

from rbd.progress import Progress
from rbd.simulation.hold import ZeroOrderHold
from rbd.simulation.integrator import Integrator
from rbd.simulation.programs.recorded_stages import Histories, RecordedStages
from rbd.simulation.programs.repeated_step import RepeatedStep
from rbd.simulation.run import Run
from rbd.simulation.run_path import RunPath

_MIN_BLOCK: Final = 4
"""Steps between two instants of a hold, from which on one call takes them all."""
MAX_PARTS: Final = 8
"""The largest number of parts of a step of a run that is taken in blocks."""


def hold_splits_few_steps(hold: ZeroOrderHold[Any], times: list[float]) -> bool:
    """Return whether no step of a run is split into many parts by a hold."""
    return all(end - start <= (MAX_PARTS - 2) * hold.period for start, end in pairwise(times[:3]))


def _no_control(t: float, state: object) -> None:
    """Do nothing: the controller of a hold that only counts instants."""


@final
class BlocksOfSteps(RunPath):
    """Whole steps by a recorded program, while the torques are constant or the control is recorded."""

    def __init__(self, integrator: Integrator, repeated_step: RepeatedStep, hold: ZeroOrderHold[Any] | None) -> None:
        """Take blocks of steps between the instants of `hold`; `integrator` takes single steps."""
        super().__init__(integrator)
        self._repeated_step, self._hold = repeated_step, hold

    @override
    def take_steps(self, run: Run, times: list[float], bar: Progress) -> None:
        k, last = 0, len(times) - 1
        while k < last:
            end = self._block_end(run, times, k)
            done = self._take_block(run, times[k : end + 1], bar) if end > k else 0
            k += done
            if k < end or not done:
                run.move_to_sample(times[k], times[k + 1])
                k += 1
                bar.update()

    def _block_end(self, run: Run, times: list[float], k: int) -> int:
        """Return the index of the time to which the block from `times[k]` goes; sample the hold if it is due."""
        last = len(times) - 1
        end, hold = min(k + self._repeated_step.max_steps, last), self._hold
        if hold is None:
            return end
        run.sample_holds(times[k])
        self._repeated_step.set_torques(run.equations.callbacks.torques(times[k], run.state))
        end_of_hold = bisect_right(times, hold.next_instant, lo=k) - 1
        if end_of_hold < last and not hold.is_before(times[end_of_hold + 1]):  # equal but for rounding
            end_of_hold += 1
        return min(end, end_of_hold) if end_of_hold - k >= _MIN_BLOCK else k

    def _take_block(self, run: Run, times: list[float], bar: Progress) -> int:
        """Take the steps between `times` until machine code refuses one; return how many."""
        q, v, s = self._repeated_step.advance(np.array(times), run.state.q, run.state.v, run.s, bar)
        if len(q):
            run.move_by_rows(times[1 : len(q) + 1], q, v, s)
        return len(q)


@final
class BlocksOfStages(RunPath):
    """Stages by recorded programs with callbacks in Python between them, and the samples in blocks.

    The loop over the stages samples a zero-order hold at its instants, which split the steps of the run into parts.
    """

    def __init__(self, stages: RecordedStages) -> None:
        """Take blocks as long as `stages` allow."""
        super().__init__(stages)
        self._stages, hold = stages, stages.sampled_hold
        self._clock = None if hold is None else ZeroOrderHold(_no_control, hold.period)
        self._max_steps = stages.max_steps if hold is None else stages.max_steps // MAX_PARTS

    @override
    def take_steps(self, run: Run, times: list[float], bar: Progress) -> None:
        for k in range(0, len(times) - 1, self._max_steps):
            block = times[k : k + self._max_steps + 1]
            parts = self._parts(block)
            with run.taking_steps():
                self._stages.advance(parts.instants, run.s, partial(_record_samples, run, parts), parts.is_sampled)
            bar.update(len(block) - 1)

    def _parts(self, times: list[float]) -> _Parts:
        """Return the parts of the steps between `times`."""
        if self._clock is None:
            return _Parts(array("d", times), b"", range(1, len(times)))
        starts, is_sampled, ends = self._clock.split(times)
        is_split = len(starts) > len(ends)
        starts.append(times[-1])
        return _Parts(starts, bytes(is_sampled), ends if is_split else range(1, len(times)))


@final
class _Parts(NamedTuple):
    """Parts of steps, split at the instants of a hold."""

    instants: array[float]
    is_sampled: bytes
    """Whether the hold is sampled at the beginning of each part."""
    ends: Sequence[int]
    """Indices of the instants at which the steps of the run end; without a hold, a range from 1 on."""


def _record_samples(run: Run, parts: _Parts, count: int, rows: Histories) -> None:
    """Record the samples at the ends of the steps of the run that the first `count` parts complete."""
    ends = parts.ends[: bisect_right(parts.ends, count)]
    if isinstance(ends, range) and ends:
        _store(run, parts.instants[1 : len(ends) + 1], [history[1 : len(ends) + 1] for history in rows])
    elif ends:
        _store(run, [parts.instants[k] for k in ends], [history[np.array(ends)] for history in rows])


def _store(run: Run, times: Sequence[float], rows: Histories) -> None:
    q, v, *s = rows
    run.store_rows(times, q, v, s[0] if s else np.empty((len(times), 0)))
