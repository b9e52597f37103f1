"""Chunks of cases: the work of one call of an executor, and the executors.

What travels is the recorded step and arrays: no code of users. A process keeps the step it got last, compiled.
"""

from __future__ import annotations

import importlib
import multiprocessing
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from queue import SimpleQueue
from typing import Any, Final, TypeAlias, cast, final

import attrs
import numpy as np

from rbd.array_functions.function import RecordedFunction
from rbd.native.runtime.function_caches import function_cache
from rbd.rollout.batch import WorldBatch
from rbd.scalars.arrays import Array


@final
@attrs.frozen(eq=False)
class ChunkResults:
    """Results of the cases of a chunk."""

    arrays: dict[str, Array]
    """Arrays with a row per case, by name."""
    messages: dict[int, str]
    """Messages of the cases that failed, by row."""


Starts: TypeAlias = dict[str, Array]
"""Starts of the cases of a chunk: rows of arrays by name."""
ChunkStarts: TypeAlias = Callable[[int], Starts]
"""starts(chunk) -> the starts of its cases."""
ChunkRun: TypeAlias = tuple[int, Starts, ChunkResults]
"""A chunk that was run: its number, starts and results."""
_Running: TypeAlias = dict[Future[ChunkResults], tuple[int, Starts]]
"""Chunks that an executor has, with their starts, by future."""

STATE_ARRAYS: Final = ("q", "v", "s")
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


def run_chunk(pickled: PickledFunction, starts: Mapping[str, Array], plan: RolloutPlan, threads: int) -> ChunkResults:
    """Return the states of cases that begin with the rows of `starts`; the last ones repeat where an episode ended."""
    return run_cases(_unpickled(pickled), starts, plan, threads)


def run_cases(step: RecordedFunction, starts: Mapping[str, Array], plan: RolloutPlan, threads: int) -> ChunkResults:
    """Return the results of `run_chunk`, with a step of this process."""
    worlds = WorldBatch(step, len(starts["q"]), starts)
    stored = plan.stored_steps
    names = [name for name in STATE_ARRAYS if name in worlds.outputs]
    states = {name: np.empty((worlds.count, len(stored), *worlds.outputs[name].shape[1:])) for name in names}
    before = 0
    for k, number in enumerate(stored):
        worlds.take_steps(number - before, plan.substeps, threads)
        for name, array in states.items():
            array[:, k] = worlds.outputs[name]
        before = number
    codes = worlds.status.codes
    ends: dict[str, Any] = {
        "steps": worlds.steps_taken,
        "status": codes.copy(),
        "stopped": worlds.inputs.get("stopped", np.zeros(worlds.count)) > 0,
    }
    return ChunkResults(states | ends, {row: worlds.explain(row) for row in np.flatnonzero(codes).tolist()})


def run_native(
    step: RecordedFunction, plan: RolloutPlan, chunks: Iterable[int], starts: ChunkStarts, threads: int
) -> Generator[ChunkRun]:
    """Yield chunks in order, run by threads of this process."""
    for chunk in chunks:
        rows = starts(chunk)
        yield chunk, rows, run_cases(step, rows, plan, threads)


def run_processes(
    pickled: PickledFunction, plan: RolloutPlan, chunks: Iterable[int], starts: ChunkStarts, workers: int
) -> Generator[ChunkRun]:
    """Yield chunks as processes of this machine finish them; dead processes are replaced."""
    left = dict.fromkeys(chunks)
    for attempt in range(_MAX_BROKEN_POOLS):
        context = multiprocessing.get_context("spawn")
        try:
            with ProcessPoolExecutor(workers, context) as pool:
                for chunk, rows, results in run_executor(pool, pickled, plan, list(left), starts):
                    left.pop(chunk)
                    yield chunk, rows, results
            return
        except BrokenProcessPool:
            if attempt + 1 == _MAX_BROKEN_POOLS:
                raise


def run_executor(
    executor: Executor, pickled: PickledFunction, plan: RolloutPlan, chunks: Iterable[int], starts: ChunkStarts
) -> Generator[ChunkRun]:
    """Yield chunks as an executor finishes them; a bounded number of them waits in it."""
    running: _Running = {}
    finished = SimpleQueue[Future[ChunkResults]]()

    def submit(chunk: int) -> None:
        rows = starts(chunk)
        future = executor.submit(run_chunk, pickled, rows, plan, 1)
        running[future] = chunk, rows
        future.add_done_callback(finished.put)

    try:
        yield from _finished_chunks(running, finished, iter(chunks), submit)
    finally:
        for future in running:
            future.cancel()


def _finished_chunks(
    running: _Running,
    finished: SimpleQueue[Future[ChunkResults]],
    chunks: Iterator[int],
    submit: Callable[[int], None],
) -> Generator[ChunkRun]:
    """Yield chunks as they finish, and submit further ones."""
    while True:
        for chunk in islice(chunks, _MAX_IN_FLIGHT - len(running)):
            submit(chunk)
        if not running:
            return
        done = finished.get()
        yield *running.pop(done), done.result()


def executor_context(executor: Executor | str) -> AbstractContextManager[Executor]:
    """Return an executor, which is closed behind a `with` statement if a string names a scheduler of dask."""
    return _DaskExecutor(executor) if isinstance(executor, str) else nullcontext(executor)


@final
class _DaskExecutor(AbstractContextManager[Executor]):
    """A client of a scheduler of dask at an address."""

    def __init__(self, address: str) -> None:
        from rbd.extras import requires_extra

        with requires_extra("schedulers of dask"):
            distributed: Any = importlib.import_module("distributed")
        self._client: Any = distributed.Client(address)

    def __enter__(self) -> Executor:
        return cast("Executor", self._client.get_executor())

    def __exit__(self, *_: object) -> None:
        self._client.close()
