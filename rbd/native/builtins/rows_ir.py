"""LLVM IR of batches in builtins of compiled programs: leading axes of arguments, layouts, new results.

Arguments have the shape the program wants, and are the same for all rows, or have leading axes before it: the same ones
in all arguments that have any. Arrays may be strided as long as rows are a constant distance apart. New results are in
column order if all arguments with leading axes are. Everything else is declined. Large batches release the
interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.native.builtins.ir_parts import (
    ARRAY_HEAD,
    AXES_FIT,
    FINISH,
    IS_ARRAY,
    RESULT_KEPT,
    RESULT_MADE,
    RESULT_TAKEN,
    give_back,
)
from rbd.native.codegen.ir import Writer, loop_function

MAX_AXES: Final = 64
"""Axes of an array, at most."""
MAX_LAYOUT_WORDS: Final = 512
"""Entries of the layouts of all arrays, at most; see `row_access.py`."""


def _references(name: str, change: str) -> str:
    """Return the function that changes the number of references of objects."""

    def change_one(w: Writer, index: str) -> None:
        w.add(f"  call void {change}(ptr {w.load('ptr', w.address('%objects', index, 'ptr'))})")

    return loop_function(name, "ptr %objects, i64 %count", change_one)


def _product() -> str:
    """Return the function that multiplies lengths."""
    w = Writer()

    def multiply(axis: str, product: Sequence[str]) -> list[str]:
        return [w.assign(f"mul i64 {product[0]}, {w.load('i64', w.address('%lengths', axis, 'i64'))}")]

    w.begin_function("internal i64 @product(ptr %lengths, i64 %axes) nounwind")
    (product,) = w.loop("%axes", multiply, [("i64", "1")])
    w.end_function(f"i64 {product}")
    return w.text()


def _overlaps() -> str:
    """Return the function that says whether an array of this layout has numbers between two addresses."""
    w = Writer()

    def add(axis: str, ends: Sequence[str]) -> list[str]:
        own = w.load("i64", w.address("%shape", axis, "i64"))
        length = w.assign(f"select i1 {w.assign(f'icmp eq i64 {axis}, 0')}, i64 %rows, i64 {own}")
        step, last = w.load("i64", w.address("%steps", axis, "i64")), w.assign(f"sub i64 {length}, 1")
        reach = w.assign(f"mul i64 {last}, {step}")
        backwards = w.assign(f"icmp slt i64 {reach}, 0")
        down, up = (w.assign(f"select i1 {backwards}, i64 {each}") for each in (f"{reach}, i64 0", f"0, i64 {reach}"))
        return [w.assign(f"add i64 {end}, {change}") for end, change in zip(ends, (down, up), strict=True)]

    arguments = "ptr %data, ptr %shape, ptr %steps, i64 %rows, ptr %start, ptr %end"
    w.begin_function(f"internal i1 @overlaps({arguments}) nounwind")
    axes = w.assign(f"add i64 {w.load('i64', '%shape')}, 1")
    first, last = (
        w.assign(f"getelementptr double, ptr %data, i64 {end}")
        for end in w.loop(axes, add, [("i64", "0"), ("i64", "0")])
    )
    begins_before, ends_behind = w.assign(f"icmp ult ptr {first}, %end"), w.assign(f"icmp ule ptr %start, {last}")
    w.end_function(f"i1 {w.assign(f'and i1 {begins_before}, {ends_behind}')}")
    return w.text()


HELPERS: Final = "".join(
    (_references("hold", "$Py_IncRef"), _references("drop", "$Py_DecRef"), _product(), _overlaps())
)
"""Functions of batches. Objects are held while other threads run: those in a dictionary may be replaced."""

STACKED: Final = f"""
; The numbers of a float64 array of this shape behind leading axes of these lengths, and its layout; else null.
define internal ptr @stacked(ptr %object, ptr %shape, i32 %flags, i64 %lead_axes, ptr %lead, ptr %steps) nounwind {{
begin:
{IS_ARRAY}  br i1 %is_array, label %array, label %wrong
array:
{ARRAY_HEAD}  %own = load i64, ptr %shape
  %axes = add i64 %own, %lead_axes
{AXES_FIT}  %strides_at = getelementptr i8, ptr %object, i64 $ARRAY_STRIDES
  %strides_found = load ptr, ptr %strides_at
  br label %axis
axis:
  %i = phi i64 [0, %lengths], [%following, %own_axis]
  %more = icmp ult i64 %i, %own
  br i1 %more, label %own_axis, label %row
own_axis:
  %following = add i64 %i, 1
  %place = add i64 %i, %lead_axes
  %found_at = getelementptr i64, ptr %lengths_found, i64 %place
  %found = load i64, ptr %found_at
  %wanted_at = getelementptr i64, ptr %shape, i64 %following
  %wanted = load i64, ptr %wanted_at
  %stride_at = getelementptr i64, ptr %strides_found, i64 %place
  %stride = load i64, ptr %stride_at
  %step = ashr i64 %stride, 3
  %step_at = getelementptr i64, ptr %steps, i64 %following
  store i64 %step, ptr %step_at
  %same = icmp eq i64 %found, %wanted
  br i1 %same, label %axis, label %wrong
; From the last leading axis to the first: each begins where the one after it would go on.
row:
  %l = phi i64 [%lead_axes, %axis], [%before, %longer], [%before, %shorter]
  %apart = phi i64 [0, %axis], [%apart_next, %longer], [%apart, %shorter]
  %reach = phi i64 [0, %axis], [%reach_next, %longer], [%reach, %shorter]
  %more_lead = icmp ne i64 %l, 0
  br i1 %more_lead, label %lead_axis, label %good
lead_axis:
  %before = sub i64 %l, 1
  %length_at = getelementptr i64, ptr %lengths_found, i64 %before
  %length = load i64, ptr %length_at
  %lead_at = getelementptr i64, ptr %lead, i64 %before
  %lead_length = load i64, ptr %lead_at
  %same_lead = icmp eq i64 %length, %lead_length
  br i1 %same_lead, label %measure, label %wrong
measure:
  %several = icmp ugt i64 %length, 1
  br i1 %several, label %longer, label %shorter
shorter:
  br label %row
longer:
  %lead_stride_at = getelementptr i64, ptr %strides_found, i64 %before
  %lead_stride = load i64, ptr %lead_stride_at
  %lead_step = ashr i64 %lead_stride, 3
  %is_first = icmp eq i64 %reach, 0
  %apart_next = select i1 %is_first, i64 %lead_step, i64 %apart
  %reach_next = mul i64 %lead_step, %length
  %goes_on = icmp eq i64 %lead_step, %reach
  %even = or i1 %is_first, %goes_on
  br i1 %even, label %row, label %wrong
good:
  store i64 %apart, ptr %steps
  %data_at = getelementptr i8, ptr %object, i64 $ARRAY_DATA
  %data = load ptr, ptr %data_at
  ret ptr %data
wrong:
  ret ptr null
}}

; Write the layout of a new array, and its strides in bytes.
define internal void @arrange(ptr %shape, i64 %lead_axes, ptr %lead, i64 %rows, i1 %columns, ptr %steps, ptr %strides)
    nounwind {{
begin:
  %own = load i64, ptr %shape
  %own_lengths = getelementptr i64, ptr %shape, i64 1
  %size = call i64 @product(ptr %own_lengths, i64 %own)
  %row_step = select i1 %columns, i64 1, i64 %size
  store i64 %row_step, ptr %steps
  %first_step = select i1 %columns, i64 %rows, i64 1
  br label %axis
axis:
  %i = phi i64 [0, %begin], [%following, %own_axis]
  %step = phi i64 [%first_step, %begin], [%step_next, %own_axis]
  %more = icmp ult i64 %i, %own
  br i1 %more, label %own_axis, label %lead_begin
; In column order the first axis of the port varies before the others, in row order the last.
own_axis:
  %following = add i64 %i, 1
  %from_end = sub i64 %own, %following
  %place = select i1 %columns, i64 %i, i64 %from_end
  %place_behind = add i64 %place, 1
  %step_at = getelementptr i64, ptr %steps, i64 %place_behind
  store i64 %step, ptr %step_at
  %stride = shl i64 %step, 3
  %stride_place = add i64 %place, %lead_axes
  %stride_at = getelementptr i64, ptr %strides, i64 %stride_place
  store i64 %stride, ptr %stride_at
  %length_at = getelementptr i64, ptr %own_lengths, i64 %place
  %length = load i64, ptr %length_at
  %step_next = mul i64 %step, %length
  br label %axis
lead_begin:
  %row_bytes = shl i64 %row_step, 3
  br label %lead_axis
lead_axis:
  %l = phi i64 [%lead_axes, %lead_begin], [%before, %put]
  %bytes = phi i64 [%row_bytes, %lead_begin], [%bytes_next, %put]
  %more_lead = icmp ne i64 %l, 0
  br i1 %more_lead, label %put, label %done
put:
  %before = sub i64 %l, 1
  %lead_stride_at = getelementptr i64, ptr %strides, i64 %before
  store i64 %bytes, ptr %lead_stride_at
  %lead_at = getelementptr i64, ptr %lead, i64 %before
  %lead_length = load i64, ptr %lead_at
  %bytes_next = mul i64 %bytes, %lead_length
  br label %lead_axis
done:
  ret void
}}
"""

BEGIN: Final = """
; The result for rows; null where it is none, or a row failed.
define internal ptr @rows(ptr %context, ptr %objects, ptr %given) nounwind {
begin:
  %into = alloca [$MAX_PORTS x ptr], align 16
  %layouts = alloca [$MAX_LAYOUT_WORDS x i64], align 16
  %out = alloca [$MAX_PORTS x ptr], align 16
  %made = alloca [$MAX_PORTS x ptr], align 16
  %ends = alloca [$MAX_PORTS x ptr], align 16
  %lengths = alloca [$MAX_AXES x i64], align 16
  %strides = alloca [$MAX_AXES x i64], align 16
  %status = alloca i64, align 8
"""

INPUTS: Final = f"""
  %batch_at_entry = getelementptr ptr, ptr %entries, i64 2
  %batch = load ptr, ptr %batch_at_entry
  %ready = icmp ne ptr %batch, null
  br i1 %ready, label %input, label %wrong
input:
  %k = phi i64 [0, %begin], [%k_next, %taken]
  %shape = phi ptr [%shapes, %begin], [%shape_next, %taken]
  %steps = phi ptr [%layouts, %begin], [%steps_next, %taken]
  %lead_axes = phi i64 [0, %begin], [%lead_axes_next, %taken]
  %lead = phi ptr [null, %begin], [%lead_next, %taken]
  %even = phi i1 [true, %begin], [%even_next, %taken]
  %ordered = phi i1 [false, %begin], [%ordered_next, %taken]
  %more_inputs = icmp ult i64 %k, %argument_count
  br i1 %more_inputs, label %take, label %all_taken
take:
  %k_next = add i64 %k, 1
  %axes = load i64, ptr %shape
  %own = getelementptr i64, ptr %shape, i64 1
  %shape_next = getelementptr i64, ptr %own, i64 %axes
  %steps_own = getelementptr i64, ptr %steps, i64 1
  %steps_next = getelementptr i64, ptr %steps_own, i64 %axes
  %object_at = getelementptr ptr, ptr %objects, i64 %k
  %object = load ptr, ptr %object_at
  %into_at = getelementptr ptr, ptr %into, i64 %k
{IS_ARRAY}  br i1 %is_array, label %array, label %number
number:
  store i64 0, ptr %steps
  %number_data = call ptr @numbers(ptr %object, ptr %shape, i32 $READ)
  br label %found
; The first argument with leading axes says which they are.
array:
  %ndim_at = getelementptr i8, ptr %object, i64 $ARRAY_NDIM
  %ndim = load i32, ptr %ndim_at
  %ndim_64 = zext i32 %ndim to i64
  %lead_found = sub i64 %ndim_64, %axes
  %lengths_at = getelementptr i8, ptr %object, i64 $ARRAY_SHAPE
  %lengths_found = load ptr, ptr %lengths_at
  %has_lead = icmp sgt i64 %lead_found, 0
  %known = icmp ne ptr %lead, null
  %lead_axes_first = select i1 %known, i64 %lead_axes, i64 %lead_found
  %lead_first = select i1 %known, ptr %lead, ptr %lengths_found
  %axes_before = select i1 %has_lead, i64 %lead_axes_first, i64 0
  %array_data = call ptr @stacked(ptr %object, ptr %shape, i32 $ALIGNED, i64 %axes_before, ptr %lead_first, ptr %steps)
  %flags_at = getelementptr i8, ptr %object, i64 $ARRAY_FLAGS
  %flags = load i32, ptr %flags_at
  %packed_flag = and i32 %flags, $CONTIGUOUS
  %is_packed = icmp ne i32 %packed_flag, 0
  %row_step = load i64, ptr %steps
  %is_one = icmp eq i64 %row_step, 1
  br label %found
found:
  %data = phi ptr [%number_data, %number], [%array_data, %array]
  %stacks = phi i1 [false, %number], [%has_lead, %array]
  %is_c = phi i1 [true, %number], [%is_packed, %array]
  %one = phi i1 [true, %number], [%is_one, %array]
  %lead_axes_new = phi i64 [0, %number], [%lead_axes_first, %array]
  %lead_new = phi ptr [null, %number], [%lead_first, %array]
  store ptr %data, ptr %into_at
  %no_data = icmp eq ptr %data, null
  br i1 %no_data, label %wrong, label %taken
taken:
  %lead_axes_next = select i1 %stacks, i64 %lead_axes_new, i64 %lead_axes
  %lead_next = select i1 %stacks, ptr %lead_new, ptr %lead
  %even_here = select i1 %stacks, i1 %one, i1 true
  %even_next = and i1 %even, %even_here
  %loose = xor i1 %is_c, true
  %ordered_here = and i1 %stacks, %loose
  %ordered_next = or i1 %ordered, %ordered_here
  br label %input
all_taken:
  %rows = call i64 @product(ptr %lead, i64 %lead_axes)
  %columns = and i1 %even, %ordered
  br label %results
"""

RESULTS: Final = f"""
results:
  %lead_bytes = shl i64 %lead_axes, 3
  %is_new = icmp eq ptr %given, null
  br i1 %is_new, label %output, label %next_given
next_given:
  %n = phi i64 [0, %results], [%n_next, %keep_given]
  %g_shape = phi ptr [%shape, %results], [%g_shape_next, %keep_given]
  %g_steps = phi ptr [%steps, %results], [%g_steps_next, %keep_given]
{RESULT_TAKEN}  %result_data = call ptr @stacked(
    ptr %result, ptr %g_shape, i32 $WRITE, i64 %lead_axes, ptr %lead, ptr %g_steps)
  %is_unfit = icmp eq ptr %result_data, null
  br i1 %is_unfit, label %release, label %dense
dense:
  %g_steps_own = getelementptr i64, ptr %g_steps, i64 1
  %g_steps_next = getelementptr i64, ptr %g_steps_own, i64 %g_axes
  %result_flags_at = getelementptr i8, ptr %result, i64 $ARRAY_FLAGS
  %result_flags = load i32, ptr %result_flags_at
  %dense_flags = and i32 %result_flags, $DENSE
  %is_dense = icmp ne i32 %dense_flags, 0
  br i1 %is_dense, label %apart, label %release
; What is written must not be read later: no input may lie in the memory of the result.
apart:
  %g_numbers = mul i64 %g_size, %rows
  %result_end = getelementptr double, ptr %result_data, i64 %g_numbers
  br label %other
other:
  %a = phi i64 [0, %apart], [%a_next, %check]
  %a_shape = phi ptr [%shapes, %apart], [%a_shape_next, %check]
  %a_steps = phi ptr [%layouts, %apart], [%a_steps_next, %check]
  %more_others = icmp ult i64 %a, %argument_count
  br i1 %more_others, label %check, label %fit_given
check:
  %a_next = add i64 %a, 1
  %a_axes = load i64, ptr %a_shape
  %a_record = add i64 %a_axes, 1
  %a_shape_next = getelementptr i64, ptr %a_shape, i64 %a_record
  %a_steps_next = getelementptr i64, ptr %a_steps, i64 %a_record
  %a_data_at = getelementptr ptr, ptr %into, i64 %a
  %a_data = load ptr, ptr %a_data_at
  %overlap = call i1 @overlaps(ptr %a_data, ptr %a_shape, ptr %a_steps, i64 %rows, ptr %result_data, ptr %result_end)
  br i1 %overlap, label %release, label %other
fit_given:
{RESULT_KEPT}output:
  %o = phi i64 [0, %results], [%o_next, %new_made]
  %o_shape = phi ptr [%shape, %results], [%o_shape_next, %new_made]
  %o_steps = phi ptr [%steps, %results], [%o_steps_next, %new_made]
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
  %fits = icmp ule i64 %o_all, $MAX_AXES
  br i1 %fits, label %new_one, label %release
new_one:
  call void @arrange(ptr %o_shape, i64 %lead_axes, ptr %lead, i64 %rows, i1 %columns, ptr %o_steps, ptr %strides)
  %o_strides = select i1 %columns, ptr %strides, ptr null
  %new = call ptr $PyArray_New(ptr $ndarray, i32 %o_all_32, ptr %lengths, i32 $DOUBLE, ptr %o_strides, $no_buffer)
{RESULT_MADE}  %o_shape_next = getelementptr i64, ptr %o_own, i64 %o_axes
  %o_record = add i64 %o_axes, 1
  %o_steps_next = getelementptr i64, ptr %o_steps, i64 %o_record
  br label %output
run:
  %few = icmp ule i64 %rows, %row_limit_count
  br i1 %few, label %run_locked, label %run_unlocked
run_locked:
  %bad_locked = call i64 %batch(i64 0, i64 %rows, ptr %into, ptr %layouts, ptr %out, ptr %status, ptr null)
  br label %ran
run_unlocked:
  call void @hold(ptr %objects, i64 %argument_count)
  %thread = call ptr $PyEval_SaveThread()
  %bad_unlocked = call i64 %batch(i64 0, i64 %rows, ptr %into, ptr %layouts, ptr %out, ptr %status, ptr null)
  call void $PyEval_RestoreThread(ptr %thread)
  call void @drop(ptr %objects, i64 %argument_count)
  br label %ran
ran:
  %bad = phi i64 [%bad_locked, %run_locked], [%bad_unlocked, %run_unlocked]
  %clean = icmp slt i64 %bad, 0
  br i1 %clean, label %finish, label %release
{FINISH}
; Give the arrays made so far back; whoever is asked next finds out what is wrong.
release:
  %held = phi i64 [%o, %make], [%o, %new_one], [%output_count, %ran], [%output_count, %tuple], [%n, %take_given],
    [%n, %look_at_given], [%n, %dense], [%n, %check], [%n, %fit_given]
  call void $PyErr_Clear()
{give_back(then="wrong")}wrong:
  ret ptr null
}}
"""
