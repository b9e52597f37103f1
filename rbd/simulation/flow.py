"""A mechanism under a controller and external wrenches, as the right-hand side of its equations of motion.

Room: simulation. Callbacks are the user's: what they raise passes through unchanged, with a note that says when; what
they return is checked and copied at once, so that they may reuse their arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms import DEFAULT_STABILIZATION, Stabilization, dynamics
from rbd.errors import NotFiniteError, ShapeError
from rbd.mechanism import Mechanism, RigidBody
from rbd.scalars.arrays import Array
from rbd.simulation.integrator import Rates, finite
from rbd.spatial import Wrench
from rbd.state import DynamicsResult, MechanismState

Control: TypeAlias = Callable[[float, MechanismState], ArrayLike | None]
"""control(t, state) -> torques: one number per velocity, or None for no torque."""

External: TypeAlias = Callable[[float, MechanismState], Mapping[RigidBody, Wrench] | None]
"""external(t, state) -> wrenches on bodies, each in a frame fixed to its body or in the root frame."""


@final
class ForcedMotion:
    """The rates of change of a mechanism's state; keeps its buffers from call to call."""

    def __init__(
        self,
        mechanism: Mechanism,
        control: Control | None = None,
        external: External | None = None,
        stabilization: Stabilization = DEFAULT_STABILIZATION,
    ) -> None:
        """Take the callbacks; either may be missing."""
        self._control = control
        self._external = external
        self._stabilization: Stabilization = stabilization
        self._result = DynamicsResult(mechanism)
        self._none = np.zeros(0)
        self.callback_error: BaseException | None = None

    def __call__(self, t: float, state: MechanismState, s: Array) -> Rates:
        """Return the rates at time `t`; the arrays belong to the caller."""
        torques = self._torques(t, state)
        wrenches = self._wrenches(t, state)
        result = dynamics(self._result, state, torques, wrenches, stabilization=self._stabilization)
        return Rates(finite(np.array(result.vd), "vd"), self._none)

    def _torques(self, t: float, state: MechanismState) -> Array | None:
        if self._control is None:
            return None
        with self._blamed("control", t):
            values = self._control(t, state)
            return None if values is None else _checked_torques(values, state)

    def _wrenches(self, t: float, state: MechanismState) -> Mapping[RigidBody, Wrench] | None:
        if self._external is None:
            return None
        with self._blamed("external", t):
            return self._external(t, state)

    @contextmanager
    def _blamed(self, callback: str, t: float) -> Iterator[None]:
        """Let exceptions pass, remembered as a callback's and with a note saying when."""
        try:
            yield
        except BaseException as error:
            self.callback_error = error
            error.add_note(f"raised by {callback}(t, state) at t = {t!r}")
            raise


def _checked_torques(values: ArrayLike, state: MechanismState) -> Array:
    """Return a copy of the torques; raise ShapeError or NotFiniteError naming the control."""
    torques = np.array(values, dtype=np.float64, order="C")
    nv = state.layout.nv
    if torques.shape != (nv,):
        message = f"control returned torques of shape {torques.shape}, needs ({nv},), one per velocity, or None"
        raise ShapeError(message, argument="control", expected=(nv,), actual=torques.shape)
    if not np.isfinite(torques).all():
        index = int(np.flatnonzero(~np.isfinite(torques))[0])
        name = state.layout.velocity_names[index]
        message = f"control returned {torques[index]} as the torque of {name}"
        raise NotFiniteError(message, argument="control", index=index, joint=name)
    return torques
