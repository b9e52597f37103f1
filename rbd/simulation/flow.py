"""A mechanism under everything that pushes it, as the right-hand side of its equations of motion.

Controllers, external wrenches, force elements and contacts meet here; loops are kept by the solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np

from rbd.algorithms import Stabilization, forward_dynamics
from rbd.algorithms.external import body_wrenches
from rbd.algorithms.soft_contact import contact_forces_kernel, settled_contacts_kernel
from rbd.algorithms.stabilization import DEFAULT
from rbd.arguments import several
from rbd.mechanism import RigidBody
from rbd.scalars import to_float
from rbd.scalars.arrays import Array
from rbd.simulation.callbacks import Callbacks, Control, External
from rbd.simulation.forces import ForceElement
from rbd.simulation.hold import ZeroOrderHold
from rbd.simulation.integrator import Rates
from rbd.spatial import Wrench
from rbd.spatial.values import require_kind
from rbd.state import MechanismState

Pushes = dict[RigidBody, Wrench[Any]]


@final
class ForcedMotion:
    """The rates of change of a mechanism's state."""

    def __init__(
        self,
        control: Control | None = None,
        external: External | None = None,
        *,
        forces: Sequence[ForceElement] = (),
        stabilization: Stabilization = DEFAULT,
    ) -> None:
        """Take what pushes; everything may be missing."""
        elements = several(forces, "forces", "force elements")
        for element in elements:
            require_kind(element, ForceElement, operation="simulation", argument="forces")
        self.callbacks = Callbacks(control, external)
        self.forces: tuple[ForceElement, ...] = elements
        self._stabilization: Stabilization = stabilization

    @property
    def callback_error(self) -> BaseException | None:
        """What a callback raised last."""
        return self.callbacks.error

    @property
    def holds(self) -> tuple[ZeroOrderHold[Any], ...]:
        """The callbacks that are asked at instants of their own."""
        return self.callbacks.holds

    def __call__(self, t: float, state: MechanismState, s: Array) -> Rates:
        """Return the rates at time `t`; the arrays belong to the caller."""
        torques = self.callbacks.torques(t, state)
        pushes = _by_body(state, self.callbacks.wrenches(t, state))
        for element in self.forces:
            action = element.act(state)
            for joint, own in action.torques.items():
                torques[state.layout.link(joint).v] += [to_float(x) for x in own]
            _add(pushes, _by_body(state, action.wrenches))
        sd = _add_contacts(pushes, state, s)
        return Rates(self._accelerations(state, torques, pushes), sd)

    def settle(self, state: MechanismState, s: Array) -> Array:
        """Return the contact states with those of points that have lifted off reset to zero."""
        return np.array(settled_contacts_kernel(state, tuple(s.tolist())), dtype=np.float64) if s.size else s

    def _accelerations(self, state: MechanismState, torques: Array, pushes: Pushes) -> Array:
        if self._stabilization == DEFAULT:
            return forward_dynamics(state, torques, pushes) if pushes else forward_dynamics(state, torques)
        return forward_dynamics(state, torques, pushes or None, stabilization=self._stabilization)


def _by_body(state: MechanismState, wrenches: Mapping[RigidBody, Wrench[Any]] | None) -> Pushes:
    """Return wrenches by body, each in its body's frame."""
    placed = body_wrenches(state, wrenches) or ()
    return {body: wrench for body, wrench in zip(state.layout.bodies, placed, strict=False) if wrench is not None}


def _add(pushes: Pushes, more: Pushes) -> None:
    for body, wrench in more.items():
        known = pushes.get(body)
        pushes[body] = wrench if known is None else known + wrench


def _add_contacts(pushes: Pushes, state: MechanismState, s: Array) -> Array:
    """Add the wrenches of contacts to what pushes; return the rates of the contact states."""
    layout = state.layout
    if not layout.touches:
        return np.zeros(layout.ns)
    contact = contact_forces_kernel(state, tuple(s.tolist()))
    _add(pushes, {b: wrench for b, wrench in zip(layout.bodies, contact.wrenches, strict=True) if wrench is not None})
    return np.array(contact.sd, dtype=np.float64)
