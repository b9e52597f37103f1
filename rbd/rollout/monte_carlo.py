"""`rollout`: Monte Carlo simulation of many cases by threads, processes or a cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing
from pathlib import Path
from typing import Any, cast, final

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.algorithms.time_steps.formulas import FixedStepMethod
from rbd.arguments import whole_number
from rbd.compiled.function import RecordedFunction
from rbd.contact import CollisionModel, JointOptions
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.progress import Listener, Progress, progress_bar, require_progress
from rbd.rollout.cases import Cases, InitialStates
from rbd.rollout.chunks import (
    PickledFunction,
    Results,
    RolloutPlan,
    executor_context,
    run_cases,
    run_executor,
    run_native,
    run_processes,
)
from rbd.rollout.settings import GivenSettings, WorldSettings
from rbd.rollout.storage import Folder, Memory, Storage
from rbd.rollout.world_step import record_world_step
from rbd.rollout.worlds import available_threads
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import above_zero, at_least_zero
from rbd.simulation import Trajectory
from rbd.state import MechanismState

_MAX_STEPS = 10**10


def rollout(
    mechanism: Mechanism,
    initial_states: InitialStates,
    control: RecordedFunction | None,
    final_time: float,
    *,
    dt: float,
    seed: int,
    executor: str | Executor = "native",
    progress: bool | Listener | Progress = True,
    collision_model: CollisionModel | None = None,
    friction: float | None = None,
    integrator: FixedStepMethod | None = None,
    substeps: int = 1,
    stop: RecordedFunction | None = None,
    joints: JointOptions | None = None,
    cases: int | None = None,
    every: float | None = None,
    folder: str | Path | None = None,
    chunk: int = 64,
) -> Rollouts:
    """Simulate many cases for `final_time`, each as in `Worlds`, and return their states every `every` seconds.

    `initial_states` is a pair of arrays (q, v) with a row per case, or a mapping with arrays "q", "v", "action"
    (constant for the case) and parameters, those of `Worlds`; or a function that draws such a mapping for one case from
    a random generator, for so many `cases`. The generator of a case depends on `seed` and the number of the case only.
    What is not given is zero. By default `every` is `final_time`: only first and last states are kept.

    `executor` is "native" (threads of this process), "processes" (of this machine), any executor of
    `concurrent.futures`, or the address of a scheduler of dask ("tcp://..."). It runs `chunk` cases at a time. Results
    are bitwise equal for all of them. `control` and `stop` are recorded functions, which become part of the step: no
    Python function travels to other processes. As with all processes, scripts need `if __name__ == "__main__":`.

    With a `folder`, results are streamed to HDF5 files there, and not kept in memory. After a kill, the same call
    continues with the chunks that are missing. `progress` counts cases. Raises what `Worlds` does, and ArgumentError
    for a folder that has another study.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> def start(rng):
    ...     return {"q": rng.uniform(-1.0, 1.0, 2), "v": rng.standard_normal(2)}
    >>> found = rbd.rollout.rollout(
    ...     mechanism, start, None, 1.0, dt=1e-2, seed=1, cases=100, every=0.5, progress=False
    ... )
    >>> found.q.shape, found.t
    ((100, 3, 2), array([0. , 0.5, 1. ]))
    >>> trajectory = found.replay(17)
    >>> len(trajectory), bool(np.array_equal(trajectory.q[-1], found.q[17, -1]))
    (101, True)
    """
    drawn = Cases(initial_states, cases, seed)
    settings = GivenSettings(
        model=collision_model,
        dt=dt,
        control=control,
        friction=friction,
        integrator=integrator,
        substeps=substeps,
        parameters=drawn.parameters,
        stop=stop,
        joints=joints,
    ).checked(mechanism)
    require_progress(progress)
    plan = _plan(final_time, settings.dt, every, settings.substeps)
    study = Study.of(mechanism, settings, plan, drawn, whole_number(chunk, "chunk", 1))
    storage: Storage = Memory() if folder is None else Folder(Path(folder), study.description(seed))
    study.run(storage, executor, progress)
    return Rollouts(study, storage)


def _plan(final_time: float, dt: float, every: float | None, substeps: int) -> RolloutPlan:
    steps = _whole_steps(at_least_zero(final_time, "final_time"), dt, "final_time")
    if every is None:
        return RolloutPlan(steps, max(steps, 1), substeps)
    return RolloutPlan(steps, max(_whole_steps(above_zero(every, "every"), dt, "every"), 1), substeps)


def _whole_steps(time: float, dt: float, argument: str) -> int:
    ratio = time / dt
    if not ratio <= _MAX_STEPS:
        allowed = f"at most {_MAX_STEPS:g} steps of {dt:g} s"
        raise ArgumentError(f"{argument} is {time:g}, needs {allowed}", argument=argument, value=time, allowed=allowed)
    return round(ratio)


@final
@attrs.frozen(eq=False)
class Study:
    """All that determines the results of a call of `rollout`."""

    step: RecordedFunction
    plan: RolloutPlan
    cases: Cases
    zero: Mapping[str, Array]
    """The start of cases that have none."""
    dt: float
    chunk: int

    @classmethod
    def of(cls, mechanism: Mechanism, settings: WorldSettings, plan: RolloutPlan, cases: Cases, chunk: int) -> Study:
        """Record the step, and check the cases with it."""
        step = record_world_step(mechanism, settings)
        cases.require(step.evaluation.outline.inputs)
        zero = {"q": MechanismState(mechanism).q.copy(), "v": np.zeros(mechanism.nv)}
        return cls(step, plan, cases, zero, settings.dt, chunk)

    @property
    def chunks(self) -> range:
        """The numbers of all chunks."""
        return range(-(-self.cases.count // self.chunk))

    def start(self, chunk: int) -> dict[str, Array]:
        """Return what the cases of a chunk start with."""
        first = chunk * self.chunk
        return self.rows(first, min(self.chunk, self.cases.count - first))

    def rows(self, first: int, count: int) -> dict[str, Array]:
        """Return what some cases start with; q and v always."""
        zero = {name: np.broadcast_to(x, (count, *x.shape)) for name, x in self.zero.items()}
        return zero | self.cases.rows(first, count)

    def description(self, seed: int) -> dict[str, object]:
        """Return what must be equal for results to be: the step and the numbers of the plan."""
        defaults = self.step.evaluation.defaults
        constants = hashlib.sha256(b"".join(np.asarray(defaults[name]).tobytes() for name in sorted(defaults)))
        return {
            "step": self.step.program.digest,
            "parameters": constants.hexdigest(),
            "dt": self.dt,
            "steps": self.plan.steps,
            "every": self.plan.every,
            "seed": int(seed),
            "cases": self.cases.count,
            "chunk": self.chunk,
        }

    def run(self, storage: Storage, executor: str | Executor, progress: bool | Listener | Progress) -> None:
        """Run the chunks that are missing."""
        missing = [chunk for chunk in self.chunks if chunk not in storage]
        done = [chunk for chunk in self.chunks if chunk in storage]
        if isinstance(storage, Folder):
            for chunk in done:
                storage.require_start(chunk, self.start(chunk))
        chunk_results = self._results(missing, executor)
        with progress_bar(self.cases.count, "cases", progress) as bar, closing(chunk_results):
            bar.update(sum(self._size(chunk) for chunk in done))
            for chunk, results in chunk_results:
                storage.put(chunk, results, self.start)
                bar.update(self._size(chunk))

    def _size(self, chunk: int) -> int:
        return min(self.chunk, self.cases.count - chunk * self.chunk)

    def _results(self, chunks: list[int], executor: str | Executor) -> Generator[tuple[int, Results]]:
        threads = available_threads()
        kind = executor if isinstance(executor, str) else ""
        if kind == "native":
            yield from run_native(self.step, self.plan, chunks, self.start, threads)
        elif kind == "processes":
            yield from run_processes(PickledFunction(self.step), self.plan, chunks, self.start, threads)
        else:
            with executor_context(_checked(executor)) as pool:
                yield from run_executor(pool, PickledFunction(self.step), self.plan, chunks, self.start)


def _checked(executor: Any) -> str | Executor:
    """Raise ArgumentError unless this is an executor, or like one, or an address."""
    if hasattr(executor, "submit") or (isinstance(executor, str) and "://" in executor):
        return cast("str | Executor", executor)
    allowed = '"native", "processes", an executor of concurrent.futures, or the address of a scheduler, "tcp://..."'
    raise ArgumentError(f"executor must be {allowed}", argument="executor", value=executor, allowed=allowed)


@final
class Rollouts:
    """The results of `rollout`: arrays with a row per case, in the order of the cases.

    Those in a folder are read from it when they are asked for; `chunks` reads a part at a time.

    >>> import numpy as np, rbd
    >>> start = {"q": np.zeros((3, 2)), "v": [[0.0, 1.0], [1.0, 0.0], [1e200, 0.0]]}
    >>> mechanism = rbd.robots.double_pendulum()
    >>> found = rbd.rollout.rollout(mechanism, start, None, 0.5, dt=1e-2, seed=0, progress=False)
    >>> found, found.end_time
    (<rollouts of 3 cases to t = 0.5 s, 1 failed>, array([0.5, 0.5, 0. ]))
    """

    def __init__(self, study: Study, storage: Storage) -> None:
        """Hold results (internal)."""
        self._study, self._storage = study, storage

    def __len__(self) -> int:
        """Return the number of cases."""
        return self._study.cases.count

    @property
    def t(self) -> Array:
        """The times at which states were kept, (samples,)."""
        return np.array(self._study.plan.stored_steps, dtype=np.float64) * self._study.dt

    @property
    def q(self) -> Array:
        """The configurations, (cases, samples, nq). After the end of a case its last one repeats."""
        return self._array("q")

    @property
    def v(self) -> Array:
        """The velocities, (cases, samples, nv)."""
        return self._array("v")

    @property
    def end_time(self) -> Array:
        """The time at which each case ended, (cases,): `final_time`, unless it was stopped or failed."""
        return self._array("steps") * self._study.dt

    @property
    def status(self) -> NDArray[np.int64]:
        """The status of each case, (cases,): 0, or a code that `explain` puts into words."""
        return self._array("status").astype(np.int64)

    @property
    def stopped(self) -> NDArray[np.bool_]:
        """Whether `stop` ended each case, (cases,)."""
        return self._array("stopped").astype(np.bool_)

    def chunks(self) -> Iterator[dict[str, Array]]:
        """Yield the arrays of some cases at a time: q, v, s if there are contact states, steps, status, stopped."""
        for chunk in self._study.chunks:
            results = self._storage.get(chunk)
            yield {name: value.copy() for name, value in results.items() if name != "messages"}

    def explain(self, case: int) -> str:
        """Return why a case failed."""
        chunk, row = divmod(self._number(case), self._study.chunk)
        return str(self._storage.get(chunk)["messages"].get(row, "no error"))

    def start(self, case: int) -> dict[str, Array]:
        """Return what a case started with: q, v, and the action and parameters if they were given."""
        return {name: rows[0].copy() for name, rows in self._study.rows(self._number(case), 1).items()}

    def replay(self, case: int) -> Trajectory:
        """Simulate a case again, alone, and return all its states until it ended: with the same bits."""
        study, number = self._study, self._number(case)
        results = run_cases(study.step, study.rows(number, 1), attrs.evolve(study.plan, every=1), 1)
        taken = int(results["steps"][0])
        times = np.arange(taken + 1) * study.dt
        q, v = (results[name][0, : taken + 1] for name in "qv")
        s = results["s"][0, : taken + 1] if "s" in results else np.empty((taken + 1, 0))
        return Trajectory(times, q, v, s)

    @override
    def __repr__(self) -> str:
        return f"<rollouts of {len(self)} cases to t = {self.t[-1]:g} s, {np.count_nonzero(self.status)} failed>"

    def _number(self, case: int) -> int:
        return whole_number(case, "case", 0, len(self) - 1)

    def _array(self, name: str) -> Array:
        arrays = [self._storage.get(chunk)[name] for chunk in self._study.chunks]
        if arrays:
            return np.concatenate(arrays)
        port = next((port for port in self._study.step.evaluation.outline.outputs if port.name == name), None)
        return np.zeros((0, len(self.t), *port.shape) if name in "qv" and port else (0,))
