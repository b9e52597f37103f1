"""Instructions of builtins that return framed values: their meaning, their words, and their LLVM IR.

A plan is a list of 64-bit words: the code of an instruction, then its arguments. A builtin executes the instructions
one after the other with a stack of objects; the last one is RETURN. For example, a tuple of two floats:

    NUMBER address    NUMBER address    TUPLE 2    RETURN

An instruction jumps to `declined` where the value cannot be made here, to `drop` where there is no memory, and to
`remember` where the last object has got the new numbers: that is the value, at the bottom of the stack. `drop` is
written here, `declined` and `remember` by `value_ir.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, final

import attrs

from rbd.native.builtins.objects_ir import copy, field_address, new_array
from rbd.native.builtins.records import INTEGER, POINTER, Fields, Record
from rbd.native.builtins.value_update_ir import LEVELS, update_object
from rbd.native.codegen.ir import Writer, hexadecimal
from rbd.native.runtime import abi

MAX_OBJECTS: Final = 128
"""Objects on the stack, at most."""


@final
class ValuePlanWriter:
    """The function that executes plans: its writer, its stack of objects, and the list with the last value."""

    def __init__(self, w: Writer, last_value: str) -> None:
        """Write the memory of the function; `last_value` is the object of the last call."""
        self.w, self.last_value = w, last_value
        self.stack = w.assign(f"alloca [{MAX_OBJECTS} x ptr], align 16")
        self.levels = w.assign(f"alloca [{LEVELS} x ptr], align 16")
        self.left = w.assign("alloca i64, align 8")
        """The objects on the stack when there is no memory."""

    def push(self, pointer: str, depth: str) -> str:
        """Write an object to the stack, which has `depth` objects; return how many there are then."""
        self.w.store("ptr", pointer, self.w.address(self.stack, depth, "ptr"))
        return self.w.assign(f"add i64 {depth}, 1")

    def require(self, pointer: str, depth: str) -> None:
        """Write the jump to `drop` if an object is null."""

        def leave() -> None:
            self.w.store("i64", depth, self.left)
            self.w.leave("drop")

        self.w.if_(self.w.is_null(pointer), leave)


@final
@attrs.frozen
class Instruction:
    """An instruction: its name, its arguments, and what writes its IR."""

    name: str
    arguments: Fields
    write: Callable[[ValuePlanWriter, Record, str], str]
    """Writes it, for its arguments and the number of objects on the stack; returns that number behind it."""
    has_more: bool = False
    """Whether as many more words follow its arguments as `n` says."""

    def length(self, words: Sequence[int]) -> int:
        """Return the number of words of the instruction that these words begin with."""
        return 1 + len(self.arguments) + (words[1 + list(self.arguments).index("n")] if self.has_more else 0)

    def write_end(self, w: Writer, arguments: Record) -> str:
        """Write the address of the next instruction."""
        end = w.address(arguments.pointer, len(self.arguments), "i64")
        return w.address(end, arguments["n"], "i64") if self.has_more else end


def _gather(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write GATHER n, table, to: copies numbers from the n addresses of a table to memory."""
    w, table, target = plan.w, arguments["table"], arguments["to"]

    def gather(k: str) -> None:
        w.store("double", w.load("double", w.element(table, k)), w.address(target, k))

    w.for_each(arguments["n"], gather)
    return depth


def _call(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write CALL function, a, b, to: calls arithmetic of three addresses, two operands and the result."""
    plan.w.call("void", arguments["function"], *(f"ptr {arguments[name]}" for name in ("a", "b", "to")))
    return depth


def _finite(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write FINITE n, at: declines unless n numbers are finite."""
    w, numbers = plan.w, arguments["at"]

    def check(k: str) -> None:
        size = w.call("double", "@llvm.fabs.f64", f"double {w.element(numbers, k, 'double')}")
        w.leave_unless(w.assign(f"fcmp olt double {size}, {hexadecimal(float('inf'))}"), "declined")

    w.for_each(arguments["n"], check)
    return depth


def _number(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write NUMBER at: pushes a float."""
    number = plan.w.call("ptr", "$PyFloat_FromDouble", f"double {plan.w.load('double', arguments['at'])}")
    plan.require(number, depth)
    return plan.push(number, depth)


def _object(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write OBJECT object: pushes an object."""
    pointer = arguments["object"]
    plan.w.call("void", "$Py_IncRef", f"ptr {pointer}")
    return plan.push(pointer, depth)


def _tuple(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write TUPLE n: replaces n objects by a tuple."""
    w, count = plan.w, arguments["n"]
    new = w.call("ptr", "$PyTuple_New", f"i64 {count}")
    plan.require(new, depth)
    base = w.assign(f"sub i64 {depth}, {count}")
    parts, items = w.address(plan.stack, base, "ptr"), field_address(w, new, abi.TUPLE_ITEMS)
    w.for_each(count, lambda k: w.store("ptr", w.element(parts, k), w.address(items, k, "ptr")))
    return plan.push(new, base)


def _instance(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write INSTANCE type, n, offsets ...: replaces n objects by an instance of a type with these slots."""
    w, count, offsets = plan.w, arguments["n"], _more(arguments)
    new = w.call("ptr", "$PyType_GenericAlloc", f"ptr {arguments['type']}", "i64 0")
    plan.require(new, depth)
    base = w.assign(f"sub i64 {depth}, {count}")
    parts = w.address(plan.stack, base, "ptr")
    w.for_each(
        count, lambda k: w.store("ptr", w.element(parts, k), field_address(w, new, w.element(offsets, k, "i64")))
    )
    return plan.push(new, base)


def _array(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write ARRAY at, bytes, order, n, lengths ...: pushes a new array of n axes with a copy of the numbers."""
    w = plan.w
    axes, order = (w.assign(f"trunc i64 {arguments[name]} to i32") for name in ("n", "order"))
    new = new_array(w, axes, _more(arguments), order=order)
    plan.require(new, depth)
    copy(w, w.load("ptr", field_address(w, new, abi.ARRAY_DATA)), arguments["at"], arguments["bytes"])
    return plan.push(new, depth)


def _update(plan: ValuePlanWriter, arguments: Record, depth: str) -> str:
    """Write UPDATE n, words ...: returns the last object with new numbers; goes on if that is not possible."""
    w = plan.w
    update_object(w, plan.last_value, plan.levels, _more(arguments), arguments["n"], "rebuild")
    w.call("void", "$Py_IncRef", f"ptr {plan.last_value}")
    plan.push(plan.last_value, "0")
    w.jump("remember")
    w.begin_block("rebuild")
    return depth


def _more(arguments: Record) -> str:
    """Write the address of the words behind the arguments."""
    return arguments.w.address(arguments.pointer, len(arguments.fields), "i64")


RETURN, GATHER, CALL, FINITE, NUMBER, OBJECT, TUPLE, INSTANCE, ARRAY, UPDATE = range(10)
"""Codes of instructions."""
INSTRUCTIONS: Final[Mapping[int, Instruction]] = {
    GATHER: Instruction("GATHER", {"n": INTEGER, "table": POINTER, "to": POINTER}, _gather),
    CALL: Instruction("CALL", {"function": POINTER, "a": POINTER, "b": POINTER, "to": POINTER}, _call),
    FINITE: Instruction("FINITE", {"n": INTEGER, "at": POINTER}, _finite),
    NUMBER: Instruction("NUMBER", {"at": POINTER}, _number),
    OBJECT: Instruction("OBJECT", {"object": POINTER}, _object),
    TUPLE: Instruction("TUPLE", {"n": INTEGER}, _tuple),
    INSTANCE: Instruction("INSTANCE", {"type": POINTER, "n": INTEGER}, _instance, has_more=True),
    ARRAY: Instruction(
        "ARRAY", {"at": POINTER, "bytes": INTEGER, "order": INTEGER, "n": INTEGER}, _array, has_more=True
    ),
    UPDATE: Instruction("UPDATE", {"n": INTEGER}, _update, has_more=True),
}
"""The instructions by their codes, but RETURN, which has no arguments."""


def instructions(words: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the instructions of a plan, each with its arguments."""
    at = 0
    while at < len(words):
        length = INSTRUCTIONS[words[at]].length(words[at:]) if words[at] != RETURN else 1
        yield words[at : at + length]
        at += length


def write_instructions(plan: ValuePlanWriter, words: str, label: str) -> None:
    """Write the execution of the instructions from an address on; goes on to a label after RETURN."""
    w, ends = plan.w, [(plan.w.block, words, "0")]
    w.jump("run")
    w.begin_block("run")
    at, depth, head = w.fresh_name(), w.fresh_name(), len(w.lines)
    cases = " ".join(f"i64 {code}, label %{each.name}" for code, each in INSTRUCTIONS.items())
    w.add(f"  switch i64 {w.load('i64', at)}, label %{label} [{cases}]")
    for each in INSTRUCTIONS.values():
        w.begin_block(each.name)
        arguments = Record(w, w.address(at, 1, "i64"), each.arguments)
        depth_after = each.write(plan, arguments, depth)
        end = each.write_end(w, arguments)
        ends.append((w.block, end, depth_after))
        w.jump("run")
    phis = ("phi ptr ", 1), ("phi i64 ", 2)
    values = [kind + ", ".join(f"[{end[k]}, %{end[0]}]" for end in ends) for kind, k in phis]
    w.insert_values(head, [at, depth], values)


def write_drop(plan: ValuePlanWriter) -> None:
    """Write the block `drop`: gives the objects on the stack back and returns null; an exception is set."""
    w = plan.w
    w.begin_block("drop")
    w.for_each(w.load("i64", plan.left), lambda k: w.call("void", "$Py_DecRef", f"ptr {w.element(plan.stack, k)}"))
    w.ret("ptr null")
