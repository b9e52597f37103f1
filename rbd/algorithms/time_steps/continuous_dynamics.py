"""Continuous dynamics within a time step: rates of coordinates, velocities and contact states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias, final

import attrs

from rbd.algorithms.external_wrenches import AppliedWrenches
from rbd.algorithms.forward_dynamics import forward_dynamics_kernel
from rbd.algorithms.loops.loop_gains import DEFAULT_GAINS, ConstraintGains
from rbd.algorithms.soft_contact import contact_forces_kernel, reset_contacts_kernel, with_contacts
from rbd.algorithms.time_steps.local_coordinates import coordinate_rates
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Vector

AppliedLoads: TypeAlias = Callable[[ScalarState, Vector], tuple[Vector, AppliedWrenches]]
"""loads(state, tau) -> torques and wrenches: tau and what springs and the like add."""


class StateRates(NamedTuple):
    """Rates of local coordinates, velocities and contact states."""

    phid: Vector
    vd: Vector
    sd: Vector


@final
@attrs.frozen(eq=False)
class ContinuousDynamics:
    """Forward dynamics with gains of constraints and applied loads."""

    gains: ConstraintGains = DEFAULT_GAINS
    loads: AppliedLoads | None = None

    def rates(
        self, start: ScalarState, state: ScalarState, tau: Vector, s: Vector, external: AppliedWrenches
    ) -> StateRates:
        """Return the rates at `state`, in local coordinates around `start`."""
        phid = coordinate_rates(start, state, state.velocity_scalars())
        return StateRates(phid, *self.accelerations(state, tau, s, external))

    def accelerations(
        self, state: ScalarState, tau: Vector, s: Vector, external: AppliedWrenches
    ) -> tuple[Vector, Vector]:
        """Return vd and the rates of contact states."""
        if self.loads is not None:
            tau, wrenches = self.loads(state, tau)
            external = (*external, *wrenches)
        if not state.layout.contact_pairs:
            return forward_dynamics_kernel(state, tau, external, self.gains), ()
        contact = contact_forces_kernel(state, s)
        return forward_dynamics_kernel(state, tau, with_contacts(external, contact), self.gains), contact.sd


DEFAULT_DYNAMICS: Final = ContinuousDynamics()


def reset_separated_contacts(state: ScalarState, q: Vector, v: Vector, s: Vector) -> Vector:
    """Return the contact states after a step to q and v, those of separated points reset to zero."""
    return reset_contacts_kernel(state.with_scalars(q, v), s) if s else ()
