"""Python side of a native loop over stages, for steps in which a number is out of range or the mechanism was edited.

The same method in Python takes the step again from its start, with the torques that are known already, or raises.
"""

from __future__ import annotations

from itertools import cycle
from typing import cast, final

from numpy.typing import ArrayLike

from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array, float_array
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Integrator, Rates, RightHandSide
from rbd.simulation.programs.stage_loads import PythonForces
from rbd.simulation.programs.stage_memory import StageLoop
from rbd.state import MechanismState
from rbd.state.callback_guard import state_changed


@final
class RefusedSteps:
    """Owner of a native loop: takes refused steps, converts torques, annotates errors of callbacks."""

    def __init__(
        self,
        method: Integrator,
        equations: EquationsOfMotion,
        state: MechanismState,
        forces: PythonForces | None,
        loop: StageLoop,
    ) -> None:
        self._method, self._equations, self._state = method, equations, state
        self._forces, self._loop = forces, loop
        self._contact_states, self._square_error = loop.arrays["s"], loop.arrays["error"]

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
        state, loop = self._state, self._loop.current
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
        torques = [stage.vector.copy() for stage in self._loop.current.stages[:count]]
        callbacks = self._equations.callbacks
        if callbacks.control is not None:
            callbacks.checked(torques[-1], self._loop.current.time, self._state)
        return torques

    def _right_hand_side(self, torques: list[Array]) -> RightHandSide:
        """Return the right-hand side with these torques at the first stages."""
        first = iter(torques) if len(self._loop.current.stages) > 1 else cycle(torques)  # one program has all stages

        def rhs(t: float, state: MechanismState, s: Array) -> Rates:
            tau = next(first, None)
            return self._equations(t, state, s) if tau is None else self._equations.rates(tau.copy(), t, state, s)

        return rhs
