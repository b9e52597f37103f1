"""The machine code between the interpreter and a kernel, as LLVM IR.

One function serves all builtins; it is what CPython calls for METH_FASTCALL | METH_KEYWORDS. It checks the owner, the
guards and the arguments, runs the kernel, and returns the array of the keyword `out`, new arrays, or None. Wherever
something is not as expected, the block `decline` calls the fallback or returns NotImplemented; until then nothing has
been changed, and new arrays have been given back.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template
from typing import Final

from rbd.native.builtins import rows_ir
from rbd.native.runtime import abi

CONTEXT: Final = (
    *("entries", "row_limit_count", "owner", "guards", "guard_count"),
    *("bound", "bound_count", "shapes", "first_argument", "argument_count"),
    *("targets", "output_count", "copies", "copy_count", "counter", "has_fallback"),
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
"""
_COUNTS: Final = ("first_argument", "has_fallback")

MOST: Final = 64
"""Inputs and outputs, each; their pointers go on the stack."""

_LAYOUT: Final = (
    *("OBJECT_TYPE", "FLOAT_VALUE", "STRUCTURE_DATA", "WRITEABLE", "DOUBLE"),
    *(
        "ARRAY_DATA",
        "ARRAY_NDIM",
        "ARRAY_SHAPE",
        "ARRAY_STRIDES",
        "ARRAY_DTYPE",
        "ARRAY_FLAGS",
        "ALIGNED",
        "CONTIGUOUS",
    ),
)
"""Numbers of `abi` that appear below."""

_NUMBERS: Final = """
; The numbers of a float64 array of this shape that has these flags; null for everything else.
define internal ptr @numbers(ptr %thing, ptr %shape, i32 %flags) nounwind {
begin:
  %type_at = getelementptr i8, ptr %thing, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_array = icmp eq ptr %type, $ndarray
  br i1 %is_array, label %array, label %other
other:
  %is_float = icmp eq ptr %type, $float
  %axes_wanted = load i64, ptr %shape
  %is_scalar = icmp eq i64 %axes_wanted, 0
  %is_input = icmp ult i32 %flags, $WRITEABLE
  %usable_0 = and i1 %is_float, %is_scalar
  %usable = and i1 %usable_0, %is_input
  br i1 %usable, label %number, label %wrong
number:
  %value = getelementptr i8, ptr %thing, i64 $FLOAT_VALUE
  ret ptr %value
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
  %axes = load i64, ptr %shape
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
  %wanted_at = getelementptr i64, ptr %shape, i64 %following
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
"""

_BEGIN: Final = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptr @builtin(ptr %self, ptr %args, i64 %count, ptr %keywords) nounwind {
begin:
  %into = alloca [$MOST x ptr], align 16
  %out = alloca [$MOST x ptr], align 16
  %made = alloca [$MOST x ptr], align 16
  %context_at = getelementptr i8, ptr %self, i64 $STRUCTURE_DATA
  %context = load ptr, ptr %context_at
"""

_CHECKS: Final = """
  %count_fits = icmp eq i64 %count, %argument_count
  br i1 %count_fits, label %counted, label %decline
counted:
  %has_owner = icmp ne ptr %owner, null
  br i1 %has_owner, label %owned, label %guard
owned:
  %thread = call i64 $PyThread_get_thread_ident()
  %owning = load i64, ptr %owner
  %is_owner = icmp eq i64 %thread, %owning
  br i1 %is_owner, label %guard, label %decline

guard:
  %g = phi i64 [0, %counted], [0, %owned], [%g_next, %look]
  %more_guards = icmp ult i64 %g, %guard_count
  br i1 %more_guards, label %look, label %started
look:
  %g_twice = shl i64 %g, 1
  %watched_at = getelementptr ptr, ptr %guards, i64 %g_twice
  %watched = load ptr, ptr %watched_at
  %expected_at = getelementptr ptr, ptr %watched_at, i64 1
  %expected = load i64, ptr %expected_at
  %found = load i64, ptr %watched
  %g_next = add i64 %g, 1
  %as_expected = icmp eq i64 %found, %expected
  br i1 %as_expected, label %guard, label %decline

started:
  %to_new = icmp eq ptr %targets, null
  %plain = icmp eq ptr %keywords, null
  br i1 %plain, label %bind, label %named
; One keyword is understood: the array for the only result.
named:
  %keyword_count = call i64 $PyTuple_Size(ptr %keywords)
  %one_keyword = icmp eq i64 %keyword_count, 1
  %one_output = icmp eq i64 %output_count, 1
  %both_one = and i1 %one_keyword, %one_output
  %usable = and i1 %both_one, %to_new
  br i1 %usable, label %keyword, label %decline
keyword:
  %name = call ptr $PyTuple_GetItem(ptr %keywords, i64 0)
  %is_out = icmp eq ptr %name, $out
  br i1 %is_out, label %bind, label %decline
"""

_ARGUMENTS: Final = """
bind:
  %bound_bytes = shl i64 %bound_count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %into, ptr %bound, i64 %bound_bytes, i1 false)
  br label %input
input:
  %k = phi i64 [0, %bind], [%k_next, %taken]
  %shape = phi ptr [%shapes, %bind], [%shape_next, %taken]
  %more_inputs = icmp ult i64 %k, %argument_count
  br i1 %more_inputs, label %take, label %results
take:
  %thing_at = getelementptr ptr, ptr %args, i64 %k
  %thing = load ptr, ptr %thing_at
  %data = call ptr @numbers(ptr %thing, ptr %shape, i32 $READ)
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

_TARGETS: Final = """
stack:
  %takes_rows = icmp ne i64 %row_limit_count, 0
  br i1 %takes_rows, label %rows, label %decline
rows:
  %batch_result = call ptr @rows(ptr %context, ptr %args, i64 %count, ptr %keywords)
  %no_batch = icmp eq ptr %batch_result, null
  br i1 %no_batch, label %decline, label %return_rows
return_rows:
  ret ptr %batch_result
results:
  %kernel = load ptr, ptr %entries
  %fresh_entry = getelementptr ptr, ptr %entries, i64 1
  %fresh = load ptr, ptr %fresh_entry
  %no_code = icmp eq ptr %kernel, null
  br i1 %no_code, label %decline, label %coded
coded:
  br i1 %to_new, label %to_array, label %run_bound
run_bound:
  %status_bound = call i64 %kernel(ptr %into, ptr %targets)
  %clean_bound = icmp eq i64 %status_bound, 0
  br i1 %clean_bound, label %copy, label %decline
copy:
  %c = phi i64 [0, %run_bound], [%c_next, %copy_one]
  %more_copies = icmp ult i64 %c, %copy_count
  br i1 %more_copies, label %copy_one, label %copied
copy_one:
  %c_thrice = mul i64 %c, 3
  %from_at = getelementptr ptr, ptr %copies, i64 %c_thrice
  %to_at = getelementptr ptr, ptr %from_at, i64 1
  %bytes_at = getelementptr ptr, ptr %from_at, i64 2
  %from = load ptr, ptr %from_at
  %to = load ptr, ptr %to_at
  %bytes = load i64, ptr %bytes_at
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 false)
  %c_next = add i64 %c, 1
  br label %copy
copied:
  %calls = load i64, ptr %counter
  %calls_next = add i64 %calls, 1
  store i64 %calls_next, ptr %counter
  call void $Py_IncRef(ptr $None)
  ret ptr $None
"""

_ARRAYS: Final = """
to_array:
  br i1 %plain, label %output, label %given
given:
  %result_at = getelementptr ptr, ptr %args, i64 %count
  %result = load ptr, ptr %result_at
  %result_data = call ptr @numbers(ptr %result, ptr %shape, i32 $WRITE_PACKED)
  %no_result = icmp eq ptr %result_data, null
  br i1 %no_result, label %decline, label %taken_out
taken_out:
  call void $Py_IncRef(ptr %result)
  store ptr %result, ptr %made
  store ptr %result_data, ptr %out
  br label %run

output:
  %o = phi i64 [0, %to_array], [%o_next, %new_made]
  %o_shape = phi ptr [%shape, %to_array], [%o_shape_next, %new_made]
  %more_outputs = icmp ult i64 %o, %output_count
  br i1 %more_outputs, label %make, label %run
make:
  %o_axes = load i64, ptr %o_shape
  %o_axes_32 = trunc i64 %o_axes to i32
  %o_lengths = getelementptr i64, ptr %o_shape, i64 1
  %new = call ptr $PyArray_New(ptr $ndarray, i32 %o_axes_32, ptr %o_lengths, i32 $DOUBLE, $no_data)
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
  %o_skip = add i64 %o_axes, 1
  %o_shape_next = getelementptr i64, ptr %o_shape, i64 %o_skip
  br label %output
run:
  %code = phi ptr [%kernel, %taken_out], [%fresh, %output]
  %status = call i64 %code(ptr %into, ptr %out)
  %clean = icmp eq i64 %status, 0
  br i1 %clean, label %finish, label %release
finish:
  %is_single = icmp eq i64 %output_count, 1
  %only = load ptr, ptr %made
  br i1 %is_single, label %return_only, label %tuple
return_only:
  ret ptr %only

; The tuple takes over the references of the arrays; without one they are given back.
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

; Give the arrays made so far back. Then either there was no memory, and an exception is set, or the status was bad.
release:
  %held = phi i64 [%o, %make], [%output_count, %run], [%output_count, %tuple]
  %to_slow = phi i1 [false, %make], [true, %run], [false, %tuple]
  br label %next_release
next_release:
  %left = phi i64 [%held, %release], [%left_next, %drop]
  %any_left = icmp ugt i64 %left, 0
  br i1 %any_left, label %drop, label %released
drop:
  %left_next = sub i64 %left, 1
  %drop_at = getelementptr ptr, ptr %made, i64 %left_next
  %drop_thing = load ptr, ptr %drop_at
  call void $Py_DecRef(ptr %drop_thing)
  br label %next_release
released:
  br i1 %to_slow, label %decline, label %no_memory
no_memory:
  ret ptr null
"""

_DECLINE: Final = """
decline:
  %asks = icmp ne i64 %has_fallback, 0
  br i1 %asks, label %ask, label %refuse
ask:
  %answer = call ptr $PyObject_Vectorcall(ptr %self, ptr %args, i64 %count, ptr %keywords)
  ret ptr %answer
refuse:
  call void $Py_IncRef(ptr $NotImplemented)
  ret ptr $NotImplemented
}
"""


def is_count(name: str) -> bool:
    """Return whether a word of the context is a whole number rather than an address."""
    return name.endswith("_count") or name in _COUNTS


def _load(name: str, index: int) -> str:
    kind = "i64" if is_count(name) else "ptr"
    return f"  %{name}_at = getelementptr i64, ptr %context, i64 {index}\n  %{name} = load {kind}, ptr %{name}_at\n"


def builtin_module(addresses: Mapping[str, int]) -> str:
    """Return the module; `addresses` are those of `abi.addresses`."""
    loads = "".join(_load(name, index) for index, name in enumerate(CONTEXT))
    rows = rows_ir.STACKED + rows_ir.BEGIN + loads + rows_ir.INPUTS + rows_ir.RESULTS
    text = _NUMBERS + rows + _BEGIN + loads + _CHECKS + _ARGUMENTS + _TARGETS + _ARRAYS + _DECLINE
    return _filled(text, addresses)


def numbers_text(addresses: Mapping[str, int]) -> str:
    """Return the function `numbers`, for other modules that look at arguments."""
    return _filled(_NUMBERS, addresses)


def _filled(text: str, addresses: Mapping[str, int]) -> str:
    """Return IR with addresses and numbers of the memory layout in place of their names."""
    places = {name: f"inttoptr (i64 {address} to ptr)" for name, address in addresses.items()}
    numbers = {name: str(getattr(abi, name)) for name in _LAYOUT}
    read = abi.CONTIGUOUS | abi.ALIGNED
    numbers |= {"MOST": str(MOST), "READ": str(read), "WRITE_PACKED": str(read | abi.WRITEABLE)}
    numbers |= {"WRITE": str(abi.ALIGNED | abi.WRITEABLE), "DENSE": str(abi.CONTIGUOUS | abi.COLUMN_ORDER)}
    numbers |= {"MOST_AXES": str(rows_ir.MOST_AXES), "MOST_STEPS": str(rows_ir.MOST_STEPS)}
    no_buffer = "ptr null, i32 0, i32 0, ptr null"
    return Template(text).substitute(places | numbers, no_buffer=no_buffer, no_data=f"ptr null, {no_buffer}")
