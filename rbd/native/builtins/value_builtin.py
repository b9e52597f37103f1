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
from typing import Any, Final, final

import numpy as np

from rbd.native.builtins.context import (
    BuiltinContext,
    Guards,
    Word,
    address_table,
    context_fields,
    guard_table,
    word_table,
)
from rbd.native.builtins.value_instructions import MAX_OBJECTS
from rbd.native.builtins.value_ir import CONTEXT, value_module
from rbd.native.builtins.value_plan import ValuePlan
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble_shared
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.scalars.arrays import Array, set_array_makers

_ONE_ARGUMENT: Final = 0x08


@final
class PassBuffer:
    """The results of a pass, and the versions of q and v they belong to."""

    def __init__(self, compiled: CompiledProgram, inputs: Sequence[Array], *, needs_v: bool) -> None:
        """Bind the compiled program of a pass to its inputs; its results depend on q, and also on v if `needs_v`."""
        self.compiled, self.inputs = compiled, tuple(inputs)
        self.outputs = tuple(np.zeros(port.shape) for port in compiled.outline.outputs)
        self._seen = array("q", [-1, -1, int(needs_v)])
        self._tables = (address_table(self.inputs), address_table(self.outputs))
        into, out = map(ctypes.addressof, self._tables)
        self.words = compiled.compile_single().address("single"), into, out, self._seen.buffer_info()[0]
        """Words that machine code reads: see `value_ir.CONTEXT`."""


@final
class _PlanContext(BuiltinContext):
    """The `self` of these builtins."""

    _fields_ = context_fields(CONTEXT)


def value_builtin(
    words: tuple[Word, Word, Word], guards: Guards, buffers: Sequence[PassBuffer], plan: ValuePlan
) -> Callable[[], Any] | None:
    """Return a builtin without arguments, or None where a value is too large.

    `words` hold the thread that may call, and the versions of q and v. It returns the same value until they change, and
    NotImplemented where a guard or a program refuses or a number is not finite.
    """
    if plan.depth > MAX_OBJECTS:
        return None
    code, memo, kept_value = _code(), array("q", [-1, -1]), list[object]([None])
    of_guards = guard_table(guards)
    of_buffers, of_plan = word_table([x for each in buffers for x in each.words]), word_table(plan.words)
    context = _PlanContext(
        owner=words[0].address, q_version=words[1].address, v_version=words[2].address,
        guards=ctypes.addressof(of_guards), guard_count=len(guards),
        passes=ctypes.addressof(of_buffers), pass_count=len(buffers), words=ctypes.addressof(of_plan),
        memo=memo.buffer_info()[0], memo_list=id(kept_value),
    )  # fmt: skip
    context.kept = (code, memo, kept_value, of_guards, of_buffers, of_plan, words, guards, tuple(buffers), plan)
    return context.builtin(code.address("value"), "value")


@final
class _ArrayContext(BuiltinContext):
    """The `self` of the builtins that make arrays."""

    _fields_ = context_fields(())


@once_under_compiler_lock
def _code() -> Library:
    """Return the code of all builtins, which is kept for good; from now on it makes arrays of framed values, too."""
    code = Library(assemble_shared(value_module(abi.addresses())), ("value", "array", "row_order"))
    set_array_makers(_array_maker(code, "array"), _array_maker(code, "row_order"))
    return code


def _array_maker(code: Library, name: str) -> Callable[[object], Any]:
    """Return a builtin that makes arrays."""
    context = _ArrayContext()
    context.kept = (code,)
    return context.builtin(code.address(name), name, _ONE_ARGUMENT)
