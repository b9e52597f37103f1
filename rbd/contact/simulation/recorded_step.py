"""One step of `ContactSimulator`, as a function to be recorded: control, then an impact step or a contact step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recorded_controller import replayed_controller
from rbd.contact.model.pairs import Pair
from rbd.contact.simulation.impact_step import ImpactStepOptions, impact_step
from rbd.contact.simulation.options import SimulatorOptions
from rbd.contact.stepping.solution import solved_step
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import less, where


def simulator_step(
    pairs: Sequence[Pair],
    options: SimulatorOptions,
    control: RecordedFunction | None,
    state: ScalarState,
    **inputs: Any,
) -> Mapping[str, object]:
    """Return the state after one step, and the distances and touching pairs before it."""
    tau = replayed_controller(control, state, inputs["t"]) if control is not None else tuple(inputs["torques"])
    threshold, dt = options.threshold, inputs["dt"]
    if isinstance(options.step, ImpactStepOptions):
        return impact_step(pairs, options.step, threshold, state, tau, tuple(inputs["touched"]), dt)
    step = solved_step(pairs, state, tau, dt, options.step.lifted(state))
    distances = step.constraints.distances
    touching = tuple(where(less(phi, threshold), 1, 0) for phi in distances)
    return {"q_next": step.q_next, "v_next": step.v_next, "distances": distances, "touching": touching}
