"""One step of a simulation with contacts, as a function to be recorded (internal).

Either what has just met is hit, and accelerations follow; or velocities go straight to what contacts and friction
allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, final

import attrs

from rbd.compiled import RecordedFunction
from rbd.compiled.stepping import moved_along
from rbd.contact.gauss import (
    Contacts,
    Law,
    allowed,
    contacts_of,
    driving_torques,
    impacted,
    mass_and_factor,
    nearer_than,
    required_accelerations,
)
from rbd.contact.pairs import Pair
from rbd.contact.solve import Bias
from rbd.contact.velocity import MARGIN, velocity_step
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.program.replay import replay
from rbd.scalars import Scalar, Vector, both, either, less, where
from rbd.state import ScalarState


@final
@attrs.frozen
class Settings:
    """What tells one simulator's steps from another's."""

    threshold: float
    bias: Bias
    law: Law
    friction: float | None


def require_recorded(control: RecordedFunction, mechanism: Mechanism) -> None:
    """Raise ArgumentError unless a recorded control maps q, v and t, or some of them, to the torques of a mechanism."""
    known = {"q": (mechanism.nq,), "v": (mechanism.nv,), "t": ()}
    ports, results = control.program.inputs, control.program.outputs
    fits = all(known.get(port.name) == port.shape for port in ports)
    if not fits or [port.shape for port in results] != [(mechanism.nv,)]:
        allowed = f"q {known['q']}, v {known['v']} and t () to torques {known['v']}"
        message = f"control maps {_ports(ports)} to {_ports(results)}, must map {allowed}, or some of these"
        raise ArgumentError(message, argument="control", value=control, allowed=allowed)


def _ports(ports: Sequence[Any]) -> str:
    return ", ".join(f"{port.name} {port.shape}" for port in ports) or "nothing"


def one_step(
    pairs: Sequence[Pair], settings: Settings, control: RecordedFunction | None, state: ScalarState, **inputs: Any
) -> Mapping[str, object]:
    """Return the state after one step, and what touched at its beginning."""
    torques = _controlled(control, state, inputs["t"]) if control is not None else tuple(inputs["torques"])
    if settings.friction is None:
        return _gauss_step(pairs, settings, state, torques, tuple(inputs["touched"]), inputs["dt"])
    margin = state.lifted(max(settings.threshold, MARGIN))
    friction = state.lifted(settings.friction) if settings.friction else None
    found = velocity_step(pairs, state, torques, inputs["dt"], margin, friction)
    distances = cast("Vector", found["distances"])
    touching = tuple(where(less(distance, settings.threshold), 1, 0) for distance in distances)
    return {"q_next": found["q_next"], "v_next": found["v_next"], "distances": distances, "touching": touching}


def _gauss_step(
    pairs: Sequence[Pair], settings: Settings, state: ScalarState, torques: Vector, touched: Vector, dt: Scalar
) -> Mapping[str, object]:
    """Impact what has just met, then accelerate and integrate."""
    contacts = contacts_of(state, pairs, nearer_than(settings.threshold))
    v = _after_impacts(settings.law, state, contacts, touched)
    after_impact = state.with_scalars(None, v)
    bounds = required_accelerations(after_impact, pairs, contacts, exact=settings.bias == "exact")
    right = driving_torques(after_impact, torques)
    vd = allowed(mass_and_factor(after_impact)[0], right, contacts.rows, bounds).motion
    faster = tuple(x + dt * rate for x, rate in zip(v, vd, strict=True))
    return {
        "q_next": moved_along(state, faster, dt),
        "v_next": faster,
        "distances": contacts.distances,
        "touching": contacts.flags(),
    }


def _after_impacts(law: Law, state: ScalarState, contacts: Contacts, touched: Vector) -> Vector:
    """Return the velocities after an impact if any pair touches that did not before."""
    v, met = tuple(state.v), less(1, 0)
    if not contacts.rows:
        return v
    for touches, before in zip(contacts.touching, touched, strict=True):
        met = either(met, both(touches, less(before, 1)))
    hit = impacted(state, law, 0, contacts).motion
    return tuple(where(met, after, before) for after, before in zip(hit, v, strict=True))


def _controlled(control: RecordedFunction, state: ScalarState, t: Scalar) -> Vector:
    """Return the torques of a recorded control."""
    known = {"q": state.configuration_scalars(), "v": state.velocity_scalars(), "t": (t,)}
    return tuple(replay(control.program, [x for port in control.program.inputs for x in known[port.name]]))
