"""LLVM IR of what builtins do around a compiled program: find the context, check owner and guards, run, copy."""

from __future__ import annotations

from typing import Final

from rbd.native.builtins.objects_ir import copy, field
from rbd.native.builtins.records import INTEGER, POINTER, Fields, Record
from rbd.native.codegen.ir import Writer
from rbd.native.runtime import abi

GUARD: Final = {"address": POINTER, "expected": INTEGER}
"""A word, and what must be there."""
COPIED: Final = {"source": POINTER, "target": POINTER, "bytes": INTEGER}
"""A copy after success."""
PROGRAM: Final = {"code": POINTER, "inputs": POINTER, "outputs": POINTER}
"""A compiled program on fixed memory: the tables are addresses of arrays."""


def context_of(w: Writer, builtin: str, words: Fields) -> Record:
    """Write the address of the context of a builtin."""
    return Record(w, field(w, builtin, abi.STRUCTURE_DATA), words)


def leave_unless_owner(w: Writer, owner: str, label: str) -> None:
    """Write the jump to a label unless this thread is the owner, which a word holds."""
    thread = w.call("i64", "$PyThread_get_thread_ident")
    w.leave_unless(w.test(f"eq i64 {thread}, {w.load('i64', owner)}"), label)


def leave_unless_guarded(w: Writer, context: Record, label: str) -> None:
    """Write the jump to a label unless all guards hold."""
    guards = context["guards"]

    def check(index: str) -> None:
        guard = Record.of_table(w, guards, index, GUARD)
        w.leave_unless(w.test(f"eq i64 {w.load('i64', guard['address'])}, {guard['expected']}"), label)

    w.for_each(context["guard_count"], check)


def run_program(w: Writer, program: Record, label: str) -> None:
    """Write the run of a compiled program, whose record begins as `PROGRAM`; jumps to a label if it fails."""
    status = w.call("i64", program["code"], f"ptr {program['inputs']}", f"ptr {program['outputs']}")
    w.leave_unless(w.test(f"eq i64 {status}, 0"), label)


def copy_all(w: Writer, copies: str, count: str) -> None:
    """Write the copies of a table."""

    def copy_one(index: str) -> None:
        each = Record.of_table(w, copies, index, COPIED)
        copy(w, each["target"], each["source"], each["bytes"])

    w.for_each(count, copy_one)
