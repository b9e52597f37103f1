"""Control of a simulation with contacts: none, a callback in Python, or a recorded function inside the step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeAlias, final, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import require_callable
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recorded_controller import require_controller
from rbd.contact.arguments import float_vector_unchecked
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array
from rbd.state import MechanismState
from rbd.state.callback_guard import guarded_callback

Control: TypeAlias = Callable[[float, MechanismState], "ArrayLike | None"]
"""Maps time and state to torques."""

_ALLOWED = "None, a recorded function or a function of time and state, such as lambda t, state: torques"
_RELATIVE_TOLERANCE = 1e-9  # of a step: periods this close to a multiple of it are multiples


@runtime_checkable
class _SampledControl(Protocol):
    """A control that is sampled once per period, such as `rbd.ZeroOrderHold`."""

    @property
    def period(self) -> float: ...
    def begin(self) -> None: ...
    def is_due(self, t: float, /) -> bool: ...
    def sample_and_hold(self, t: float, state: MechanismState, /) -> ArrayLike | None: ...
    def __call__(self, t: float, state: MechanismState, /) -> ArrayLike | None: ...


@final
class SimulatorControl:
    """The control of the steps of a simulator: at most one of `callback` and `recorded` is given."""

    def __init__(self, control: Control | RecordedFunction | None, mechanism: Mechanism, dt: float) -> None:
        """Check the control.

        Raises ArgumentError unless it is callable, for recorded functions that do not fit, and for holds whose period
        is no multiple of `dt`.
        """
        self.recorded = control if isinstance(control, RecordedFunction) else None
        """The recorded function that is a part of the step."""
        self.callback = None if isinstance(control, RecordedFunction) else control
        """The function in Python that is called before the step."""
        if self.callback is not None:
            require_callable(self.callback, "control", _ALLOWED)
        self._hold = self.callback if isinstance(self.callback, _SampledControl) else None
        if self._hold is not None:
            _require_multiple(self._hold.period, dt)
            self.callback = partial(_held_control, self._hold)
        self.require(mechanism)

    def begin(self) -> None:
        """Begin a run: a hold is sampled in its first step."""
        if self._hold is not None:
            self._hold.begin()

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
        return np.zeros(len(v)) if self.callback is None else self._torques_of(self.callback, time, state, q, v)

    def _torques_of(self, callback: Control, time: float, state: MechanismState, q: Array, v: Array) -> Array:
        state.set_configuration(q)
        state.set_velocity(v)
        with guarded_callback("control", time, state):
            torques = callback(time, state)
            return np.zeros(len(v)) if torques is None else float_vector_unchecked(torques, len(v), "control")


def _held_control(hold: _SampledControl, t: float, state: MechanismState) -> ArrayLike | None:
    """Return the torques held at time t, sampled if that is due."""
    return hold.sample_and_hold(t, state) if hold.is_due(t) else hold(t, state)


def _require_multiple(period: float, dt: float) -> None:
    """Raise ArgumentError unless a period is a multiple of the step."""
    steps = round(period / dt)
    if steps < 1 or abs(period - steps * dt) > _RELATIVE_TOLERANCE * dt:
        message = f"control is held for {period:g} s, which is no multiple of dt, {dt:g} s: all steps have one length"
        advice = f"write period={max(steps, 1) * dt:g}"
        raise ArgumentError(f"{message}; {advice}", argument="control", value=period, allowed="multiples of dt")
