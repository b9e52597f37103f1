"""The machine code between the interpreter and a kernel, as LLVM IR.

One function serves all kernels; it is what CPython calls for METH_FASTCALL | METH_KEYWORDS. The structure it is bound
to begins with these words:

    0 kernel   1 guarded words   2, 3 what they must be   4 inputs   5 outputs   6 shapes   7 kernel for new arrays

The shapes are those of inputs, then outputs: the number of axes, then the length of each. Wherever something is not as
expected, the block `slow` hands all arguments to the structure itself, which is callable; until then nothing has been
changed, and new arrays have been given back.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from rbd.native import abi

_FIELDS = (
    *("OBJECT_TYPE", "FLOAT_VALUE", "STRUCTURE_DATA", "WRITEABLE", "DOUBLE"),
    *("ARRAY_DATA", "ARRAY_NDIM", "ARRAY_SHAPE", "ARRAY_DTYPE", "ARRAY_FLAGS"),
)
"""Numbers of `abi` that appear below."""

MOST = 64
"""Inputs and outputs, each; their pointers go on the stack."""

NUMBERS = """
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

_GIVEN = """
given:
  %result_at = getelementptr ptr, ptr %args, i64 %count
  %result = load ptr, ptr %result_at
  %result_data = call ptr @numbers(ptr %result, ptr %shape, i32 $WRITE)
  store ptr %result_data, ptr %out
  %no_result = icmp eq ptr %result_data, null
  br i1 %no_result, label %refuse, label %run_given
run_given:
  %status_given = call i64 %kernel(ptr %into, ptr %out)
  %clean_given = icmp eq i64 %status_given, 0
  br i1 %clean_given, label %return_given, label %refuse
return_given:
  call void $Py_IncRef(ptr %result)
  ret ptr %result
"""


def given(refuse: str) -> str:
    """Return the blocks that run the kernel into the array behind the arguments; `refuse` is where all else goes."""
    return _GIVEN.replace("%refuse", f"%{refuse}")


_ENTRY = """
define ptr @entry(ptr %self, ptr %args, i64 %count, ptr %keywords) nounwind {
begin:
  %into = alloca [$MOST x ptr], align 16
  %out = alloca [$MOST x ptr], align 16
  %made = alloca [$MOST x ptr], align 16
  %context_at = getelementptr i8, ptr %self, i64 $STRUCTURE_DATA
  %context = load ptr, ptr %context_at
  %kernel = load ptr, ptr %context
  %guard_at = getelementptr i64, ptr %context, i64 1
  %guard = load ptr, ptr %guard_at
  %guard_2_at = getelementptr i64, ptr %guard, i64 1
  %first = load i64, ptr %guard
  %second = load i64, ptr %guard_2_at
  %first_expected_at = getelementptr i64, ptr %context, i64 2
  %second_expected_at = getelementptr i64, ptr %context, i64 3
  %first_expected = load i64, ptr %first_expected_at
  %second_expected = load i64, ptr %second_expected_at
  %inputs_at = getelementptr i64, ptr %context, i64 4
  %inputs = load i64, ptr %inputs_at
  %outputs_at = getelementptr i64, ptr %context, i64 5
  %outputs = load i64, ptr %outputs_at
  %shapes_at = getelementptr i64, ptr %context, i64 6
  %shapes = load ptr, ptr %shapes_at
  %fresh_at = getelementptr i64, ptr %context, i64 7
  %fresh = load ptr, ptr %fresh_at
  %first_same = icmp eq i64 %first, %first_expected
  %second_same = icmp eq i64 %second, %second_expected
  %count_fits = icmp eq i64 %count, %inputs
  %start_0 = and i1 %first_same, %second_same
  %start = and i1 %start_0, %count_fits
  br i1 %start, label %started, label %slow
started:
  %plain = icmp eq ptr %keywords, null
  br i1 %plain, label %input, label %named

; One keyword is understood: the array for the only result.
named:
  %keyword_count = call i64 $PyTuple_Size(ptr %keywords)
  %one_keyword = icmp eq i64 %keyword_count, 1
  %one_output = icmp eq i64 %outputs, 1
  %both_one = and i1 %one_keyword, %one_output
  br i1 %both_one, label %keyword, label %slow
keyword:
  %name = call ptr $PyTuple_GetItem(ptr %keywords, i64 0)
  %is_out = icmp eq ptr %name, $out
  br i1 %is_out, label %input, label %slow

input:
  %k = phi i64 [0, %started], [0, %keyword], [%k_next, %taken]
  %shape = phi ptr [%shapes, %started], [%shapes, %keyword], [%shape_next, %taken]
  %more_inputs = icmp ult i64 %k, %inputs
  br i1 %more_inputs, label %take, label %results
take:
  %thing_at = getelementptr ptr, ptr %args, i64 %k
  %thing = load ptr, ptr %thing_at
  %data = call ptr @numbers(ptr %thing, ptr %shape, i32 $READ)
  %into_at = getelementptr ptr, ptr %into, i64 %k
  store ptr %data, ptr %into_at
  %no_data = icmp eq ptr %data, null
  br i1 %no_data, label %slow, label %taken
taken:
  %k_next = add i64 %k, 1
  %axes = load i64, ptr %shape
  %shape_skip = add i64 %axes, 1
  %shape_next = getelementptr i64, ptr %shape, i64 %shape_skip
  br label %input

results:
  br i1 %plain, label %output, label %given
"""

_NEW = """
output:
  %o = phi i64 [0, %before], [%o_next, %new_made]
  %o_shape = phi ptr [%shape, %before], [%o_shape_next, %new_made]
  %more_outputs = icmp ult i64 %o, %outputs
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
  %status = call i64 %fresh(ptr %into, ptr %out)
  %clean = icmp eq i64 %status, 0
  br i1 %clean, label %finish, label %release
finish:
  %is_single = icmp eq i64 %outputs, 1
  %only = load ptr, ptr %made
  br i1 %is_single, label %return_only, label %tuple
return_only:
  ret ptr %only

; The tuple takes over the references of the arrays; without one they are given back.
tuple:
  %packed = call ptr $PyTuple_New(i64 %outputs)
  %no_tuple = icmp eq ptr %packed, null
  br i1 %no_tuple, label %release, label %fill
fill:
  %f = phi i64 [0, %tuple], [%f_next, %put]
  %more_to_fill = icmp ult i64 %f, %outputs
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
  %held = phi i64 [%o, %make], [%outputs, %run], [%outputs, %tuple]
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
  br i1 %to_slow, label %refuse, label %no_memory
no_memory:
  ret ptr null
"""


def fresh(before: str, refuse: str) -> str:
    """Return the blocks that run the kernel into new arrays, entered from `before`; `refuse` is where all else goes."""
    return _NEW.replace("%before", f"%{before}").replace("%refuse", f"%{refuse}")


_SLOW = """
slow:
  %answer = call ptr $PyObject_Vectorcall(ptr %self, ptr %args, i64 %count, ptr %keywords)
  ret ptr %answer
}
"""


def entry_module(addresses: Mapping[str, int]) -> str:
    """Return the module; `addresses` are those of `abi.addresses`."""
    return filled(NUMBERS + _ENTRY + given("slow") + fresh("results", "slow") + _SLOW, addresses)


def filled(text: str, addresses: Mapping[str, int]) -> str:
    """Return IR text with addresses of this process and numbers of `abi` put in."""
    places = {name: f"inttoptr (i64 {address} to ptr)" for name, address in addresses.items()}
    numbers = {name: str(getattr(abi, name)) for name in _FIELDS}
    read = abi.CONTIGUOUS | abi.ALIGNED
    numbers |= {"MOST": str(MOST), "READ": str(read), "WRITE": str(read | abi.WRITEABLE)}
    no_data = "ptr null, ptr null, i32 0, i32 0, ptr null"
    return Template(text).substitute(places | numbers, no_data=no_data)
