"""Loops over time steps in machine code, with a callback in Python before every stage.

A step is one or several stages; a stage is a compiled program on fixed memory. Before it the loop calls
`callback(t, state)` and copies the array it returns to where the program reads it; without a callback that memory stays
as it is. After a stage it copies what moves on and counts the versions of q and v, so the state that the callback gets
is live. After a step it appends a row to every history.

The machine code stops when a result is no float64 array of the right length, when a guard or a program refuses, when
the callback changed the state, and on exceptions and interrupts. A `LoopOwner` then does in Python what is left.
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
    Table,
    Word,
    context_fields,
    copy_table,
    guard_table,
    word_table,
)
from rbd.native.builtins.step_loop_ir import (
    CALLBACK_RAISED,
    CONTEXT,
    COUNT,
    DONE,
    HAS_INPUT,
    NEEDS_CONVERSION,
    NEEDS_FALLBACK,
    REASON,
    ROW_WORDS,
    STAGE,
    STATE_MODIFIED,
    STEP,
    WORDS,
    loop_module,
)
from rbd.native.compiled_program import CompiledProgram
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
    words: tuple[Word, Word, Word]
    """Holds the thread that may run the loop; the versions of q and v."""
    guards: Guards
    """Words, and what must be in them for a stage to run."""


class LoopOwner(Protocol):
    """Owner of a loop: the parts that run in Python instead of machine code."""

    def convert(self, answer: object, vector: Array) -> None:
        """Write a result of the callback to the vector of the stage; raise the error of a wrong one."""

    def state_changed(self) -> Exception:
        """Return the error of a callback that changed the state."""
        ...

    def failed(self, error: BaseException, t: float) -> None:
        """Note an error of the callback, or of its result, at time t."""

    def take_step(self) -> bool:
        """Take the current step, which a guard or a program refused; return False to end the run instead."""
        ...


@final
class _LoopContext(BuiltinContext):
    """The `self` of a loop."""

    _fields_ = context_fields(CONTEXT)


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
        self._words = array("q", [0] * len(WORDS))  # see `step_loop_ir.WORDS`
        self.times = array("d", bytes(8 * (max_steps + 1)))
        """The times between which steps are taken."""
        self._is_called = bytearray(b"\1" * max_steps)
        self._called_address = (ctypes.c_char * max_steps).from_buffer(self._is_called)
        self.clock = clock
        self.origins = tuple(np.zeros_like(each) for each in moving)
        """Content of `moving` at the beginning of the current step."""
        self.moving, self.stages = tuple(moving), stages.stages
        self._history = array("q", _history(self.moving, self.origins))
        self._take: Callable[[], Any] = self._builtin(callback, binding, stages)

    @property
    def steps_taken(self) -> int:
        """The number of steps that the current or last run has taken."""
        return self._words[STEP]

    @property
    def stage(self) -> int:
        """The index of the current stage of the current step."""
        return self._words[STAGE]

    @property
    def time(self) -> float:
        """The time of the current stage."""
        return float(self.clock.time)

    def run(
        self, times: array[float], owner: LoopOwner, histories: Sequence[Array] = (), *, is_called: bytes = b""
    ) -> bool:
        """Take the steps between `times`; return False where a step was refused and `owner` did not take it.

        Row k of the `histories`, one per array that moves, is its value at `times[k]`, for k = 1 ... `steps_taken`.
        `is_called` says per step whether the callback is called; where it is not, its last result stays. It is called
        in all steps if that is not given.
        """
        words, self.times[: len(times)] = self._words, times
        count = words[COUNT] = len(times) - 1
        words[STEP], words[STAGE], words[HAS_INPUT] = 0, 0, 0
        self._is_called[:count] = is_called or b"\1" * count
        self._keep(histories)
        try:
            while not self._has_ended(owner, histories):
                pass
        finally:
            self._keep(())
        return words[REASON] == DONE

    def _has_ended(self, owner: LoopOwner, histories: Sequence[Array]) -> bool:
        """Run the machine code until it stops; return whether that ends the run."""
        words = self._words
        try:
            answer = self._take()
            if words[REASON] in (NEEDS_CONVERSION, STATE_MODIFIED):
                self._convert(owner, answer)
        except BaseException as error:
            if words[REASON] == CALLBACK_RAISED:
                owner.failed(error, self.time)
            raise
        if words[REASON] != NEEDS_FALLBACK or not owner.take_step():
            return words[REASON] in (DONE, NEEDS_FALLBACK)
        words[STEP], words[STAGE] = words[STEP] + 1, 0
        for history, moved in zip(histories, self.moving, strict=False):
            history[words[STEP]] = moved
        return False

    def _convert(self, owner: LoopOwner, answer: object) -> None:
        """Let the owner convert a result of the callback; errors are those of the callback."""
        words = self._words
        has_changed, words[REASON] = words[REASON] == STATE_MODIFIED, CALLBACK_RAISED
        if has_changed:
            raise owner.state_changed()
        owner.convert(answer, self.stages[words[STAGE]].vector)
        words[HAS_INPUT] = 1

    def _keep(self, histories: Sequence[Array]) -> None:
        """Let the machine code append rows to `histories`, which the caller holds."""
        for k in range(len(self.moving)):
            self._history[ROW_WORDS * k + 3] = abi.address(histories[k]) if histories else 0

    def _builtin(
        self, callback: Callable[..., object] | None, binding: LoopBinding, stages: StageTables
    ) -> Callable[[], Any]:
        code, size = _code(), self.stages[0].vector.size
        guards, shape = guard_table(binding.guards), word_table([1, size])
        context = _LoopContext(
            **self._own_words(), **_bound_words(binding), **stages.words,
            callback=None if callback is None else id(callback),
            guards=ctypes.addressof(guards), shape=ctypes.addressof(shape), vector_bytes=8 * size,
        )  # fmt: skip
        words = (self._words, self.times, self._called_address, self.clock, self._history)
        arrays = (self.moving, self.origins)
        context.kept = (code, guards, shape, stages, callback, binding, words, arrays)
        return context.builtin(code.address("steps"), "run")

    def _own_words(self) -> dict[str, int]:
        """Return the words of the context about the memory of the loop."""
        return {
            "words": _address(self._words),
            "times": _address(self.times),
            "is_called": ctypes.addressof(self._called_address),
            "moment": abi.address(self.clock.time),
            "length": abi.address(self.clock.length),
            "history": _address(self._history),
            "moving_count": len(self.moving),
        }


def _bound_words(binding: LoopBinding) -> dict[str, int]:
    """Return the words of the context about the state and its guards."""
    owner, q_version, v_version = (word.address for word in binding.words)
    versions = {"owner": owner, "q_version": q_version, "v_version": v_version}
    return {"state": id(binding.state), **versions, "guard_count": len(binding.guards)}


@once_under_compiler_lock
def _code() -> Library:
    """Return the code of all loops, which is kept for good."""
    return Library(assemble_shared(loop_module(abi.addresses())), ("steps",))


@final
@attrs.frozen(eq=False)
class StageTables:
    """Stages in memory, the addresses that they refer to, and the words of the context about them."""

    stages: tuple[Stage, ...]
    words: dict[str, int]
    kept: tuple[object, ...]

    @classmethod
    def of(cls, stages: Sequence[Stage]) -> StageTables:
        """Write the tables of stages."""
        fractions = array("d", [stage.fraction for stage in stages])
        arrays = {id(each): each for stage in stages for each in (*stage.inputs, *stage.outputs)}
        addresses = {key: abi.address(each) for key, each in arrays.items()}
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


def _stage_words(stage: Stage, tables: tuple[Table, Table, Table]) -> tuple[int, ...]:
    """Return the words of a stage; see `step_loop_ir.CONTEXT`."""
    code, (inputs, outputs, copies) = stage.compiled.compile_single().address("single"), map(ctypes.addressof, tables)
    return code, inputs, outputs, copies, len(stage.copies), abi.address(stage.vector)


def _history(moving: Sequence[Array], origins: Sequence[Array]) -> list[int]:
    """Return per array that moves its address, its bytes, its origin, and null: no rows are kept."""
    pairs = zip(moving, origins, strict=True)
    return [x for a, origin in pairs for x in (abi.address(a), a.nbytes, abi.address(origin), 0)]


def _address(words: array[int] | array[float]) -> int:
    return words.buffer_info()[0]
