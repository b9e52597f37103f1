"""Builtins that return framed values: passes fill buffers, and a plan makes the value of their numbers.

The value of a call is kept: it is returned again until q or v changes, and then its numbers are replaced if nobody else
has it. The parts:

    value_plan.py          plans: lists of words, made by `rbd/engine/value_plans.py`
    value_instructions.py  the instructions of plans, with their LLVM IR
    value_update_ir.py     the instruction that replaces the numbers of the object of the last call
    value_ir.py            the function around them: guards, passes, the last value
    arithmetic_ir.py       the arithmetic that plans call
    slots.py               where the slots of classes are
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from rbd.native.builtins.context import (
    BuiltinContext,
    Guards,
    StateWords,
    address_table,
    guard_table,
    word_table,
)
from rbd.native.builtins.objects_ir import DECLARATIONS, with_addresses
from rbd.native.builtins.records import record_words, structure_fields
from rbd.native.builtins.value_instructions import MAX_OBJECTS
from rbd.native.builtins.value_ir import CONTEXT, MEMO, PASS, SEEN, value_function
from rbd.native.builtins.value_plan import ValuePlan
from rbd.native.compiled_program import CompiledProgram, Entry
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble_shared
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.scalars.arrays import Array


@final
class PassBuffer:
    """The results of a pass, and the versions of q and v they belong to."""

    def __init__(self, compiled: CompiledProgram, inputs: Sequence[Array], *, needs_v: bool) -> None:
        """Bind the compiled program of a pass to its inputs; its results depend on q, and also on v if `needs_v`."""
        self.compiled, self.inputs = compiled, tuple(inputs)
        self.outputs = tuple(np.zeros(port.shape) for port in compiled.outline.outputs)
        self._seen = array("q", record_words(SEEN, q=-1, v=-1, needs_v=int(needs_v)))
        self._tables = (address_table(self.inputs), address_table(self.outputs))
        into, out = map(ctypes.addressof, self._tables)
        code, seen = compiled.address(Entry.SINGLE), self._seen.buffer_info()[0]
        self.words = record_words(PASS, code=code, inputs=into, outputs=out, seen=seen)
        """Words that machine code reads."""


@final
class _ValueContext(BuiltinContext):
    """The `self` of these builtins."""

    _fields_ = structure_fields(CONTEXT)


def value_builtin(
    words: StateWords, guards: Guards, buffers: Sequence[PassBuffer], plan: ValuePlan
) -> Callable[[], Any] | None:
    """Return a builtin without arguments, or None where a value is too large.

    It returns the same value until the versions of q and v change, and NotImplemented where a guard or a program
    fails or a number is not finite.
    """
    if plan.depth > MAX_OBJECTS:
        return None
    code, memo, kept_value = _code(), array("q", record_words(MEMO, q=-1, v=-1)), list[object]([None])
    of_guards = guard_table(guards)
    of_buffers, of_plan = word_table([x for each in buffers for x in each.words]), word_table(plan.words)
    context = _ValueContext.of(
        **words.addresses(),
        guards=ctypes.addressof(of_guards), guard_count=len(guards),
        passes=ctypes.addressof(of_buffers), pass_count=len(buffers), plan=ctypes.addressof(of_plan),
        memo=memo.buffer_info()[0], memo_list=id(kept_value),
    )  # fmt: skip
    context.references = (code, memo, kept_value, of_guards, of_buffers, of_plan, words, guards, tuple(buffers), plan)
    return context.builtin(code.address("value"), "value")


@once_under_compiler_lock
def _code() -> Library:
    """Return the code of all these builtins, which is kept for good."""
    return Library(assemble_shared(with_addresses(DECLARATIONS + value_function(), abi.symbol_addresses())), ("value",))
