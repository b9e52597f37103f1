"""LLVM IR of builtins of compiled programs: from the arguments of a call to the program, and to its results.

One function serves all builtins; it is what CPython calls for METH_FASTCALL | METH_KEYWORDS. It checks the owner, the
guards and the arguments, runs the program, and returns the arrays of the keyword `out`, new arrays, or None. A builtin
with parameters has overloads, one for other options each, which are tried in turn. Wherever something is not as
expected, the block `decline` calls the fallback or returns NotImplemented; until then nothing has been changed, and new
arrays have been given back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rbd.native.builtins import parameters_ir, rollout_ir, rows_ir
from rbd.native.builtins.ir_parts import (
    COPY,
    FINISH,
    GIVEN_RESULTS,
    IS_APART,
    NUMBERS,
    RESULT_KEPT,
    RESULT_MADE,
    RESULT_TAKEN,
    context_loads,
    copy_all,
    filled,
    give_back,
    owner_and_guards,
)

CONTEXT: Final = (
    *("entries", "row_limit_count", "owner", "guards", "guard_count"),
    *("bound", "bound_count", "shapes", "first_argument", "argument_count"),
    *("targets", "output_count", "copies", "copy_count", "counter", "has_fallback"),
    *("plain_count", "parameters", "parameter_count", "positional_count", "required", "defaults", "next_overload"),
    "series",
)
"""The words of the structure a builtin is bound to:

    entries                          code for one state, the same for new arrays, and for rows; null until it is there
    row_limit_count                  rows that are computed under the interpreter's lock; 0: no batches are taken
    owner                            word with the thread that may call; null for any thread
    guards, guard_count              pairs of an address and what must be there
    bound, bound_count               addresses of inputs, null for arguments; the count is 0 where all are arguments
    shapes                           of arguments, then of outputs: the number of axes, then the length of each
    first_argument, argument_count   which inputs are arguments; they follow each other
    targets, output_count            addresses of outputs; null for new arrays
    copies, copy_count               triples from, to, bytes: what is copied after success
    counter                          word that counts successful calls with targets
    has_fallback                     whether the structure itself, which is callable, takes what is declined
    plain_count                      arguments without keywords that are the inputs; -1 if they cannot be
    parameters, parameter_count      see `parameters_ir.py`; without them the only keyword is `out`, of a single result
    positional_count, required       how many of them may be positional; the bits of those that must be given
    defaults                         objects of inputs that are not given; null for those that must be
    next_overload                    address of the word with the structure of the next builtin of the method, or null
    series                           the input of a rollout that may have a row per call (`rollout_ir.py`); -1: one call
"""
MAX_PORTS: Final = 64
"""Inputs and outputs, each; their pointers go on the stack."""

_BEGIN: Final = f"""
{COPY}
define ptr @builtin(ptr %self, ptr %args, i64 %count, ptr %keywords) nounwind {{
begin:
  %into = alloca [$MAX_PORTS x ptr], align 16
  %out = alloca [$MAX_PORTS x ptr], align 16
  %made = alloca [$MAX_PORTS x ptr], align 16
  %ends = alloca [$MAX_PORTS x ptr], align 16
  %found_objects = alloca [$MAX_PORTS x ptr], align 16
  %found_given = alloca ptr, align 8
  %context_at = getelementptr i8, ptr %self, i64 $STRUCTURE_DATA
  %first_context = load ptr, ptr %context_at
  %plain = icmp eq ptr %keywords, null
  br label %candidate
candidate:
  %context = phi ptr [%first_context, %begin], [%next_context, %following]
"""

_CHECKS: Final = f"""
  %has_owner = icmp ne ptr %owner, null
  br i1 %has_owner, label %owned, label %guard
owned:
{owner_and_guards("candidate", "owned", then="started", refuse="decline")}started:
  %to_new = icmp eq ptr %targets, null
  %is_complete = icmp eq i64 %count, %plain_count
  %is_plain = and i1 %is_complete, %plain
  br i1 %is_plain, label %bind, label %other_call
other_call:
  %has_parameters = icmp ne ptr %parameters, null
  br i1 %has_parameters, label %find, label %named
; Without parameters one keyword is understood: the array for the only result.
named:
  %one_output = icmp eq i64 %output_count, 1
  %usable_0 = and i1 %is_complete, %one_output
  %usable = and i1 %usable_0, %to_new
  br i1 %usable, label %keyword_count, label %decline
keyword_count:
  %names_size_at = getelementptr i8, ptr %keywords, i64 $TUPLE_SIZE
  %names_size = load i64, ptr %names_size_at
  %one_keyword = icmp eq i64 %names_size, 1
  br i1 %one_keyword, label %keyword, label %decline
keyword:
  %name_at = getelementptr i8, ptr %keywords, i64 $TUPLE_ITEMS
  %name = load ptr, ptr %name_at
  %is_out = icmp eq ptr %name, $out
  %last_at = getelementptr ptr, ptr %args, i64 %count
  %last = load ptr, ptr %last_at
  br i1 %is_out, label %bind, label %decline
find:
  %fits = call i1 @arguments(ptr %context, ptr %args, i64 %count, ptr %keywords, ptr %found_objects, ptr %found_given)
  %given_found = load ptr, ptr %found_given
  br i1 %fits, label %bind, label %unfit
unfit:
  %has_overload = icmp ne ptr %next_overload, null
  br i1 %has_overload, label %overload, label %decline
overload:
  %next_context = load ptr, ptr %next_overload
  %any_next = icmp ne ptr %next_context, null
  br i1 %any_next, label %following, label %decline
following:
  br label %candidate
"""

_ARGUMENTS: Final = """
bind:
  %objects = phi ptr [%args, %started], [%args, %keyword], [%found_objects, %find]
  %given = phi ptr [null, %started], [%last, %keyword], [%given_found, %find]
  %were_found = phi i1 [false, %started], [false, %keyword], [true, %find]
  %is_one_call = icmp slt i64 %series, 0
  br i1 %is_one_call, label %bind_inputs, label %repeat
repeat:
  %to_new_rows = icmp eq ptr %given, null
  br i1 %to_new_rows, label %all_calls, label %decline
all_calls:
  %history = call ptr @rollout(ptr %context, ptr %objects)
  %no_history = icmp eq ptr %history, null
  br i1 %no_history, label %no_rollout, label %return_history
return_history:
  ret ptr %history
no_rollout:
  br i1 %were_found, label %decline, label %find
bind_inputs:
  %bound_bytes = shl i64 %bound_count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %into, ptr %bound, i64 %bound_bytes, i1 false)
  br label %input
input:
  %k = phi i64 [0, %bind_inputs], [%k_next, %taken]
  %shape = phi ptr [%shapes, %bind_inputs], [%shape_next, %taken]
  %more_inputs = icmp ult i64 %k, %argument_count
  br i1 %more_inputs, label %take, label %results
take:
  %object_at = getelementptr ptr, ptr %objects, i64 %k
  %object = load ptr, ptr %object_at
  %data = call ptr @numbers(ptr %object, ptr %shape, i32 $READ)
  %place = add i64 %k, %first_argument
  %into_at = getelementptr ptr, ptr %into, i64 %place
  store ptr %data, ptr %into_at
  %no_data = icmp eq ptr %data, null
  br i1 %no_data, label %stack, label %taken
taken:
  %k_next = add i64 %k, 1
  %axes = load i64, ptr %shape
  %shape_skip = add i64 %axes, 1
  %shape_next = getelementptr i64, ptr %shape, i64 %shape_skip
  br label %input
"""

_TARGETS: Final = f"""
; None in a plain call may stand for something.
stack:
  %no_parameters = icmp eq ptr %parameters, null
  %is_final = or i1 %were_found, %no_parameters
  br i1 %is_final, label %stacked, label %find
stacked:
  %takes_rows = icmp ne i64 %row_limit_count, 0
  br i1 %takes_rows, label %rows, label %decline
rows:
  %batch_result = call ptr @rows(ptr %context, ptr %objects, ptr %given)
  %no_batch = icmp eq ptr %batch_result, null
  br i1 %no_batch, label %decline, label %return_rows
return_rows:
  ret ptr %batch_result
results:
  %one_state = load ptr, ptr %entries
  %fresh_entry = getelementptr ptr, ptr %entries, i64 1
  %fresh = load ptr, ptr %fresh_entry
  %no_code = icmp eq ptr %one_state, null
  br i1 %no_code, label %decline, label %coded
coded:
  br i1 %to_new, label %to_array, label %run_bound
run_bound:
  %status_bound = call i64 %one_state(ptr %into, ptr %targets)
  %clean_bound = icmp eq i64 %status_bound, 0
  br i1 %clean_bound, label %copy_next, label %decline
{copy_all(before="run_bound", then="copied")}copied:
  %calls = load i64, ptr %counter
  %calls_next = add i64 %calls, 1
  store i64 %calls_next, ptr %counter
  call void $Py_IncRef(ptr $None)
  ret ptr $None
"""

_ARRAYS: Final = f"""
to_array:
  %is_new = icmp eq ptr %given, null
  br i1 %is_new, label %output, label %next_given
next_given:
  %n = phi i64 [0, %to_array], [%n_next, %keep_given]
  %g_shape = phi ptr [%shape, %to_array], [%g_shape_next, %keep_given]
{RESULT_TAKEN}  %result_data = call ptr @numbers(ptr %result, ptr %g_shape, i32 $WRITE_PACKED)
  %is_unfit = icmp eq ptr %result_data, null
  br i1 %is_unfit, label %release, label %fit_given
fit_given:
  %g_numbers = add i64 %g_size, 0
{RESULT_KEPT}output:
  %o = phi i64 [0, %to_array], [%o_next, %new_made]
  %o_shape = phi ptr [%shape, %to_array], [%o_shape_next, %new_made]
  %more_outputs = icmp ult i64 %o, %output_count
  br i1 %more_outputs, label %make, label %run
make:
  %o_axes = load i64, ptr %o_shape
  %o_axes_32 = trunc i64 %o_axes to i32
  %o_lengths = getelementptr i64, ptr %o_shape, i64 1
  %new = call ptr $PyArray_New(ptr $ndarray, i32 %o_axes_32, ptr %o_lengths, i32 $DOUBLE, $no_data)
{RESULT_MADE}  %o_skip = add i64 %o_axes, 1
  %o_shape_next = getelementptr i64, ptr %o_shape, i64 %o_skip
  br label %output
run:
  %code = phi ptr [%one_state, %next_given], [%fresh, %output]
  %status = call i64 %code(ptr %into, ptr %out)
  %clean = icmp eq i64 %status, 0
  br i1 %clean, label %finish, label %release
{FINISH}
; Give the arrays made so far back. Then either there was no memory, and an exception is set, or the status was bad.
release:
  %held = phi i64 [%o, %make], [%output_count, %run], [%output_count, %tuple],
    [%n, %take_given], [%n, %look_at_given], [%n, %fit_given]
  %to_slow = phi i1 [false, %make], [true, %run], [false, %tuple],
    [true, %take_given], [true, %look_at_given], [true, %fit_given]
{give_back(then="released")}released:
  br i1 %to_slow, label %decline, label %no_memory
no_memory:
  ret ptr null
"""

_DECLINE: Final = """
; Overloads have no fallback of their own.
decline:
  %first_asks_at = getelementptr i64, ptr %first_context, i64 $HAS_FALLBACK
  %first_asks = load i64, ptr %first_asks_at
  %asks = icmp ne i64 %first_asks, 0
  br i1 %asks, label %ask, label %refuse
ask:
  %answer = call ptr $PyObject_Vectorcall(ptr %self, ptr %args, i64 %count, ptr %keywords)
  ret ptr %answer
refuse:
  call void $Py_IncRef(ptr $NotImplemented)
  ret ptr $NotImplemented
}
"""


def builtin_module(addresses: Mapping[str, int]) -> str:
    """Return the module; `addresses` are those of `abi.addresses`."""
    loads = context_loads(CONTEXT)
    rows = rows_ir.HELPERS + rows_ir.STACKED + rows_ir.BEGIN + loads + rows_ir.INPUTS + rows_ir.RESULTS
    find = parameters_ir.FIND_ARGUMENTS + loads + parameters_ir.MATCH_ARGUMENTS
    repeated = rollout_ir.BEGIN + loads + rollout_ir.INPUTS + rollout_ir.STEPS
    one_call = _BEGIN + loads + _CHECKS + _ARGUMENTS + _TARGETS + _ARRAYS + _DECLINE
    text = NUMBERS + GIVEN_RESULTS + IS_APART + rows + repeated + find + one_call
    limits = {
        "HAS_FALLBACK": CONTEXT.index("has_fallback"),
        "MAX_PORTS": MAX_PORTS,
        "MAX_AXES": rows_ir.MAX_AXES,
        "MAX_LAYOUT_WORDS": rows_ir.MAX_LAYOUT_WORDS,
    }
    return filled(text, addresses, **limits, **parameters_ir.NUMBERS)
