"""A mechanism under a controller and external wrenches, as the right-hand side of its equations of motion.

Room: simulation. Callbacks are the user's: what they raise passes through unchanged, with a note that says when; what
they return is checked and copied at once, so that they may reuse their arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms import forward_dynamics
from rbd.errors import ArgumentError
from rbd.mechanism import RigidBody
from rbd.scalars.arrays import Array, float_array
from rbd.simulation.integrator import Rates
from rbd.spatial import Wrench
from rbd.state import MechanismState

Control: TypeAlias = Callable[[float, MechanismState], ArrayLike | None]
"""control(t, state) -> torques: one number per velocity, or None for no torque."""

External: TypeAlias = Callable[[float, MechanismState], Mapping[RigidBody, Wrench] | None]
"""external(t, state) -> wrenches on bodies, each in a frame fixed to its body or in the root frame."""


@final
class ForcedMotion:
    """The rates of change of a mechanism's state."""

    def __init__(self, control: Control | None = None, external: External | None = None) -> None:
        """Take the callbacks; either may be missing."""
        self._control = control
        self._external = external
        self.callback_error: BaseException | None = None
        """What a callback raised last."""

    def __call__(self, t: float, state: MechanismState, s: Array) -> Rates:
        """Return the rates at time `t`; the arrays belong to the caller."""
        torques = self._torques(t, state)
        vd = forward_dynamics(state, torques, self._wrenches(t, state))
        return Rates(vd, np.zeros_like(s))

    def _torques(self, t: float, state: MechanismState) -> Array:
        nv = state.layout.nv
        if self._control is None:
            return np.zeros(nv)
        with self._blamed("control", t, state):
            values = self._control(t, state)
            return np.zeros(nv) if values is None else float_array(values, (nv,), "control")

    def _wrenches(self, t: float, state: MechanismState) -> Mapping[RigidBody, Wrench] | None:
        if self._external is None:
            return None
        with self._blamed("external", t, state):
            return self._external(t, state)

    @contextmanager
    def _blamed(self, callback: str, t: float, state: MechanismState) -> Generator[None, None, None]:
        """Let exceptions pass, remembered as a callback's and with a note saying when; refuse changes of the state."""
        before = state.stamp("qv")[1:]
        try:
            yield
            if state.stamp("qv")[1:] != before:
                message = f"{callback} changed the state; give it a MechanismState of its own to try things on"
                raise ArgumentError(message, argument=callback, allowed="functions that leave the state alone")
        except BaseException as error:
            self.callback_error = error
            error.add_note(f"raised by {callback}(t, state) at t = {t!r}")
            raise
