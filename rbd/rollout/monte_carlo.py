"""`rollout`: Monte Carlo simulation of many cases by threads, processes or a cluster."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path

from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.algorithms.time_steps.step_count import step_count
from rbd.arguments import file_path, whole_number
from rbd.array_functions.function import RecordedFunction
from rbd.contact import CollisionModel, JointOptions
from rbd.mechanism import Mechanism
from rbd.progress import Listener, Progress, require_progress
from rbd.rollout.cases import Cases, InitialStates
from rbd.rollout.chunks import RolloutPlan
from rbd.rollout.rollouts import Rollouts
from rbd.rollout.settings import GivenSettings
from rbd.rollout.storage import Folder, Memory, Storage
from rbd.rollout.study import Study
from rbd.scalars.number_checks import above_zero


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
    place = None if folder is None else file_path(folder, operation="rollout", argument="folder")
    storage: Storage = Memory() if place is None else Folder(place, study.description())
    study.run(storage, executor, progress)
    return Rollouts(study, storage)


def _plan(final_time: float, dt: float, every: float | None, substeps: int) -> RolloutPlan:
    steps = step_count(final_time, dt, "final_time")
    if every is None:
        return RolloutPlan(steps, max(steps, 1), substeps)
    return RolloutPlan(steps, max(step_count(above_zero(every, "every"), dt, "every"), 1), substeps)
