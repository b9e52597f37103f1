"""Memory of the stages of a step: arrays by the names of the programs' inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast, final
from weakref import WeakKeyDictionary, ref

import attrs
import numpy as np

from rbd.engine.live_engine import LiveEngine
from rbd.native.executable import ArrayExecutable
from rbd.native.runtime.function_caches import register_function_cache
from rbd.scalars.arrays import Array
from rbd.simulation.programs.stage_programs import StageProgram
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import Stage, StageTables


@final
@attrs.frozen(eq=False)
class StageMemory:
    """A stage and its memory: arrays of the shapes that the program wants."""

    executable: ArrayExecutable
    fraction: float
    """The time of the stage, as a fraction of the step."""
    inputs: Sequence[Array]
    outputs: Sequence[Array]
    copies: Sequence[tuple[Array, Array]]
    """Pairs of arrays, source and target, copied after success."""
    vector: Array
    """Target of the result of the callback."""


@final
@attrs.frozen(eq=False)
class LoopMemory:
    """Memory of a loop over steps: its stages, the arrays that a step changes, and scalars that receive times."""

    stages: Sequence[StageMemory]
    moving: Sequence[Array]
    time: Array
    """Of the current stage."""
    length: Array
    """Of the current step."""


@final
class BoundStages:
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
        self._loop: Callable[[], object] = _no_loop
        """A weak reference to the loop that uses them."""

    def serves(self, state: MechanismState, programs: Sequence[StageProgram]) -> bool:
        """Return whether a run may use them: the same programs and buffers, and no other run that still does."""
        is_bound = self.memory.moving[0] is cast("LiveEngine", state.engine).buffers.q
        return is_bound and self._programs == list(programs) and self._loop() is None

    def begin(self, values: Mapping[str, float], loop: object) -> None:
        """Begin a run of a loop: without torques, with these values."""
        for stage in self.memory.stages:
            stage.vector[...] = 0
        for name, value in values.items():
            self.arrays[name][...] = value
        self._loop = ref(loop)

    def tables(self) -> StageTables:
        """Return the stages as tables of machine code."""
        from rbd.native.builtins.step_loop import StageTables  # loads LLVM

        if self._tables is None:
            self._tables = StageTables.of([_native_stage(stage) for stage in self.memory.stages])
        return self._tables


def _no_loop() -> None:
    """Return no loop."""


_bound_stages: WeakKeyDictionary[MechanismState, BoundStages] = WeakKeyDictionary()
"""Those of the last run of a state: a short run would spend most of its time on binding, and on tables of addresses."""
register_function_cache(_bound_stages.clear)


def bound_stages(state: MechanismState, programs: Sequence[StageProgram], names: Iterable[str]) -> BoundStages:
    """Return the programs of stages bound to the buffers of a state: those of its last run, if they serve."""
    bound = _bound_stages.get(state)
    if bound is None or not bound.serves(state, programs):
        bound = _bound_stages[state] = BoundStages(state, programs, names)
    return bound


def _native_stage(stage: StageMemory) -> Stage:
    from rbd.native.builtins.step_loop import Stage  # loads LLVM

    code = stage.executable.machine_code
    assert code is not None
    return Stage(code, stage.fraction, stage.inputs, stage.outputs, stage.copies, stage.vector)


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
