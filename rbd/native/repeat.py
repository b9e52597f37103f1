"""Repeated calls of a compiled program from machine code; each reads the results of the last one.

Between two calls every input and output advances by its own number of doubles (0: it stays). To feed an output back,
give input and output overlapping memory. The first failed call ends the loop; its outputs are not written.
"""

from __future__ import annotations

import ctypes
import functools
from array import array
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, final

import attrs

from rbd.native.batch.row_access import packed_layouts
from rbd.native.cached_code import cached_code, code_key
from rbd.native.codegen.ir import Writer
from rbd.native.compiled_program import CompiledProgram, Entry, Statuses
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.native.runtime.tasks import run_on_threads
from rbd.program.status import NO_MEMORY
from rbd.scalars.arrays import Array

StridedArrays: TypeAlias = Sequence[tuple[Array, int]]
"""Arrays, and by how many doubles each moves on from call to call."""

_SYMBOLS: Final = ("repeat", "repeat_rows")
_KEY: Final = "repetition 4"


@final
@attrs.frozen
class RepetitionOutcome:
    """Outcome of a repetition: `completed` calls were clean; the next one, if there was one, had this status."""

    completed: int
    status: int = 0
    row: int = -1
    """The first bad row of a call for many rows."""


def repeat(compiled: CompiledProgram, count: int, inputs: StridedArrays, outputs: StridedArrays) -> RepetitionOutcome:
    """Call the program for one state `count` times, or until a status is not clean."""
    tables, completed = _tables(inputs, outputs), ctypes.c_int64(0)
    address = compiled.address(Entry.SINGLE)
    status = _entry("repeat")(address, count, *tables.words, ctypes.addressof(completed))
    return RepetitionOutcome(completed.value, status)


def repeat_rows(
    compiled: CompiledProgram,
    count: int,
    inputs: StridedArrays,
    row_steps: Sequence[int],
    outputs: StridedArrays,
    rows: int,
    threads: int = 1,
    statuses: Statuses | None = None,
) -> RepetitionOutcome:
    """Call the program for `rows` rows `count` times, or until one is not clean.

    `row_steps` are doubles from row to row of each input, 0 for one row for all; rows have no gaps.

    With `statuses`, zeros, one per row, bad rows end nothing: their first ones are stored there.

    Threads take rows of their own through all calls. The outcome is that of the first call with a bad row.
    """
    outline = compiled.outline
    steps = (*row_steps, *(port.size for port in outline.outputs))
    tables, layouts = _tables(inputs, outputs), packed_layouts((*outline.inputs, *outline.outputs), steps)
    address, entry = compiled.address(Entry.BATCH), _entry("repeat_rows")
    shares = iter(_shares(rows, threads, compiled.lanes))
    status_address = 0 if statuses is None else statuses.ctypes.data
    outcomes = list[RepetitionOutcome]()

    def task() -> None:
        for share in shares:  # next() of a list's iterator is one step of the interpreter
            completed, status = ctypes.c_int64(0), ctypes.c_int64(0)
            words = (*tables.words, ctypes.addressof(completed), layouts.buffer_info()[0], *share)
            row = entry(address, count, *words, ctypes.addressof(status), status_address)
            outcomes.append(RepetitionOutcome(completed.value, status.value, row))

    run_on_threads(task, threads, stop=lambda: list(shares))
    return _first_bad(outcomes, RepetitionOutcome(count))


def _first_bad(outcomes: list[RepetitionOutcome], clean: RepetitionOutcome) -> RepetitionOutcome:
    """Return the outcome of the first call with a bad row, and its first one; `clean` if there is none."""
    bad = [outcome for outcome in outcomes if outcome.row >= 0]
    return min(bad, key=lambda outcome: (outcome.completed, outcome.row), default=clean)


def _shares(rows: int, threads: int, lanes: int) -> list[tuple[int, int]]:
    """Return (first, count) per thread: whole blocks of lanes, so that cutting changes no result."""
    blocks = -(-rows // lanes)
    size = -(-blocks // max(threads, 1)) * lanes
    return [(first, min(size, rows - first)) for first in range(0, rows, max(size, 1))]


@final
@attrs.frozen
class _Tables:
    """Number of inputs and of all, the addresses of their numbers and of their strides, as words for the loops."""

    words: tuple[int, ...]
    references: tuple[object, ...]


def _tables(inputs: StridedArrays, outputs: StridedArrays) -> _Tables:
    arrays = [*inputs, *outputs]
    starts = array("Q", [abi.data_address(each) for each, _ in arrays])
    strides = array("q", [8 * stride for _, stride in arrays])
    addresses = (starts.buffer_info()[0], strides.buffer_info()[0])
    return _Tables((len(inputs), len(arrays), *addresses), (starts, strides))


@functools.cache
def _entry(symbol: str) -> Callable[..., int]:
    """Return one of the loops; every argument is a word."""
    arguments = _ARGUMENTS if symbol == "repeat" else (*_ARGUMENTS, *_ROWS_ARGUMENTS)
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(arguments))(_code().address(symbol))


@once_under_compiler_lock
def _code() -> Library:
    """Return the loops, which serve all programs; from disk if they were made before."""
    return Library(cached_code(code_key(_KEY), _functions, shared=True), _SYMBOLS)


def _functions() -> str:
    """Return `@repeat` and `@repeat_rows`, which return the status or the first bad row of the call that ends them."""
    return _function("repeat", (), _one_state, "i64 0") + _function("repeat_rows", _ROWS_ARGUMENTS, _rows, "i64 -1")


_ARGUMENTS: Final = (
    *("ptr %compiled", "i64 %count", "i64 %inputs", "i64 %ports", "ptr %starts", "ptr %strides"),
    "ptr %completed",
)
_ROWS_ARGUMENTS: Final = ("ptr %layouts", "i64 %first", "i64 %rows", "ptr %status", "ptr %row_statuses")


def _function(
    name: str, more: tuple[str, ...], write_call: Callable[[Writer, str, str], tuple[str, str]], completed: str
) -> str:
    """Return a function that counts calls, and moves all addresses on before each.

    `write_call` writes a call, and returns its result and whether that ends the loop; `completed` is returned behind
    the last call.
    """
    w = Writer()
    w.begin_function(f"i64 @{name}({', '.join((*_ARGUMENTS, *more))}) nounwind")
    inputs = w.assign("alloca ptr, i64 %ports, align 8")
    outputs = w.address(inputs, "%inputs", "ptr")

    def call(number: str) -> None:
        def move(port: str) -> None:
            offset = w.assign(f"mul i64 {w.element('%strides', port, 'i64')}, {number}")
            start = w.assign(f"getelementptr i8, ptr {w.element('%starts', port)}, i64 {offset}")
            w.store("ptr", start, w.address(inputs, port, "ptr"))

        w.store("i64", number, "%completed")
        w.for_each("%ports", move)
        result, has_ended = write_call(w, inputs, outputs)
        w.if_(has_ended, lambda: w.ret(f"i64 {result}"))

    w.for_each("%count", call)
    w.store("i64", "%count", "%completed")
    w.end_function(completed)
    return w.text()


def _one_state(w: Writer, inputs: str, outputs: str) -> tuple[str, str]:
    """Write a call for one state; it ends the loop if its status is not that of success."""
    status = w.call("i64", "%compiled", f"ptr {inputs}", f"ptr {outputs}")
    return status, w.test(f"ne i64 {status}, 0")


def _rows(w: Writer, inputs: str, outputs: str) -> tuple[str, str]:
    """Write a call for rows; a bad row ends the loop if its status is not stored, or there is no memory."""
    tables = f"ptr {inputs}", "ptr %layouts", f"ptr {outputs}", "ptr %status", "ptr %row_statuses"
    row = w.call("i64", "%compiled", "i64 %first", "i64 %rows", *tables)
    has_no_memory = w.test(f"eq i64 {w.load('i64', '%status')}, {NO_MEMORY}")
    ends = w.any_of(has_no_memory, w.is_null("%row_statuses"))
    return row, w.all_of(w.test(f"sge i64 {row}, 0"), ends)
