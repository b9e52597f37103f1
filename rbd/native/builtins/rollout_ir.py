"""LLVM IR of rollouts in builtins of compiled programs: many calls, each of which reads the results of the one before.

A program whose outputs have the names and shapes of its first inputs, such as a time step, is called as often as the
last argument says. New arrays have a row for the start and one for each call. One input, the series, may have a row per
call. All inputs may have one leading axis if the first one has it: the code for one state takes all calls of a row,
then those of the next. Batches have a quarter of the calls that one state may have: more are faster in code for rows.
Everything else, long rollouts and failed steps are declined.
"""

from __future__ import annotations

from typing import Final

from rbd.native.builtins.ir_parts import FINISH, IS_ARRAY, RESULT_MADE, give_back

BEGIN: Final = """
; The results of a rollout; null where it is none, or a step failed.
define internal ptr @rollout(ptr %context, ptr %objects) nounwind {
begin:
  %bases = alloca [$MAX_PORTS x ptr], align 16
  %row_bytes = alloca [$MAX_PORTS x i64], align 16
  %moves = alloca [$MAX_PORTS x i64], align 16
  %into = alloca [$MAX_PORTS x ptr], align 16
  %out = alloca [$MAX_PORTS x ptr], align 16
  %starts = alloca [$MAX_PORTS x ptr], align 16
  %made = alloca [$MAX_PORTS x ptr], align 16
  %lengths = alloca [3 x i64], align 16
  %long_shape = alloca [$MAX_AXES x i64], align 16
"""

INPUTS: Final = f"""
  %one_state = load ptr, ptr %entries
  %no_code = icmp eq ptr %one_state, null
  br i1 %no_code, label %wrong, label %size
size:
  %input_count = sub i64 %argument_count, 1
  %steps_at = getelementptr ptr, ptr %objects, i64 %input_count
  %steps_object = load ptr, ptr %steps_at
  %steps_type_at = getelementptr i8, ptr %steps_object, i64 $OBJECT_TYPE
  %steps_type = load ptr, ptr %steps_type_at
  %is_whole = icmp eq ptr %steps_type, $int
  br i1 %is_whole, label %whole, label %wrong
whole:
  %steps = call i64 $PyLong_AsLong(ptr %steps_object)
  %some = icmp sgt i64 %steps, 0
  br i1 %some, label %first, label %none
none:
  call void $PyErr_Clear()
  br label %wrong
; The first input has the leading axis, or none has it.
first:
  %object = load ptr, ptr %objects
{IS_ARRAY}  br i1 %is_array, label %axes_of_first, label %wrong
axes_of_first:
  %first_own = load i64, ptr %shapes
  %first_axes_at = getelementptr i8, ptr %object, i64 $ARRAY_NDIM
  %first_axes_32 = load i32, ptr %first_axes_at
  %first_axes = zext i32 %first_axes_32 to i64
  %lead_axes = sub i64 %first_axes, %first_own
  %is_one = icmp eq i64 %lead_axes, 0
  %is_batch = icmp eq i64 %lead_axes, 1
  br i1 %is_batch, label %count_rows, label %limit
count_rows:
  %first_lengths_at = getelementptr i8, ptr %object, i64 $ARRAY_SHAPE
  %first_lengths = load ptr, ptr %first_lengths_at
  %rows_found = load i64, ptr %first_lengths
  br label %limit
limit:
  %rows = phi i64 [1, %axes_of_first], [%rows_found, %count_rows]
  %fits_axes = or i1 %is_one, %is_batch
  %steps_fit = icmp sle i64 %steps, %row_limit_count
  %rows_fit = icmp ule i64 %rows, %row_limit_count
  %fit_0 = and i1 %fits_axes, %steps_fit
  %fit_1 = and i1 %fit_0, %rows_fit
  br i1 %fit_1, label %prepare, label %wrong
prepare:
  %calls = mul i64 %rows, %steps
  %calls_of_batch = shl i64 %calls, 2
  %calls_counted = select i1 %is_batch, i64 %calls_of_batch, i64 %calls
  %calls_fit = icmp sle i64 %calls_counted, %row_limit_count
  %any_rows = icmp ne i64 %rows, 0
  %is_short = and i1 %calls_fit, %any_rows
  %times = add i64 %steps, 1
  store i64 %rows, ptr %lengths
  %times_at = getelementptr i64, ptr %lengths, i64 1
  store i64 %times, ptr %times_at
  %width_at = getelementptr i64, ptr %lengths, i64 2
  %lengths_new = select i1 %is_batch, ptr %lengths, ptr %times_at
  %axes_new = select i1 %is_batch, i32 3, i32 2
  br i1 %is_short, label %input, label %wrong
input:
  %k = phi i64 [0, %prepare], [%k_next, %taken]
  %shape = phi ptr [%shapes, %prepare], [%shape_next, %taken]
  %more_inputs = icmp ult i64 %k, %input_count
  br i1 %more_inputs, label %take, label %output
take:
  %k_next = add i64 %k, 1
  %axes = load i64, ptr %shape
  %own = getelementptr i64, ptr %shape, i64 1
  %own_bytes = shl i64 %axes, 3
  %shape_next = getelementptr i64, ptr %own, i64 %axes
  %entries_of = call i64 @product(ptr %own, i64 %axes)
  %bytes = shl i64 %entries_of, 3
  %object_at = getelementptr ptr, ptr %objects, i64 %k
  %input_object = load ptr, ptr %object_at
  %constant = call ptr @numbers(ptr %input_object, ptr %shape, i32 $READ)
  %no_constant = icmp eq ptr %constant, null
  br i1 %no_constant, label %with_rows, label %taken
with_rows:
  %long_axes = add i64 %axes, %lead_axes
  store i64 %long_axes, ptr %long_shape
  %long_first = getelementptr i64, ptr %long_shape, i64 1
  store i64 %rows, ptr %long_first
  %long_own = getelementptr i64, ptr %long_first, i64 %lead_axes
  call void @llvm.memcpy.p0.p0.i64(ptr %long_own, ptr %own, i64 %own_bytes, i1 false)
  %by_row = call ptr @numbers(ptr %input_object, ptr %long_shape, i32 $READ)
  %no_rows = icmp eq ptr %by_row, null
  br i1 %no_rows, label %other, label %taken
other:
  %is_series = icmp eq i64 %k, %series
  br i1 %is_series, label %with_steps, label %wrong
with_steps:
  %longer_axes = add i64 %long_axes, 1
  store i64 %longer_axes, ptr %long_shape
  store i64 %steps, ptr %long_own
  %longer_own = getelementptr i64, ptr %long_own, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr %longer_own, ptr %own, i64 %own_bytes, i1 false)
  %series_bytes = mul i64 %bytes, %steps
  %by_step = call ptr @numbers(ptr %input_object, ptr %long_shape, i32 $READ)
  %no_steps = icmp eq ptr %by_step, null
  br i1 %no_steps, label %wrong, label %taken
taken:
  %data = phi ptr [%constant, %take], [%by_row, %with_rows], [%by_step, %with_steps]
  %move = phi i64 [0, %take], [0, %with_rows], [%bytes, %with_steps]
  %row_move = phi i64 [0, %take], [%bytes, %with_rows], [%series_bytes, %with_steps]
  %base_at = getelementptr ptr, ptr %bases, i64 %k
  store ptr %data, ptr %base_at
  %move_at = getelementptr i64, ptr %moves, i64 %k
  store i64 %move, ptr %move_at
  %row_move_at = getelementptr i64, ptr %row_bytes, i64 %k
  store i64 %row_move, ptr %row_move_at
  br label %input
"""

STEPS: Final = f"""
output:
  %o = phi i64 [0, %input], [%o_next, %new_made]
  %o_shape = phi ptr [%shape, %input], [%o_shape_next, %new_made]
  %more_outputs = icmp ult i64 %o, %output_count
  br i1 %more_outputs, label %make, label %row
make:
  %o_length_at = getelementptr i64, ptr %o_shape, i64 1
  %o_length = load i64, ptr %o_length_at
  %o_shape_next = getelementptr i64, ptr %o_shape, i64 2
  store i64 %o_length, ptr %width_at
  %new = call ptr $PyArray_New(ptr $ndarray, i32 %axes_new, ptr %lengths_new, i32 $DOUBLE, $no_data)
{RESULT_MADE}  %o_bytes = shl i64 %o_length, 3
  %o_start_at = getelementptr ptr, ptr %starts, i64 %o
  store ptr %new_data, ptr %o_start_at
  %o_move_at = getelementptr i64, ptr %moves, i64 %o
  store i64 %o_bytes, ptr %o_move_at
  br label %output
row:
  %r = phi i64 [0, %output], [%r_next, %step]
  %more_rows = icmp ult i64 %r, %rows
  br i1 %more_rows, label %row_input, label %finish
row_input:
  %a = phi i64 [0, %row], [%a_next, %place_input]
  %more_to_place = icmp ult i64 %a, %input_count
  br i1 %more_to_place, label %place_input, label %row_output
place_input:
  %a_next = add i64 %a, 1
  %a_base_at = getelementptr ptr, ptr %bases, i64 %a
  %a_base = load ptr, ptr %a_base_at
  %a_bytes_at = getelementptr i64, ptr %row_bytes, i64 %a
  %a_bytes = load i64, ptr %a_bytes_at
  %a_offset = mul i64 %a_bytes, %r
  %a_place = getelementptr i8, ptr %a_base, i64 %a_offset
  %a_into_at = getelementptr ptr, ptr %into, i64 %a
  store ptr %a_place, ptr %a_into_at
  br label %row_input
row_output:
  %b = phi i64 [0, %row_input], [%b_next, %place_output]
  %r_next = add i64 %r, 1
  %more_to_start = icmp ult i64 %b, %output_count
  br i1 %more_to_start, label %place_output, label %step
place_output:
  %b_next = add i64 %b, 1
  %b_move_at = getelementptr i64, ptr %moves, i64 %b
  %b_bytes = load i64, ptr %b_move_at
  %b_row_bytes = mul i64 %b_bytes, %times
  %b_offset = mul i64 %b_row_bytes, %r
  %b_start_at = getelementptr ptr, ptr %starts, i64 %b
  %b_start = load ptr, ptr %b_start_at
  %b_row = getelementptr i8, ptr %b_start, i64 %b_offset
  %b_into_at = getelementptr ptr, ptr %into, i64 %b
  %b_from = load ptr, ptr %b_into_at
  call void @llvm.memcpy.p0.p0.i64(ptr %b_row, ptr %b_from, i64 %b_bytes, i1 false)
  store ptr %b_row, ptr %b_into_at
  %b_second = getelementptr i8, ptr %b_row, i64 %b_bytes
  %b_out_at = getelementptr ptr, ptr %out, i64 %b
  store ptr %b_second, ptr %b_out_at
  br label %row_output
step:
  %t = phi i64 [0, %row_output], [%t_next, %next_target]
  %more_steps = icmp slt i64 %t, %steps
  br i1 %more_steps, label %run, label %row
run:
  %t_next = add i64 %t, 1
  %status = call i64 %one_state(ptr %into, ptr %out)
  %clean = icmp eq i64 %status, 0
  br i1 %clean, label %next_source, label %release
next_source:
  %i = phi i64 [0, %run], [%i_next, %move_source]
  %more_sources = icmp ult i64 %i, %input_count
  br i1 %more_sources, label %move_source, label %next_target
move_source:
  %i_next = add i64 %i, 1
  %i_move_at = getelementptr i64, ptr %moves, i64 %i
  %i_move = load i64, ptr %i_move_at
  %source_at = getelementptr ptr, ptr %into, i64 %i
  %source = load ptr, ptr %source_at
  %source_next = getelementptr i8, ptr %source, i64 %i_move
  store ptr %source_next, ptr %source_at
  br label %next_source
next_target:
  %j = phi i64 [0, %next_source], [%j_next, %move_target]
  %more_targets = icmp ult i64 %j, %output_count
  br i1 %more_targets, label %move_target, label %step
move_target:
  %j_next = add i64 %j, 1
  %j_move_at = getelementptr i64, ptr %moves, i64 %j
  %j_move = load i64, ptr %j_move_at
  %target_at = getelementptr ptr, ptr %out, i64 %j
  %target = load ptr, ptr %target_at
  %target_next = getelementptr i8, ptr %target, i64 %j_move
  store ptr %target_next, ptr %target_at
  br label %next_target
{FINISH}
; Give the arrays made so far back; whoever is asked next finds out what is wrong.
release:
  %held = phi i64 [%o, %make], [%output_count, %run], [%output_count, %tuple]
  call void $PyErr_Clear()
{give_back(then="wrong")}wrong:
  ret ptr null
}}
"""
