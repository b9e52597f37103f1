"""Run paths: how a run takes its steps. Single steps; `programs/block_runs.py` has blocks by recorded programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from itertools import pairwise
from typing import Final, final

import numpy as np
from typing_extensions import override

from rbd.errors import DivergedError, NotFiniteError
from rbd.progress import Progress
from rbd.scalars.arrays import Array
from rbd.simulation.integrator import Integrator
from rbd.simulation.run import Run
from rbd.state import MechanismState

_NOT_OF_VELOCITIES: Final = frozenset({"q", "s", "the error of a step"})
"""Arguments of errors whose indices are not those of velocities."""


class RunPath(ABC):
    """Path of a run: the code that takes its steps; abstract."""

    def __init__(self, integrator: Integrator) -> None:
        """Set the integrator of single steps."""
        self.integrator = integrator

    def complete(self, run: Run, times: list[float], bar: Progress) -> None:
        """Begin a run, and take its steps between `times`, up to a terminal event; DivergedError names the joint."""
        with _divergence_errors(run), bar:
            run.begin(times[0])
            self.take_steps(run, times, bar)

    @abstractmethod
    def take_steps(self, run: Run, times: list[float], bar: Progress) -> None:
        """Take the steps of a run that has begun between `times`, up to a terminal event."""


@final
class SingleSteps(RunPath):
    """One step after the other, each by the integrator."""

    @override
    def take_steps(self, run: Run, times: list[float], bar: Progress) -> None:
        for start, end in pairwise(times):
            run.move_to_sample(start, end)
            if run.is_terminated:
                return
            bar.update()


@contextmanager
def _divergence_errors(run: Run) -> Generator[None, None, None]:
    """Turn NotFiniteError of steps into DivergedError, unless a callback raised it."""
    try:
        yield
    except (NotFiniteError, OverflowError) as error:
        if error is not run.step_error or error is run.equations.callback_error:
            raise
        time, q, v = run.last_sample
        joint = _diverged_joint(error, v, run.state)
        message = f"the simulation diverged at joint {joint} after t = {time!r} s: {error}; a smaller dt may help"
        raise DivergedError(message, time=time, joint=joint, q=q, v=v) from error


def _diverged_joint(error: Exception, v: Array, state: MechanismState) -> str:
    """Return the name of the velocity that was not finite, or else of the largest one before."""
    fields = error.fields if isinstance(error, NotFiniteError) else {}
    index = None if fields.get("argument") in _NOT_OF_VELOCITIES else fields.get("index")
    return state.layout.velocity_names[index if isinstance(index, int) else int(np.argmax(np.abs(v)))]
