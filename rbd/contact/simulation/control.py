"""Control of a simulation with contacts: none, a callback in Python, or a recorded function inside the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import require_callable
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recorded_controller import require_controller
from rbd.contact.arguments import float_vector_unchecked
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array
from rbd.state import MechanismState
from rbd.state.callback_guard import guarded_callback

Control: TypeAlias = Callable[[float, MechanismState], "ArrayLike | None"]
"""Maps time and state to torques."""


@final
class SimulatorControl:
    """The control of the steps of a simulator: at most one of `callback` and `recorded` is given."""

    def __init__(self, control: Control | RecordedFunction | None, mechanism: Mechanism) -> None:
        """Check the control. Raises ArgumentError unless it is callable, and for recorded functions that do not fit."""
        self.recorded = control if isinstance(control, RecordedFunction) else None
        """The recorded function that is a part of the step."""
        self.callback = None if isinstance(control, RecordedFunction) else control
        """The function in Python that is called before the step."""
        if self.callback is not None:
            require_callable(self.callback, "control", "None, a recorded function or a function of time and state")
        self.require(mechanism)

    def require(self, mechanism: Mechanism) -> None:
        """Raise ArgumentError for a recorded function that is no controller of the mechanism as it is now."""
        if self.recorded is not None:
            require_controller(self.recorded, mechanism)

    def step_input(
        self, time: float, state: MechanismState, q: Array, v: Array, torques: Array | None
    ) -> Array | float:
        """Return the input of a step from q and v: the time for a recorded function, torques otherwise.

        `torques` are those of the callback if it has been called; else it is called, with `state` at q and v.
        """
        if self.recorded is not None:
            return time
        if torques is not None:
            return torques
        return np.zeros(len(v)) if self.callback is None else self._called(self.callback, time, state, q, v)

    def _called(self, callback: Control, time: float, state: MechanismState, q: Array, v: Array) -> Array:
        state.set_configuration(q)
        state.set_velocity(v)
        with guarded_callback("control", time, state):
            torques = callback(time, state)
            return np.zeros(len(v)) if torques is None else float_vector_unchecked(torques, len(v), "control")
