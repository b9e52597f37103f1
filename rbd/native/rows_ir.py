"""The part of builtins that computes small batches, as LLVM IR.

Arguments have the shape the kernel wants, and are the same for all rows, or have leading axes before it: the same ones
in all arguments that have any. Everything else is declined; large batches too, which must not hold the interpreter's
lock.
"""

from __future__ import annotations

from typing import Final

MOST_AXES: Final = 64
"""Axes of an array, at most."""

STACKED: Final = """
; The numbers of a float64 array of this shape behind leading axes of these lengths; null for everything else.
define internal ptr @stacked(ptr %thing, ptr %shape, i32 %flags, i64 %lead_axes, ptr %lead) nounwind {
begin:
  %type_at = getelementptr i8, ptr %thing, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_array = icmp eq ptr %type, $ndarray
  br i1 %is_array, label %array, label %wrong
array:
  %dtype_at = getelementptr i8, ptr %thing, i64 $ARRAY_DTYPE
  %dtype = load ptr, ptr %dtype_at
  %is_double = icmp eq ptr %dtype, $float64
  %flags_at = getelementptr i8, ptr %thing, i64 $ARRAY_FLAGS
  %flags_found = load i32, ptr %flags_at
  %flags_set = and i32 %flags_found, %flags
  %flags_fit = icmp eq i32 %flags_set, %flags
  %axes_at = getelementptr i8, ptr %thing, i64 $ARRAY_NDIM
  %axes_found = load i32, ptr %axes_at
  %axes_found_64 = zext i32 %axes_found to i64
  %own = load i64, ptr %shape
  %axes = add i64 %own, %lead_axes
  %axes_fit = icmp eq i64 %axes_found_64, %axes
  %fit_0 = and i1 %is_double, %flags_fit
  %fit = and i1 %fit_0, %axes_fit
  br i1 %fit, label %lengths, label %wrong
lengths:
  %lengths_at = getelementptr i8, ptr %thing, i64 $ARRAY_SHAPE
  %lengths_found = load ptr, ptr %lengths_at
  br label %axis
axis:
  %i = phi i64 [0, %lengths], [%following, %compare]
  %more = icmp ult i64 %i, %axes
  br i1 %more, label %compare, label %good
compare:
  %following = add i64 %i, 1
  %found_at = getelementptr i64, ptr %lengths_found, i64 %i
  %found = load i64, ptr %found_at
  %is_lead = icmp ult i64 %i, %lead_axes
  %lead_at = getelementptr i64, ptr %lead, i64 %i
  %behind = sub i64 %following, %lead_axes
  %own_at = getelementptr i64, ptr %shape, i64 %behind
  %wanted_at = select i1 %is_lead, ptr %lead_at, ptr %own_at
  %wanted = load i64, ptr %wanted_at
  %same = icmp eq i64 %found, %wanted
  br i1 %same, label %axis, label %wrong
good:
  %data_at = getelementptr i8, ptr %thing, i64 $ARRAY_DATA
  %data = load ptr, ptr %data_at
  ret ptr %data
wrong:
  ret ptr null
}

; The product of lengths.
define internal i64 @product(ptr %lengths, i64 %axes) nounwind {
begin:
  br label %axis
axis:
  %i = phi i64 [0, %begin], [%following, %multiply]
  %product = phi i64 [1, %begin], [%next, %multiply]
  %more = icmp ult i64 %i, %axes
  br i1 %more, label %multiply, label %done
multiply:
  %following = add i64 %i, 1
  %length_at = getelementptr i64, ptr %lengths, i64 %i
  %length = load i64, ptr %length_at
  %next = mul i64 %product, %length
  br label %axis
done:
  ret i64 %product
}
"""

BEGIN: Final = """
; The result for a batch of few rows; null where it is none, or a row failed.
define internal ptr @rows(ptr %context, ptr %args, i64 %count, ptr %keywords) nounwind {
begin:
  %into = alloca [$MOST x ptr], align 16
  %strides = alloca [$MOST x i64], align 16
  %sizes = alloca [$MOST x i64], align 16
  %out = alloca [$MOST x ptr], align 16
  %made = alloca [$MOST x ptr], align 16
  %lengths = alloca [$MOST_AXES x i64], align 16
  %status = alloca i64, align 8
"""

INPUTS: Final = """
  %batch_at_entry = getelementptr ptr, ptr %entries, i64 2
  %batch = load ptr, ptr %batch_at_entry
  %ready = icmp ne ptr %batch, null
  br i1 %ready, label %input, label %wrong
input:
  %k = phi i64 [0, %begin], [%k_next, %fixed], [%k_next, %stacked_one]
  %shape = phi ptr [%shapes, %begin], [%shape_next, %fixed], [%shape_next, %stacked_one]
  %lead_axes = phi i64 [0, %begin], [%lead_axes, %fixed], [%lead_axes_now, %stacked_one]
  %lead = phi ptr [null, %begin], [%lead, %fixed], [%lead_now, %stacked_one]
  %more_inputs = icmp ult i64 %k, %argument_count
  br i1 %more_inputs, label %take, label %all_taken
take:
  %k_next = add i64 %k, 1
  %axes = load i64, ptr %shape
  %own = getelementptr i64, ptr %shape, i64 1
  %shape_next = getelementptr i64, ptr %own, i64 %axes
  %size = call i64 @product(ptr %own, i64 %axes)
  %thing_at = getelementptr ptr, ptr %args, i64 %k
  %thing = load ptr, ptr %thing_at
  %into_at = getelementptr ptr, ptr %into, i64 %k
  %stride_at = getelementptr i64, ptr %strides, i64 %k
  %size_at = getelementptr i64, ptr %sizes, i64 %k
  store i64 %size, ptr %size_at
  %data = call ptr @numbers(ptr %thing, ptr %shape, i32 $READ)
  %is_fixed = icmp ne ptr %data, null
  br i1 %is_fixed, label %fixed, label %with_lead
fixed:
  store ptr %data, ptr %into_at
  store i64 0, ptr %stride_at
  br label %input
with_lead:
  %known = icmp ne ptr %lead, null
  br i1 %known, label %compare, label %first
; The first argument with leading axes says which they are.
first:
  %type_at = getelementptr i8, ptr %thing, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_array = icmp eq ptr %type, $ndarray
  br i1 %is_array, label %measure, label %wrong
measure:
  %ndim_at = getelementptr i8, ptr %thing, i64 $ARRAY_NDIM
  %ndim = load i32, ptr %ndim_at
  %ndim_64 = zext i32 %ndim to i64
  %lead_found = sub i64 %ndim_64, %axes
  %lengths_at = getelementptr i8, ptr %thing, i64 $ARRAY_SHAPE
  %lengths_found = load ptr, ptr %lengths_at
  %has_lead = icmp sgt i64 %lead_found, 0
  br i1 %has_lead, label %compare, label %wrong
compare:
  %lead_axes_now = phi i64 [%lead_axes, %with_lead], [%lead_found, %measure]
  %lead_now = phi ptr [%lead, %with_lead], [%lengths_found, %measure]
  %rows_data = call ptr @stacked(ptr %thing, ptr %shape, i32 $READ, i64 %lead_axes_now, ptr %lead_now)
  %is_stacked = icmp ne ptr %rows_data, null
  br i1 %is_stacked, label %stacked_one, label %wrong
stacked_one:
  store ptr %rows_data, ptr %into_at
  store i64 %size, ptr %stride_at
  br label %input
all_taken:
  %any_lead = icmp ne ptr %lead, null
  br i1 %any_lead, label %count_rows, label %wrong
count_rows:
  %rows = call i64 @product(ptr %lead, i64 %lead_axes)
  %few = icmp ule i64 %rows, %row_limit_count
  %some = icmp ne i64 %rows, 0
  %usable = and i1 %few, %some
  br i1 %usable, label %results, label %wrong
"""

RESULTS: Final = """
results:
  %lead_bytes = shl i64 %lead_axes, 3
  %to_new = icmp eq ptr %keywords, null
  br i1 %to_new, label %output, label %given
given:
  %result_at = getelementptr ptr, ptr %args, i64 %count
  %result = load ptr, ptr %result_at
  %result_data = call ptr @stacked(ptr %result, ptr %shape, i32 $WRITE, i64 %lead_axes, ptr %lead)
  %no_result = icmp eq ptr %result_data, null
  br i1 %no_result, label %wrong, label %apart
; What is written must not be read later: no input may lie in the memory of the result.
apart:
  %result_axes = load i64, ptr %shape
  %result_own = getelementptr i64, ptr %shape, i64 1
  %result_size = call i64 @product(ptr %result_own, i64 %result_axes)
  %result_numbers = mul i64 %result_size, %rows
  %result_end = getelementptr double, ptr %result_data, i64 %result_numbers
  br label %other
other:
  %a = phi i64 [0, %apart], [%a_next, %check]
  %more_others = icmp ult i64 %a, %argument_count
  br i1 %more_others, label %check, label %take_out
check:
  %a_next = add i64 %a, 1
  %a_data_at = getelementptr ptr, ptr %into, i64 %a
  %a_data = load ptr, ptr %a_data_at
  %a_stride_at = getelementptr i64, ptr %strides, i64 %a
  %a_stride = load i64, ptr %a_stride_at
  %a_size_at = getelementptr i64, ptr %sizes, i64 %a
  %a_size = load i64, ptr %a_size_at
  %a_reach = mul i64 %a_stride, %rows
  %a_longer = icmp ugt i64 %a_reach, %a_size
  %a_numbers = select i1 %a_longer, i64 %a_reach, i64 %a_size
  %a_end = getelementptr double, ptr %a_data, i64 %a_numbers
  %begins_before = icmp ult ptr %a_data, %result_end
  %ends_behind = icmp ult ptr %result_data, %a_end
  %overlap = and i1 %begins_before, %ends_behind
  br i1 %overlap, label %wrong, label %other
take_out:
  call void $Py_IncRef(ptr %result)
  store ptr %result, ptr %made
  store ptr %result_data, ptr %out
  br label %run

output:
  %o = phi i64 [0, %results], [%o_next, %new_made]
  %o_shape = phi ptr [%shape, %results], [%o_shape_next, %new_made]
  %more_outputs = icmp ult i64 %o, %output_count
  br i1 %more_outputs, label %make, label %run
make:
  %o_axes = load i64, ptr %o_shape
  %o_own = getelementptr i64, ptr %o_shape, i64 1
  %o_bytes = shl i64 %o_axes, 3
  %o_behind = getelementptr i64, ptr %lengths, i64 %lead_axes
  call void @llvm.memcpy.p0.p0.i64(ptr %lengths, ptr %lead, i64 %lead_bytes, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %o_behind, ptr %o_own, i64 %o_bytes, i1 false)
  %o_all = add i64 %o_axes, %lead_axes
  %o_all_32 = trunc i64 %o_all to i32
  %fits = icmp ule i64 %o_all, $MOST_AXES
  br i1 %fits, label %new_one, label %release
new_one:
  %new = call ptr $PyArray_New(ptr $ndarray, i32 %o_all_32, ptr %lengths, i32 $DOUBLE, $no_data)
  %no_new = icmp eq ptr %new, null
  br i1 %no_new, label %release, label %new_made
new_made:
  %made_at = getelementptr ptr, ptr %made, i64 %o
  store ptr %new, ptr %made_at
  %new_data_at = getelementptr i8, ptr %new, i64 $ARRAY_DATA
  %new_data = load ptr, ptr %new_data_at
  %out_at = getelementptr ptr, ptr %out, i64 %o
  store ptr %new_data, ptr %out_at
  %o_next = add i64 %o, 1
  %o_shape_next = getelementptr i64, ptr %o_own, i64 %o_axes
  br label %output
run:
  %bad = call i64 %batch(i64 0, i64 %rows, ptr %into, ptr %strides, ptr %out, ptr %status, ptr null)
  %clean = icmp slt i64 %bad, 0
  br i1 %clean, label %finish, label %release
finish:
  %is_single = icmp eq i64 %output_count, 1
  %only = load ptr, ptr %made
  br i1 %is_single, label %return_only, label %tuple
return_only:
  ret ptr %only
tuple:
  %packed = call ptr $PyTuple_New(i64 %output_count)
  %no_tuple = icmp eq ptr %packed, null
  br i1 %no_tuple, label %release, label %fill
fill:
  %f = phi i64 [0, %tuple], [%f_next, %put]
  %more_to_fill = icmp ult i64 %f, %output_count
  br i1 %more_to_fill, label %put, label %return_tuple
put:
  %put_at = getelementptr ptr, ptr %made, i64 %f
  %put_thing = load ptr, ptr %put_at
  %put_status = call i32 $PyTuple_SetItem(ptr %packed, i64 %f, ptr %put_thing)
  %f_next = add i64 %f, 1
  br label %fill
return_tuple:
  ret ptr %packed

; Give the arrays made so far back; whoever is asked next finds out what is wrong.
release:
  %held = phi i64 [%o, %make], [%o, %new_one], [%output_count, %run], [%output_count, %tuple]
  call void $PyErr_Clear()
  br label %next_release
next_release:
  %left = phi i64 [%held, %release], [%left_next, %drop]
  %any_left = icmp ugt i64 %left, 0
  br i1 %any_left, label %drop, label %wrong
drop:
  %left_next = sub i64 %left, 1
  %drop_at = getelementptr ptr, ptr %made, i64 %left_next
  %drop_thing = load ptr, ptr %drop_at
  call void $Py_DecRef(ptr %drop_thing)
  br label %next_release
wrong:
  ret ptr null
}
"""
