"""The choice of the path of a run: which part of its steps machine code takes.

From the fastest to the slowest, each with what it needs besides a long run of a mechanism of moderate size:

    HeldStages      the only callback is a zero-order hold, and nobody looks at samples before the end of the run
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
from rbd.simulation.native_blocks import is_worthwhile, native_blocks, step_name, steps_per_call
from rbd.simulation.native_run import BlocksOfStages, BlocksOfSteps, HeldStages, splits_few
from rbd.simulation.native_stages import native_stages
from rbd.simulation.run import RunPath, SingleSteps
from rbd.state import MechanismState

_MIN_HELD_STEPS = 16
"""The least length of blocks of a run with a hold."""


@final
@attrs.frozen(eq=False)
class Circumstances:
    """What the choice of a path depends on."""

    method: Integrator
    flow: EquationsOfMotion
    state: MechanismState
    times: list[float]
    needs_states: bool
    """Whether events or outputs look at the state at every sample."""
    shows_samples: bool
    """Whether samples or progress are seen before the run has ended."""

    @property
    def may_come_late(self) -> bool:
        """Whether the samples of many steps may come together."""
        if self.needs_states or self.shows_samples:
            return False
        return all(splits_few(hold, self.times) for hold in self.flow.holds)


def choose_path(around: Circumstances) -> RunPath:
    """Return the fastest path."""
    if not is_worthwhile(around.state, len(around.times) - 1):
        return SingleSteps(around.method)
    return _held_stages(around) or _blocks_of_steps(around) or _stages(around) or SingleSteps(around.method)


def _held_stages(around: Circumstances) -> HeldStages | None:
    callbacks, state = around.flow.callbacks, around.state
    if not (around.may_come_late and len(callbacks.holds) == 1 and callbacks.is_held):
        return None
    most = max(steps_per_call(state), _MIN_HELD_STEPS)
    stages = native_stages(state, around.method, around.flow, most, samples_hold=True)
    if stages is None or not stages.samples_hold:
        return None
    return HeldStages(around.method, stages, around.flow.holds[0])


def _blocks_of_steps(around: Circumstances) -> BlocksOfSteps | None:
    flow, state, name = around.flow, around.state, step_name(around.method)
    without_python = flow.callbacks.is_held or flow.callbacks.recorded_control is not None
    if name is None or around.needs_states or not (without_python and flow.is_control_only(state)):
        return None
    blocks = native_blocks(state, name, flow.callbacks.recorded_control)
    if blocks is None:
        return None
    if not flow.callbacks.holds:
        return BlocksOfSteps(around.method, blocks, None)
    stages = native_stages(state, around.method, flow, steps_per_call(state))  # for steps between close instants
    return BlocksOfSteps(stages or around.method, blocks, flow.holds[0])


def _stages(around: Circumstances) -> RunPath | None:
    stages = native_stages(around.state, around.method, around.flow, steps_per_call(around.state))
    if stages is None:
        return None
    if isinstance(around.method, AdaptiveMuntheKaas):
        return SingleSteps(around.method.controlling(stages.attempt))
    together = around.may_come_late and not around.flow.callbacks.holds
    return BlocksOfStages(stages) if together else SingleSteps(stages)
