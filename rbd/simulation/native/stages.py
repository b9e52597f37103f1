"""Native stages: the stages of a step run in machine code, a control in Python is called between them.

A loop in machine code (`rbd.native.builtins.step_loop`) works on the buffers of the state, so the controller sees a
live state. Where the loop refuses (a number out of range, an edited mechanism) the same method in Python takes the step
again from its start, with the torques that are known already, or raises.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, cast, final

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array, float_array
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Integrator, Rates, RightHandSide
from rbd.simulation.native.stage_loads import PythonForces, has_called_forces
from rbd.simulation.native.stage_memory import stage_loop
from rbd.simulation.native.stage_programs import StageProgram, stage_programs
from rbd.state import MechanismState
from rbd.state.callback_guard import state_changed

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import StepLoop

Histories = Sequence[Array]
"""Rows of q, v and, with contact states, s."""


@final
class NativeStages(Integrator):
    """An integrator with its stages in machine code and the control in Python."""

    def __init__(
        self,
        method: Integrator,
        equations: EquationsOfMotion,
        state: MechanismState,
        programs: Sequence[StageProgram],
        most_steps: int,
        *,
        samples_hold: bool,
    ) -> None:
        """Bind the programs of the stages to the buffers of `state`; `method` takes the steps they refuse."""
        self.max_steps = most_steps
        """The largest number of steps of one call of `advance`."""
        self.resets_contacts = not isinstance(method, AdaptiveMuntheKaas)
        self._contact_states, self._square_error = np.zeros(state.layout.ns), np.zeros(())
        forces = PythonForces(equations, state, len(programs)) if has_called_forces(equations) else None
        hold = equations.holds[0] if equations.holds else None
        self.samples_hold = samples_hold and hold is not None and len(programs) == 1 and forces is None
        """Whether the loop samples the control, a zero-order hold, in the steps that `advance` names."""
        control = hold.sampled if self.samples_hold and hold is not None else equations.callbacks.control
        arrays = {"s": self._contact_states, "error": self._square_error}
        if isinstance(method, AdaptiveMuntheKaas):
            arrays |= {"rtol": np.array(method.rtol), "atol": np.array(method.atol)}
        self._loop = stage_loop(state, programs, forces or control, arrays, most_steps)
        self._python = _StepsInPython(method, equations, state, forces, self._loop, arrays)

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
        rows = [np.empty((len(times), x.size)) for x in self._loop.moving]
        self._contact_states[:] = s
        try:
            self._loop.run(times, self._python, rows, is_called=is_sampled if self.samples_hold else b"")
        finally:
            flush(self._loop.steps_taken, rows)


@final
class _StepsInPython:
    """Python side of a native loop over stages: conversion of torques, errors of callbacks, steps the loop refuses."""

    def __init__(
        self,
        method: Integrator,
        equations: EquationsOfMotion,
        state: MechanismState,
        forces: PythonForces | None,
        loop: StepLoop,
        arrays: Mapping[str, Array],
    ) -> None:
        self._method, self._equations, self._state = method, equations, state
        self._forces, self._loop = forces, loop
        self._contact_states, self._square_error = arrays["s"], arrays["error"]

    def convert(self, answer: object, vector: Array) -> None:
        """Write torques of the control to the vector of a stage."""
        vector[:] = float_array(cast("ArrayLike", answer), vector.shape, "control")

    def state_changed(self) -> ArgumentError:
        """Return the error of a control that changed the state."""
        return state_changed("control")

    def failed(self, error: BaseException, t: float) -> None:
        """Annotate an error of the control with the time; called forces do so themselves."""
        if self._forces is None:
            self._equations.callbacks.failed(error, t)

    def take_step(self) -> bool:
        """Take the current step; for the stages the loop has begun the control is not called again."""
        state, loop = self._state, self._loop
        start, end = loop.times[loop.steps_taken : loop.steps_taken + 2]
        rhs = self._right_hand_side(self._computed_torques(loop.stage + 1))
        state.set_configuration(loop.origins[0])
        state.set_velocity(loop.origins[1])
        s = loop.origins[2].copy() if len(loop.origins) > 2 else self._contact_states
        if isinstance(self._method, AdaptiveMuntheKaas):
            s, error = self._method.attempt(rhs, state, s, start, end)
            self._square_error[...] = error * error
        else:
            s = self._equations.reset_contacts(state, self._method.step(rhs, state, s, start, end))
        self._contact_states[:] = s
        return True

    def _computed_torques(self, count: int) -> list[Array]:
        """Return the torques of the first `count` stages of the current step, those of the last one checked."""
        if self._forces is not None:
            return list(self._forces.torques)[-count:]
        torques = [stage.vector.copy() for stage in self._loop.stages[:count]]
        callbacks = self._equations.callbacks
        if callbacks.control is not None:
            callbacks.checked(torques[-1], self._loop.time, self._state)
        return torques

    def _right_hand_side(self, torques: list[Array]) -> RightHandSide:
        """Return the right-hand side with these torques at the first stages."""
        first = iter(torques) if len(self._loop.stages) > 1 else cycle(torques)  # one program has all stages

        def rhs(t: float, state: MechanismState, s: Array) -> Rates:
            tau = next(first, None)
            return self._equations(t, state, s) if tau is None else self._equations.rates(tau.copy(), t, state, s)

        return rhs


def native_stages(
    state: MechanismState,
    method: Integrator,
    equations: EquationsOfMotion,
    most_steps: int,
    *,
    samples_hold: bool = False,
) -> NativeStages | None:
    """Return the native stages of `method`; None for methods without, and where a stage cannot be recorded.

    With `samples_hold`, a hold is sampled between steps of one stage.
    """
    programs = stage_programs(state, method, equations)
    if programs is None:
        return None
    return NativeStages(method, equations, state, programs, most_steps, samples_hold=samples_hold)
