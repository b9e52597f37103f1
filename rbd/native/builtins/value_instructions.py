"""Instructions of builtins that return framed values: their meaning, their words, and their LLVM IR.

A plan is a list of 64-bit words: the code of an instruction, then its arguments. A builtin executes the instructions
one after the other with a stack of objects; the last one is RETURN. For example, a tuple of two floats:

    NUMBER address    NUMBER address    TUPLE 2    RETURN

The IR of an instruction begins with the label of its name, and finds

    %at                     the instruction
    %a_at, %b_at, %c_at     its first three arguments
    %stack, %depth          the objects, and how many there are

It goes on to the next instruction from its last block, to `refuse` where the value cannot be made here, and to `drop`
where there is no memory. What all instructions share is written by `instructions_text`: the choice by the code, the
push of an object, the address of the next instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

import attrs

from rbd.native.builtins.value_update_ir import UPDATE_TEXT

MAX_OBJECTS: Final = 128
"""Objects on the stack, at most."""


@final
@attrs.frozen
class Instruction:
    """An instruction: its name, its arguments, and its IR without what `instructions_text` adds."""

    name: str
    arguments: str
    """Names of its arguments; `...` at the end stands for as many more words as `more_words` says."""
    text: str
    last: str
    """Label of the block from which the next instruction follows."""
    pushes: str = ""
    """The new object, which goes on the stack; none if empty."""
    base: str = "%depth"
    """Objects that stay on the stack below the new one."""
    more_words: str = ""
    """The value that counts the words `...`."""
    can_fail: bool = False
    """Whether its first block goes to `drop` if there is no memory."""

    @property
    def label(self) -> str:
        """The label of its first block."""
        return self.name.lower()

    @property
    def argument_names(self) -> list[str]:
        """The arguments that it always has."""
        return [name for name in self.arguments.split() if name != "..."]

    def length(self, words: Sequence[int]) -> int:
        """Return the number of words of the instruction that these words begin with."""
        fixed = 1 + len(self.argument_names)
        return fixed + (words[1 + self.argument_names.index("n")] if self.more_words else 0)

    def next_text(self) -> str:
        """Return the end of its last block: the push, the address of the next instruction, and the jump."""
        label, fixed = self.label, 1 + len(self.argument_names)
        lines = [f"%{label}_end = getelementptr i64, ptr %at, i64 {fixed}"]
        if self.more_words:
            lines.append(f"%{label}_end_of_all = getelementptr i64, ptr %{label}_end, i64 {self.more_words}")
        if self.pushes:
            lines += [
                f"%{label}_to = getelementptr ptr, ptr %stack, i64 {self.base}",
                f"store ptr {self.pushes}, ptr %{label}_to",
                f"%{label}_depth = add i64 {self.base}, 1",
            ]
        return "".join(f"  {line}\n" for line in [*lines, "br label %run"])

    @property
    def next(self) -> tuple[str, str]:
        """The address of the next instruction, and the number of objects then."""
        end = f"%{self.label}_end_of_all" if self.more_words else f"%{self.label}_end"
        return end, f"%{self.label}_depth" if self.pushes else "%depth"


_GATHER: Final = """\
gather:
  %gather_count = load i64, ptr %a_at
  %gather_table = load ptr, ptr %b_at
  %gather_to = load ptr, ptr %c_at
  br label %gather_one
gather_one:
  %i = phi i64 [0, %gather], [%i_next, %gather_one]
  %from_at = getelementptr ptr, ptr %gather_table, i64 %i
  %from = load ptr, ptr %from_at
  %entry = load double, ptr %from
  %to = getelementptr double, ptr %gather_to, i64 %i
  store double %entry, ptr %to
  %i_next = add i64 %i, 1
  %more_entries = icmp slt i64 %i_next, %gather_count
  br i1 %more_entries, label %gather_one, label %gathered
gathered:
"""
"""GATHER n, table, to: copies numbers from the n addresses of a table to memory."""

_CALL: Final = """\
call:
  %function = load ptr, ptr %a_at
  %left = load ptr, ptr %b_at
  %right = load ptr, ptr %c_at
  %result_at = getelementptr i64, ptr %at, i64 4
  %result = load ptr, ptr %result_at
  call void %function(ptr %left, ptr %right, ptr %result)
"""
"""CALL function, a, b, to: calls arithmetic of three addresses, two operands and the result."""

_FINITE: Final = """\
finite:
  %finite_count = load i64, ptr %a_at
  %finite_at = load ptr, ptr %b_at
  br label %finite_one
finite_one:
  %f = phi i64 [0, %finite], [%f_next, %finite_more]
  %number_at = getelementptr double, ptr %finite_at, i64 %f
  %size_of = load double, ptr %number_at
  %size = call double @llvm.fabs.f64(double %size_of)
  %is_finite = fcmp olt double %size, 0x7FF0000000000000
  br i1 %is_finite, label %finite_more, label %refuse
finite_more:
  %f_next = add i64 %f, 1
  %finite_left = icmp slt i64 %f_next, %finite_count
  br i1 %finite_left, label %finite_one, label %all_finite
all_finite:
"""
"""FINITE n, at: refuses unless n numbers are finite."""

_NUMBER: Final = """\
number:
  %value_at = load ptr, ptr %a_at
  %value_of = load double, ptr %value_at
  %float = call ptr $PyFloat_FromDouble(double %value_of)
  %no_float = icmp eq ptr %float, null
  br i1 %no_float, label %drop, label %numbered
numbered:
"""
"""NUMBER at: pushes a float."""

_OBJECT: Final = """\
object:
  %pushed = load ptr, ptr %a_at
  call void $Py_IncRef(ptr %pushed)
"""
"""OBJECT object: pushes an object."""

_TUPLE: Final = """\
tuple:
  %tuple_count = load i64, ptr %a_at
  %made = call ptr $PyTuple_New(i64 %tuple_count)
  %no_tuple = icmp eq ptr %made, null
  br i1 %no_tuple, label %drop, label %fill_begin
fill_begin:
  %base = sub i64 %depth, %tuple_count
  %items = getelementptr i8, ptr %made, i64 $TUPLE_ITEMS
  br label %fill
fill:
  %k = phi i64 [0, %fill_begin], [%k_next, %fill_one]
  %more_items = icmp slt i64 %k, %tuple_count
  br i1 %more_items, label %fill_one, label %filled
fill_one:
  %item_index = add i64 %base, %k
  %item_at = getelementptr ptr, ptr %stack, i64 %item_index
  %item = load ptr, ptr %item_at
  %item_to = getelementptr ptr, ptr %items, i64 %k
  store ptr %item, ptr %item_to
  %k_next = add i64 %k, 1
  br label %fill
filled:
"""
"""TUPLE n: replaces n objects by a tuple."""

_INSTANCE: Final = """\
instance:
  %type = load ptr, ptr %a_at
  %slot_count = load i64, ptr %b_at
  %new = call ptr $PyType_GenericAlloc(ptr %type, i64 0)
  %no_instance = icmp eq ptr %new, null
  br i1 %no_instance, label %drop, label %set_begin
set_begin:
  %slots_base = sub i64 %depth, %slot_count
  br label %set_more
set_more:
  %s = phi i64 [0, %set_begin], [%s_next, %set_one]
  %more_slots = icmp slt i64 %s, %slot_count
  br i1 %more_slots, label %set_one, label %set
set_one:
  %offset_at = getelementptr i64, ptr %c_at, i64 %s
  %offset = load i64, ptr %offset_at
  %slot = getelementptr i8, ptr %new, i64 %offset
  %part_index = add i64 %slots_base, %s
  %part_at = getelementptr ptr, ptr %stack, i64 %part_index
  %part = load ptr, ptr %part_at
  store ptr %part, ptr %slot
  %s_next = add i64 %s, 1
  br label %set_more
set:
"""
"""INSTANCE type, n, offsets ...: replaces n objects by an instance of a type with these slots."""

_ARRAY: Final = """\
array:
  %order = load i32, ptr %c_at
  %axes_place = getelementptr i64, ptr %at, i64 4
  %axes = load i64, ptr %axes_place
  %axes_32 = trunc i64 %axes to i32
  %lengths = getelementptr i64, ptr %at, i64 5
  %new_array = call ptr $PyArray_New(
      ptr $ndarray, i32 %axes_32, ptr %lengths, i32 $DOUBLE, ptr null, ptr null, i32 0, i32 %order, ptr null)
  %no_array = icmp eq ptr %new_array, null
  br i1 %no_array, label %drop, label %copied
copied:
  %numbers = load ptr, ptr %a_at
  %bytes = load i64, ptr %b_at
  %array_data_at = getelementptr i8, ptr %new_array, i64 $ARRAY_DATA
  %array_data = load ptr, ptr %array_data_at
  call void @llvm.memcpy.p0.p0.i64(ptr %array_data, ptr %numbers, i64 %bytes, i1 false)
"""
"""ARRAY at, bytes, order, n, lengths ...: pushes a new array of n axes with a copy of the numbers."""

INSTRUCTIONS: Final = (
    Instruction("GATHER", "n table to", _GATHER, last="gathered"),
    Instruction("CALL", "function a b to", _CALL, last="call"),
    Instruction("FINITE", "n at", _FINITE, last="all_finite"),
    Instruction("NUMBER", "at", _NUMBER, last="numbered", pushes="%float", can_fail=True),
    Instruction("OBJECT", "object", _OBJECT, last="object", pushes="%pushed"),
    Instruction("TUPLE", "n", _TUPLE, last="filled", pushes="%made", base="%base", can_fail=True),
    Instruction(
        "INSTANCE",
        "type n ...",
        _INSTANCE,
        last="set",
        pushes="%new",
        base="%slots_base",
        more_words="%slot_count",
        can_fail=True,
    ),
    Instruction(
        "ARRAY", "at bytes order n ...", _ARRAY, last="copied", pushes="%new_array", more_words="%axes", can_fail=True
    ),
    Instruction("UPDATE", "n ...", UPDATE_TEXT, last="rebuild", more_words="%update_words"),
)  # fmt: skip
"""The instructions but RETURN, which has the code 0; the code of each is its place, from one."""
RETURN, GATHER, CALL, FINITE, NUMBER, OBJECT, TUPLE, INSTANCE, ARRAY, UPDATE = range(1 + len(INSTRUCTIONS))


def instructions(words: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the instructions of a plan, each with its arguments."""
    at = 0
    while at < len(words):
        length = INSTRUCTIONS[words[at] - 1].length(words[at:]) if words[at] != RETURN else 1
        yield words[at : at + length]
        at += length


def instructions_text() -> str:
    """Return the IR that executes the plan at %words: from the label `run` on, to `complete` after RETURN."""
    ends = [(each, *each.next) for each in INSTRUCTIONS]
    at = ", ".join(["[%words, %pass]", *(f"[{end}, %{each.last}]" for each, end, _ in ends)])
    depth = ", ".join(["[0, %pass]", *(f"[{objects}, %{each.last}]" for each, _, objects in ends)])
    cases = "".join(f"    i64 {code}, label %{each.label}\n" for code, each in enumerate(INSTRUCTIONS, 1))
    choice = f"""\
run:
  %at = phi ptr {at}
  %depth = phi i64 {depth}
  %code = load i64, ptr %at
  %a_at = getelementptr i64, ptr %at, i64 1
  %b_at = getelementptr i64, ptr %at, i64 2
  %c_at = getelementptr i64, ptr %at, i64 3
  switch i64 %code, label %complete [
{cases}  ]

"""
    return choice + "\n".join(each.text + each.next_text() for each in INSTRUCTIONS)


def drop_text() -> str:
    """Return the IR of the block `drop`: gives the objects on the stack back and returns null; an exception is set."""
    sources = ", ".join(f"[%depth, %{each.label}]" for each in INSTRUCTIONS if each.can_fail)
    return f"""\
drop:
  %left_over = phi i64 {sources}, [%one_less, %drop_one]
  %any_left = icmp sgt i64 %left_over, 0
  br i1 %any_left, label %drop_one, label %no_memory
drop_one:
  %one_less = sub i64 %left_over, 1
  %drop_at = getelementptr ptr, ptr %stack, i64 %one_less
  %dropped = load ptr, ptr %drop_at
  call void $Py_DecRef(ptr %dropped)
  br label %drop
no_memory:
  ret ptr null
"""
