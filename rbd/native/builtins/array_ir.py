"""LLVM IR of array makers, which CPython calls for METH_O: of tuples of numbers, and of matrices in column order.

A tuple of floats and ints becomes an array with one axis, a tuple of such tuples of one length an array with two. A
float64 matrix in column order becomes one in row order. For everything else they return NotImplemented.
"""

from __future__ import annotations

from rbd.native.builtins.objects_ir import (
    field,
    field_address,
    has_type,
    leave_unless_floats,
    new_array,
    return_not_implemented,
)
from rbd.native.codegen.ir import Writer
from rbd.native.runtime import abi


def array_functions() -> str:
    """Return `@array(self, object)` and `@row_order(self, object)`."""
    return _copy_tuple() + _array() + _row_order()


def _copy_tuple() -> str:
    """Return `@copy_tuple(object, length, to)`: copies numbers; false if it is no tuple of so many numbers."""
    w = Writer()
    w.begin_function("internal i1 @copy_tuple(ptr %object, i64 %length, ptr %to) nounwind")
    w.leave_unless(has_type(w, "%object", "tuple"), "wrong")
    w.leave_unless(w.test(f"eq i64 {field(w, '%object', abi.TUPLE_SIZE, 'i64')}, %length"), "wrong")
    items = field_address(w, "%object", abi.TUPLE_ITEMS)

    def copy(k: str) -> None:
        item, to = w.element(items, k), w.address("%to", k)
        w.if_(
            has_type(w, item, "float"),
            lambda: w.store("double", field(w, item, abi.FLOAT_VALUE, "double"), to),
            lambda: _copy_int(w, item, to),
        )

    w.for_each("%length", copy)
    w.ret("i1 true")
    w.begin_block("doubtful")
    w.call("void", "$PyErr_Clear")
    w.jump("wrong")
    w.begin_block("wrong")
    w.end_function("i1 false")
    return w.text()


def _copy_int(w: Writer, item: str, to: str) -> None:
    """Write the copying of an int; -1 may stand for an error."""
    w.leave_unless(has_type(w, item, "int"), "wrong")
    number = w.call("double", "$PyLong_AsDouble", f"ptr {item}")
    w.leave_if(w.assign(f"fcmp oeq double {number}, -1.0"), "doubtful")
    w.store("double", number, to)


def _array() -> str:
    """Return `@array(self, object)`: the array of a tuple."""
    w = Writer()
    w.begin_function("ptr @array(ptr %self, ptr %object) nounwind")
    lengths = w.assign("alloca [2 x i64], align 16")
    w.leave_unless(has_type(w, "%object", "tuple"), "declined")
    size, items = field(w, "%object", abi.TUPLE_SIZE, "i64"), field_address(w, "%object", abi.TUPLE_ITEMS)
    w.leave_if(w.test(f"eq i64 {size}, 0"), "declined")
    first = w.load("ptr", items)
    is_nested = has_type(w, first, "tuple")
    width = w.value_if("i64", is_nested, lambda: field(w, first, abi.TUPLE_SIZE, "i64"), "0")
    w.store("i64", size, lengths)
    w.store("i64", width, w.address(lengths, 1, "i64"))
    new = new_array(w, w.select("i32", is_nested, "2", "1"), lengths)
    w.leave_if(w.is_null(new), "no_memory")
    data = field(w, new, abi.ARRAY_DATA)

    def copy(items: str, length: str, to: str) -> None:
        is_copied = w.call("i1", "@copy_tuple", f"ptr {items}", f"i64 {length}", f"ptr {to}")
        w.leave_unless(is_copied, "give_back")

    def copy_row(k: str) -> None:
        copy(w.element(items, k), width, w.address(data, w.assign(f"mul i64 {k}, {width}")))

    w.if_(is_nested, lambda: w.for_each(size, copy_row), lambda: copy("%object", size, data))
    w.ret(f"ptr {new}")
    w.begin_block("give_back")
    w.call("void", "$Py_DecRef", f"ptr {new}")
    w.jump("declined")
    return_not_implemented(w, "declined")
    w.begin_block("no_memory")
    w.end_function("ptr null")
    return w.text()


def _row_order() -> str:
    """Return `@row_order(self, object)`: the copy in row order of a matrix in column order."""
    w = Writer()
    w.begin_function("ptr @row_order(ptr %self, ptr %object) nounwind")
    w.leave_unless(has_type(w, "%object", "ndarray"), "declined")
    leave_unless_floats(w, "%object", str(abi.ALIGNED | abi.COLUMN_ORDER), "2", "declined")
    lengths, source = field(w, "%object", abi.ARRAY_SHAPE), field(w, "%object", abi.ARRAY_DATA)
    height, width = w.element(lengths, 0, "i64"), w.element(lengths, 1, "i64")
    new = new_array(w, "2", lengths)
    w.leave_if(w.is_null(new), "no_memory")
    target = field(w, new, abi.ARRAY_DATA)

    def copy_row(row: str) -> None:
        start, to = w.address(source, row), w.address(target, w.assign(f"mul i64 {row}, {width}"))

        def copy(column: str) -> None:
            number = w.element(start, w.assign(f"mul i64 {column}, {height}"), "double")
            w.store("double", number, w.address(to, column))

        w.for_each(width, copy)

    w.for_each(height, copy_row)
    w.ret(f"ptr {new}")
    return_not_implemented(w, "declined")
    w.begin_block("no_memory")
    w.end_function("ptr null")
    return w.text()
