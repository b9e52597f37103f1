"""Loop over the stages of a step: by the interpreter in short runs, by machine code in long ones."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast, final

from rbd.engine.live_engine import LiveEngine
from rbd.scalars.arrays import Array
from rbd.simulation.programs.interpreted_loop import InterpretedLoop
from rbd.simulation.programs.recorded_steps import MachineCodeChoice
from rbd.simulation.programs.stage_memory import BoundStages, bound_stages
from rbd.simulation.programs.stage_programs import StageProgram
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import LoopFallback, StepLoop


@final
class StageLoop:
    """Loop over the stages of a step: interpreted until machine code costs less."""

    def __init__(
        self, bound: BoundStages, callback: Callable[..., object] | None, state: MechanismState, max_steps: int
    ) -> None:
        """Prepare runs of at most `max_steps` steps of a live state."""
        self._bound, self._callback, self._state, self._max_steps = bound, callback, state, max_steps
        self.arrays: Mapping[str, Array] = bound.arrays
        """Arrays of the programs by the names of their ports."""
        memory = bound.memory
        self._choice = MachineCodeChoice([stage.executable for stage in memory.stages])
        self._engine = cast("LiveEngine", state.engine)
        self._is_native = False
        self.current: InterpretedLoop | StepLoop = InterpretedLoop(memory, callback, state, self._engine.buffers)
        """The loop that has taken the last steps."""

    def prepare(self, steps: int, *, is_final: bool = False) -> None:
        """Choose between the interpreter and machine code for a run of at least that many steps; see the choice."""
        self._use_native_loop(self._choice.prepare(steps, is_final=is_final))

    def run(
        self, times: array[float], fallback: LoopFallback, histories: Sequence[Array] = (), *, is_called: bytes = b""
    ) -> bool:
        """Take the steps between `times`; see `StepLoop.run`."""
        if not self._is_native:
            self._use_native_loop(self._choice.choose_for(len(times) - 1))
        return self.current.run(times, fallback, histories, is_called=is_called)

    def _use_native_loop(self, is_wanted: bool) -> None:
        if is_wanted and not self._is_native:
            self.current, self._is_native = self._native_loop(), True

    def _native_loop(self) -> StepLoop:
        from rbd.native.builtins.step_loop import Clock, StepLoop  # loads LLVM

        memory, binding = self._bound.memory, self._engine.loop_binding(self._state)
        clock, tables = Clock(memory.time, memory.length), self._bound.tables()
        return StepLoop(tables, self._callback, clock, memory.moving, binding, max_steps=self._max_steps)


def stage_loop(
    state: MechanismState,
    programs: Sequence[StageProgram],
    callback: Callable[..., object] | None,
    values: Mapping[str, float],
    max_steps: int,
) -> StageLoop:
    """Return the loop over stages of `state`, whose buffers it moves.

    It begins with `values`: of the contact states "s", the error of a step, and its tolerances.
    """
    bound = bound_stages(state, programs, values)
    loop = StageLoop(bound, callback, state, max_steps)
    bound.begin(values, loop)
    return loop
