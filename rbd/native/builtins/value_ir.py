"""LLVM IR of builtins that return framed values; CPython calls them for METH_NOARGS. `array_ir` is part of the module.

It looks at the owner and the guards, runs the passes whose inputs have changed since they last ran, and follows a list
of words: arithmetic on numbers in memory, then the construction of a Python object from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rbd.native.builtins.array_ir import ARRAY_TEXT
from rbd.native.builtins.ir_parts import COPY, FIND_CONTEXT, context_loads, filled, owner_and_guards, run_program

CONTEXT: Final = (
    *("owner", "guards", "guard_count", "q_version", "v_version", "passes", "pass_count", "words"),
    *("memo", "memo_list"),
)
"""The words of the structure the builtin is bound to:

    owner                   word with the thread that may call
    guards, guard_count     pairs of an address and what must be there
    q_version, v_version    words that count changes of q and v
    passes, pass_count      four words per pass: code, inputs, outputs, and the versions of q and v it last ran for
    words                   the list: a code (its place in CODES), then its arguments
    memo, memo_list         versions of q and v of the last object, and the list that holds it
"""
CODES: Final = {
    "RETURN": 1,
    "GATHER": 4,
    "CALL": 5,
    "FINITE": 3,
    "NUMBER": 2,
    "OBJECT": 2,
    "TUPLE": 2,
    "INSTANCE": 3,
    "ARRAY": 5,
    "UPDATE": 2,
}
"""Codes, and their words with arguments, without the `...`:

    RETURN                          the object is complete
    GATHER n, table, to             copy numbers from n addresses
    CALL function, a, b, to         arithmetic of three addresses
    FINITE n, at                    refuse unless n numbers are finite
    NUMBER at                       push a float
    OBJECT object                   push an object
    TUPLE n                         replace n objects by a tuple
    INSTANCE type, n, offsets ...   replace n objects by an instance with these slots
    ARRAY at, bytes, order, n, lengths ...  push a new array of n axes with a copy of the numbers
    UPDATE n, words ...             write the numbers into the object of the last call, and return it, if nobody else
                                    has it: n words, four for each of UPDATES
"""
RETURN, GATHER, CALL, FINITE, NUMBER, OBJECT, TUPLE, INSTANCE, ARRAY, UPDATE = range(len(CODES))
UPDATES: Final = ("DOWN", "UP", "SET", "COPY_NUMBERS", "EMPTY")
"""How the object of the last call is updated, beginning at it; each object on the way must have one reference:

    DOWN offset                     go on to the object in this place
    UP                              go back
    SET offset, at                  write the number of the float in this place
    COPY_NUMBERS offset, at, bytes  write the numbers of the array in this place
    EMPTY offset                    refuse unless nothing is in this place
"""
DOWN, UP, SET, COPY_NUMBERS, EMPTY = range(len(UPDATES))
LEVELS: Final = 8
"""Objects that contain each other, at most."""
MAX_OBJECTS: Final = 128
"""Objects on the stack, at most."""

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

run:
  %at = phi ptr [%words, %pass], [%after_gather, %gather], [%after_call, %call], [%after_finite, %finite],
      [%after_number, %numbered], [%after_object, %object], [%after_tuple, %filled], [%after_instance, %set],
      [%after_array, %copied], [%after_update, %rebuild]
  %depth = phi i64 [0, %pass], [%depth, %gather], [%depth, %call], [%depth, %finite],
      [%depth_number, %numbered], [%depth_object, %object], [%depth_tuple, %filled], [%depth_instance, %set],
      [%depth_array, %copied], [%depth, %rebuild]
  %code = load i64, ptr %at
  %a_at = getelementptr i64, ptr %at, i64 1
  %b_at = getelementptr i64, ptr %at, i64 2
  %c_at = getelementptr i64, ptr %at, i64 3
  switch i64 %code, label %complete [
    i64 $GATHER, label %gather_begin
    i64 $CALL, label %call
    i64 $FINITE, label %finite_begin
    i64 $NUMBER, label %number
    i64 $OBJECT, label %object
    i64 $TUPLE, label %tuple
    i64 $INSTANCE, label %instance
    i64 $ARRAY, label %array
    i64 $UPDATE, label %update
  ]

gather_begin:
  %gather_count = load i64, ptr %a_at
  %gather_table = load ptr, ptr %b_at
  %gather_to = load ptr, ptr %c_at
  %after_gather = getelementptr i64, ptr %at, i64 4
  br label %gather_one
gather_one:
  %i = phi i64 [0, %gather_begin], [%i_next, %gather_one]
  %from_at = getelementptr ptr, ptr %gather_table, i64 %i
  %from = load ptr, ptr %from_at
  %entry = load double, ptr %from
  %to = getelementptr double, ptr %gather_to, i64 %i
  store double %entry, ptr %to
  %i_next = add i64 %i, 1
  %more_entries = icmp slt i64 %i_next, %gather_count
  br i1 %more_entries, label %gather_one, label %gather
gather:
  br label %run

call:
  %function = load ptr, ptr %a_at
  %left = load ptr, ptr %b_at
  %right = load ptr, ptr %c_at
  %result_at = getelementptr i64, ptr %at, i64 4
  %result = load ptr, ptr %result_at
  call void %function(ptr %left, ptr %right, ptr %result)
  %after_call = getelementptr i64, ptr %at, i64 5
  br label %run

finite_begin:
  %finite_count = load i64, ptr %a_at
  %finite_at = load ptr, ptr %b_at
  %after_finite = getelementptr i64, ptr %at, i64 3
  br label %finite_one
finite_one:
  %f = phi i64 [0, %finite_begin], [%f_next, %finite_more]
  %number_at = getelementptr double, ptr %finite_at, i64 %f
  %size_of = load double, ptr %number_at
  %size = call double @llvm.fabs.f64(double %size_of)
  %is_finite = fcmp olt double %size, 0x7FF0000000000000
  br i1 %is_finite, label %finite_more, label %refuse
finite_more:
  %f_next = add i64 %f, 1
  %finite_left = icmp slt i64 %f_next, %finite_count
  br i1 %finite_left, label %finite_one, label %finite
finite:
  br label %run

number:
  %value_at = load ptr, ptr %a_at
  %value_of = load double, ptr %value_at
  %float = call ptr $PyFloat_FromDouble(double %value_of)
  %no_float = icmp eq ptr %float, null
  br i1 %no_float, label %drop, label %numbered
numbered:
  %number_to = getelementptr ptr, ptr %stack, i64 %depth
  store ptr %float, ptr %number_to
  %depth_number = add i64 %depth, 1
  %after_number = getelementptr i64, ptr %at, i64 2
  br label %run

object:
  %thing = load ptr, ptr %a_at
  call void $Py_IncRef(ptr %thing)
  %object_to = getelementptr ptr, ptr %stack, i64 %depth
  store ptr %thing, ptr %object_to
  %depth_object = add i64 %depth, 1
  %after_object = getelementptr i64, ptr %at, i64 2
  br label %run

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
  %tuple_to = getelementptr ptr, ptr %stack, i64 %base
  store ptr %made, ptr %tuple_to
  %depth_tuple = add i64 %base, 1
  %after_tuple = getelementptr i64, ptr %at, i64 2
  br label %run

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
  %instance_to = getelementptr ptr, ptr %stack, i64 %slots_base
  store ptr %new, ptr %instance_to
  %depth_instance = add i64 %slots_base, 1
  %after_instance = getelementptr i64, ptr %c_at, i64 %slot_count
  br label %run

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
  %array_to = getelementptr ptr, ptr %stack, i64 %depth
  store ptr %new_array, ptr %array_to
  %depth_array = add i64 %depth, 1
  %after_array = getelementptr i64, ptr %lengths, i64 %axes
  br label %run

; The object of the last call, if this builtin has the only reference to it and to its parts: nobody sees a change.
update:
  %update_words = load i64, ptr %a_at
  %after_update = getelementptr i64, ptr %b_at, i64 %update_words
  %last = call ptr $PyList_GetItem(ptr %memo_list, i64 0)
  %last_references = load i32, ptr %last
  %last_is_ours = icmp eq i32 %last_references, 1
  store ptr %last, ptr %levels
  br i1 %last_is_ours, label %update_next, label %rebuild
rebuild:
  br label %run
update_next:
  %u = phi i64 [0, %update], [%u_next, %down], [%u_next, %up], [%u_next, %write], [%u_next, %write_all],
      [%u_next, %empty]
  %level = phi i64 [0, %update], [%level_down, %down], [%level_up, %up], [%level, %write], [%level, %write_all],
      [%level, %empty]
  %more_updates = icmp slt i64 %u, %update_words
  br i1 %more_updates, label %update_one, label %updated
update_one:
  %u_at = getelementptr i64, ptr %b_at, i64 %u
  %u_next = add i64 %u, 4
  %u_code = load i64, ptr %u_at
  %u_a_at = getelementptr i64, ptr %u_at, i64 1
  %u_b_at = getelementptr i64, ptr %u_at, i64 2
  %u_c_at = getelementptr i64, ptr %u_at, i64 3
  %level_up = sub i64 %level, 1
  %is_up = icmp eq i64 %u_code, $UP
  br i1 %is_up, label %up, label %part_of
up:
  br label %update_next
part_of:
  %here_at = getelementptr ptr, ptr %levels, i64 %level
  %here = load ptr, ptr %here_at
  %u_offset = load i64, ptr %u_a_at
  %child_at = getelementptr i8, ptr %here, i64 %u_offset
  %child = load ptr, ptr %child_at
  %is_empty = icmp eq i64 %u_code, $EMPTY
  br i1 %is_empty, label %empty, label %owned
empty:
  %no_child = icmp eq ptr %child, null
  br i1 %no_child, label %update_next, label %rebuild
owned:
  %references = load i32, ptr %child
  %is_ours = icmp eq i32 %references, 1
  br i1 %is_ours, label %change, label %rebuild
change:
  %u_number = load ptr, ptr %u_b_at
  switch i64 %u_code, label %down [
    i64 $SET, label %write
    i64 $COPY_NUMBERS, label %write_all
  ]
down:
  %level_down = add i64 %level, 1
  %level_at = getelementptr ptr, ptr %levels, i64 %level_down
  store ptr %child, ptr %level_at
  br label %update_next
write:
  %new_number = load double, ptr %u_number
  %float_at = getelementptr i8, ptr %child, i64 $FLOAT_VALUE
  store double %new_number, ptr %float_at
  br label %update_next
write_all:
  %u_bytes = load i64, ptr %u_c_at
  %held_at = getelementptr i8, ptr %child, i64 $ARRAY_DATA
  %held = load ptr, ptr %held_at
  call void @llvm.memcpy.p0.p0.i64(ptr %held, ptr %u_number, i64 %u_bytes, i1 false)
  br label %update_next
updated:
  call void $Py_IncRef(ptr %last)
  store i64 %q_now, ptr %memo
  store i64 %v_now, ptr %memo_v_at
  ret ptr %last

complete:
  %whole = load ptr, ptr %stack
  call void $Py_IncRef(ptr %whole)
  %kept = call i32 $PyList_SetItem(ptr %memo_list, i64 0, ptr %whole)
  store i64 %q_now, ptr %memo
  store i64 %v_now, ptr %memo_v_at
  ret ptr %whole

; No memory: give back what is on the stack; an exception is set.
drop:
  %left_over = phi i64 [%depth, %number], [%depth, %tuple], [%depth, %instance], [%depth, %array],
      [%one_less, %drop_one]
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
refuse:
  call void $Py_IncRef(ptr $NotImplemented)
  ret ptr $NotImplemented
}}
"""


def value_module(addresses: Mapping[str, int]) -> str:
    """Return the module; `addresses` are those of `abi.addresses`."""
    codes = {name: k for k, name in enumerate(CODES)}
    codes |= {name: k for k, name in enumerate(UPDATES)} | {"MAX_OBJECTS": MAX_OBJECTS, "LEVELS": LEVELS}
    return filled(ARRAY_TEXT + _BEGIN + context_loads(CONTEXT) + _VALUE, addresses, **codes)
