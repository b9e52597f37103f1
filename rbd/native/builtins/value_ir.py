"""LLVM IR of builtins that return framed values; CPython calls them for METH_NOARGS.

The function checks the owner and the guards, and returns the object of the last call if neither q nor v has changed.
Else it runs each pass whose inputs have changed since it last ran, and executes the plan: arithmetic on numbers in
memory, then the construction of an object. It returns NotImplemented where a guard or a program fails.
"""

from __future__ import annotations

from typing import Final

from rbd.native.builtins.context_ir import (
    PROGRAM,
    context_of,
    leave_unless_guarded,
    leave_unless_owner,
    run_program,
)
from rbd.native.builtins.objects_ir import return_not_implemented
from rbd.native.builtins.records import INTEGER, POINTER, Record
from rbd.native.builtins.value_instructions import ValuePlanWriter, write_drop, write_instructions
from rbd.native.codegen.ir import Writer

PASS: Final = {**PROGRAM, "seen": POINTER}
"""A pass, and the versions of q and v that it last ran for."""
SEEN: Final = {"q": INTEGER, "v": INTEGER, "needs_v": INTEGER}
MEMO: Final = {"q": INTEGER, "v": INTEGER}
"""The versions of q and v of the last object."""
CONTEXT: Final = {
    "owner": POINTER,
    "guards": POINTER,
    "guard_count": INTEGER,
    "q_version": POINTER,
    "v_version": POINTER,
    "passes": POINTER,
    "pass_count": INTEGER,
    "plan": POINTER,
    "memo": POINTER,
    "memo_list": POINTER,
}
"""The words of the structure the builtin is bound to:

    owner                   word with the thread that may call
    guards, guard_count     table of `GUARD`
    q_version, v_version    words that count changes of q and v
    passes, pass_count      table of `PASS`
    plan                    instructions, each a code and its arguments
    memo, memo_list         `MEMO`, and the list that holds the last object
"""


def value_function() -> str:
    """Return `@value(self, unused)`."""
    w = Writer()
    w.begin_function("ptr @value(ptr %self, ptr %unused) nounwind")
    context = context_of(w, "%self", CONTEXT)
    memo, memo_list = Record(w, context["memo"], MEMO), context["memo_list"]
    last_value = w.call("ptr", "$PyList_GetItem", f"ptr {memo_list}", "i64 0")
    plan = ValuePlanWriter(w, last_value)
    leave_unless_owner(w, context["owner"], "declined")
    leave_unless_guarded(w, context, "declined")
    q, v = (w.load("i64", context[name]) for name in ("q_version", "v_version"))

    def recall() -> None:
        w.call("void", "$Py_IncRef", f"ptr {last_value}")
        w.ret(f"ptr {last_value}")

    w.if_(w.all_of(w.test(f"eq i64 {memo['q']}, {q}"), w.test(f"eq i64 {memo['v']}, {v}")), recall)
    passes = context["passes"]
    w.for_each(context["pass_count"], lambda k: _run_if_stale(Record.of_table(w, passes, k, PASS), q, v))
    write_instructions(plan, context["plan"], "complete")
    w.begin_block("complete")
    new = w.load("ptr", plan.stack)
    w.call("void", "$Py_IncRef", f"ptr {new}")
    w.call("i32", "$PyList_SetItem", f"ptr {memo_list}", "i64 0", f"ptr {new}")
    w.jump("remember")
    w.begin_block("remember")
    w.store("i64", q, memo.address("q"))
    w.store("i64", v, memo.address("v"))
    w.ret(f"ptr {w.load('ptr', plan.stack)}")
    write_drop(plan)
    return_not_implemented(w, "declined")
    w.add("}\n")
    return "declare double @llvm.fabs.f64(double)\n" + w.text()


def _run_if_stale(each: Record, q: str, v: str) -> None:
    """Write the run of a pass unless it has run for these versions of q and v."""
    w, seen = each.w, Record(each.w, each["seen"], SEEN)
    has_q, has_v = w.test(f"eq i64 {seen['q']}, {q}"), w.test(f"eq i64 {seen['v']}, {v}")
    fits_v = w.any_of(has_v, w.test(f"eq i64 {seen['needs_v']}, 0"))

    def run() -> None:
        run_program(w, each, "declined")
        w.store("i64", q, seen.address("q"))
        w.store("i64", v, seen.address("v"))

    w.unless(w.all_of(has_q, fits_v), run)
