"""Recorded stages: programs take the stages of a step, a control in Python is called between them.

A loop in machine code (`rbd.native.builtins.step_loop`), or an interpreted one in short runs, works on the buffers of
the state, so the controller sees a live state. Steps that it refuses are in `refused_steps`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from typing_extensions import override

from rbd.scalars.arrays import Array
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.hold import ZeroOrderHold
from rbd.simulation.integrator import Integrator, RightHandSide
from rbd.simulation.programs.refused_steps import RefusedSteps
from rbd.simulation.programs.stage_loads import PythonForces, has_called_forces
from rbd.simulation.programs.stage_loop import stage_loop
from rbd.simulation.programs.stage_programs import StageProgram
from rbd.state import MechanismState

Histories = Sequence[Array]
"""Rows of q, v and, with contact states, s."""


@final
class RecordedStages(Integrator):
    """An integrator with its stages in recorded programs, which short runs interpret, and the control in Python."""

    def __init__(
        self,
        integrator: Integrator,
        equations: EquationsOfMotion,
        state: MechanismState,
        programs: Sequence[StageProgram],
        max_steps: int,
        sampled_hold: ZeroOrderHold[Any] | None = None,
    ) -> None:
        """Bind the programs of the stages to the buffers of `state`; `integrator` takes the steps they refuse.

        A zero-order hold, which is the control, can be sampled between steps of one program without called forces.
        """
        self.max_steps = max_steps
        """The largest number of steps of one call of `advance`."""
        self.resets_contacts = not isinstance(integrator, AdaptiveMuntheKaas)
        forces = PythonForces(equations, state, len(programs)) if has_called_forces(equations) else None
        self.sampled_hold = sampled_hold
        """The zero-order hold that the loop samples in the steps that `advance` names."""
        control = equations.callbacks.control if sampled_hold is None else sampled_hold.sample_and_hold
        values = {"s": 0.0, "error": 0.0}
        if isinstance(integrator, AdaptiveMuntheKaas):
            values |= {"rtol": integrator.rtol, "atol": integrator.atol}
        self._loop = stage_loop(state, programs, forces or control, values, max_steps)
        self._contact_states, self._square_error = self._loop.arrays["s"], self._loop.arrays["error"]
        self._fallback = RefusedSteps(integrator, equations, state, forces, self._loop.arrays)

    def prepare(self, steps: int, *, is_final: bool = False) -> None:
        """Compile now if that pays for a run of at least that many steps; a final choice holds for the whole run."""
        self._loop.prepare(steps, is_final=is_final)

    @override
    def step(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> Array:
        if s.size:
            self._contact_states[:] = s
        self._loop.run(array("d", (start, end)), self._fallback)
        return self._contact_states.copy() if s.size else s

    def attempt(
        self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float
    ) -> tuple[Array, float]:
        """Take a step of an adaptive method; return the contact states at its end and its error."""
        return self.step(rhs, state, s, start, end), math.sqrt(self._square_error)

    def advance(
        self, times: array[float], s: Array, store_samples: Callable[[int, Histories], None], is_sampled: bytes = b""
    ) -> None:
        """Move the state through `times`, then call store_samples(steps, rows), also where the control raises.

        Row k of the histories is the state at `times[k]`, for k = 1 ... steps; contact states begin at `s`. Where the
        stages sample a hold, `is_sampled` says per step whether it is sampled at its beginning.
        """
        rows = [np.empty((len(times), x.size)) for x in self._loop.current.moving]
        self._contact_states[:] = s
        try:
            self._loop.run(times, self._fallback, rows, is_called=is_sampled)
        finally:
            store_samples(self._loop.current.steps_taken, rows)
