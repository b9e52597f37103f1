"""LLVM IR of rollouts in builtins of compiled programs: many calls, each of which reads the results of the one before.

A program whose outputs have the names and shapes of its first inputs, such as a time step, is called as often as the
last argument says. New arrays have a row for the start and one for each call. One input may have a row per call.
Everything else, long rollouts and failed steps are declined.
"""

from __future__ import annotations

from typing import Final

from rbd.native.builtins.ir_parts import FINISH, RESULT_MADE, give_back

BEGIN: Final = """
; The results of a rollout from one state; null where it is none, or a step failed.
define internal ptr @rollout(ptr %context, ptr %objects) nounwind {
begin:
  %into = alloca [$MAX_PORTS x ptr], align 16
  %moves = alloca [$MAX_PORTS x i64], align 16
  %out = alloca [$MAX_PORTS x ptr], align 16
  %made = alloca [$MAX_PORTS x ptr], align 16
  %lengths = alloca [2 x i64], align 16
  %series_shape = alloca [3 x i64], align 16
"""

INPUTS: Final = """
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
  br i1 %some, label %limit, label %none
none:
  call void $PyErr_Clear()
  br label %wrong
limit:
  %times = add i64 %steps, 1
  store i64 %times, ptr %lengths
  %width_at = getelementptr i64, ptr %lengths, i64 1
  store i64 2, ptr %series_shape
  %series_rows_at = getelementptr i64, ptr %series_shape, i64 1
  store i64 %steps, ptr %series_rows_at
  %series_width_at = getelementptr i64, ptr %series_shape, i64 2
  %is_short = icmp sle i64 %steps, %row_limit_count
  br i1 %is_short, label %input, label %wrong
input:
  %k = phi i64 [0, %limit], [%k_next, %taken]
  %shape = phi ptr [%shapes, %limit], [%shape_next, %taken]
  %more_inputs = icmp ult i64 %k, %input_count
  br i1 %more_inputs, label %take, label %output
take:
  %k_next = add i64 %k, 1
  %axes = load i64, ptr %shape
  %own = getelementptr i64, ptr %shape, i64 1
  %shape_next = getelementptr i64, ptr %own, i64 %axes
  %object_at = getelementptr ptr, ptr %objects, i64 %k
  %object = load ptr, ptr %object_at
  %constant = call ptr @numbers(ptr %object, ptr %shape, i32 $READ)
  %no_constant = icmp eq ptr %constant, null
  br i1 %no_constant, label %other, label %taken
other:
  %is_series = icmp eq i64 %k, %series
  br i1 %is_series, label %rows, label %wrong
rows:
  %width = load i64, ptr %own
  store i64 %width, ptr %series_width_at
  %row_bytes = shl i64 %width, 3
  %first_row = call ptr @numbers(ptr %object, ptr %series_shape, i32 $READ)
  %no_rows = icmp eq ptr %first_row, null
  br i1 %no_rows, label %wrong, label %taken
taken:
  %data = phi ptr [%constant, %take], [%first_row, %rows]
  %move = phi i64 [0, %take], [%row_bytes, %rows]
  %into_at = getelementptr ptr, ptr %into, i64 %k
  store ptr %data, ptr %into_at
  %move_at = getelementptr i64, ptr %moves, i64 %k
  store i64 %move, ptr %move_at
  br label %input
"""

STEPS: Final = f"""
output:
  %o = phi i64 [0, %input], [%o_next, %new_made]
  %o_shape = phi ptr [%shape, %input], [%o_shape_next, %new_made]
  %more_outputs = icmp ult i64 %o, %output_count
  br i1 %more_outputs, label %make, label %step
make:
  %o_length_at = getelementptr i64, ptr %o_shape, i64 1
  %o_length = load i64, ptr %o_length_at
  %o_shape_next = getelementptr i64, ptr %o_shape, i64 2
  store i64 %o_length, ptr %width_at
  %new = call ptr $PyArray_New(ptr $ndarray, i32 2, ptr %lengths, i32 $DOUBLE, $no_data)
{RESULT_MADE}  %o_bytes = shl i64 %o_length, 3
  %o_from_at = getelementptr ptr, ptr %into, i64 %o
  %o_from = load ptr, ptr %o_from_at
  call void @llvm.memcpy.p0.p0.i64(ptr %new_data, ptr %o_from, i64 %o_bytes, i1 false)
  store ptr %new_data, ptr %o_from_at
  %o_move_at = getelementptr i64, ptr %moves, i64 %o
  store i64 %o_bytes, ptr %o_move_at
  %o_second = getelementptr i8, ptr %new_data, i64 %o_bytes
  store ptr %o_second, ptr %out_at
  br label %output
step:
  %t = phi i64 [0, %output], [%t_next, %next_target]
  %more_steps = icmp slt i64 %t, %steps
  br i1 %more_steps, label %run, label %finish
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
