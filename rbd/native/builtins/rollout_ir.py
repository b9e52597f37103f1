"""LLVM IR of rollouts in builtins of compiled programs: many calls, each of which reads the results of the one before.

A program whose outputs have the names and shapes of its first inputs, such as a time step, is called as often as the
last argument says. New arrays have a row for the start and one for each call. One input, the series, may have a row per
call. All inputs may have one leading axis if the first one has it: the code for one state takes all calls of a row,
then those of the next. Batches have a quarter of the calls that one state may have: more are faster in code for rows.
Everything else, long rollouts and failed steps are declined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.native.builtins.call_context import CONTEXT, MAX_AXES, MAX_PORTS
from rbd.native.builtins.objects_ir import axis_count, call_numbers, copy, field, has_type, new_array, next_shape
from rbd.native.builtins.records import Record
from rbd.native.builtins.results_ir import ResultArrays
from rbd.native.codegen.ir import Writer
from rbd.native.compiled_program import Entry
from rbd.native.runtime import abi

_BATCH_WEIGHT: Final = 4
"""Calls of one state that a call of a batch counts as: more are faster in code for rows."""


def rollout_function() -> str:
    """Return `@rollout(context, objects)`: the results of a rollout, or null."""
    return _RolloutWriter().text()


@final
class _RolloutWriter:
    """Writer of `@rollout`."""

    def __init__(self) -> None:
        self._w = w = Writer()
        w.begin_function("internal ptr @rollout(ptr %context, ptr %objects) nounwind")
        self._starts, self._inputs, self._outputs, self._histories = (
            w.assign(f"alloca [{MAX_PORTS} x ptr], align 16") for _ in range(4)
        )
        self._row_bytes, self._step_bytes = (w.assign(f"alloca [{MAX_PORTS} x i64], align 16") for _ in range(2))
        """Steps of each input from row to row and from call to call, in bytes; outputs have those of inputs."""
        self._lengths = w.assign("alloca [3 x i64], align 16")
        self._shape = w.assign(f"alloca [{MAX_AXES} x i64], align 16")
        self._context = Record(w, "%context", CONTEXT)
        self._output_count = self._context["output_count"]
        self._results = ResultArrays(w, self._output_count)
        self._input_count = w.assign(f"sub i64 {self._context['argument_count']}, 1")
        self._steps = self._read_steps()
        self._lead_axes, self._rows = self._read_rows()
        self._times = w.assign(f"add i64 {self._steps}, 1")

    def text(self) -> str:
        """Return the function."""
        w, entry = self._w, self._w.element(self._context["entries"], Entry.SINGLE)
        w.leave_if(w.is_null(entry), "wrong")
        self._leave_unless_short()
        (shapes,) = w.loop(self._input_count, self._take_input, [("ptr", self._context["shapes"])])
        w.store("i64", self._rows, self._lengths)
        w.store("i64", self._times, w.address(self._lengths, 1, "i64"))
        w.loop(self._output_count, self._make_output, [("ptr", shapes)])
        w.for_each(self._rows, lambda row: self._run_row(entry, row))
        self._results.end_function()
        return w.text()

    def _read_steps(self) -> str:
        """Write the number of calls, which is positive."""
        w, number = self._w, self._w.element("%objects", self._input_count)
        w.leave_unless(has_type(w, number, "int"), "wrong")
        steps = w.call("i64", "$PyLong_AsLong", f"ptr {number}")

        def leave() -> None:
            w.call("void", "$PyErr_Clear")
            w.leave("wrong")

        w.if_(w.test(f"sle i64 {steps}, 0"), leave)
        return steps

    def _read_rows(self) -> tuple[str, str]:
        """Write the number of leading axes of the first input, at most one, and of its rows."""
        w, first = self._w, self._w.load("ptr", "%objects")
        w.leave_unless(has_type(w, first, "ndarray"), "wrong")
        own = w.load("i64", self._context["shapes"])
        lead_axes = w.assign(f"sub i64 {axis_count(w, first)}, {own}")
        w.leave_unless(w.test(f"ule i64 {lead_axes}, 1"), "wrong")
        is_batch = w.test(f"eq i64 {lead_axes}, 1")
        return lead_axes, w.value_if("i64", is_batch, lambda: w.load("i64", field(w, first, abi.ARRAY_SHAPE)), "1")

    def _leave_unless_short(self) -> None:
        """Write the jump to `wrong` unless there are rows, and calls take as long as a small batch at most."""
        w, limit = self._w, self._context["max_small_batch_rows"]
        for count in (self._steps, self._rows):  # whose product has no overflow then
            w.leave_unless(w.test(f"ule i64 {count}, {limit}"), "wrong")
        calls = w.assign(f"mul i64 {self._rows}, {self._steps}")
        is_batch = w.test(f"ne i64 {self._lead_axes}, 0")
        counted = w.select("i64", is_batch, w.assign(f"mul i64 {calls}, {_BATCH_WEIGHT}"), calls)
        fits = w.test(f"ule i64 {counted}, {limit}")
        w.leave_unless(w.all_of(fits, w.test(f"ne i64 {self._rows}, 0")), "wrong")

    def _take_input(self, k: str, shapes: Sequence[str]) -> list[str]:
        """Write the start of an input and its steps: it is constant, or has rows, or rows of calls."""
        w, (shape,) = self._w, shapes
        argument, axes, own = w.element("%objects", k), w.load("i64", shape), w.address(shape, 1, "i64")
        size, own_bytes = w.call("i64", "@product", f"ptr {own}", f"i64 {axes}"), w.assign(f"shl i64 {axes}, 3")
        entry_bytes = w.assign(f"shl i64 {size}, 3")

        def place(data: str, step_bytes: str, row_bytes: str) -> None:
            w.store("ptr", data, w.address(self._starts, k, "ptr"))
            w.store("i64", step_bytes, w.address(self._step_bytes, k, "i64"))
            w.store("i64", row_bytes, w.address(self._row_bytes, k, "i64"))

        def with_rows() -> None:
            w.store("i64", w.assign(f"add i64 {axes}, {self._lead_axes}"), self._shape)
            w.store("i64", self._rows, w.address(self._shape, 1, "i64"))
            behind = w.address(self._shape, w.assign(f"add i64 {self._lead_axes}, 1"), "i64")
            copy(w, behind, own, own_bytes)
            data = call_numbers(w, argument, self._shape)
            w.if_(w.is_null(data), lambda: with_calls(behind), lambda: place(data, "0", entry_bytes))

        def with_calls(behind: str) -> None:
            w.leave_unless(w.test(f"eq i64 {k}, {self._context['series_input']}"), "wrong")
            w.store("i64", w.assign(f"add i64 {w.load('i64', self._shape)}, 1"), self._shape)
            w.store("i64", self._steps, behind)
            copy(w, w.address(behind, 1, "i64"), own, own_bytes)
            data = call_numbers(w, argument, self._shape)
            w.leave_if(w.is_null(data), "wrong")
            place(data, entry_bytes, w.assign(f"mul i64 {entry_bytes}, {self._steps}"))

        constant = call_numbers(w, argument, shape)
        w.if_(w.is_null(constant), with_rows, lambda: place(constant, "0", "0"))
        return [next_shape(w, shape)]

    def _make_output(self, k: str, shapes: Sequence[str]) -> list[str]:
        """Write the making of the history of an output, which is a vector."""
        w, length = self._w, self._w.element(shapes[0], 1, "i64")
        w.store("i64", length, w.address(self._lengths, 2, "i64"))
        first = w.address(self._lengths, w.assign(f"sub i64 1, {self._lead_axes}"), "i64")
        axes = w.assign(f"trunc i64 {w.assign(f'add i64 {self._lead_axes}, 2')} to i32")
        data = self._results.add(k, new_array(w, axes, first))
        w.store("ptr", data, w.address(self._histories, k, "ptr"))
        w.store("i64", w.assign(f"shl i64 {length}, 3"), w.address(self._step_bytes, k, "i64"))
        return [next_shape(w, shapes[0])]

    def _run_row(self, entry: str, row: str) -> None:
        """Write all calls of a row."""
        w = self._w
        w.for_each(self._input_count, lambda k: self._place_input(k, row))
        w.for_each(self._output_count, lambda k: self._place_output(k, row))

        def step(_: str) -> None:
            status = w.call("i64", entry, f"ptr {self._inputs}", f"ptr {self._outputs}")
            self._results.release_if(w.test(f"ne i64 {status}, 0"), self._output_count)
            w.for_each(self._input_count, lambda k: self._move(self._inputs, k))
            w.for_each(self._output_count, lambda k: self._move(self._outputs, k))

        w.for_each(self._steps, step)

    def _place_input(self, k: str, row: str) -> None:
        w, row_bytes = self._w, self._w.element(self._row_bytes, k, "i64")
        start = self._behind(w.element(self._starts, k), w.assign(f"mul i64 {row_bytes}, {row}"))
        w.store("ptr", start, w.address(self._inputs, k, "ptr"))

    def _place_output(self, k: str, row: str) -> None:
        """Write the start of a row to the history; the first call reads it there."""
        w, size = self._w, self._w.element(self._step_bytes, k, "i64")
        row_bytes = w.assign(f"mul i64 {size}, {self._times}")
        history = self._behind(w.element(self._histories, k), w.assign(f"mul i64 {row_bytes}, {row}"))
        place = w.address(self._inputs, k, "ptr")
        copy(w, history, w.load("ptr", place), size)
        w.store("ptr", history, place)
        w.store("ptr", self._behind(history, size), w.address(self._outputs, k, "ptr"))

    def _move(self, table: str, k: str) -> None:
        """Write the moving of an input or output to the next call."""
        w, place = self._w, self._w.address(table, k, "ptr")
        w.store("ptr", self._behind(w.load("ptr", place), w.element(self._step_bytes, k, "i64")), place)

    def _behind(self, pointer: str, size: str) -> str:
        return self._w.assign(f"getelementptr i8, ptr {pointer}, i64 {size}")
