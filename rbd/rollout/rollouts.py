"""`Rollouts`: the results of `rollout`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import whole_number
from rbd.rollout.chunks import run_cases
from rbd.rollout.storage import Storage
from rbd.rollout.study import Study
from rbd.scalars.arrays import Array
from rbd.simulation import Trajectory


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
        return self._study.case_count

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
            yield {name: value.copy() for name, value in self._storage.get(chunk).arrays.items()}

    def explain(self, case: int) -> str:
        """Return why a case failed."""
        chunk, row = divmod(self._number(case), self._study.chunk_size)
        return self._storage.get(chunk).messages.get(row, "no error")

    def start(self, case: int) -> dict[str, Array]:
        """Return the start of a case: q, v, and the action and parameters if they were given."""
        return {name: rows[0].copy() for name, rows in self._study.inputs.rows(self._number(case), 1).items()}

    def replay(self, case: int) -> Trajectory:
        """Simulate a case again, alone, and return all its states until it ended: with the same bits."""
        study, number = self._study, self._number(case)
        arrays = run_cases(study.step, study.inputs.rows(number, 1), attrs.evolve(study.plan, every=1), 1).arrays
        taken = int(arrays["steps"][0])
        times = np.arange(taken + 1) * study.dt
        q, v = (arrays[name][0, : taken + 1] for name in "qv")
        s = arrays["s"][0, : taken + 1] if "s" in arrays else np.empty((taken + 1, 0))
        return Trajectory(times, q, v, s)

    @override
    def __repr__(self) -> str:
        return f"<rollouts of {len(self)} cases to t = {self.t[-1]:g} s, {np.count_nonzero(self.status)} failed>"

    def _number(self, case: int) -> int:
        return whole_number(case, "case", 0, len(self) - 1)

    def _array(self, name: str) -> Array:
        arrays = [self._storage.get(chunk).arrays[name] for chunk in self._study.chunks]
        if arrays:
            return np.concatenate(arrays)
        port = next((port for port in self._study.step.outline.outputs if port.name == name), None)
        return np.zeros((0, len(self.t), *port.shape) if name in "qv" and port else (0,))
