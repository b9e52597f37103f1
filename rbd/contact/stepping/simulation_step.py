"""One step of `ContactSimulator`, as a function to be recorded.

Without friction: an impact of the pairs that have just met, accelerations by Gauss's principle, semi-implicit Euler
integration. With friction: time stepping on velocities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rbd.algorithms.time_steps.local_coordinates import integrate_configuration
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recorded_controller import replayed_controller
from rbd.contact.dynamics.contacts import (
    Contacts,
    acceleration_bounds,
    applied_forces,
    contacts_of,
    mass_and_factor,
    nearer_than,
)
from rbd.contact.dynamics.gauss_principle import nearest_motion
from rbd.contact.dynamics.impacts import Law, impact_motion
from rbd.contact.model.pairs import Pair
from rbd.contact.stepping.simulator_settings import ImpactScheme, StepSettings
from rbd.contact.stepping.solved_step import solved_step
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector, both, either, less, where


def simulation_step(
    pairs: Sequence[Pair], settings: StepSettings, control: RecordedFunction | None, state: ScalarState, **inputs: Any
) -> Mapping[str, object]:
    """Return the state after one step, and the distances and touching pairs before it."""
    tau = replayed_controller(control, state, inputs["t"]) if control is not None else tuple(inputs["torques"])
    scheme, threshold, dt = settings.scheme, settings.threshold, inputs["dt"]
    if isinstance(scheme, ImpactScheme):
        contacts = contacts_of(state, pairs, nearer_than(threshold))
        return _impact_step(pairs, scheme, state, contacts, tau, tuple(inputs["touched"]), dt)
    step = solved_step(pairs, state, tau, scheme.options(state, dt))
    distances = step.constraints.distances
    touching = tuple(where(less(phi, threshold), 1, 0) for phi in distances)
    return {"q_next": step.q_next, "v_next": step.v_next, "distances": distances, "touching": touching}


def _impact_step(
    pairs: Sequence[Pair],
    scheme: ImpactScheme,
    state: ScalarState,
    contacts: Contacts,
    tau: Vector,
    touched: Vector,
    dt: Scalar,
) -> Mapping[str, object]:
    """Return an impact of the pairs that have just met, followed by a semi-implicit Euler step."""
    v = _after_impacts(scheme.law, state, contacts, touched)
    after_impact = state.with_scalars(None, v)
    bounds = acceleration_bounds(after_impact, pairs, contacts, exact=scheme.bias == "exact")
    f = applied_forces(after_impact, tau)
    vd = nearest_motion(mass_and_factor(after_impact)[0], f, contacts.J, bounds).x
    v_next = tuple(x + dt * rate for x, rate in zip(v, vd, strict=True))
    return {
        "q_next": integrate_configuration(state, v_next, dt),
        "v_next": v_next,
        "distances": contacts.phi,
        "touching": contacts.flags(),
    }


def _after_impacts(law: Law, state: ScalarState, contacts: Contacts, touched: Vector) -> Vector:
    """Return the velocities after an impact, if any pair touches that did not before."""
    v, met = tuple(state.v), less(1, 0)
    if not contacts.J:
        return v
    for touches, before in zip(contacts.touching, touched, strict=True):
        met = either(met, both(touches, less(before, 1)))
    hit = impact_motion(state, law, 0, contacts).x
    return tuple(where(met, after, before) for after, before in zip(hit, v, strict=True))
