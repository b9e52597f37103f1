"""The user's functions of time and state: what they return is checked, what they raise is told with the time.

What callbacks raise passes through unchanged, with a note that says when; what they return is checked and copied at
once, so that they may reuse their arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeGuard, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.errors import ArgumentError
from rbd.mechanism import RigidBody
from rbd.scalars.arrays import Array, float_array
from rbd.simulation.hold import ZeroOrderHold
from rbd.spatial import Wrench
from rbd.state import MechanismState

Control: TypeAlias = Callable[[float, MechanismState], ArrayLike | None]
"""control(t, state) -> torques: one number per velocity, or None for no torque."""

External: TypeAlias = Callable[[float, MechanismState], Mapping[RigidBody, Wrench] | None]
"""external(t, state) -> wrenches on bodies, each in a frame fixed to its body or in the root frame."""


def _is_hold(value: object) -> TypeGuard[ZeroOrderHold[Any]]:
    return isinstance(value, ZeroOrderHold)


def _require_function(name: str, given: object) -> None:
    if given is not None and not callable(given):
        message = f"{name} must be a function of time and state, not {given!r}"
        raise ArgumentError(message, argument=name, value=given, allowed="a function")


@final
class Callbacks:
    """Control and external wrenches."""

    def __init__(self, control: Control | None, external: External | None) -> None:
        """Take the callbacks; either may be missing. Raises ArgumentError for what is no function."""
        for name, given in (("control", control), ("external", external)):
            _require_function(name, given)
        self._control = control
        self._external = external
        self.error: BaseException | None = None
        """What a callback raised last."""

    @property
    def holds(self) -> tuple[ZeroOrderHold[Any], ...]:
        """The callbacks that are asked at instants of their own."""
        return tuple(given for given in (self._control, self._external) if _is_hold(given))

    def torques(self, t: float, state: MechanismState) -> Array:
        """Return the torques of the control; the array belongs to the caller."""
        nv = state.layout.nv
        if self._control is None:
            return np.zeros(nv)
        with self.blamed("control", t, state):
            values = self._control(t, state)
            return np.zeros(nv) if values is None else float_array(values, (nv,), "control").copy()

    def wrenches(self, t: float, state: MechanismState) -> Mapping[RigidBody, Wrench] | None:
        """Return the external wrenches."""
        if self._external is None:
            return None
        with self.blamed("external", t, state):
            return self._external(t, state)

    def sample(self, hold: ZeroOrderHold[Any], t: float, state: MechanismState) -> None:
        """Ask the callback that `hold` holds."""
        with self.blamed("control" if hold is self._control else "external", t, state):
            hold.sample(t, state)

    @contextmanager
    def blamed(self, callback: str, t: float, state: MechanismState) -> Generator[None, None, None]:
        """Let exceptions pass, remembered as a callback's and with a note saying when; refuse changes of the state."""
        before = state.engine.stamp("qv")[1:]
        try:
            yield
            if state.engine.stamp("qv")[1:] != before:
                message = f"{callback} changed the state; give it a MechanismState of its own to try things on"
                raise ArgumentError(message, argument=callback, allowed="functions that leave the state alone")
        except BaseException as error:
            self.error = error
            error.add_note(f"raised by {callback}(t, state) at t = {t!r}")
            raise
