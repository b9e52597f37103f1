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

from collections.abc import Sequence
from typing import Any, final

import attrs

from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.hold import ZeroOrderHold
from rbd.simulation.integrator import Integrator
from rbd.simulation.programs.block_runs import MAX_PARTS, BlocksOfStages, BlocksOfSteps, hold_splits_few_steps
from rbd.simulation.programs.recorded_stages import RecordedStages
from rbd.simulation.programs.repeated_step import records_steps, repeated_step, step_name, steps_per_call
from rbd.simulation.programs.stage_loads import has_called_forces
from rbd.simulation.programs.stage_programs import StageProgram, stage_programs
from rbd.simulation.run_path import RunPath, SingleSteps
from rbd.state import MechanismState


@final
@attrs.frozen(eq=False)
class RunSettings:
    """Settings that decide the run path."""

    integrator: Integrator
    equations: EquationsOfMotion
    state: MechanismState
    times: list[float]
    needs_states: bool
    """Whether events or outputs look at the state at every sample."""
    shows_samples: bool
    """Whether samples or progress are seen before the run has ended."""
    is_paced: bool
    """Whether the run follows a wall clock, so that nothing may be compiled once it has begun."""

    @property
    def min_steps(self) -> int:
        """The least number of steps: those between samples, or between instants of a hold."""
        duration = self.times[-1] - self.times[0]
        return max([len(self.times) - 1, *(int(duration / hold.period) for hold in self.equations.callbacks.holds)])

    @property
    def allows_batched_samples(self) -> bool:
        """Whether the samples of many steps may come together."""
        if self.needs_states or self.shows_samples:
            return False
        return all(hold_splits_few_steps(hold, self.times) for hold in self.equations.callbacks.holds)


def choose_path(settings: RunSettings) -> RunPath:
    """Return the fastest path."""
    if not records_steps(settings.state, settings.equations, len(settings.times) - 1):
        return SingleSteps(settings.integrator)
    return (
        _blocks_under_a_hold(settings)
        or _blocks_of_steps(settings)
        or _path_by_stages(settings)
        or SingleSteps(settings.integrator)
    )


def _blocks_under_a_hold(settings: RunSettings) -> BlocksOfStages | None:
    hold = _hold_between_steps(settings)
    programs = None if hold is None else _stage_programs(settings)
    if programs is None or len(programs) > 1:
        return None
    stages = _recorded_stages(settings, programs, hold)
    stages.prepare(settings.min_steps)
    return BlocksOfStages(stages)


def _hold_between_steps(settings: RunSettings) -> ZeroOrderHold[Any] | None:
    """Return the only callback, if it is a zero-order hold and nobody looks at samples before the end of the run."""
    callbacks = settings.equations.callbacks
    is_alone = len(callbacks.holds) == 1 and callbacks.is_held and not has_called_forces(settings.equations)
    return callbacks.holds[0] if is_alone and settings.allows_batched_samples else None


def _blocks_of_steps(settings: RunSettings) -> BlocksOfSteps | None:
    equations, state, name = settings.equations, settings.state, step_name(settings.integrator)
    without_python = equations.callbacks.is_held or equations.callbacks.recorded_control is not None
    if name is None or settings.needs_states or not (without_python and equations.is_control_only(state)):
        return None
    repeated = repeated_step(state, name, equations.callbacks.recorded_control)
    if repeated is None:
        return None
    repeated.prepare(settings.min_steps)
    if not equations.callbacks.holds:
        return BlocksOfSteps(settings.integrator, repeated, None)
    programs = _stage_programs(settings)
    if programs is None:
        return BlocksOfSteps(settings.integrator, repeated, equations.callbacks.holds[0])
    single = _recorded_stages(settings, programs)  # for steps between close instants
    single.prepare(0, is_final=True)  # by the program of the blocks
    return BlocksOfSteps(single, repeated, equations.callbacks.holds[0])


def _path_by_stages(settings: RunSettings) -> RunPath | None:
    programs = _stage_programs(settings)
    if programs is None:
        return None
    stages = _recorded_stages(settings, programs)
    stages.prepare(settings.min_steps, is_final=settings.is_paced)
    if isinstance(settings.integrator, AdaptiveMuntheKaas):
        return SingleSteps(settings.integrator.controlling(stages.attempt))
    together = settings.allows_batched_samples and not settings.equations.callbacks.holds
    return BlocksOfStages(stages) if together else SingleSteps(stages)


def _stage_programs(settings: RunSettings) -> list[StageProgram] | None:
    return stage_programs(settings.state, settings.integrator, settings.equations)


def _recorded_stages(
    settings: RunSettings, programs: Sequence[StageProgram], sampled_hold: ZeroOrderHold[Any] | None = None
) -> RecordedStages:
    """Return the integrator with its stages in these programs, for blocks of its steps, or of parts of them."""
    steps = min(steps_per_call(settings.state), max(len(settings.times) - 1, 1))
    max_steps = steps if sampled_hold is None else steps * MAX_PARTS
    return RecordedStages(settings.integrator, settings.equations, settings.state, programs, max_steps, sampled_hold)
