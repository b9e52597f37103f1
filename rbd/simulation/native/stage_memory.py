"""Memory of the stages of a step: arrays by the names of the programs' inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from rbd.engine.live_engine import LiveEngine
from rbd.scalars.arrays import Array
from rbd.simulation.native.stage_programs import StageProgram
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import Stage, StepLoop
    from rbd.native.compiled_program import CompiledProgram


def stage_loop(
    state: MechanismState,
    programs: Sequence[StageProgram],
    callback: Callable[..., object] | None,
    arrays: dict[str, Array],
    most_steps: int,
) -> StepLoop:
    """Return the loop over stages of `state`, whose buffers it moves.

    `arrays` are those of the caller: the contact states "s", the error of a step, and its tolerances.
    """
    from rbd.native.builtins.step_loop import Clock, StepLoop

    engine, clock = cast("LiveEngine", state.engine), Clock()
    q, v = engine.buffers.q, engine.buffers.v
    shared = _shared_arrays(programs, {**arrays, "q": q, "v": v, "dt": clock.length})
    stages = [_stage(program, t, shared) for program, t in programs]
    moving = [q, v, shared["s"]] if shared["s"].size else [q, v]
    return StepLoop(stages, callback, clock, moving, engine.loop_binding(state), most_steps=most_steps)


def _shared_arrays(programs: Sequence[StageProgram], arrays: dict[str, Array]) -> dict[str, Array]:
    """Return `arrays` and, from zero, those of all other ports but the loads: stages read what earlier ones wrote."""
    ports = [port for program, _ in programs for port in (*program.outline.inputs, *program.outline.outputs)]
    return {port.name: np.zeros(port.shape) for port in ports if not _is_load(port.name)} | arrays


def _is_load(name: str) -> bool:
    return name == "tau" or name.startswith("external_wrench")


def _stage(program: CompiledProgram, fraction: float, shared: dict[str, Array]) -> Stage:
    """Return a stage with torques and wrenches of its own, in one vector; all else is in the arrays `shared`."""
    from rbd.native.builtins.step_loop import Stage

    ports = [port for port in program.outline.inputs if _is_load(port.name)]
    vector, loads, start = np.zeros(sum(port.size for port in ports)), dict[str, Array](), 0
    for port in ports:
        loads[port.name] = vector[start : start + port.size]
        start += port.size
    arrays = shared | loads
    inputs = [arrays[port.name] for port in program.outline.inputs]
    outputs = [arrays[port.name] for port in program.outline.outputs]
    names = {port.name for port in program.outline.outputs}
    moved = [name for name in ("q", "v", "s") if f"{name}_next" in names and shared[name].size]
    copies = [(shared[f"{name}_next"], shared[name]) for name in moved]
    return Stage(program, fraction, inputs, outputs, copies, vector)
