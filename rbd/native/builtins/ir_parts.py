"""LLVM IR that several builtins share: contexts, checks of objects, owner and guards, copies, results.

Parts are text with names of `abi` as $placeholders, which `filled` replaces. A part jumps to the labels it is given;
its other labels and names are its own, so each stands once in a function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Template
from typing import Final

from rbd.native.codegen.ir import Writer
from rbd.native.runtime import abi

_NUMBERS: Final = ("first_argument", "has_fallback", "required", "series", "product_sign", "addend_sign")
_LAYOUT: Final = (
    *("OBJECT_TYPE", "FLOAT_VALUE", "STRUCTURE_DATA", "WRITEABLE", "DOUBLE", "ALIGNED", "CONTIGUOUS"),
    *("ARRAY_DATA", "ARRAY_NDIM", "ARRAY_SHAPE", "ARRAY_STRIDES", "ARRAY_DTYPE", "ARRAY_FLAGS"),
    *("TUPLE_SIZE", "TUPLE_ITEMS"),
)
"""Numbers of `abi` that appear in texts."""
_READ: Final = abi.CONTIGUOUS | abi.ALIGNED


def is_number(name: str) -> bool:
    """Return whether a word of a context is a whole number rather than an address."""
    return name.endswith(("_count", "_bytes")) or name in _NUMBERS


def filled(text: str, addresses: Mapping[str, int], **numbers: int) -> str:
    """Return IR with addresses (those of `abi.addresses`) and numbers in place of their names."""
    pointers = {name: f"inttoptr (i64 {address} to ptr)" for name, address in addresses.items()}
    known = {name: getattr(abi, name) for name in _LAYOUT} | numbers
    known |= {"READ": _READ, "WRITE_PACKED": _READ | abi.WRITEABLE, "WRITE": abi.ALIGNED | abi.WRITEABLE}
    known |= {"DENSE": abi.CONTIGUOUS | abi.COLUMN_ORDER, "COLUMN_ORDER": abi.COLUMN_ORDER}
    no_buffer = "ptr null, i32 0, i32 0, ptr null"
    return Template(text).substitute(pointers | known, no_buffer=no_buffer, no_data=f"ptr null, {no_buffer}")


def context_loads(names: Sequence[str]) -> str:
    """Return the loads of the words of %context."""
    return "".join(_load(name, index) for index, name in enumerate(names))


def _load(name: str, index: int) -> str:
    kind = "i64" if is_number(name) else "ptr"
    return f"  %{name}_at = getelementptr i64, ptr %context, i64 {index}\n  %{name} = load {kind}, ptr %{name}_at\n"


FIND_CONTEXT: Final = """\
  %context_at = getelementptr i8, ptr %self, i64 $STRUCTURE_DATA
  %context = load ptr, ptr %context_at
"""

COPY: Final = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"

# ---------------------------------------------------------------- objects

IS_ARRAY: Final = """\
  %type_at = getelementptr i8, ptr %object, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_array = icmp eq ptr %type, $ndarray
"""

ARRAY_HEAD: Final = """\
  %dtype_at = getelementptr i8, ptr %object, i64 $ARRAY_DTYPE
  %dtype = load ptr, ptr %dtype_at
  %is_double = icmp eq ptr %dtype, $float64
  %flags_at = getelementptr i8, ptr %object, i64 $ARRAY_FLAGS
  %flags_found = load i32, ptr %flags_at
  %flags_set = and i32 %flags_found, %flags
  %flags_fit = icmp eq i32 %flags_set, %flags
  %axes_at = getelementptr i8, ptr %object, i64 $ARRAY_NDIM
  %axes_found = load i32, ptr %axes_at
  %axes_found_64 = zext i32 %axes_found to i64
"""
"""Whether %object, an array, is of float64 and has all of %flags; how many axes it has."""

AXES_FIT: Final = """\
  %axes_fit = icmp eq i64 %axes_found_64, %axes
  %fit_0 = and i1 %is_double, %flags_fit
  %fit = and i1 %fit_0, %axes_fit
  br i1 %fit, label %lengths, label %wrong
lengths:
  %lengths_at = getelementptr i8, ptr %object, i64 $ARRAY_SHAPE
  %lengths_found = load ptr, ptr %lengths_at
"""
"""The lengths of %object, an array, behind `ARRAY_HEAD`; `wrong` unless it is as wanted and has so many %axes."""

NUMBERS: Final = f"""
; The numbers of a float64 array of this shape that has these flags; null for everything else.
define internal ptr @numbers(ptr %object, ptr %shape, i32 %flags) nounwind {{
begin:
{IS_ARRAY}  br i1 %is_array, label %array, label %other
other:
  %is_plain_float = icmp eq ptr %type, $float
  %is_numpy_float = icmp eq ptr %type, $float64_scalar
  %is_float = or i1 %is_plain_float, %is_numpy_float
  %axes_wanted = load i64, ptr %shape
  %is_scalar = icmp eq i64 %axes_wanted, 0
  %is_input = icmp ult i32 %flags, $WRITEABLE
  %usable_0 = and i1 %is_float, %is_scalar
  %usable = and i1 %usable_0, %is_input
  br i1 %usable, label %number, label %wrong
number:
  %value = getelementptr i8, ptr %object, i64 $FLOAT_VALUE
  ret ptr %value
array:
{ARRAY_HEAD}  %axes = load i64, ptr %shape
{AXES_FIT}  br label %axis
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
  %data_at = getelementptr i8, ptr %object, i64 $ARRAY_DATA
  %data = load ptr, ptr %data_at
  ret ptr %data
wrong:
  ret ptr null
}}
"""

# ---------------------------------------------------------------- before and after a compiled program


def owner_and_guards(*before: str, then: str, refuse: str) -> str:
    """Return the test of owner and guards: in the block `before[-1]`; `before` are all blocks that go on to `guard`."""
    begins = ", ".join(f"[0, %{label}]" for label in before)
    return f"""\
  %thread = call i64 $PyThread_get_thread_ident()
  %owning = load i64, ptr %owner
  %is_owner = icmp eq i64 %thread, %owning
  br i1 %is_owner, label %guard, label %{refuse}
guard:
  %g = phi i64 {begins}, [%g_next, %look]
  %more_guards = icmp ult i64 %g, %guard_count
  br i1 %more_guards, label %look, label %{then}
look:
  %g_twice = shl i64 %g, 1
  %watched_at = getelementptr ptr, ptr %guards, i64 %g_twice
  %watched = load ptr, ptr %watched_at
  %expected_at = getelementptr ptr, ptr %watched_at, i64 1
  %expected = load i64, ptr %expected_at
  %found = load i64, ptr %watched
  %g_next = add i64 %g, 1
  %as_expected = icmp eq i64 %found, %expected
  br i1 %as_expected, label %guard, label %{refuse}
"""


def run_program(then: str, refuse: str) -> str:
    """Return the run of the compiled program at %this: code, addresses of inputs, addresses of outputs."""
    return f"""\
  %code_of_program = load ptr, ptr %this
  %inputs_at = getelementptr ptr, ptr %this, i64 1
  %inputs = load ptr, ptr %inputs_at
  %outputs_at = getelementptr ptr, ptr %this, i64 2
  %outputs = load ptr, ptr %outputs_at
  %status = call i64 %code_of_program(ptr %inputs, ptr %outputs)
  %clean = icmp eq i64 %status, 0
  br i1 %clean, label %{then}, label %{refuse}
"""


def copy_all(before: str, then: str) -> str:
    """Return the block `copy_next`, which follows the block `before`: a copy per triple of %copies."""
    return f"""\
copy_next:
  %c = phi i64 [0, %{before}], [%c_next, %copy_one]
  %more_copies = icmp ult i64 %c, %copy_count
  br i1 %more_copies, label %copy_one, label %{then}
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
  br label %copy_next
"""


# ---------------------------------------------------------------- results

GIVEN_RESULTS: Final = """
; The array for a result: that of the keyword `out`, or one of its tuple or list of as many as there are; else null.
define internal ptr @result_array(ptr %given, i64 %k, i64 %count) nounwind {
begin:
  %is_only = icmp eq i64 %count, 1
  br i1 %is_only, label %only, label %several
only:
  ret ptr %given
several:
  %type_at = getelementptr i8, ptr %given, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_tuple = icmp eq ptr %type, $tuple
  br i1 %is_tuple, label %tuple, label %other
tuple:
  %tuple_size = call i64 $PyTuple_Size(ptr %given)
  %tuple_fits = icmp eq i64 %tuple_size, %count
  br i1 %tuple_fits, label %tuple_item, label %wrong
tuple_item:
  %of_tuple = call ptr $PyTuple_GetItem(ptr %given, i64 %k)
  ret ptr %of_tuple
other:
  %is_list = icmp eq ptr %type, $list
  br i1 %is_list, label %list, label %wrong
list:
  %list_size = call i64 $PyList_Size(ptr %given)
  %list_fits = icmp eq i64 %list_size, %count
  br i1 %list_fits, label %list_item, label %wrong
list_item:
  %of_list = call ptr $PyList_GetItem(ptr %given, i64 %k)
  ret ptr %of_list
wrong:
  ret ptr null
}
"""


def _is_apart() -> str:
    """Return the function that says whether memory lies apart from that of the first arrays."""
    w = Writer()

    def compare(k: str, apart: Sequence[str]) -> list[str]:
        start, end = (w.load("ptr", w.address(table, k, "ptr")) for table in ("%starts", "%ends"))
        is_before, is_behind = w.assign(f"icmp ule ptr %end, {start}"), w.assign(f"icmp ule ptr {end}, %start")
        return [w.assign(f"and i1 {apart[0]}, {w.assign(f'or i1 {is_before}, {is_behind}')}")]

    w.begin_function("internal i1 @is_apart(ptr %start, ptr %end, ptr %starts, ptr %ends, i64 %count) nounwind")
    (apart,) = w.loop("%count", compare, [("i1", "true")])
    w.end_function(f"i1 {apart}")
    return w.text()


IS_APART: Final = _is_apart()

RESULT_TAKEN: Final = """\
  %more_given = icmp ult i64 %n, %output_count
  br i1 %more_given, label %take_given, label %run
take_given:
  %n_next = add i64 %n, 1
  %g_axes = load i64, ptr %g_shape
  %g_lengths = getelementptr i64, ptr %g_shape, i64 1
  %g_shape_next = getelementptr i64, ptr %g_lengths, i64 %g_axes
  %g_size = call i64 @product(ptr %g_lengths, i64 %g_axes)
  %result = call ptr @result_array(ptr %given, i64 %n, i64 %output_count)
  %no_result = icmp eq ptr %result, null
  br i1 %no_result, label %release, label %look_at_given
look_at_given:
"""
"""The array %result is given for result number %n."""

RESULT_KEPT: Final = """\
  %g_end = getelementptr double, ptr %result_data, i64 %g_numbers
  %is_apart = call i1 @is_apart(ptr %result_data, ptr %g_end, ptr %out, ptr %ends, i64 %n)
  br i1 %is_apart, label %keep_given, label %release
keep_given:
  %g_end_at = getelementptr ptr, ptr %ends, i64 %n
  store ptr %g_end, ptr %g_end_at
  %g_out_at = getelementptr ptr, ptr %out, i64 %n
  store ptr %result_data, ptr %g_out_at
  %g_made_at = getelementptr ptr, ptr %made, i64 %n
  store ptr %result, ptr %g_made_at
  call void $Py_IncRef(ptr %result)
  br label %next_given
"""
"""%result, of %g_numbers from %result_data on, lies apart from the results before it, and is one."""

RESULT_MADE: Final = """\
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
"""
"""The array %new is result number %o."""

FINISH: Final = """\
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
  %put_object = load ptr, ptr %put_at
  %put_status = call i32 $PyTuple_SetItem(ptr %packed, i64 %f, ptr %put_object)
  %f_next = add i64 %f, 1
  br label %fill
return_tuple:
  ret ptr %packed
"""
"""Return the only array of %made, or a tuple of all."""


def give_back(then: str) -> str:
    """Return the end of the block `release`: give the first %held arrays of %made back."""
    return f"""\
  br label %next_release
next_release:
  %left = phi i64 [%held, %release], [%left_next, %drop]
  %any_left = icmp ugt i64 %left, 0
  br i1 %any_left, label %drop, label %{then}
drop:
  %left_next = sub i64 %left, 1
  %drop_at = getelementptr ptr, ptr %made, i64 %left_next
  %drop_object = load ptr, ptr %drop_at
  call void $Py_DecRef(ptr %drop_object)
  br label %next_release
"""
