"""Time steps as functions that can be recorded: the classical Runge-Kutta-Munthe-Kaas method, semi-implicit Euler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.time_steps.continuous_dynamics import (
    DEFAULT_DYNAMICS,
    ContinuousDynamics,
    StateRates,
    reset_separated_contacts,
)
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod, stepped
from rbd.algorithms.time_steps.local_coordinates import integrate_configuration
from rbd.algorithms.time_steps.runge_kutta import CLASSICAL, runge_kutta_step
from rbd.arguments import require_choice
from rbd.program.program import Program
from rbd.program.replay import replay
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector

TorqueFunction = Callable[[ScalarState, Scalar], Vector]
"""Returns torques for the state and the part of the step that has passed, from 0 to 1."""


def step_function(
    integrator: FixedStepMethod, dynamics: ContinuousDynamics = DEFAULT_DYNAMICS
) -> Callable[..., dict[str, Vector]]:
    """Return a function of (state, tau, dt, s) that returns the next q, v and, with contact states, s.

    External wrenches, a last argument, are held in their frames.
    """
    require_choice(integrator, tuple(STEP_FUNCTIONS), "integrator", "integrator")
    advance = STEP_FUNCTIONS[integrator]

    def step(
        state: ScalarState,
        tau: Vector,
        dt: Scalar,
        s: Vector = (),
        external_wrenches: ExternalWrenches | None = None,
    ) -> dict[str, Vector]:
        constant_torques, external = tuple(tau), applied_wrenches(state, external_wrenches)

        def torques(stage_state: ScalarState, c: Scalar) -> Vector:
            return constant_torques

        q, v, s_next = advance(state, tuple(s), dt, torques, dynamics, external)
        return {"q_next": q, "v_next": v} | ({"s_next": s_next} if s_next else {})

    return step


def controlled_step_function(integrator: FixedStepMethod, control: Program) -> Callable[..., dict[str, Vector]]:
    """Return a function of (state, t, t_next) that returns the next q and v with a recorded controller.

    The inputs of the controller are q, v and optionally t; its output is the torques. It is evaluated at every stage,
    for the last one at exactly `t_next`.
    """
    advance = STEP_FUNCTIONS[integrator]

    def step(state: ScalarState, t: Scalar, t_next: Scalar) -> dict[str, Vector]:
        dt = t_next - t

        def torques(stage_state: ScalarState, c: Scalar) -> Vector:
            time = t if c == 0 else t_next if c == 1 else t + dt * c
            inputs = {"q": stage_state.configuration_scalars(), "v": stage_state.velocity_scalars(), "t": (time,)}
            return tuple(replay(control, [x for port in control.inputs for x in inputs[port.name]]))

        q, v, _ = advance(state, (), dt, torques, DEFAULT_DYNAMICS, ())
        return {"q_next": q, "v_next": v}

    return step


def _semi_implicit_euler(
    start: ScalarState,
    s: Vector,
    dt: Scalar,
    torques: TorqueFunction,
    dynamics: ContinuousDynamics,
    external: AppliedWrenches,
) -> tuple[Vector, Vector, Vector]:
    """Semi-implicit Euler: update velocities, then configurations with the new velocities."""
    vd, sd = dynamics.accelerations(start, torques(start, 0), s, external)
    v = stepped(start.velocity_scalars(), vd, dt)
    q = integrate_configuration(start, v, dt)
    return q, v, reset_separated_contacts(start, q, v, stepped(s, sd, dt))


def _munthe_kaas(
    start: ScalarState,
    s: Vector,
    dt: Scalar,
    torques: TorqueFunction,
    dynamics: ContinuousDynamics,
    external: AppliedWrenches,
) -> tuple[Vector, Vector, Vector]:
    """Munthe-Kaas: the four stages of the classical Runge-Kutta method."""

    def rates(k: int, stage_state: ScalarState, s_stage: Vector) -> StateRates:
        return dynamics.rates(start, stage_state, torques(stage_state, CLASSICAL.c[k]), s_stage, external)

    return runge_kutta_step(CLASSICAL, start, s, rates, dt)


STEP_FUNCTIONS: Final[Mapping[FixedStepMethod, Callable[..., tuple[Vector, Vector, Vector]]]] = {
    "munthe-kaas-rk4": _munthe_kaas,
    "semi-implicit-euler": _semi_implicit_euler,
}
"""Method -> function that returns q, v and s after a step."""
