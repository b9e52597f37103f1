"""The choice of the path of a run: which part of its steps recorded programs take.

There are three paths. From the fastest to the slowest, each with what it needs besides a mechanism of moderate size:

    BlocksOfSteps   the control is held, recorded or missing, nothing else acts, and no output needs the state
    BlocksOfStages  callbacks in Python between stages, and nobody looks at samples before the end of the run
    SingleSteps     events, monitors, pacing or several holds, by `RecordedStages`; all else by the integrator itself

Where a zero-order hold is the only callback, `BlocksOfStages` is the fastest: it samples the hold within its blocks.
Short runs interpret the programs, long ones compile them, with the same bits; that is decided here, before the run
begins, so that no callback waits for the compiler. All paths give the same samples, but for
rounding between these programs and the methods in Python.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Integrator
from rbd.simulation.programs.block_runs import MAX_PARTS, BlocksOfStages, BlocksOfSteps, hold_splits_few_steps
from rbd.simulation.programs.recorded_stages import RecordedStages, recorded_stages
from rbd.simulation.programs.repeated_step import records_steps, repeated_step, step_name, steps_per_call
from rbd.simulation.run_path import RunPath, SingleSteps
from rbd.state import MechanismState


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
    is_paced: bool = False
    """Whether the run follows a wall clock, so that nothing may be compiled once it has begun."""

    @property
    def least_steps(self) -> int:
        """The least number of steps: those between samples, or between instants of a hold."""
        duration = self.times[-1] - self.times[0]
        return max([len(self.times) - 1, *(int(duration / hold.period) for hold in self.equations.holds)])

    @property
    def allows_batched_samples(self) -> bool:
        """Whether the samples of many steps may come together."""
        if self.needs_states or self.shows_samples:
            return False
        return all(hold_splits_few_steps(hold, self.times) for hold in self.equations.holds)

    def recorded_stages(self, *, samples_hold: bool = False) -> RecordedStages | None:
        """Return the integrator with its stages in recorded programs; None for integrators without."""
        steps = min(steps_per_call(self.state), max(len(self.times) - 1, 1))
        most = steps * (MAX_PARTS if samples_hold else 1)
        return recorded_stages(self.state, self.method, self.equations, most, samples_hold=samples_hold)


def choose_path(settings: RunSettings) -> RunPath:
    """Return the fastest path."""
    if not records_steps(settings.state, settings.equations, len(settings.times) - 1):
        return SingleSteps(settings.method)
    return (
        _blocks_under_a_hold(settings)
        or _blocks_of_steps(settings)
        or _path_by_stages(settings)
        or SingleSteps(settings.method)
    )


def _blocks_under_a_hold(settings: RunSettings) -> BlocksOfStages | None:
    equations = settings.equations
    if not (settings.allows_batched_samples and len(equations.holds) == 1 and equations.callbacks.is_held):
        return None
    stages = settings.recorded_stages(samples_hold=True)
    if stages is None or not stages.samples_hold:
        return None
    stages.prepare(settings.least_steps)
    return BlocksOfStages(stages, equations.holds[0])


def _blocks_of_steps(settings: RunSettings) -> BlocksOfSteps | None:
    equations, state, name = settings.equations, settings.state, step_name(settings.method)
    without_python = equations.callbacks.is_held or equations.callbacks.recorded_control is not None
    if name is None or settings.needs_states or not (without_python and equations.is_control_only(state)):
        return None
    blocks = repeated_step(state, name, equations.callbacks.recorded_control)
    if blocks is None:
        return None
    blocks.prepare(settings.least_steps)
    if not equations.holds:
        return BlocksOfSteps(settings.method, blocks, None)
    single = settings.recorded_stages()  # for steps between close instants
    if single is not None:
        single.prepare(0, is_final=True)  # by the program of the blocks
    return BlocksOfSteps(single or settings.method, blocks, equations.holds[0])


def _path_by_stages(settings: RunSettings) -> RunPath | None:
    stages = settings.recorded_stages()
    if stages is None:
        return None
    stages.prepare(settings.least_steps, is_final=settings.is_paced)
    if isinstance(settings.method, AdaptiveMuntheKaas):
        return SingleSteps(settings.method.controlling(stages.attempt))
    together = settings.allows_batched_samples and not settings.equations.holds
    return BlocksOfStages(stages) if together else SingleSteps(stages)
