"""Python side of a native loop over stages, for steps in which a number is out of range or the mechanism was edited.

The same integrator in Python takes the step again from its start, with the torques that are known already, or raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import TYPE_CHECKING, cast, final

from numpy.typing import ArrayLike

from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array, float_array
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Integrator, Rates, RightHandSide
from rbd.simulation.programs.stage_loads import PythonForces
from rbd.state import MechanismState
from rbd.state.callback_guard import changed_state_error

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import RunningLoop  # loads LLVM


@final
class RefusedSteps:
    """Fallback of a loop over stages: takes refused steps, converts torques, annotates errors of callbacks."""

    def __init__(
        self,
        integrator: Integrator,
        equations: EquationsOfMotion,
        state: MechanismState,
        forces: PythonForces | None,
        arrays: Mapping[str, Array],
    ) -> None:
        """Take refused steps of a state; `arrays` are those of the programs, with "s" and the square of the "error"."""
        self._integrator, self._equations, self._state = integrator, equations, state
        self._forces, self._contact_states, self._square_error = forces, arrays["s"], arrays["error"]

    def convert(self, answer: object, vector: Array) -> None:
        """Write torques of the control to the vector of a stage."""
        vector[:] = float_array(cast("ArrayLike", answer), vector.shape, "control")

    def changed_state_error(self) -> ArgumentError:
        """Return the error of a control that changed the state."""
        return changed_state_error("control")

    def failed(self, error: BaseException, t: float) -> None:
        """Annotate an error of the control with the time; called forces do so themselves."""
        if self._forces is None:
            self._equations.callbacks.keep_error(error, t)

    def take_step(self, loop: RunningLoop) -> bool:
        """Take the current step; for the stages the loop has begun the control is not called again."""
        state = self._state
        start, end = loop.times[loop.steps_taken : loop.steps_taken + 2]
        torques = self._computed_torques(loop)
        # one program has all stages, which have the same torques
        rhs = self._right_hand_side(iter(torques) if len(loop.vectors) > 1 else cycle(torques))
        state.set_configuration(loop.origins[0])
        state.set_velocity(loop.origins[1])
        s = loop.origins[2].copy() if len(loop.origins) > 2 else self._contact_states
        if isinstance(self._integrator, AdaptiveMuntheKaas):
            s, error = self._integrator.attempt(rhs, state, s, start, end)
            self._square_error[...] = error * error
        else:
            s = self._equations.reset_contacts(state, self._integrator.step(rhs, state, s, start, end))
        self._contact_states[:] = s
        return True

    def _computed_torques(self, loop: RunningLoop) -> list[Array]:
        """Return the torques of the stages that the loop has begun, those of the last one checked."""
        count = loop.stage + 1
        if self._forces is not None:
            return list(self._forces.torques)[-count:]
        torques = [vector.copy() for vector in loop.vectors[:count]]
        callbacks = self._equations.callbacks
        if callbacks.control is not None:
            callbacks.checked(torques[-1], loop.time, self._state)
        return torques

    def _right_hand_side(self, torques: Iterator[Array]) -> RightHandSide:
        """Return the right-hand side with these torques at the first stages."""

        def rhs(t: float, state: MechanismState, s: Array) -> Rates:
            tau = next(torques, None)
            return self._equations(t, state, s) if tau is None else self._equations.rates(tau.copy(), t, state, s)

        return rhs
