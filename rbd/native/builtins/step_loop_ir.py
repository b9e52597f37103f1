"""LLVM IR of loops over time steps, the builtins of `StepLoop`; CPython calls them for METH_NOARGS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rbd.native.builtins.ir_parts import (
    COPY,
    FIND_CONTEXT,
    NUMBERS,
    context_loads,
    copy_all,
    filled,
    owner_and_guards,
    run_program,
)

WORDS: Final = ("COUNT", "STEP", "STAGE", "HAS_INPUT", "REASON")
"""The words that callers read and write between runs: how many steps to take, the current step and stage, whether the
vector of the current stage is known (then the callback is not called for it), and why the loop has stopped."""
COUNT, STEP, STAGE, HAS_INPUT, REASON = range(len(WORDS))
REASONS: Final = ("DONE", "CALLBACK_RAISED", "NEEDS_CONVERSION", "STATE_MODIFIED", "NEEDS_FALLBACK", "INTERRUPTED")
"""Why a loop has stopped: all steps are taken; the callback raised; its result must be converted (it is returned); it
changed the state; a guard or a program refused; a signal arrived or there was no memory."""
DONE, CALLBACK_RAISED, NEEDS_CONVERSION, STATE_MODIFIED, NEEDS_FALLBACK, INTERRUPTED = range(len(REASONS))

CONTEXT: Final = (
    *("words", "times", "is_called", "moment", "length", "fractions", "stages", "stage_count", "callback", "state"),
    *("owner", "q_version", "v_version", "guards", "guard_count", "shape", "vector_bytes", "history", "moving_count"),
)
"""The words of the structure the builtin is bound to:

    words                        see WORDS
    times                        of the steps: one more than there are
    is_called                    a byte per step: 0 where the callback is not called and its last result stays
    moment, length               receive the time of a stage, and the length of a step
    fractions                    times of the stages as fractions of a step
    stages, stage_count          six words per stage: code, inputs, outputs, copies, their count, vector
    callback, state              objects; the callback may be null
    owner                        word with the thread that may run the loop
    q_version, v_version         words that count changes of q and v
    guards, guard_count          pairs of an address and what must be there
    shape, vector_bytes          of the callback's result: 1 and its length; its size
    history, moving_count        four words per array that moves: address, bytes, origin, rows (null: none are kept)
"""
ROW_WORDS: Final = 4

_BEGIN: Final = f"""
{COPY}declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptr @steps(ptr %self, ptr %unused) nounwind {{
begin:
  %arguments = alloca [3 x ptr], align 16
  %first = getelementptr ptr, ptr %arguments, i64 1
  %second = getelementptr ptr, ptr %arguments, i64 2
{FIND_CONTEXT}"""

_LOOP: Final = f"""\
  br label %step

step:
  %k = load i64, ptr %STEP
  %steps = load i64, ptr %COUNT
  %more_steps = icmp slt i64 %k, %steps
  br i1 %more_steps, label %signals, label %done
signals:
  store i64 $INTERRUPTED, ptr %REASON
  %signal = call i32 $PyErr_CheckSignals()
  %is_interrupted = icmp ne i32 %signal, 0
  br i1 %is_interrupted, label %raised, label %timed
timed:
  %start_at = getelementptr double, ptr %times, i64 %k
  %end_at = getelementptr double, ptr %start_at, i64 1
  %start = load double, ptr %start_at
  %end = load double, ptr %end_at
  %h = fsub double %end, %start
  store double %h, ptr %length
  %resumed_at = load i64, ptr %STAGE
  %resumed = icmp ne i64 %resumed_at, 0
  br i1 %resumed, label %stage, label %origin
origin:
  %o = phi i64 [0, %timed], [%o_next, %origin_one]
  %more_origins = icmp slt i64 %o, %moving_count
  br i1 %more_origins, label %origin_one, label %stage
origin_one:
  %o_word = mul i64 %o, 4
  %o_row = getelementptr i64, ptr %history, i64 %o_word
  %o_from = load ptr, ptr %o_row
  %o_bytes_at = getelementptr i64, ptr %o_row, i64 1
  %o_bytes = load i64, ptr %o_bytes_at
  %o_to_at = getelementptr i64, ptr %o_row, i64 2
  %o_to = load ptr, ptr %o_to_at
  call void @llvm.memcpy.p0.p0.i64(ptr %o_to, ptr %o_from, i64 %o_bytes, i1 false)
  %o_next = add i64 %o, 1
  br label %origin

stage:
  %j = load i64, ptr %STAGE
  %more_stages = icmp slt i64 %j, %stage_count
  br i1 %more_stages, label %vector_of_stage, label %rows
vector_of_stage:
  %j_word = mul i64 %j, 6
  %this = getelementptr i64, ptr %stages, i64 %j_word
  %vector_at = getelementptr i64, ptr %this, i64 5
  %vector = load ptr, ptr %vector_at
  %fraction_at = getelementptr double, ptr %fractions, i64 %j
  %fraction = load double, ptr %fraction_at
  %offset = fmul double %fraction, %h
  %inside = fadd double %start, %offset
  %is_end = fcmp oeq double %fraction, 1.0
  %t = select i1 %is_end, double %end, double %inside
  store double %t, ptr %moment
  %known = load i64, ptr %HAS_INPUT
  store i64 0, ptr %HAS_INPUT
  %called_at = getelementptr i8, ptr %is_called, i64 %k
  %called_now = load i8, ptr %called_at
  %is_held = icmp eq i8 %called_now, 0
  %was_known = icmp ne i64 %known, 0
  %is_known = or i1 %was_known, %is_held
  %no_callback = icmp eq ptr %callback, null
  %no_call = or i1 %is_known, %no_callback
  br i1 %no_call, label %owned, label %call
call:
  store i64 $CALLBACK_RAISED, ptr %REASON
  %q_before = load i64, ptr %q_version
  %v_before = load i64, ptr %v_version
  %time = call ptr $PyFloat_FromDouble(double %t)
  %no_time = icmp eq ptr %time, null
  br i1 %no_time, label %raised, label %timed_call
timed_call:
  store ptr %time, ptr %first
  store ptr %state, ptr %second
  ; two arguments; the place before them may be overwritten
  %result = call ptr $PyObject_Vectorcall(ptr %callback, ptr %first, i64 -9223372036854775806, ptr null)
  call void $Py_DecRef(ptr %time)
  %no_result = icmp eq ptr %result, null
  br i1 %no_result, label %raised, label %returned
returned:
  %q_after = load i64, ptr %q_version
  %v_after = load i64, ptr %v_version
  %q_same = icmp eq i64 %q_before, %q_after
  %v_same = icmp eq i64 %v_before, %v_after
  %same = and i1 %q_same, %v_same
  br i1 %same, label %unchanged, label %changed
unchanged:
  %is_none = icmp eq ptr %result, $None
  br i1 %is_none, label %zero, label %array
zero:
  call void @llvm.memset.p0.i64(ptr %vector, i8 0, i64 %vector_bytes, i1 false)
  call void $Py_DecRef(ptr %result)
  br label %owned
array:
  %data = call ptr @numbers(ptr %result, ptr %shape, i32 $READ)
  %is_unfit = icmp eq ptr %data, null
  br i1 %is_unfit, label %unfit, label %copy
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %vector, ptr %data, i64 %vector_bytes, i1 false)
  call void $Py_DecRef(ptr %result)
  br label %owned

; The callback may have edited the mechanism: guards are looked at after it.
owned:
{owner_and_guards("owned", then="compute", refuse="refused")}compute:
{run_program(then="move", refuse="refused")}move:
  %copies_at = getelementptr i64, ptr %this, i64 3
  %copies = load ptr, ptr %copies_at
  %copy_count_at = getelementptr i64, ptr %this, i64 4
  %copy_count = load i64, ptr %copy_count_at
  br label %copy_next
{copy_all(before="move", then="moved")}moved:
  %q_now = load i64, ptr %q_version
  %q_counted = add i64 %q_now, 1
  store i64 %q_counted, ptr %q_version
  %v_now = load i64, ptr %v_version
  %v_counted = add i64 %v_now, 1
  store i64 %v_counted, ptr %v_version
  %j_next = add i64 %j, 1
  store i64 %j_next, ptr %STAGE
  br label %stage

rows:
  %k_next = add i64 %k, 1
  br label %row
row:
  %r = phi i64 [0, %rows], [%r_next, %row_next]
  %more_rows = icmp slt i64 %r, %moving_count
  br i1 %more_rows, label %row_one, label %stepped
row_one:
  %r_word = mul i64 %r, 4
  %r_row = getelementptr i64, ptr %history, i64 %r_word
  %r_rows_at = getelementptr i64, ptr %r_row, i64 3
  %r_rows = load ptr, ptr %r_rows_at
  %no_rows = icmp eq ptr %r_rows, null
  br i1 %no_rows, label %row_next, label %row_copy
row_copy:
  %r_from = load ptr, ptr %r_row
  %r_bytes_at = getelementptr i64, ptr %r_row, i64 1
  %r_bytes = load i64, ptr %r_bytes_at
  %r_offset = mul i64 %r_bytes, %k_next
  %r_to = getelementptr i8, ptr %r_rows, i64 %r_offset
  call void @llvm.memcpy.p0.p0.i64(ptr %r_to, ptr %r_from, i64 %r_bytes, i1 false)
  br label %row_next
row_next:
  %r_next = add i64 %r, 1
  br label %row
stepped:
  store i64 %k_next, ptr %STEP
  store i64 0, ptr %STAGE
  br label %step

done:
  store i64 $DONE, ptr %REASON
  br label %none
changed:
  call void $Py_DecRef(ptr %result)
  store i64 $STATE_MODIFIED, ptr %REASON
  br label %none
refused:
  store i64 $NEEDS_FALLBACK, ptr %REASON
  br label %none
none:
  call void $Py_IncRef(ptr $None)
  ret ptr $None
unfit:
  store i64 $NEEDS_CONVERSION, ptr %REASON
  ret ptr %result
raised:
  ret ptr null
}}
"""


def loop_module(addresses: Mapping[str, int]) -> str:
    """Return the module; `addresses` are those of `abi.addresses`."""
    pointers = "".join(f"  %{name} = getelementptr i64, ptr %words, i64 {k}\n" for k, name in enumerate(WORDS))
    reasons = {name: k for k, name in enumerate(REASONS)}
    return filled(NUMBERS + _BEGIN + context_loads(CONTEXT) + pointers + _LOOP, addresses, **reasons)
