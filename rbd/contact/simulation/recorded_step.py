"""One step of `ContactSimulator`, as a function to be recorded: control, then an impact step or a contact step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, final

from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import InputShape
from rbd.array_functions.recorded_controller import replayed_controller
from rbd.contact.model.pairs import Pair
from rbd.contact.simulation.impact_step import ImpactStepOptions, StepResults, impact_step
from rbd.contact.simulation.options import SimulatorOptions
from rbd.contact.stepping.solution import solved_step
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import less, where


@final
class StepInputs(NamedTuple):
    """Inputs of a recorded step, in their order."""

    q: Any
    v: Any
    control: Any
    """The time for a recorded control, whose input is `t`; otherwise `torques`."""
    touched: Any
    """1 for pairs that touched in the step before, else 0."""
    dt: Any


def input_shapes(nv: int, pairs: int, control: RecordedFunction | None) -> dict[str, InputShape]:
    """Return the names and shapes of the inputs after q and v."""
    control_input: dict[str, InputShape] = {"torques": nv} if control is None else {"t": ()}
    return {**control_input, "touched": pairs, "dt": ()}


def simulator_step(
    pairs: Sequence[Pair],
    options: SimulatorOptions,
    control: RecordedFunction | None,
    state: ScalarState,
    **inputs: Any,
) -> Mapping[str, object]:
    """Return the fields of `StepResults` of one step; `inputs` are those of `input_shapes`."""
    tau = replayed_controller(control, state, inputs["t"]) if control is not None else tuple(inputs["torques"])
    threshold, dt = options.threshold, inputs["dt"]
    if isinstance(options.step, ImpactStepOptions):
        touched = tuple(inputs["touched"])
        return impact_step(pairs, options.step, threshold, state, tau, touched, dt)._asdict()
    step = solved_step(pairs, state, tau, dt, options.step.lifted(state))
    distances = step.constraints.distances
    touching = tuple(where(less(phi, threshold), 1, 0) for phi in distances)
    return StepResults(step.q_next, step.v_next, distances, touching)._asdict()
