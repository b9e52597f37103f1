"""Dynamics of time steps: rates of coordinates, velocities and contact states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, final

import attrs

from rbd.algorithms.external_wrenches import AppliedWrenches
from rbd.algorithms.forward_dynamics import forward_dynamics_kernel
from rbd.algorithms.loops.loop_gains import DEFAULT_GAINS, ConstraintGains
from rbd.algorithms.soft_contact import contact_forces_kernel, reset_contacts_kernel, with_contacts
from rbd.algorithms.time_steps.local_coordinates import coordinate_rates
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Vector

StateRates = tuple[Vector, Vector, Vector]
"""Rates of coordinates, velocities and contact states."""
AppliedLoads: TypeAlias = Callable[[ScalarState, Vector], tuple[Vector, AppliedWrenches]]
"""loads(state, tau) -> torques and wrenches: tau and what springs and the like add."""


@final
@attrs.frozen(eq=False)
class StepOptions:
    """Options of the dynamics: stabilisation of loops, applied loads."""

    gains: ConstraintGains = DEFAULT_GAINS
    loads: AppliedLoads | None = None

    def rates(
        self, start: ScalarState, state: ScalarState, tau: Vector, s: Vector, external: AppliedWrenches
    ) -> StateRates:
        """Return the rates at `state`, in local coordinates around `start`."""
        torques, applied = self._with_loads(state, tau, external)
        phid = coordinate_rates(start, state, state.velocity_scalars())
        return phid, *self._accelerations(state, torques, s, applied)

    def accelerations(
        self, state: ScalarState, tau: Vector, s: Vector, external: AppliedWrenches
    ) -> tuple[Vector, Vector]:
        """Return vd and the rates of contact states."""
        torques, applied = self._with_loads(state, tau, external)
        return self._accelerations(state, torques, s, applied)

    def _with_loads(self, state: ScalarState, tau: Vector, external: AppliedWrenches) -> tuple[Vector, AppliedWrenches]:
        """Return all torques and wrenches."""
        if self.loads is None:
            return tau, external
        torques, more = self.loads(state, tau)
        return torques, (*external, *more)

    def _accelerations(
        self, state: ScalarState, tau: Vector, s: Vector, external: AppliedWrenches
    ) -> tuple[Vector, Vector]:
        if not state.layout.contact_pairs:
            return forward_dynamics_kernel(state, tau, external, self.gains), ()
        contact = contact_forces_kernel(state, s)
        return forward_dynamics_kernel(state, tau, with_contacts(external, contact), self.gains), contact.sd


DEFAULT_OPTIONS: Final = StepOptions()


def reset_separated_contacts(state: ScalarState, q: Vector, v: Vector, s: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the end of a step, with the contact states of separated points reset to zero."""
    return q, v, reset_contacts_kernel(state.with_scalars(q, v), s) if s else ()
