"""Stages of Runge-Kutta-Munthe-Kaas steps as functions that can be recorded, one function per stage.

They serve controllers that are called between the stages. Together the stages of the classical method compute what
`step_function` computes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from rbd.algorithms.external_wrenches import ExternalWrenches, applied_wrenches
from rbd.algorithms.time_steps.continuous_dynamics import DEFAULT_DYNAMICS, ContinuousDynamics, StateRates
from rbd.algorithms.time_steps.local_coordinates import global_coordinates
from rbd.algorithms.time_steps.runge_kutta import (
    RatesByStage,
    ScalarTableau,
    end_of_step,
    next_stage_state,
    total,
    weighted_sum,
)
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector, absolute, const, maximum

_NEXT = ("q_next", "v_next", "s_next")


StageInputs: TypeAlias = dict[str, Literal["scalar", "q", "v", "s"]]
"""Arguments by name: numbers, or vectors with an entry per coordinate, velocity or contact state."""


def stage_inputs(tableau: ScalarTableau, index: int, ns: int) -> StageInputs:
    """Return the arguments of stage `index` after the state: torques, initial values of the step, earlier rates."""
    inputs: StageInputs = {"tau": "v", "dt": "scalar", "s": "s"}
    if index:
        inputs |= {"q0": "q", "v0": "v", "s0": "s"}
    rates: StageInputs = {"phid": "v", "vd": "v", "sd": "s"}
    inputs |= {f"{rate}{k}": kind for rate, kind in rates.items() for k in tableau.rates_needed_after(index)}
    if index + 1 == tableau.stage_count and tableau.error:
        inputs |= {"rtol": "scalar", "atol": "scalar"}
    return {name: kind for name, kind in inputs.items() if ns or kind != "s"}


def stage_function(
    tableau: ScalarTableau, index: int, dynamics: ContinuousDynamics = DEFAULT_DYNAMICS
) -> Callable[..., dict[str, Any]]:
    """Return one stage of a step as a function, for controllers that are called between the stages.

    It takes the state and the torques of the stage, and returns its rates and the state of the next stage. The first
    stage also returns the initial values of the step; the last one returns only the end of the step, and the square of
    its error in units of the tolerance if the tableau estimates it: contact states are then not reset.
    """
    last = index + 1 == tableau.stage_count

    def stage(
        state: ScalarState, tau: Vector, dt: Scalar, external_wrenches: ExternalWrenches | None = None, **inputs: Any
    ) -> dict[str, Any]:
        s = tuple(inputs.get("s", ()))
        s0 = tuple(inputs.get("s0", s))
        start = state.with_scalars(tuple(inputs["q0"]), tuple(inputs["v0"])) if index else state
        current = dynamics.rates(start, state, tuple(tau), s, applied_wrenches(state, external_wrenches))
        rates = {k: _rates_of_stage(inputs, k, len(s)) for k in tableau.rates_needed_after(index)} | {index: current}
        if last:
            result = _by_name(_NEXT, end_of_step(tableau, start, s0, rates, dt))
            return result | _error(tableau, start, s0, rates, dt, result, inputs)
        phi, v, s_next = next_stage_state(tableau, index, start, s0, rates, dt)
        result = _by_name(_NEXT, (global_coordinates(start, phi), v, s_next))
        result |= _by_name((f"phid{index}", f"vd{index}", f"sd{index}"), current)
        initial = (start.configuration_scalars(), start.velocity_scalars(), s0)
        return result if index else result | _by_name(("q0", "v0", "s0"), initial)

    return stage


def _error(
    tableau: ScalarTableau,
    start: ScalarState,
    s0: Vector,
    rates: RatesByStage,
    dt: Scalar,
    end: Mapping[str, Vector],
    inputs: Mapping[str, Any],
) -> dict[str, Scalar]:
    """Return the mean square of the errors of a step, if the tableau estimates it.

    Configurations have size 1, other numbers their own size.
    """
    if tableau.error is None:
        return {}
    rtol, atol, weights = inputs["rtol"], inputs["atol"], tableau.error
    phi, v, s = (
        tuple(dt * x for x in weighted_sum(weights, {k: rates[k][part] for k in sorted(rates)})) for part in range(3)
    )
    pairs = [
        *zip(v, start.velocity_scalars(), end["v_next"], strict=True),
        *zip(s, s0, end.get("s_next", ()), strict=True),
    ]
    errors = [x / (atol + rtol) for x in phi]
    errors += [x / (atol + rtol * maximum(absolute(a), absolute(b))) for x, a, b in pairs]
    return {"error": total(x * x for x in errors) * const(1, max(len(errors), 1))}


def _rates_of_stage(inputs: Mapping[str, Vector], k: int, ns: int) -> StateRates:
    """Return the rates of stage `k` from the inputs of a later stage."""
    return StateRates(tuple(inputs[f"phid{k}"]), tuple(inputs[f"vd{k}"]), tuple(inputs[f"sd{k}"]) if ns else ())


def _by_name(names: tuple[str, str, str], values: tuple[Vector, Vector, Vector]) -> dict[str, Any]:
    """Return coordinates, velocities and contact states by name, if present."""
    return {name: value for name, value in zip(names, values, strict=True) if value}
