"""Chunks of cases: the work of one call of an executor, and the executors.

What travels is the recorded step and arrays: no code of users. A process keeps the step it got last, compiled.
"""

from __future__ import annotations

import importlib
import multiprocessing
import pickle
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, TypeAlias, cast, final

import attrs
import numpy as np

from rbd.array_functions.function import RecordedFunction
from rbd.native.runtime.function_caches import function_cache
from rbd.rollout.batch import WorldBatch
from rbd.scalars.arrays import Array

Results: TypeAlias = dict[str, Any]
"""Arrays with a row per case by name, and "messages" of the cases that failed."""
StartOfChunk: TypeAlias = Callable[[int], dict[str, Array]]
"""The starts of a chunk."""

STATE: Final = ("q", "v", "s")
_MAX_IN_FLIGHT: Final = 64
"""Maximum number of chunks that an executor has at a time."""
_MAX_BROKEN_POOLS: Final = 3
"""Number of pools of processes whose workers may die: at the last one that is an error."""


@final
@attrs.frozen
class RolloutPlan:
    """Plan of a rollout: number of steps and stored states, after 0, `every`, 2 `every`, ... and `steps` steps."""

    steps: int
    every: int
    substeps: int
    """Integration steps of a step."""

    @property
    def stored_steps(self) -> tuple[int, ...]:
        """The numbers of steps after which states are kept."""
        return (*range(0, self.steps, self.every), self.steps)


@final
@attrs.frozen
class PickledFunction:
    """A recorded function as bytes, pickled once for all chunks; those with one digest are equal."""

    digest: str
    content: bytes = attrs.field(eq=False, repr=False)

    @classmethod
    def of(cls, function: RecordedFunction) -> PickledFunction:
        """Pickle a function."""
        return cls(function.program.digest, pickle.dumps(function))


@function_cache(maxsize=4)
def _unpickled(pickled: PickledFunction) -> RecordedFunction:
    """Return the function; a process unpickles and compiles it once."""
    return cast("RecordedFunction", pickle.loads(pickled.content))


def run_chunk(pickled: PickledFunction, start: Mapping[str, Array], plan: RolloutPlan, threads: int) -> Results:
    """Return the states of cases that begin with the rows of `start`; the last ones repeat where an episode ended."""
    return run_cases(_unpickled(pickled), start, plan, threads)


def run_cases(step: RecordedFunction, start: Mapping[str, Array], plan: RolloutPlan, threads: int) -> Results:
    """Return the results of `run_chunk`, with a step of this process."""
    worlds = WorldBatch(step, len(start["q"]), start)
    stored = plan.stored_steps
    names = [name for name in STATE if name in worlds.outputs]
    states = {name: np.empty((worlds.count, len(stored), *worlds.outputs[name].shape[1:])) for name in names}
    before = 0
    for k, number in enumerate(stored):
        worlds.take_steps(number - before, plan.substeps, threads)
        for name, array in states.items():
            array[:, k] = worlds.outputs[name]
        before = number
    return states | _endings(worlds)


def _endings(worlds: WorldBatch) -> Results:
    """Return steps, status and messages of the ends of cases."""
    codes = worlds.status.codes
    return {
        "steps": worlds.steps_taken,
        "status": codes.copy(),
        "stopped": worlds.inputs.get("stopped", np.zeros(worlds.count)) > 0,
        "messages": {row: worlds.explain(row) for row in np.flatnonzero(codes).tolist()},
    }


def run_native(
    step: RecordedFunction, plan: RolloutPlan, chunks: Iterable[int], starts: StartOfChunk, threads: int
) -> Generator[tuple[int, Results]]:
    """Yield chunks in order, run by threads of this process."""
    for chunk in chunks:
        yield chunk, run_cases(step, starts(chunk), plan, threads)


def run_processes(
    pickled: PickledFunction, plan: RolloutPlan, chunks: Iterable[int], starts: StartOfChunk, workers: int
) -> Generator[tuple[int, Results]]:
    """Yield chunks as processes of this machine finish them; dead processes are replaced."""
    left = dict.fromkeys(chunks)
    for attempt in range(_MAX_BROKEN_POOLS):
        context = multiprocessing.get_context("spawn")
        try:
            with ProcessPoolExecutor(workers, context) as pool:
                for chunk, results in run_executor(pool, pickled, plan, list(left), starts):
                    left.pop(chunk)
                    yield chunk, results
            return
        except BrokenProcessPool:
            if attempt + 1 == _MAX_BROKEN_POOLS:
                raise


def run_executor(
    executor: Executor, pickled: PickledFunction, plan: RolloutPlan, chunks: Iterable[int], starts: StartOfChunk
) -> Generator[tuple[int, Results]]:
    """Yield chunks as an executor finishes them; a bounded number of them waits in it."""
    waiting, running = iter(chunks), dict[Future[Results], int]()
    try:
        while True:
            for chunk in waiting:
                running[executor.submit(run_chunk, pickled, starts(chunk), plan, 1)] = chunk
                if len(running) >= _MAX_IN_FLIGHT:
                    break
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(done), done.result()
    finally:
        for future in running:
            future.cancel()


def executor_context(executor: Executor | str) -> AbstractContextManager[Executor]:
    """Return an executor, which is closed behind a `with` statement if a string names a scheduler of dask."""
    return _DaskExecutor(executor) if isinstance(executor, str) else nullcontext(executor)


@final
class _DaskExecutor(AbstractContextManager[Executor]):
    """A client of a scheduler of dask at an address."""

    def __init__(self, address: str) -> None:
        from rbd.extras import names_extra

        with names_extra("schedulers of dask"):
            distributed: Any = importlib.import_module("distributed")
        self._client: Any = distributed.Client(address)

    def __enter__(self) -> Executor:
        return cast("Executor", self._client.get_executor())

    def __exit__(self, *_: object) -> None:
        self._client.close()
