"""LLVM IR that reads and makes objects of Python: fields, types, arrays and their numbers.

Names such as $ndarray stand for addresses of this process, which `with_addresses` puts in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template
from typing import Final

from rbd.native.codegen.ir import Writer
from rbd.native.runtime import abi

READ: Final = abi.CONTIGUOUS | abi.ALIGNED
"""Flags of arrays that are read as they are."""
WRITE_PACKED: Final = READ | abi.WRITEABLE
"""Flags of arrays that are written as they are."""
COPY: Final = "@llvm.memcpy.p0.p0.i64"
DECLARATIONS: Final = f"declare void {COPY}(ptr, ptr, i64, i1)\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"


def with_addresses(text: str, addresses: Mapping[str, int]) -> str:
    """Return IR with addresses (those of `abi.symbol_addresses`) in place of their names."""
    return Template(text).substitute({name: f"inttoptr (i64 {word} to ptr)" for name, word in addresses.items()})


def field_address(w: Writer, pointer: str, offset: int | str) -> str:
    """Write the address of the field of an object that is so many bytes from its beginning."""
    return w.assign(f"getelementptr i8, ptr {pointer}, i64 {offset}")


def field(w: Writer, pointer: str, offset: int | str, kind: str = "ptr") -> str:
    """Write the load of a field of an object."""
    return w.load(kind, field_address(w, pointer, offset))


def has_type(w: Writer, pointer: str, *types: str) -> str:
    """Write whether an object has one of these types, and no subclass."""
    found = field(w, pointer, abi.OBJECT_TYPE)
    return w.any_of(*(w.test(f"eq ptr {found}, ${each}") for each in types))


def copy(w: Writer, target: str, source: str, size: str) -> None:
    """Write the copying of so many bytes."""
    w.call("void", COPY, f"ptr {target}", f"ptr {source}", f"i64 {size}", "i1 false")


def return_not_implemented(w: Writer, label: str) -> None:
    """Write the block `label`, which returns NotImplemented."""
    w.begin_block(label)
    w.call("void", "$Py_IncRef", "ptr $NotImplemented")
    w.ret("ptr $NotImplemented")


# ---------------------------------------------------------------- arrays


def new_array(w: Writer, axes: str, lengths: str, strides: str = "null", order: str = "0") -> str:
    """Write the making of an array; null without memory. The `order` is that of the axes, without strides."""
    shape = f"i32 {axes}", f"ptr {lengths}", f"i32 {abi.DOUBLE}", f"ptr {strides}"
    return w.call("ptr", "$PyArray_New", "ptr $ndarray", *shape, "ptr null", "i32 0", f"i32 {order}", "ptr null")


def axis_count(w: Writer, array: str) -> str:
    """Write the number of axes of an array."""
    return w.assign(f"zext i32 {field(w, array, abi.ARRAY_NDIM, 'i32')} to i64")


def leave_unless_floats(w: Writer, array: str, flags: str, axes: str, label: str) -> None:
    """Write the jump to a label unless an array is of float64, and has these flags and so many axes."""
    found = field(w, array, abi.ARRAY_FLAGS, "i32")
    has_flags = w.test(f"eq i32 {w.assign(f'and i32 {found}, {flags}')}, {flags}")
    is_double = w.test(f"eq ptr {field(w, array, abi.ARRAY_DTYPE)}, $float64")
    w.leave_unless(w.all_of(is_double, has_flags, w.test(f"eq i64 {axis_count(w, array)}, {axes}")), label)


def numbers_function() -> str:
    """Return `@numbers(object, shape, flags)`: the address of an array's float64 numbers; null unless it has all flags.

    The shape, which it must have, is the number of axes, then the lengths. A float is an array without axes that is
    read.
    """
    w = Writer()
    w.begin_function("internal ptr @numbers(ptr %object, ptr %shape, i32 %flags) nounwind")
    axes = w.load("i64", "%shape")

    def array() -> None:
        leave_unless_floats(w, "%object", "%flags", axes, "wrong")
        found, wanted = field(w, "%object", abi.ARRAY_SHAPE), w.address("%shape", 1, "i64")

        def compare(axis: str) -> None:
            lengths = (w.element(each, axis, "i64") for each in (found, wanted))
            w.leave_unless(w.test(f"eq i64 {', '.join(lengths)}"), "wrong")

        w.for_each(axes, compare)
        w.ret(f"ptr {field(w, '%object', abi.ARRAY_DATA)}")

    def number() -> None:
        is_number, is_scalar = has_type(w, "%object", "float", "float64_scalar"), w.test(f"eq i64 {axes}, 0")
        w.leave_unless(w.all_of(is_number, is_scalar, w.test(f"ult i32 %flags, {abi.WRITEABLE}")), "wrong")
        w.ret(f"ptr {field_address(w, '%object', abi.FLOAT_VALUE)}")

    w.if_(has_type(w, "%object", "ndarray"), array, number)
    w.begin_block("wrong")
    w.end_function("ptr null")
    return w.text()


def call_numbers(w: Writer, pointer: str, shape: str, flags: int = READ) -> str:
    """Write a call of `@numbers`."""
    return w.call("ptr", "@numbers", f"ptr {pointer}", f"ptr {shape}", f"i32 {flags}")


def next_shape(w: Writer, shape: str) -> str:
    """Write the address of the shape behind another one."""
    return w.address(w.address(shape, w.load("i64", shape), "i64"), 1, "i64")
