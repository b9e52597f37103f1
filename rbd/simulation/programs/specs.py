"""Specifications of the recorded functions of simulations: stages of a step, and steps with a recorded controller."""

from __future__ import annotations

from rbd.algorithms.time_steps.continuous_dynamics import DEFAULT_DYNAMICS, ContinuousDynamics
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.algorithms.time_steps.runge_kutta import ScalarTableau
from rbd.algorithms.time_steps.stages import stage_function, stage_inputs
from rbd.algorithms.time_steps.steps import controlled_step_function
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.program.program import Program


def stage_spec(
    tableau: ScalarTableau, index: int, ns: int, dynamics: ContinuousDynamics = DEFAULT_DYNAMICS
) -> RecordingSpec:
    """Return the specification of a stage of a Runge-Kutta step with `ns` contact states."""
    return RecordingSpec(stage_function(tableau, index, dynamics), "qv", stage_inputs(tableau, index, ns), regroup=True)


def controlled_step_spec(integrator: FixedStepMethod, control: Program) -> RecordingSpec:
    """Return the specification of a time step with a recorded controller."""
    return RecordingSpec(
        controlled_step_function(integrator, control), "qv", {"t": "scalar", "t_next": "scalar"}, regroup=True
    )
