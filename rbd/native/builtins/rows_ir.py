"""LLVM IR of batches in builtins of compiled programs: leading axes of arguments, layouts, new results.

Arguments have the shape the program wants, and are the same for all rows, or have leading axes before it: the same ones
in all arguments that have any. Arrays may be strided as long as rows are a constant distance apart. New results are in
column order if all arguments with leading axes are. Everything else is declined. Large batches release the
interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, final

from rbd.native.builtins.call_context import CONTEXT, MAX_AXES, MAX_LAYOUT_WORDS, MAX_PORTS
from rbd.native.builtins.objects_ir import (
    axis_count,
    call_numbers,
    copy,
    field,
    has_type,
    leave_unless_floats,
    new_array,
)
from rbd.native.builtins.records import INTEGER, POINTER, Record
from rbd.native.builtins.results_ir import ResultArrays
from rbd.native.codegen.ir import Carried, Writer
from rbd.native.compiled_program import Entry
from rbd.native.runtime import abi

_LEADING: Final = {"axes": INTEGER, "lengths": POINTER, "distant": INTEGER, "unordered": INTEGER}
"""The leading axes of arguments, and how many arguments with these have rows that are not neighbours in memory, and
axes that are not in row order."""


def row_functions() -> str:
    """Return `@rows(context, objects, given)` and what it calls."""
    return _stacked() + _overlaps() + _arrange() + _RowsWriter().text()


def _stacked() -> str:
    """Return `@stacked(object, shape, flags, lead_axes, lead, steps)`: address of the numbers of a float64 array.

    It has this shape behind leading axes of these lengths, else it is null. The layout is written to `steps`.
    """
    w, leading = Writer(), "i64 %lead_axes, ptr %lead, ptr %steps"
    w.begin_function(f"internal ptr @stacked(ptr %object, ptr %shape, i32 %flags, {leading}) nounwind")
    w.leave_unless(has_type(w, "%object", "ndarray"), "wrong")
    own = w.load("i64", "%shape")
    leave_unless_floats(w, "%object", "%flags", w.assign(f"add i64 {own}, %lead_axes"), "wrong")
    lengths, strides = field(w, "%object", abi.ARRAY_SHAPE), field(w, "%object", abi.ARRAY_STRIDES)

    def own_axis(axis: str) -> None:
        place, following = w.assign(f"add i64 {axis}, %lead_axes"), w.assign(f"add i64 {axis}, 1")
        w.store("i64", _step(w, strides, place), w.address("%steps", following, "i64"))
        found, wanted = w.element(lengths, place, "i64"), w.element("%shape", following, "i64")
        w.leave_unless(w.test(f"eq i64 {found}, {wanted}"), "wrong")

    def leading_axis(count: str, values: Sequence[str]) -> list[str]:
        """Go from the last leading axis to the first: each begins where the one after it would go on."""
        row_step, reach = values
        axis = w.assign(f"sub i64 {w.assign(f'sub i64 %lead_axes, {count}')}, 1")
        length, step = w.element(lengths, axis, "i64"), _step(w, strides, axis)
        w.leave_unless(w.test(f"eq i64 {length}, {w.element('%lead', axis, 'i64')}"), "wrong")
        is_long, is_first = w.test(f"ugt i64 {length}, 1"), w.test(f"eq i64 {reach}, 0")
        w.leave_unless(w.any_of(is_first, w.test(f"eq i64 {step}, {reach}"), w.test(f"ule i64 {length}, 1")), "wrong")
        first_step = w.select("i64", w.all_of(is_long, is_first), step, row_step)
        return [first_step, w.select("i64", is_long, w.assign(f"mul i64 {step}, {length}"), reach)]

    w.for_each(own, own_axis)
    row_step, _ = w.loop("%lead_axes", leading_axis, [("i64", "0"), ("i64", "0")])
    w.store("i64", row_step, "%steps")
    w.ret(f"ptr {field(w, '%object', abi.ARRAY_DATA)}")
    w.begin_block("wrong")
    w.end_function("ptr null")
    return w.text()


def _step(w: Writer, strides: str, axis: str) -> str:
    """Write the distance along an axis in doubles."""
    return w.assign(f"ashr i64 {w.element(strides, axis, 'i64')}, 3")


def _overlaps() -> str:
    """Return `@overlaps(data, shape, steps, rows, start, end)`: whether an array has numbers between two addresses."""
    w = Writer()

    def add(axis: str, ends: Sequence[str]) -> list[str]:
        is_row = w.test(f"eq i64 {axis}, 0")
        length = w.select("i64", is_row, "%rows", w.element("%shape", axis, "i64"))
        step, last = w.element("%steps", axis, "i64"), w.assign(f"sub i64 {length}, 1")
        reach = w.assign(f"mul i64 {last}, {step}")
        backwards = w.test(f"slt i64 {reach}, 0")
        down, up = w.select("i64", backwards, reach, "0"), w.select("i64", backwards, "0", reach)
        return [w.assign(f"add i64 {end}, {change}") for end, change in zip(ends, (down, up), strict=True)]

    arguments = "ptr %data, ptr %shape, ptr %steps, i64 %rows, ptr %start, ptr %end"
    w.begin_function(f"internal i1 @overlaps({arguments}) nounwind")
    axes = w.assign(f"add i64 {w.load('i64', '%shape')}, 1")
    first, last = (w.address("%data", end) for end in w.loop(axes, add, [("i64", "0"), ("i64", "0")]))
    w.end_function(f"i1 {w.all_of(w.test(f'ult ptr {first}, %end'), w.test(f'ule ptr %start, {last}'))}")
    return w.text()


def _arrange() -> str:
    """Return `@arrange(shape, lead_axes, lead, rows, columns, steps, strides)`: writes the layout of a new array.

    The strides are in bytes. In column order the first axis of the port varies before the others, in row order the
    last.
    """
    w, leading = Writer(), "i64 %lead_axes, ptr %lead, i64 %rows, i1 %columns"
    w.begin_function(f"internal void @arrange(ptr %shape, {leading}, ptr %steps, ptr %strides) nounwind")
    own, lengths = w.load("i64", "%shape"), w.address("%shape", 1, "i64")
    size = w.call("i64", "@product", f"ptr {lengths}", f"i64 {own}")
    row_step = w.select("i64", "%columns", "1", size)
    w.store("i64", row_step, "%steps")

    def own_axis(count: str, steps: Sequence[str]) -> list[str]:
        from_end = w.assign(f"sub i64 {w.assign(f'sub i64 {own}, {count}')}, 1")
        axis = w.select("i64", "%columns", count, from_end)
        w.store("i64", steps[0], w.address("%steps", w.assign(f"add i64 {axis}, 1"), "i64"))
        place = w.address("%strides", w.assign(f"add i64 {axis}, %lead_axes"), "i64")
        w.store("i64", w.assign(f"shl i64 {steps[0]}, 3"), place)
        return [w.assign(f"mul i64 {steps[0]}, {w.element(lengths, axis, 'i64')}")]

    def leading_axis(count: str, sizes: Sequence[str]) -> list[str]:
        axis = w.assign(f"sub i64 {w.assign(f'sub i64 %lead_axes, {count}')}, 1")
        w.store("i64", sizes[0], w.address("%strides", axis, "i64"))
        return [w.assign(f"mul i64 {sizes[0]}, {w.element('%lead', axis, 'i64')}")]

    w.loop(own, own_axis, [("i64", w.select("i64", "%columns", "%rows", "1"))])
    w.loop("%lead_axes", leading_axis, [("i64", w.assign(f"shl i64 {row_step}, 3"))])
    w.end_function()
    return w.text()


@final
class _RowsWriter:
    """Writer of `@rows(context, objects, given)`: the result for rows, or null."""

    def __init__(self) -> None:
        self._w = w = Writer()
        w.begin_function("internal ptr @rows(ptr %context, ptr %objects, ptr %given) nounwind")
        self._inputs = w.assign(f"alloca [{MAX_PORTS} x ptr], align 16")
        self._layouts = w.assign(f"alloca [{MAX_LAYOUT_WORDS} x i64], align 16")
        self._lengths, self._strides = (w.assign(f"alloca [{MAX_AXES} x i64], align 16") for _ in range(2))
        self._status, self._bad_row = (w.assign("alloca i64, align 8") for _ in range(2))
        self._leading = Record(w, w.assign(f"alloca [{len(_LEADING)} x i64], align 16"), _LEADING)
        self._context = Record(w, "%context", CONTEXT)
        self._count = self._context["output_count"]
        self._results = ResultArrays(w, self._count)

    def text(self) -> str:
        """Return the function."""
        w, context = self._w, self._context
        entry = w.element(context["entries"], Entry.BATCH)
        w.leave_if(w.is_null(entry), "wrong")
        for name, kind in _LEADING.items():
            w.store(kind, "0" if kind == INTEGER else "null", self._leading.address(name))
        begin = [("ptr", context["shapes"]), ("ptr", self._layouts)]
        ports = [("ptr", each) for each in w.loop(context["argument_count"], self._take_input, begin)]
        rows = w.call("i64", "@product", f"ptr {self._leading['lengths']}", f"i64 {self._leading['axes']}")
        w.if_(w.is_null("%given"), partial(self._make_results, ports, rows), partial(self._take_results, ports, rows))
        self._run(entry, rows)
        self._results.release_if(w.test(f"sge i64 {w.load('i64', self._bad_row)}, 0"), self._count)
        self._results.end_function()
        return w.text()

    def _make_results(self, ports: Carried, rows: str) -> None:
        self._w.loop(self._count, lambda k, port: self._make_result(k, port, rows), ports)

    def _take_results(self, ports: Carried, rows: str) -> None:
        self._w.loop(self._count, lambda k, port: self._take_result(k, port, rows), ports)

    def _next_port(self, shape: str, steps: str) -> list[str]:
        """Write the addresses of the shape and the layout of the next port."""
        following = self._w.assign(f"add i64 {self._w.load('i64', shape)}, 1")
        return [self._w.address(each, following, "i64") for each in (shape, steps)]

    def _take_input(self, k: str, port: Sequence[str]) -> list[str]:
        """Write the address of the numbers of an argument, and its layout."""
        w, (shape, steps) = self._w, port
        argument, place = w.element("%objects", k), w.address(self._inputs, k, "ptr")

        def number() -> None:
            w.store("i64", "0", steps)
            w.store("ptr", call_numbers(w, argument, shape), place)

        def array() -> None:
            w.store("ptr", self._stacked(argument, shape, steps), place)

        w.if_(has_type(w, argument, "ndarray"), array, number)
        w.leave_if(w.is_null(w.load("ptr", place)), "wrong")
        return self._next_port(shape, steps)

    def _stacked(self, array: str, shape: str, steps: str) -> str:
        """Write the address of the numbers of an array; the first one with leading axes says which they are."""
        w, leading = self._w, self._leading
        found = w.assign(f"sub i64 {axis_count(w, array)}, {w.load('i64', shape)}")
        has_rows = w.test(f"sgt i64 {found}, 0")

        def begin() -> None:
            w.store("i64", found, leading.address("axes"))
            w.store("ptr", field(w, array, abi.ARRAY_SHAPE), leading.address("lengths"))

        w.if_(w.all_of(has_rows, w.is_null(leading["lengths"])), begin)
        axes = w.select("i64", has_rows, leading["axes"], "0")
        data = self._call_stacked(array, shape, str(abi.ALIGNED), axes, steps)
        is_unordered = w.negated(self._has_flags(array, abi.CONTIGUOUS))
        is_distant = w.test(f"ne i64 {w.load('i64', steps)}, 1")
        for name, condition in (("distant", is_distant), ("unordered", is_unordered)):
            more = w.assign(f"zext i1 {w.all_of(has_rows, condition)} to i64")
            w.store("i64", w.assign(f"add i64 {leading[name]}, {more}"), leading.address(name))
        return data

    def _call_stacked(self, array: str, shape: str, flags: str, axes: str, steps: str) -> str:
        port = f"ptr {array}", f"ptr {shape}", f"i32 {flags}"
        return self._w.call("ptr", "@stacked", *port, f"i64 {axes}", f"ptr {self._leading['lengths']}", f"ptr {steps}")

    def _has_flags(self, array: str, flags: int) -> str:
        """Write whether an array has one of some flags."""
        found = self._w.assign(f"and i32 {field(self._w, array, abi.ARRAY_FLAGS, 'i32')}, {flags}")
        return self._w.test(f"ne i32 {found}, 0")

    def _take_result(self, k: str, port: Sequence[str], rows: str) -> list[str]:
        """Write the taking of a given array: dense, and apart from the inputs, which are read later."""
        w, results, (shape, steps) = self._w, self._results, port
        array = results.given(k)
        flags = str(abi.ALIGNED | abi.WRITEABLE)
        data = self._call_stacked(array, shape, flags, self._leading["axes"], steps)
        results.release_if(w.is_null(data), k)
        is_dense = self._has_flags(array, abi.CONTIGUOUS | abi.COLUMN_ORDER)
        results.release_if(w.negated(is_dense), k)
        row_size = w.call("i64", "@product", f"ptr {w.address(shape, 1, 'i64')}", f"i64 {w.load('i64', shape)}")
        size = w.assign(f"mul i64 {row_size}, {rows}")
        memory = f"i64 {rows}", f"ptr {data}", f"ptr {w.address(data, size)}"

        def compare(index: str, other: Sequence[str]) -> list[str]:
            read = f"ptr {w.element(self._inputs, index)}", *(f"ptr {each}" for each in other)
            results.release_if(w.call("i1", "@overlaps", *read, *memory), k)
            return self._next_port(*other)

        w.loop(self._context["argument_count"], compare, [("ptr", self._context["shapes"]), ("ptr", self._layouts)])
        results.keep(k, array, data, size)
        return self._next_port(shape, steps)

    def _make_result(self, k: str, port: Sequence[str], rows: str) -> list[str]:
        """Write the making of an array: in column order if all arguments with leading axes are."""
        w, leading, (shape, steps) = self._w, self._leading, port
        own, lead_axes, lengths = w.load("i64", shape), leading["axes"], leading["lengths"]
        axes = w.assign(f"add i64 {own}, {lead_axes}")
        self._results.release_if(w.test(f"ugt i64 {axes}, {MAX_AXES}"), k)
        copy(w, self._lengths, lengths, w.assign(f"shl i64 {lead_axes}, 3"))
        behind = w.address(self._lengths, lead_axes, "i64")
        copy(w, behind, w.address(shape, 1, "i64"), w.assign(f"shl i64 {own}, 3"))
        columns = w.all_of(w.test(f"eq i64 {leading['distant']}, 0"), w.test(f"ne i64 {leading['unordered']}, 0"))
        rows_of = f"i64 {lead_axes}", f"ptr {lengths}", f"i64 {rows}", f"i1 {columns}"
        w.call("void", "@arrange", f"ptr {shape}", *rows_of, f"ptr {steps}", f"ptr {self._strides}")
        strides = w.select("ptr", columns, self._strides, "null")
        self._results.add(k, new_array(w, w.assign(f"trunc i64 {axes} to i32"), self._lengths, strides))
        return self._next_port(shape, steps)

    def _run(self, entry: str, rows: str) -> None:
        """Write the run for all rows: under the interpreter's lock if there are few, else while others may run."""
        w, count = self._w, f"i64 {self._context['argument_count']}"

        def run() -> None:
            tables = (f"ptr {each}" for each in (self._inputs, self._layouts, self._results.numbers, self._status))
            w.store("i64", w.call("i64", entry, "i64 0", f"i64 {rows}", *tables, "ptr null"), self._bad_row)

        def run_unlocked() -> None:
            w.call("void", "@hold", "ptr %objects", count)  # others may replace those in a dictionary
            thread = w.call("ptr", "$PyEval_SaveThread")
            run()
            w.call("void", "$PyEval_RestoreThread", f"ptr {thread}")
            w.call("void", "@drop", "ptr %objects", count)

        w.if_(w.test(f"ule i64 {rows}, {self._context['max_small_batch_rows']}"), run, run_unlocked)
