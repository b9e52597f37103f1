"""Steps without friction: an impact of the pairs that have just met, then accelerations by Gauss's principle.

The accelerations are integrated by the semi-implicit Euler method. Those of `contact_step` have friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import attrs

from rbd.algorithms.time_steps.local_coordinates import integrate_configuration
from rbd.arguments import require_choice
from rbd.contact.dynamics.accelerations.solve_contact import BIASES, Bias
from rbd.contact.dynamics.contacts import (
    Contacts,
    acceleration_bounds,
    checked_mass_matrix,
    contacts_of,
    nearer_than,
    net_torques,
)
from rbd.contact.dynamics.gauss_principle import nearest_motion
from rbd.contact.dynamics.impacts import LAWS, Law, impact_motion
from rbd.contact.model.pairs import Pair
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector, both, either, less, where


@final
@attrs.frozen
class ImpactStepOptions:
    """Options of a step with impacts: the bounds of its accelerations, and the impact law."""

    bias: Bias = "tutorial"
    law: Law = "inelastic"

    def require_choices(self) -> None:
        """Raise ArgumentError for other names."""
        require_choice(self.bias, BIASES, "bias", "bias")
        require_choice(self.law, LAWS, "law", "law")


@final
class StepResults(NamedTuple):
    """Results of a step, with friction or with impacts: the state after it, distances and touching pairs before it.

    Scalars of a recording, or arrays of a call.
    """

    q_next: Any
    v_next: Any
    distances: Any
    touching: Any
    """1 for pairs that touch, else 0."""


def impact_step(
    pairs: Sequence[Pair],
    options: ImpactStepOptions,
    threshold: float,
    state: ScalarState,
    tau: Vector,
    touched: Vector,
    dt: Scalar,
) -> StepResults:
    """Return the state after a step, and the distances and touching pairs before it.

    `touched` is 1 for the pairs that touched in the step before.
    """
    contacts = contacts_of(state, pairs, nearer_than(threshold))
    v = _after_impacts(options.law, state, contacts, touched)
    after_impact = state.with_scalars(None, v)
    bounds = acceleration_bounds(after_impact, pairs, contacts, exact=options.bias == "exact")
    f = net_torques(after_impact, tau)
    vd = nearest_motion(checked_mass_matrix(after_impact), f, contacts.J, bounds).x
    v_next = tuple(x + dt * rate for x, rate in zip(v, vd, strict=True))
    return StepResults(integrate_configuration(state, v_next, dt), v_next, contacts.phi, contacts.flags())


def _after_impacts(law: Law, state: ScalarState, contacts: Contacts, touched: Vector) -> Vector:
    """Return the velocities after an impact, if any pair touches that did not before."""
    v, met = tuple(state.v), less(1, 0)
    if not contacts.J:
        return v
    for touches, before in zip(contacts.touching, touched, strict=True):
        met = either(met, both(touches, less(before, 1)))
    hit = impact_motion(state, law, 0, contacts).x
    return tuple(where(met, after, before) for after, before in zip(hit, v, strict=True))
