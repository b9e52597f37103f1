"""Memory of the stages of a step: arrays by the names of the programs' inputs and outputs."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast, final

import numpy as np

from rbd.engine.live_engine import LiveEngine
from rbd.native.executable import ArrayExecutable
from rbd.scalars.arrays import Array
from rbd.simulation.programs.interpreted_loop import InterpretedLoop, LoopMemory, StageMemory
from rbd.simulation.programs.recorded_steps import MachineCodeChoice
from rbd.simulation.programs.stage_programs import StageProgram
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import LoopOwner, Stage, StepLoop


@final
class StageLoop:
    """Loop over the stages of a step: interpreted until machine code costs less."""

    def __init__(
        self, memory: LoopMemory, callback: Callable[..., object] | None, state: MechanismState, most_steps: int
    ) -> None:
        """Prepare runs of at most `most_steps` steps of a live state."""
        self._memory, self._callback, self._state, self._most_steps = memory, callback, state, most_steps
        self._choice = MachineCodeChoice([stage.executable for stage in memory.stages])
        self._engine = cast("LiveEngine", state.engine)
        self._is_native = False
        self.current: InterpretedLoop | StepLoop = InterpretedLoop(memory, callback, state, self._engine.buffers)
        """The loop that has taken the last steps."""

    def prepare(self, steps: int, *, is_final: bool = False) -> None:
        """Choose between the interpreter and machine code for a run of at least that many steps; see the choice."""
        self._use_native_loop(self._choice.prepare(steps, is_final=is_final))

    def run(
        self, times: array[float], owner: LoopOwner, histories: Sequence[Array] = (), *, is_called: bytes = b""
    ) -> bool:
        """Take the steps between `times`; see `StepLoop.run`."""
        if not self._is_native:
            self._use_native_loop(self._choice.is_native(len(times) - 1))
        return self.current.run(times, owner, histories, is_called=is_called)

    def _use_native_loop(self, is_wanted: bool) -> None:
        if is_wanted and not self._is_native:
            self.current, self._is_native = self._native_loop(), True

    def _native_loop(self) -> StepLoop:
        from rbd.native.builtins.step_loop import Clock, StepLoop  # loads LLVM

        memory, binding = self._memory, self._engine.loop_binding(self._state)
        stages = [_native_stage(stage) for stage in memory.stages]
        clock = Clock(memory.time, memory.length)
        return StepLoop(stages, self._callback, clock, memory.moving, binding, most_steps=self._most_steps)


def _native_stage(stage: StageMemory) -> Stage:
    from rbd.native.builtins.step_loop import Stage  # loads LLVM

    code = stage.executable.machine_code
    assert code is not None
    return Stage(code, stage.fraction, stage.inputs, stage.outputs, stage.copies, stage.vector)


def stage_loop(
    state: MechanismState,
    programs: Sequence[StageProgram],
    callback: Callable[..., object] | None,
    arrays: dict[str, Array],
    most_steps: int,
) -> StageLoop:
    """Return the loop over stages of `state`, whose buffers it moves.

    `arrays` are those of the caller: the contact states "s", the error of a step, and its tolerances.
    """
    buffers, time, length = cast("LiveEngine", state.engine).buffers, np.zeros(()), np.zeros(())
    q, v = buffers.q, buffers.v
    shared = _shared_arrays(programs, {**arrays, "q": q, "v": v, "dt": length})
    stages = [_stage(executable, t, shared) for executable, t in programs]
    moving = [q, v, shared["s"]] if shared["s"].size else [q, v]
    return StageLoop(LoopMemory(stages, moving, time, length), callback, state, most_steps)


def _shared_arrays(programs: Sequence[StageProgram], arrays: dict[str, Array]) -> dict[str, Array]:
    """Return `arrays` and, from zero, those of all other ports but the loads: stages read what earlier ones wrote."""
    outlines = [program.outline for program, _ in programs]
    shapes = {port.name: port.shape for outline in outlines for port in (*outline.inputs, *outline.outputs)}
    return arrays | {
        name: np.zeros(shape) for name, shape in shapes.items() if name not in arrays and not _is_load(name)
    }


def _is_load(name: str) -> bool:
    return name == "tau" or name.startswith("external_wrench")


def _stage(executable: ArrayExecutable, fraction: float, shared: dict[str, Array]) -> StageMemory:
    """Return a stage with torques and wrenches of its own, in one vector; all else is in the arrays `shared`."""
    outline = executable.outline
    ports = [port for port in outline.inputs if _is_load(port.name)]
    vector, loads, start = np.zeros(sum(port.size for port in ports)), dict[str, Array](), 0
    for port in ports:
        loads[port.name] = vector[start : start + port.size]
        start += port.size
    arrays = shared | loads
    inputs = [arrays[port.name] for port in outline.inputs]
    outputs = [arrays[port.name] for port in outline.outputs]
    names = {port.name for port in outline.outputs}
    moved = [name for name in ("q", "v", "s") if f"{name}_next" in names and shared[name].size]
    copies = [(shared[f"{name}_next"], shared[name]) for name in moved]
    return StageMemory(executable, fraction, inputs, outputs, copies, vector)
