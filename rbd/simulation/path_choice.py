"""The choice of the path of a run: which part of its steps machine code takes.

From the fastest to the slowest, each with what it needs besides a long run of a mechanism of moderate size:

    SampledHoldRun  the only callback is a zero-order hold, and nobody looks at samples before the end of the run
    BlocksOfSteps   the control is held, recorded or missing, forces are constant, and no output needs the state
    BlocksOfStages  callbacks in Python between stages, and nobody looks at samples before the end of the run
    SingleSteps     events, monitors, pacing or several holds, by `NativeStages`; all else by the integrator itself

All give the same samples, but for rounding between machine code and Python.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Integrator
from rbd.simulation.native.block_runs import BlocksOfStages, BlocksOfSteps, SampledHoldRun, hold_splits_few_steps
from rbd.simulation.native.blocks import is_worthwhile, native_blocks, step_name, steps_per_call
from rbd.simulation.native.stages import native_stages
from rbd.simulation.run_path import RunPath, SingleSteps
from rbd.state import MechanismState

_MIN_HELD_STEPS = 16
"""The least length of blocks of a run with a hold."""


@final
@attrs.frozen(eq=False)
class RunSettings:
    """Settings that decide the run path."""

    method: Integrator
    equations: EquationsOfMotion
    state: MechanismState
    times: list[float]
    needs_states: bool
    """Whether events or outputs look at the state at every sample."""
    shows_samples: bool
    """Whether samples or progress are seen before the run has ended."""

    @property
    def allows_batched_samples(self) -> bool:
        """Whether the samples of many steps may come together."""
        if self.needs_states or self.shows_samples:
            return False
        return all(hold_splits_few_steps(hold, self.times) for hold in self.equations.holds)


def choose_path(settings: RunSettings) -> RunPath:
    """Return the fastest path."""
    if is_worthwhile(settings.state, len(settings.times) - 1):
        for choice in (_sampled_hold_run, _blocks_of_steps, _blocks_of_stages):
            path = choice(settings)
            if path is not None:
                return path
    return SingleSteps(settings.method)


def _sampled_hold_run(settings: RunSettings) -> SampledHoldRun | None:
    callbacks, state = settings.equations.callbacks, settings.state
    if not (settings.allows_batched_samples and len(callbacks.holds) == 1 and callbacks.is_held):
        return None
    most = max(steps_per_call(state), _MIN_HELD_STEPS)
    stages = native_stages(state, settings.method, settings.equations, most, samples_hold=True)
    if stages is None or not stages.samples_hold:
        return None
    return SampledHoldRun(settings.method, stages, settings.equations.holds[0])


def _blocks_of_steps(settings: RunSettings) -> BlocksOfSteps | None:
    equations, state, name = settings.equations, settings.state, step_name(settings.method)
    without_python = equations.callbacks.is_held or equations.callbacks.recorded_control is not None
    if name is None or settings.needs_states or not (without_python and equations.is_control_only(state)):
        return None
    blocks = native_blocks(state, name, equations.callbacks.recorded_control)
    if blocks is None:
        return None
    if not equations.callbacks.holds:
        return BlocksOfSteps(settings.method, blocks, None)
    stages = native_stages(state, settings.method, equations, steps_per_call(state))  # for steps between close instants
    return BlocksOfSteps(stages or settings.method, blocks, equations.holds[0])


def _blocks_of_stages(settings: RunSettings) -> RunPath | None:
    stages = native_stages(settings.state, settings.method, settings.equations, steps_per_call(settings.state))
    if stages is None:
        return None
    if isinstance(settings.method, AdaptiveMuntheKaas):
        return SingleSteps(settings.method.controlling(stages.attempt))
    together = settings.allows_batched_samples and not settings.equations.callbacks.holds
    return BlocksOfStages(stages) if together else SingleSteps(stages)
