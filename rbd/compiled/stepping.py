"""Time steps as functions that can be recorded.

Integration uses local coordinates around the initial configuration of the step, as in `rbd.simulation`: Munthe-Kaas
with the classical Runge-Kutta method, or semi-implicit Euler.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.forward_dynamics import forward_dynamics_kernel
from rbd.algorithms.loops.stabilization import STANDARD, LoopGainsPerLoop
from rbd.algorithms.soft_contact import contact_forces_kernel, settled_contacts_kernel, with_contacts
from rbd.algorithms.time_steps import runge_kutta_mean, stepped
from rbd.arguments import require_choice
from rbd.program.program import Program
from rbd.program.replay import replay
from rbd.scalars import Scalar, Vector, const
from rbd.state import ScalarState

Integrator = Literal["munthe-kaas-rk4", "semi-implicit-euler"]
Torques = Callable[[ScalarState, Scalar], Vector]
"""Torques as a function of state and time."""

Rates = tuple[Vector, Vector, Vector]
"""Rates of coordinates, velocities and contact states."""


def step_function(integrator: Integrator, gains: LoopGainsPerLoop = STANDARD) -> Callable[..., dict[str, Vector]]:
    """Return a function of (state, tau, dt, s) that returns the next q, v and, with contact states, s.

    `gains` stabilise loops. External wrenches, a last argument, are held in their frames.
    """
    require_choice(integrator, tuple(_STEPS), "integrator", "integrator")
    advance = _STEPS[integrator]

    def step(
        state: ScalarState,
        tau: Vector,
        dt: Scalar,
        s: Vector = (),
        external_wrenches: ExternalWrenches | None = None,
    ) -> dict[str, Vector]:
        held, external = tuple(tau), applied_wrenches(state, external_wrenches)

        def torques(state: ScalarState, time: Scalar) -> Vector:
            return held

        q, v, s_next = advance(state, torques, 0, dt, 0, tuple(s), gains, external)
        moved = {"q_next": q, "v_next": v}
        return moved | {"s_next": s_next} if s_next else moved

    return step


def controlled_step_function(integrator: Integrator, control: Program) -> Callable[..., dict[str, Vector]]:
    """Return a function of (state, t, t_next) that returns the next q and v with a recorded controller.

    The inputs of the controller are q, v and optionally t; its output is the torques. It is evaluated at every stage,
    for the last one at exactly `t_next`.
    """
    advance = _STEPS[integrator]

    def torques(state: ScalarState, time: Scalar) -> Vector:
        known = {"q": state.configuration_scalars(), "v": state.velocity_scalars(), "t": (time,)}
        return tuple(replay(control, [x for port in control.inputs for x in known[port.name]]))

    def step(state: ScalarState, t: Scalar, t_next: Scalar) -> dict[str, Vector]:
        q, v, _ = advance(state, torques, t, t_next - t, t_next)
        return {"q_next": q, "v_next": v}

    return step


def _semi_implicit(
    state: ScalarState,
    torques: Torques,
    t: Scalar,
    dt: Scalar,
    end: Scalar = 0,
    s: Vector = (),
    gains: LoopGainsPerLoop = STANDARD,
    external: AppliedWrenches = (),
) -> tuple[Vector, Vector, Vector]:
    """Semi-implicit Euler: update velocities, then configurations with the new velocities."""
    vd, sd = _accelerations(state, torques(state, t), s, gains, external)
    v = stepped(state.velocity_scalars(), vd, dt)
    return settled(state, moved_along(state, v, dt), v, stepped(s, sd, dt))


def _munthe_kaas(
    state: ScalarState,
    torques: Torques,
    t: Scalar,
    dt: Scalar,
    end: Scalar = 0,
    s: Vector = (),
    gains: LoopGainsPerLoop = STANDARD,
    external: AppliedWrenches = (),
) -> tuple[Vector, Vector, Vector]:
    """Munthe-Kaas: four Runge-Kutta stages in local coordinates around the initial configuration of the step."""
    v0, half = state.velocity_scalars(), dt * const(1, 2)
    still = (0,) * len(v0)

    def stage(time: Scalar, rates: Rates, ahead: Scalar) -> Rates:
        there = _stage(state, stepped(still, rates[0], ahead), stepped(v0, rates[1], ahead))
        return rates_at(state, there, torques(there, time), stepped(s, rates[2], ahead), gains, external)

    first = rates_at(state, state, torques(state, t), s, gains, external)
    second = stage(t + half, first, half)
    third = stage(t + half, second, half)
    fourth = stage(end, third, dt)
    return ended(state, s, (first, second, third, fourth), dt)


def ended(start: ScalarState, s: Vector, stages: Sequence[Rates], dt: Scalar) -> tuple[Vector, Vector, Vector]:
    """Return the end of a Munthe-Kaas step, from the rates of its four stages."""
    phid, vd, sd = (runge_kutta_mean(*(rates[k] for rates in stages)) for k in (0, 1, 2))
    v0 = start.velocity_scalars()
    return settled(start, landed(start, stepped((0,) * len(v0), phid, dt)), stepped(v0, vd, dt), stepped(s, sd, dt))


_STEPS: dict[str, Callable[..., tuple[Vector, Vector, Vector]]] = {
    "munthe-kaas-rk4": _munthe_kaas,
    "semi-implicit-euler": _semi_implicit,
}


def _stage(start: ScalarState, phi: Vector, v: Vector) -> ScalarState:
    return start.with_scalars(global_coordinates(start, phi), v)


def rates_at(
    start: ScalarState,
    state: ScalarState,
    tau: Vector,
    s: Vector,
    gains: LoopGainsPerLoop,
    external: AppliedWrenches = (),
) -> Rates:
    """Return the rates of the local coordinates, of v and of s."""
    return _coordinate_rates(start, state, state.velocity_scalars()), *_accelerations(state, tau, s, gains, external)


def _coordinate_rates(start: ScalarState, state: ScalarState, v: Vector) -> Vector:
    """Return the rates of the local coordinates at velocity v."""
    rates: list[Scalar] = []
    for link in state.links:
        rates += link.joint.type.local_coordinates_rate(start.joint_q(link), state.joint_q(link), v[link.v])
    return tuple(rates)


def _accelerations(
    state: ScalarState, tau: Vector, s: Vector, gains: LoopGainsPerLoop, external: AppliedWrenches
) -> tuple[Vector, Vector]:
    """Return vd and the rates of contact states, with loop constraints stabilised by `gains`."""
    if not state.layout.point_contacts:
        return forward_dynamics_kernel(state, tau, external, gains), ()
    contact = contact_forces_kernel(state, s)
    return forward_dynamics_kernel(state, tau, with_contacts(external, contact), gains), contact.sd


def settled(state: ScalarState, q: Vector, v: Vector, s: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the end of a step, with the contact states of separated points reset to zero."""
    return q, v, settled_contacts_kernel(state.with_scalars(q, v), s) if s else ()


def moved_along(start: ScalarState, v: Vector, dt: Scalar) -> Vector:
    """Return q after a time `dt` with constant velocities `v`, as in a semi-implicit step."""
    return landed(start, stepped((0,) * len(v), _coordinate_rates(start, start, v), dt))


def landed(start: ScalarState, phi: Vector) -> Vector:
    """Return q at the end of a step, normalised against accumulated rounding errors."""
    q, landed = global_coordinates(start, phi), list[Scalar]()
    for link in start.links:
        landed += link.joint.type.normalize(q[link.q])
    return tuple(landed)


def global_coordinates(start: ScalarState, phi: Vector) -> Vector:
    """Return q from local coordinates around the configuration of `start`."""
    q: list[Scalar] = []
    for link in start.links:
        q += link.joint.type.global_coordinates(start.joint_q(link), phi[link.v])
    return tuple(q)
