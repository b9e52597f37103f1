"""Recorded stages: programs take the stages of a step, a control in Python is called between them.

A loop in machine code (`rbd.native.builtins.step_loop`), or an interpreted one in short runs, works on the buffers of
the state, so the controller sees a live state. Steps that it refuses are in `refused_steps`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from typing_extensions import override

from rbd.scalars.arrays import Array
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Integrator, RightHandSide
from rbd.simulation.programs.refused_steps import RefusedSteps
from rbd.simulation.programs.stage_loads import PythonForces, has_called_forces
from rbd.simulation.programs.stage_memory import stage_loop
from rbd.simulation.programs.stage_programs import StageProgram, stage_programs
from rbd.state import MechanismState

Histories = Sequence[Array]
"""Rows of q, v and, with contact states, s."""


@final
class RecordedStages(Integrator):
    """An integrator with its stages in recorded programs, which short runs interpret, and the control in Python."""

    def __init__(
        self,
        method: Integrator,
        equations: EquationsOfMotion,
        state: MechanismState,
        programs: Sequence[StageProgram],
        max_steps: int,
        *,
        samples_hold: bool,
    ) -> None:
        """Bind the programs of the stages to the buffers of `state`; `method` takes the steps they refuse."""
        self.max_steps = max_steps
        """The largest number of steps of one call of `advance`."""
        self.resets_contacts = not isinstance(method, AdaptiveMuntheKaas)
        forces = PythonForces(equations, state, len(programs)) if has_called_forces(equations) else None
        hold = equations.holds[0] if equations.holds else None
        self.samples_hold = samples_hold and hold is not None and len(programs) == 1 and forces is None
        """Whether the loop samples the control, a zero-order hold, in the steps that `advance` names."""
        control = hold.sampled if self.samples_hold and hold is not None else equations.callbacks.control
        values = {"s": 0.0, "error": 0.0}
        if isinstance(method, AdaptiveMuntheKaas):
            values |= {"rtol": method.rtol, "atol": method.atol}
        self._loop = stage_loop(state, programs, forces or control, values, max_steps)
        self._contact_states, self._square_error = self._loop.arrays["s"], self._loop.arrays["error"]
        self._python = RefusedSteps(method, equations, state, forces, self._loop)

    def prepare(self, steps: int, *, is_final: bool = False) -> None:
        """Compile now if that pays for a run of at least that many steps; a final choice holds for the whole run."""
        self._loop.prepare(steps, is_final=is_final)

    @override
    def step(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> Array:
        if s.size:
            self._contact_states[:] = s
        self._loop.run(array("d", (start, end)), self._python)
        return self._contact_states.copy() if s.size else s

    def attempt(
        self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float
    ) -> tuple[Array, float]:
        """Take a step of an adaptive method; return the contact states at its end and its error."""
        return self.step(rhs, state, s, start, end), math.sqrt(self._square_error)

    def advance(
        self, times: array[float], s: Array, flush: Callable[[int, Histories], None], is_sampled: bytes = b""
    ) -> None:
        """Move the state through `times`, then call flush(steps, rows), also where the control raises.

        Row k of the histories is the state at `times[k]`, for k = 1 ... steps; contact states begin at `s`. Where the
        stages sample a hold, `is_sampled` says per step whether it is sampled at its beginning.
        """
        rows = [np.empty((len(times), x.size)) for x in self._loop.current.moving]
        self._contact_states[:] = s
        try:
            self._loop.run(times, self._python, rows, is_called=is_sampled if self.samples_hold else b"")
        finally:
            flush(self._loop.current.steps_taken, rows)


def recorded_stages(
    state: MechanismState,
    method: Integrator,
    equations: EquationsOfMotion,
    max_steps: int,
    *,
    samples_hold: bool = False,
) -> RecordedStages | None:
    """Return the recorded stages of `method`; None for methods without, and where a stage cannot be recorded.

    With `samples_hold`, a hold is sampled between steps of one stage.
    """
    programs = stage_programs(state, method, equations)
    if programs is None:
        return None
    return RecordedStages(method, equations, state, programs, max_steps, samples_hold=samples_hold)
