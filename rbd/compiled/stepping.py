"""One step in time as a function that can be recorded.

Joint coordinates move through their exponential coordinates around the beginning of the step, as in `rbd.simulation`:
Munthe-Kaas with the classical Runge-Kutta scheme, or semi-implicit Euler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rbd.algorithms.forward_dynamics import forward_dynamics_kernel
from rbd.algorithms.soft_contact import contact_forces_kernel, settled_contacts_kernel
from rbd.algorithms.stabilization import STANDARD, LoopGainsPerLoop
from rbd.arguments import require_choice
from rbd.program.program import Program
from rbd.program.replay import replay
from rbd.scalars import Scalar, Vector, const
from rbd.state import ScalarState

Integrator = Literal["munthe-kaas-rk4", "semi-implicit-euler"]
Torques = Callable[[ScalarState, Scalar], Vector]
"""Torques at a state and a time."""

_Rates = tuple[Vector, Vector, Vector]
"""Derivatives of coordinates, of velocities and of contact states."""


def step_function(integrator: Integrator, gains: LoopGainsPerLoop = STANDARD) -> Callable[..., dict[str, Vector]]:
    """Return a function of (state, tau, dt, s) that gives the next q, v and, if there are contact states s, those.

    `gains` draw loops together.
    """
    require_choice(integrator, tuple(_STEPS), "integrator", "integrator")
    advance = _STEPS[integrator]

    def step(state: ScalarState, tau: Vector, dt: Scalar, s: Vector = ()) -> dict[str, Vector]:
        held = tuple(tau)

        def torques(state: ScalarState, time: Scalar) -> Vector:
            return held

        q, v, s_next = advance(state, torques, 0, dt, 0, tuple(s), gains)
        moved = {"q_next": q, "v_next": v}
        return moved | {"s_next": s_next} if s_next else moved

    return step


def controlled_step_function(integrator: Integrator, control: Program) -> Callable[..., dict[str, Vector]]:
    """Return a function of (state, t, t_next) that gives the next q and v under a recorded controller.

    The controller's inputs are q, v and, perhaps, t; its output are torques. It is asked at every stage, the last one
    at `t_next` exactly.
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
) -> tuple[Vector, Vector, Vector]:
    """Velocities first, then configurations with the new velocities."""
    vd, sd = _accelerations(state, torques(state, t), s, gains)
    v = _moved(state.velocity_scalars(), vd, dt)
    return _settled(state, moved_along(state, v, dt), v, _moved(s, sd, dt))


def _munthe_kaas(
    state: ScalarState,
    torques: Torques,
    t: Scalar,
    dt: Scalar,
    end: Scalar = 0,
    s: Vector = (),
    gains: LoopGainsPerLoop = STANDARD,
) -> tuple[Vector, Vector, Vector]:
    """Four stages; each sees the configuration through coordinates around the beginning of the step."""
    v0, half = state.velocity_scalars(), dt * const(1, 2)
    still = (0,) * len(v0)

    def stage(time: Scalar, rates: _Rates, ahead: Scalar) -> _Rates:
        there = _stage(state, _moved(still, rates[0], ahead), _moved(v0, rates[1], ahead))
        return _rates(state, there, torques(there, time), _moved(s, rates[2], ahead), gains)

    first = _rates(state, state, torques(state, t), s, gains)
    second = stage(t + half, first, half)
    third = stage(t + half, second, half)
    fourth = stage(end, third, dt)
    phid, vd, sd = (_weighted(*(rates[k] for rates in (first, second, third, fourth))) for k in (0, 1, 2))
    return _settled(state, _landed(state, _moved(still, phid, dt)), _moved(v0, vd, dt), _moved(s, sd, dt))


_STEPS: dict[str, Callable[..., tuple[Vector, Vector, Vector]]] = {
    "munthe-kaas-rk4": _munthe_kaas,
    "semi-implicit-euler": _semi_implicit,
}


def _stage(start: ScalarState, phi: Vector, v: Vector) -> ScalarState:
    return start.with_scalars(_global(start, phi), v)


def _rates(start: ScalarState, state: ScalarState, tau: Vector, s: Vector, gains: LoopGainsPerLoop) -> _Rates:
    """Return the derivatives of the coordinates around the beginning of the step, of v and of s."""
    return _coordinate_rates(start, state, state.velocity_scalars()), *_accelerations(state, tau, s, gains)


def _coordinate_rates(start: ScalarState, state: ScalarState, v: Vector) -> Vector:
    """Return the derivatives of the coordinates around the beginning of the step at velocity v."""
    rates: list[Scalar] = []
    for link in state.links:
        rates += link.joint.type.local_coordinates_rate(start.joint_q(link), state.joint_q(link), v[link.v])
    return tuple(rates)


def _accelerations(state: ScalarState, tau: Vector, s: Vector, gains: LoopGainsPerLoop) -> tuple[Vector, Vector]:
    """Return vd and the rates of contact states; loops are kept, drawn together by `gains`."""
    if not state.layout.touches:
        return forward_dynamics_kernel(state, tau, None, gains), ()
    contact = contact_forces_kernel(state, s)
    return forward_dynamics_kernel(state, tau, contact.wrenches, gains), contact.sd


def _settled(state: ScalarState, q: Vector, v: Vector, s: Vector) -> tuple[Vector, Vector, Vector]:
    """Return where a step ends, with the contact states of points that have lifted off reset to zero."""
    return q, v, settled_contacts_kernel(state.with_scalars(q, v), s) if s else ()


def moved_along(start: ScalarState, v: Vector, dt: Scalar) -> Vector:
    """Return q after moving for a time `dt` with the velocities `v`, as a semi-implicit step does."""
    return _landed(start, _moved((0,) * len(v), _coordinate_rates(start, start, v), dt))


def _landed(start: ScalarState, phi: Vector) -> Vector:
    """Return q at the end of a step, normalised: rounding must not grow over many steps."""
    q, landed = _global(start, phi), list[Scalar]()
    for link in start.links:
        landed += link.joint.type.normalize(q[link.q])
    return tuple(landed)


def _global(start: ScalarState, phi: Vector) -> Vector:
    q: list[Scalar] = []
    for link in start.links:
        q += link.joint.type.global_coordinates(start.joint_q(link), phi[link.v])
    return tuple(q)


def _moved(start: Vector, rate: Vector, time: Scalar) -> Vector:
    return tuple(x + time * y for x, y in zip(start, rate, strict=True))


def _weighted(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector:
    """Return the mean slope of the classical Runge-Kutta scheme."""
    sixth, third = const(1, 6), const(1, 3)
    rows = zip(a, b, c, d, strict=True)
    return tuple((p + s) * sixth + (q + r) * third for p, q, r, s in rows)
