"""The right-hand side of the equations of motion in a simulation.

It adds the forces of controllers, external wrenches, force elements and contacts; loops are constraints of the solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms import ExternalWrenches, Stabilization, forward_dynamics
from rbd.algorithms.external_wrenches import checked_wrenches
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION
from rbd.algorithms.soft_contact import contact_forces_kernel, reset_contacts_kernel
from rbd.arguments import require_kind
from rbd.mechanism import RigidBody
from rbd.scalars import to_float
from rbd.scalars.arrays import Array, float_array, scalars
from rbd.simulation.callbacks import Callbacks, Control, External
from rbd.simulation.forces import Action, ForceElement, force_elements, is_recordable
from rbd.simulation.integrator import Rates
from rbd.spatial import Wrench
from rbd.state import MechanismState

BodyWrenches = dict[RigidBody, Wrench[Any]]


@final
class EquationsOfMotion:
    """The right-hand side of the equations of motion: accelerations and rates of contact states."""

    def __init__(
        self,
        control: Control | None = None,
        external: External | None = None,
        *,
        forces: Sequence[ForceElement] = (),
        stabilization: Stabilization = DEFAULT_STABILIZATION,
    ) -> None:
        """Check the sources of forces; each may be missing."""
        self.callbacks = Callbacks(control, external)
        self.forces = force_elements(forces, "simulation")
        self.stabilization: Stabilization = stabilization

    @property
    def callback_error(self) -> BaseException | None:
        """The last exception raised by a callback."""
        return self.callbacks.error

    def is_control_only(self, state: MechanismState) -> bool:
        """Return whether nothing but the control enters the dynamics of a robot's compiled step."""
        default = self.stabilization == DEFAULT_STABILIZATION or not state.layout.is_constrained
        return default and not (self.callbacks.has_external_wrenches or self.forces)

    def __call__(self, t: float, state: MechanismState, s: Array) -> Rates:
        """Return the rates at time `t`; the arrays belong to the caller."""
        return self.rates(self.callbacks.torques(t, state), t, state, s)

    def rates(self, torques: Array, t: float, state: MechanismState, s: Array) -> Rates:
        """Return the rates under known torques of the control, which are overwritten."""
        wrenches = self.loads(torques, t, state, self.forces)
        sd = _add_contacts(wrenches, state, s)
        return Rates(self._accelerations(state, torques, wrenches), sd)

    def loads(self, torques: Array, t: float, state: MechanismState, elements: Sequence[ForceElement]) -> BodyWrenches:
        """Add the torques of force elements to `torques`; return their wrenches and the external ones."""
        wrenches = _body_wrenches(state, self.callbacks.wrenches(t, state))
        for element in elements:
            action = self._action(element, t, state)
            for joint, tau in action.torques.items():
                torques[state.layout.node(joint).v_slice] += [to_float(x) for x in tau]
            _accumulate(wrenches, _body_wrenches(state, action.wrenches))
        return wrenches

    def _action(self, element: ForceElement, t: float, state: MechanismState) -> Action:
        """Return the action of a force element; exceptions of users' elements are kept as those of callbacks."""
        try:
            return _checked_action(element, element.act(state))
        except BaseException as error:
            if not is_recordable(element):
                self.callbacks.keep_error(error, t, "force element")
            raise

    def reset_contacts(self, state: MechanismState, s: Array) -> Array:
        """Return the contact states with those of points that have lifted off reset to zero."""
        return np.array(reset_contacts_kernel(state, tuple(s.tolist())), dtype=np.float64) if s.size else s

    def _accelerations(self, state: MechanismState, torques: Array, wrenches: BodyWrenches) -> Array:
        if self.stabilization == DEFAULT_STABILIZATION:
            return forward_dynamics(state, torques, wrenches) if wrenches else forward_dynamics(state, torques)
        return forward_dynamics(state, torques, wrenches or None, stabilization=self.stabilization)


def _checked_action(element: ForceElement, action: Action) -> Action:
    """Return the action of a force element, with one torque per velocity of each joint."""
    name = type(element).__name__
    require_kind(action, Action, operation=f"{name}.act", argument="the result")
    torques = {j: scalars(tau, j.nv, f"torques of {name} at joint {j.name!r}") for j, tau in action.torques.items()}
    return attrs.evolve(action, torques=torques)


def initial_contact_states(state: MechanismState, contact_states: ArrayLike | None) -> Array:
    """Return the initial contact states, zero if not given. Raises ShapeError or NotFiniteError."""
    ns = state.layout.ns
    return np.zeros(ns) if contact_states is None else float_array(contact_states, (ns,), "contact_states").copy()


def _body_wrenches(state: MechanismState, wrenches: ExternalWrenches | None) -> BodyWrenches:
    """Return wrenches by body, each in its body's frame."""
    bodies = state.layout.bodies
    checked = checked_wrenches(state, wrenches)
    return {bodies[i]: state.transform(wrench, bodies[i].default_frame) for i, wrench in checked}


def _accumulate(wrenches: BodyWrenches, more: BodyWrenches) -> None:
    for body, wrench in more.items():
        present = wrenches.get(body)
        wrenches[body] = wrench if present is None else present + wrench


def _add_contacts(wrenches: BodyWrenches, state: MechanismState, s: Array) -> Array:
    """Add the wrenches of contacts; return the rates of the contact states."""
    layout = state.layout
    if not layout.contact_pairs:
        return np.zeros(layout.ns)
    contact = contact_forces_kernel(state, tuple(s.tolist()))
    _accumulate(
        wrenches, {b: wrench for b, wrench in zip(layout.bodies, contact.wrenches, strict=True) if wrench is not None}
    )
    return np.array(contact.sd, dtype=np.float64)
