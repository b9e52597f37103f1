"""Loops over time steps in machine code, with a callback in Python before every stage.

A step is one or several stages; a stage is a compiled program on fixed memory. Before it the loop calls
`callback(t, state)` and copies the array it returns to where the program reads it; without a callback that memory stays
as it is. After a stage it copies what moves on and counts the versions of q and v, so the state that the callback gets
is live. After a step it appends a row to every history.

The machine code stops when a result is no float64 array of the right length, when a guard or a program fails, when
the callback changed the state, and on exceptions and interrupts. A `LoopFallback` then does in Python what is left.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, final

import attrs
import numpy as np

from rbd.native.builtins.context import (
    BuiltinContext,
    Copies,
    Guards,
    StateWords,
    Table,
    copy_table,
    guard_table,
    word_table,
)
from rbd.native.builtins.objects_ir import with_addresses
from rbd.native.builtins.records import record_words, structure_fields, table_index
from rbd.native.builtins.step_loop_ir import (
    CALLBACK_RAISED,
    CONTEXT,
    DONE,
    MOVING,
    NEEDS_CONVERSION,
    NEEDS_FALLBACK,
    PROGRESS,
    STAGE_RECORD,
    STATE_MODIFIED,
    loop_functions,
)
from rbd.native.compiled_program import CompiledProgram, Entry
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble_shared
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.scalars.arrays import Array


@final
@attrs.frozen(eq=False)
class Stage:
    """A compiled program on fixed memory: float64 arrays, C-contiguous, of the shapes it wants."""

    compiled: CompiledProgram
    fraction: float
    """The time of the stage, as a fraction of the step."""
    inputs: Sequence[Array]
    outputs: Sequence[Array]
    copies: Copies
    """Copies after success: from, to."""
    vector: Array
    """Array for the result of the callback."""


@final
@attrs.frozen(eq=False)
class Clock:
    """Scalars that receive times; programs may read them."""

    time: Array = attrs.field(factory=lambda: np.zeros(()))
    """Of the current stage."""
    length: Array = attrs.field(factory=lambda: np.zeros(()))
    """Of the current step."""


@final
@attrs.frozen(eq=False)
class LoopBinding:
    """Binding of a loop of steps: its state, words and guards."""

    state: object
    """The second argument of the callback."""
    words: StateWords
    guards: Guards
    """Words, and what must be in them for a stage to run."""


class RunningLoop(Protocol):
    """A loop of steps in a run: its current step."""

    times: array[float]
    """The times between which steps are taken."""
    origins: tuple[Array, ...]
    """Content of the arrays that a step changes, at the beginning of the current step."""
    vectors: tuple[Array, ...]
    """Results of the callback, per stage."""

    @property
    def steps_taken(self) -> int:
        """The number of steps that the run has taken."""
        ...

    @property
    def stage(self) -> int:
        """The index of the current stage of the current step."""
        ...

    @property
    def time(self) -> float:
        """The time of the current stage."""
        ...


class LoopFallback(Protocol):
    """Fallback of a loop: the parts that run in Python instead of machine code."""

    def convert(self, answer: object, vector: Array) -> None:
        """Write a result of the callback to the vector of the stage; raise the error of a wrong one."""

    def changed_state_error(self) -> Exception:
        """Return the error of a callback that changed the state."""
        ...

    def failed(self, error: BaseException, t: float) -> None:
        """Note an error of the callback, or of its result, at time t."""

    def take_step(self, loop: RunningLoop) -> bool:
        """Take the current step, for which a guard or a program failed; return False to end the run instead."""
        ...


@final
class _Progress(ctypes.Structure):
    """The progress of a loop, which callers and machine code read and write."""

    _fields_ = structure_fields(PROGRESS)
    count: int
    step: int
    stage: int
    has_input: int
    reason: int


@final
class _LoopContext(BuiltinContext):
    """The `self` of a loop."""

    _fields_ = structure_fields(CONTEXT)


@final
class StepLoop:
    """A loop over time steps. Make it where `rbd.native.runtime.abi.is_supported()`."""

    def __init__(
        self,
        stages: StageTables,
        callback: Callable[..., object] | None,
        clock: Clock,
        moving: Sequence[Array],
        binding: LoopBinding,
        *,
        max_steps: int,
    ) -> None:
        """Prepare runs of at most `max_steps` steps.

        `moving` are the arrays a step changes, which histories are kept of.
        """
        self._progress = _Progress()
        self.times = array("d", bytes(8 * (max_steps + 1)))
        """The times between which steps are taken."""
        self._is_called = bytearray(b"\1" * max_steps)
        self._called_address = (ctypes.c_char * max_steps).from_buffer(self._is_called)
        self.clock = clock
        self.origins = tuple(np.zeros_like(each) for each in moving)
        """Content of `moving` at the beginning of the current step."""
        self.moving = tuple(moving)
        self.vectors = tuple(stage.vector for stage in stages.stages)
        """Results of the callback, per stage."""
        self._moving_table = array("q", _moving_words(self.moving, self.origins))
        self._take: Callable[[], Any] = self._builtin(callback, binding, stages)

    @property
    def steps_taken(self) -> int:
        """The number of steps that the current or last run has taken."""
        return self._progress.step

    @property
    def stage(self) -> int:
        """The index of the current stage of the current step."""
        return self._progress.stage

    @property
    def time(self) -> float:
        """The time of the current stage."""
        return float(self.clock.time)

    def run(
        self, times: array[float], fallback: LoopFallback, histories: Sequence[Array] = (), *, is_called: bytes = b""
    ) -> bool:
        """Take the steps between `times`; return False where `fallback` did not take one for which a guard failed.

        Row k of the `histories`, one per array that moves, is its value at `times[k]`, for k = 1 ... `steps_taken`.
        `is_called` says per step whether the callback is called; where it is not, its last result stays. It is called
        in all steps if that is not given.
        """
        progress, self.times[: len(times)] = self._progress, times
        count = progress.count = len(times) - 1
        progress.step, progress.stage, progress.has_input = 0, 0, 0
        self._is_called[:count] = is_called or b"\1" * count
        self._keep(histories)
        try:
            self._run_to_end(fallback, histories)
        finally:
            self._keep(())
        return progress.reason == DONE

    def _run_to_end(self, fallback: LoopFallback, histories: Sequence[Array]) -> None:
        while self._run_on(fallback, histories):
            pass

    def _run_on(self, fallback: LoopFallback, histories: Sequence[Array]) -> bool:
        """Run the machine code until it stops; return whether the run goes on after that."""
        progress = self._progress
        try:
            answer = self._take()
            if progress.reason in (NEEDS_CONVERSION, STATE_MODIFIED):
                self._convert(fallback, answer)
        except BaseException as error:
            if progress.reason == CALLBACK_RAISED:
                fallback.failed(error, self.time)
            raise
        if progress.reason != NEEDS_FALLBACK or not fallback.take_step(self):
            return progress.reason not in (DONE, NEEDS_FALLBACK)
        progress.step, progress.stage = progress.step + 1, 0
        for history, moved in zip(histories, self.moving, strict=False):
            history[progress.step] = moved
        return True

    def _convert(self, fallback: LoopFallback, answer: object) -> None:
        """Let the fallback convert a result of the callback; errors are those of the callback."""
        progress = self._progress
        has_changed, progress.reason = progress.reason == STATE_MODIFIED, CALLBACK_RAISED
        if has_changed:
            raise fallback.changed_state_error()
        fallback.convert(answer, self.vectors[progress.stage])
        progress.has_input = 1

    def _keep(self, histories: Sequence[Array]) -> None:
        """Let the machine code append rows to `histories`, which the caller holds."""
        for k in range(len(self.moving)):
            rows = table_index(MOVING, k, "rows")
            self._moving_table[rows] = abi.data_address(histories[k]) if histories else 0

    def _builtin(
        self, callback: Callable[..., object] | None, binding: LoopBinding, stages: StageTables
    ) -> Callable[[], Any]:
        code, size = _code(), self.vectors[0].size
        guards, shape = guard_table(binding.guards), word_table([1, size])
        context = _LoopContext.of(
            **self._own_words(), **_bound_words(binding), **stages.words,
            callback=None if callback is None else id(callback),
            guards=ctypes.addressof(guards), shape=ctypes.addressof(shape), vector_bytes=8 * size,
        )  # fmt: skip
        words = (self._progress, self.times, self._called_address, self.clock, self._moving_table)
        arrays = (self.moving, self.origins)
        context.references = (code, guards, shape, stages, callback, binding, words, arrays)
        return context.builtin(code.address("steps"), "run")

    def _own_words(self) -> dict[str, int]:
        """Return the words of the context about the memory of the loop."""
        return {
            "progress": ctypes.addressof(self._progress),
            "times": _address(self.times),
            "is_called": ctypes.addressof(self._called_address),
            "time": abi.data_address(self.clock.time),
            "length": abi.data_address(self.clock.length),
            "moving": _address(self._moving_table),
            "moving_count": len(self.moving),
        }


def _bound_words(binding: LoopBinding) -> dict[str, int]:
    """Return the words of the context about the state and its guards."""
    return {"state": id(binding.state), **binding.words.addresses(), "guard_count": len(binding.guards)}


@once_under_compiler_lock
def _code() -> Library:
    """Return the code of all loops, which is kept for good."""
    return Library(assemble_shared(with_addresses(loop_functions(), abi.symbol_addresses())), ("steps",))


@final
@attrs.frozen(eq=False)
class StageTables:
    """Stages in memory, the addresses that they refer to, and the words of the context about them."""

    stages: tuple[Stage, ...]
    words: dict[str, int]
    references: tuple[object, ...]

    @classmethod
    def of(cls, stages: Sequence[Stage]) -> StageTables:
        """Write the tables of stages."""
        fractions = array("d", [stage.fraction for stage in stages])
        arrays = {id(each): each for stage in stages for each in (*stage.inputs, *stage.outputs)}
        addresses = {key: abi.data_address(each) for key, each in arrays.items()}
        tables = [
            (_table(stage.inputs, addresses), _table(stage.outputs, addresses), copy_table(stage.copies))
            for stage in stages
        ]
        table = word_table([x for stage, each in zip(stages, tables, strict=True) for x in _stage_words(stage, each)])
        words = {"fractions": _address(fractions), "stages": ctypes.addressof(table), "stage_count": len(stages)}
        return cls(tuple(stages), words, (fractions, tables, table))


def _table(arrays: Sequence[Array], addresses: Mapping[int, int]) -> Table:
    """Return the addresses of arrays, which are known by their identities: stages share most of them."""
    return word_table([addresses[id(each)] for each in arrays])


def _stage_words(stage: Stage, tables: tuple[Table, Table, Table]) -> list[int]:
    """Return the words of a stage."""
    code, (inputs, outputs, copies) = stage.compiled.address(Entry.SINGLE), map(ctypes.addressof, tables)
    program = {"code": code, "inputs": inputs, "outputs": outputs}
    copied = {"copies": copies, "copy_count": len(stage.copies)}
    return record_words(STAGE_RECORD, **program, **copied, vector=abi.data_address(stage.vector))


def _moving_words(moving: Sequence[Array], origins: Sequence[Array]) -> list[int]:
    """Return the records of arrays that move; no rows are kept."""
    return [
        word
        for each, origin in zip(moving, origins, strict=True)
        for word in record_words(
            MOVING, array=abi.data_address(each), bytes=each.nbytes, origin=abi.data_address(origin), rows=0
        )
    ]


def _address(words: array[int] | array[float]) -> int:
    return words.buffer_info()[0]
