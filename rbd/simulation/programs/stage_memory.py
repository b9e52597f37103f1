"""Memory of the stages of a step: arrays by the names of the programs' inputs and outputs."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast, final
from weakref import WeakKeyDictionary, ref

import numpy as np

from rbd.engine.live_engine import LiveEngine
from rbd.native.executable import ArrayExecutable
from rbd.native.runtime.function_caches import register_function_cache
from rbd.scalars.arrays import Array
from rbd.simulation.programs.interpreted_loop import InterpretedLoop, LoopMemory, StageMemory
from rbd.simulation.programs.recorded_steps import MachineCodeChoice
from rbd.simulation.programs.stage_programs import StageProgram
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import LoopOwner, Stage, StageTables, StepLoop


@final
class StageLoop:
    """Loop over the stages of a step: interpreted until machine code costs less."""

    def __init__(
        self, bound: _BoundStages, callback: Callable[..., object] | None, state: MechanismState, max_steps: int
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

        memory, binding = self._bound.memory, self._engine.loop_binding(self._state)
        clock, tables = Clock(memory.time, memory.length), self._bound.tables()
        return StepLoop(tables, self._callback, clock, memory.moving, binding, max_steps=self._max_steps)


@final
class _BoundStages:
    """Programs of stages bound to the buffers of a state, which later runs of the state use again."""

    def __init__(self, state: MechanismState, programs: Sequence[StageProgram], names: Iterable[str]) -> None:
        """Bind programs; `names` are those of scalars, and of contact states, that runs begin with."""
        buffers, time, length = cast("LiveEngine", state.engine).buffers, np.zeros(()), np.zeros(())
        q, v = buffers.q, buffers.v
        given = {name: np.zeros(state.layout.ns if name == "s" else ()) for name in names}
        self.arrays = _shared_arrays(programs, {**given, "q": q, "v": v, "dt": length})
        stages = [_stage(executable, t, self.arrays) for executable, t in programs]
        moving = [q, v, self.arrays["s"]] if self.arrays["s"].size else [q, v]
        self.memory, self._programs = LoopMemory(stages, moving, time, length), list(programs)
        self._tables: StageTables | None = None
        self._user: Callable[[], StageLoop | None] = _nobody

    def serves(self, state: MechanismState, programs: Sequence[StageProgram]) -> bool:
        """Return whether a run may use them: the same programs and buffers, and no other run that still does."""
        is_bound = self.memory.moving[0] is cast("LiveEngine", state.engine).buffers.q
        return is_bound and self._programs == list(programs) and self._user() is None

    def begin(self, values: Mapping[str, float], user: StageLoop) -> None:
        """Begin a run: without torques, with these values."""
        for stage in self.memory.stages:
            stage.vector[...] = 0
        for name, value in values.items():
            self.arrays[name][...] = value
        self._user = ref(user)

    def tables(self) -> StageTables:
        """Return the stages as tables of machine code."""
        from rbd.native.builtins.step_loop import StageTables  # loads LLVM

        if self._tables is None:
            self._tables = StageTables.of([_native_stage(stage) for stage in self.memory.stages])
        return self._tables


def _nobody() -> None:
    """Return no loop."""


_bound_stages: WeakKeyDictionary[MechanismState, _BoundStages] = WeakKeyDictionary()
"""Those of the last run of a state."""
register_function_cache(_bound_stages.clear)


def _native_stage(stage: StageMemory) -> Stage:
    from rbd.native.builtins.step_loop import Stage  # loads LLVM

    code = stage.executable.machine_code
    assert code is not None
    return Stage(code, stage.fraction, stage.inputs, stage.outputs, stage.copies, stage.vector)


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
    bound = _bound_stages.get(state)
    if bound is None or not bound.serves(state, programs):
        bound = _bound_stages[state] = _BoundStages(state, programs, values)
    loop = StageLoop(bound, callback, state, max_steps)
    bound.begin(values, loop)
    return loop


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
