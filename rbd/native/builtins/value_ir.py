"""LLVM IR of builtins that return framed values; CPython calls them for METH_NOARGS. `array_ir` is part of the module.

The blocks of the function, in order; a block that refuses returns NotImplemented:

    guard      the thread is the owner's, and all guards hold, else refuse
    recall     the object of the last call is returned if neither q nor v has changed
    pass       each pass whose inputs have changed since it last ran runs, else refuse
    run        the plan: arithmetic on numbers in memory, then the construction of an object (`value_instructions.py`)
    complete   the new object is kept for the next call, and returned
    drop       without memory: the objects made so far are given back
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rbd.native.builtins.array_ir import ARRAY_TEXT, ROW_ORDER_TEXT
from rbd.native.builtins.ir_parts import COPY, FIND_CONTEXT, context_loads, filled, owner_and_guards, run_program
from rbd.native.builtins.value_instructions import MAX_OBJECTS, drop_text, instructions_text
from rbd.native.builtins.value_update_ir import LEVELS, UPDATES

CONTEXT: Final = (
    *("owner", "guards", "guard_count", "q_version", "v_version", "passes", "pass_count", "words"),
    *("memo", "memo_list"),
)
"""The words of the structure the builtin is bound to:

    owner                   word with the thread that may call
    guards, guard_count     pairs of an address and what must be there
    q_version, v_version    words that count changes of q and v
    passes, pass_count      four words per pass: code, inputs, outputs, and the versions of q and v it last ran for
    words                   the plan: instructions, each a code and its arguments
    memo, memo_list         versions of q and v of the last object, and the list that holds it
"""

_BEGIN: Final = f"""
declare double @llvm.fabs.f64(double)
{COPY}
define ptr @value(ptr %self, ptr %unused) nounwind {{
begin:
  %stack = alloca [$MAX_OBJECTS x ptr], align 16
  %levels = alloca [$LEVELS x ptr], align 16
{FIND_CONTEXT}"""

_VALUE: Final = f"""\
{owner_and_guards("begin", then="recall", refuse="refuse")}
; The object of the last call, if nothing has changed since.
recall:
  %q_now = load i64, ptr %q_version
  %v_now = load i64, ptr %v_version
  %memo_v_at = getelementptr i64, ptr %memo, i64 1
  %memo_q = load i64, ptr %memo
  %memo_v = load i64, ptr %memo_v_at
  %same_q = icmp eq i64 %memo_q, %q_now
  %same_v = icmp eq i64 %memo_v, %v_now
  %same = and i1 %same_q, %same_v
  br i1 %same, label %remembered, label %pass
remembered:
  %known = call ptr $PyList_GetItem(ptr %memo_list, i64 0)
  call void $Py_IncRef(ptr %known)
  ret ptr %known

pass:
  %p = phi i64 [0, %recall], [%p_next, %passed]
  %more_passes = icmp slt i64 %p, %pass_count
  br i1 %more_passes, label %stale, label %run
stale:
  %p_word = mul i64 %p, 4
  %this = getelementptr ptr, ptr %passes, i64 %p_word
  %seen_at = getelementptr ptr, ptr %this, i64 3
  %seen = load ptr, ptr %seen_at
  %seen_v_at = getelementptr i64, ptr %seen, i64 1
  %needs_v_at = getelementptr i64, ptr %seen, i64 2
  %seen_q = load i64, ptr %seen
  %seen_v = load i64, ptr %seen_v_at
  %needs_v = load i64, ptr %needs_v_at
  %q_same = icmp eq i64 %seen_q, %q_now
  %v_same = icmp eq i64 %seen_v, %v_now
  %no_v = icmp eq i64 %needs_v, 0
  %v_fits = or i1 %v_same, %no_v
  %fresh = and i1 %q_same, %v_fits
  br i1 %fresh, label %passed, label %compute
compute:
{run_program(then="computed", refuse="refuse")}computed:
  store i64 %q_now, ptr %seen
  store i64 %v_now, ptr %seen_v_at
  br label %passed
passed:
  %p_next = add i64 %p, 1
  br label %pass

{instructions_text()}
complete:
  %whole = load ptr, ptr %stack
  call void $Py_IncRef(ptr %whole)
  %kept = call i32 $PyList_SetItem(ptr %memo_list, i64 0, ptr %whole)
  store i64 %q_now, ptr %memo
  store i64 %v_now, ptr %memo_v_at
  ret ptr %whole

{drop_text()}refuse:
  call void $Py_IncRef(ptr $NotImplemented)
  ret ptr $NotImplemented
}}
"""


def value_module(addresses: Mapping[str, int]) -> str:
    """Return the module; `addresses` are those of `abi.addresses`."""
    numbers = {name: k for k, name in enumerate(UPDATES)} | {"MAX_OBJECTS": MAX_OBJECTS, "LEVELS": LEVELS}
    return filled(ARRAY_TEXT + ROW_ORDER_TEXT + _BEGIN + context_loads(CONTEXT) + _VALUE, addresses, **numbers)
