"""Interpreted loop over the stages of a step, for runs too short for the compiler.

It does what the loop in machine code (`rbd.native.builtins.step_loop`) does, with the same bits, and the same fallback
takes the steps that it refuses.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from rbd.engine.live_buffers import OWNER, LiveBuffers, Q, V
from rbd.native.executable import ArrayExecutable
from rbd.program.status import SUCCESS
from rbd.scalars.arrays import Array
from rbd.simulation.programs.stage_memory import LoopMemory, StageMemory
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import LoopFallback


@final
class InterpretedLoop:
    """A loop over time steps whose stages are interpreted; its members are those of `StepLoop`."""

    def __init__(
        self, memory: LoopMemory, callback: Callable[..., object] | None, state: MechanismState, buffers: LiveBuffers
    ) -> None:
        """Prepare runs of a state with these buffers."""
        self._memory, self._callback, self._state, self._buffers = memory, callback, state, buffers
        self._thread, self._guards = buffers.words[OWNER], buffers.guards()
        self.moving = tuple(memory.moving)
        self.vectors = tuple(stage.vector for stage in memory.stages)
        self.origins = tuple(np.zeros_like(each) for each in memory.moving)
        self.times = array("d")
        self.steps_taken = self.stage = 0

    @property
    def time(self) -> float:
        """The time of the current stage."""
        return float(self._memory.time)

    def run(
        self, times: array[float], fallback: LoopFallback, histories: Sequence[Array] = (), *, is_called: bytes = b""
    ) -> bool:
        """Take the steps between `times`; see `StepLoop.run`."""
        self.times, self.steps_taken, self.stage = times, 0, 0
        for k in range(len(times) - 1):
            if not (self._takes_step(k, fallback, not is_called or bool(is_called[k])) or fallback.take_step(self)):
                return False
            self.steps_taken, self.stage = k + 1, 0
            for history, moved in zip(histories, self.moving, strict=False):
                history[k + 1] = moved
        return True

    def _takes_step(self, k: int, fallback: LoopFallback, is_called: bool) -> bool:
        """Take a step; return False where a guard or a program refuses."""
        for origin, moved in zip(self.origins, self.moving, strict=True):
            origin[...] = moved
        start, end = self.times[k], self.times[k + 1]
        self._memory.length[...] = h = end - start
        for j, stage in enumerate(self._memory.stages):
            self.stage = j
            self._memory.time[...] = end if stage.fraction == 1 else start + stage.fraction * h
            if self._callback is not None and is_called:
                self._call(self._callback, stage.vector, fallback)
            if not (self._may_run() and self._takes_stage(stage)):
                return False
        return True

    def _call(self, callback: Callable[..., object], vector: Array, fallback: LoopFallback) -> None:
        """Write the result of the callback to the vector of the stage, zeros for None."""
        words = self._buffers.words
        before, t = words[1:], self.time
        try:
            answer: Any = callback(t, self._state)
            if words[1:] != before:
                raise fallback.changed_state_error()
            if answer is None:
                vector[...] = 0
            elif type(answer) is np.ndarray and answer.dtype == vector.dtype and answer.shape == vector.shape:
                vector[...] = answer
            else:
                fallback.convert(answer, vector)
        except BaseException as error:
            fallback.failed(error, t)
            raise

    def _may_run(self) -> bool:
        """Return whether the state still belongs to its thread, and the mechanism is as it was."""
        is_owned = self._buffers.words[OWNER] == self._thread
        return is_owned and all(word.words[word.index] == value for word, value in self._guards)

    def _takes_stage(self, stage: StageMemory) -> bool:
        if interpret_into(stage.executable, stage.inputs, stage.outputs) != SUCCESS:
            return False
        for source, target in stage.copies:
            target[...] = source
        self._buffers.words[Q] += 1
        self._buffers.words[V] += 1
        return True


def interpret_into(executable: ArrayExecutable, inputs: Sequence[Array], outputs: Sequence[Array]) -> int:
    """Interpret a program once, write its outputs if the status is clean, and return the status."""
    values, status = executable.program.interpret_flat([x for each in inputs for x in each.reshape(-1).tolist()])
    if status == SUCCESS:
        start = 0
        for each in outputs:
            each[...] = np.reshape(values[start : start + each.size], each.shape)
            start += each.size
    return status
