"""Studies: all that determines the results of a call of `rollout`, and the run of their chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from concurrent.futures import Executor
from contextlib import closing
from typing import Any, cast, final

import attrs
import numpy as np

from rbd.array_functions.function import RecordedFunction
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.progress import Listener, Progress, progress_bar
from rbd.rollout.cases import CaseInputs, Cases
from rbd.rollout.chunks import (
    ChunkRun,
    PickledFunction,
    RolloutPlan,
    executor_context,
    run_executor,
    run_native,
    run_processes,
)
from rbd.rollout.settings import WorldSettings
from rbd.rollout.storage import Storage
from rbd.rollout.world_step import record_world_step
from rbd.rollout.worlds import available_threads
from rbd.scalars.arrays import Array


@final
@attrs.frozen(eq=False)
class Study:
    """All that determines the results of a call of `rollout`."""

    step: RecordedFunction
    plan: RolloutPlan
    inputs: CaseInputs
    dt: float
    chunk_size: int
    """Number of cases of a chunk, but perhaps the last."""

    @classmethod
    def of(cls, mechanism: Mechanism, settings: WorldSettings, plan: RolloutPlan, cases: Cases, size: int) -> Study:
        """Record the step, and check the cases with it."""
        step = record_world_step(mechanism, settings)
        return cls(step, plan, CaseInputs(cases, step.outline.inputs, mechanism), settings.dt, size)

    @property
    def case_count(self) -> int:
        """The number of cases."""
        return self.inputs.cases.count

    @property
    def chunks(self) -> range:
        """The numbers of all chunks."""
        return range(-(-self.case_count // self.chunk_size))

    def starts(self, chunk: int) -> dict[str, Array]:
        """Return the starts of the cases of a chunk."""
        first = chunk * self.chunk_size
        return self.inputs.rows(first, self._size(chunk))

    def description(self) -> dict[str, object]:
        """Return the description that identifies results: the step and the numbers of the plan."""
        defaults = self.step.defaults
        constants = hashlib.sha256(b"".join(np.asarray(defaults[name]).tobytes() for name in sorted(defaults)))
        return {
            "step": self.step.program.digest,
            "parameters": constants.hexdigest(),
            "dt": self.dt,
            "steps": self.plan.steps,
            "every": self.plan.every,
            "seed": self.inputs.cases.seed,
            "cases": self.case_count,
            "chunk": self.chunk_size,
        }

    def run(self, storage: Storage, executor: str | Executor, progress: bool | Listener | Progress) -> None:
        """Run the chunks that are missing."""
        missing = [chunk for chunk in self.chunks if chunk not in storage]
        done = [chunk for chunk in self.chunks if chunk in storage]
        for chunk in done:
            storage.require_starts(chunk, self.starts(chunk))
        chunk_runs = self._chunk_runs(missing, executor)
        with progress_bar(self.case_count, "cases", progress) as bar, closing(chunk_runs):
            bar.update(sum(self._size(chunk) for chunk in done))
            for chunk, starts, results in chunk_runs:
                storage.put(chunk, starts, results)
                bar.update(self._size(chunk))

    def _size(self, chunk: int) -> int:
        return min(self.chunk_size, self.case_count - chunk * self.chunk_size)

    def _chunk_runs(self, chunks: list[int], executor: str | Executor) -> Generator[ChunkRun]:
        threads = available_threads()
        kind = executor if isinstance(executor, str) else ""
        if kind == "native":
            yield from run_native(self.step, self.plan, chunks, self.starts, threads)
        elif kind == "processes":
            yield from run_processes(PickledFunction.of(self.step), self.plan, chunks, self.starts, threads)
        else:
            with executor_context(_checked_executor(executor)) as pool:
                yield from run_executor(pool, PickledFunction.of(self.step), self.plan, chunks, self.starts)


def _checked_executor(executor: Any) -> str | Executor:
    """Raise ArgumentError unless this is an executor, or like one, or an address."""
    if hasattr(executor, "submit") or (isinstance(executor, str) and "://" in executor):
        return cast("str | Executor", executor)
    allowed = '"native", "processes", an executor of concurrent.futures, or the address of a scheduler, "tcp://..."'
    raise ArgumentError(f"executor must be {allowed}", argument="executor", value=executor, allowed=allowed)
