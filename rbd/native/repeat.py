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
from rbd.native.compiled_program import Codes, CompiledProgram
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.native.runtime.tasks import run_on_threads
from rbd.program.status import NO_MEMORY
from rbd.scalars.arrays import Array

StridedArrays: TypeAlias = Sequence[tuple[Array, int]]
"""Arrays, and by how many doubles each moves on from call to call."""

_SYMBOLS: Final = ("repeat", "repeat_rows")
_KEY: Final = "repetition 3"


@final
@attrs.frozen
class LoopOutcome:
    """Outcome of a repetition: `done` calls were clean; the next one, if there was one, had this status."""

    done: int
    status: int = 0
    row: int = -1
    """The first bad row of a call for many rows."""


def repeat(compiled: CompiledProgram, count: int, inputs: StridedArrays, outputs: StridedArrays) -> LoopOutcome:
    """Call the program for one state `count` times, or until a status is not clean."""
    tables, done = _tables(inputs, outputs), ctypes.c_int64(0)
    address = compiled.compile_single().address("single")
    status = _entry("repeat")(address, count, *tables.words, ctypes.addressof(done))
    return LoopOutcome(done.value, status)


def repeat_rows(
    compiled: CompiledProgram,
    count: int,
    inputs: StridedArrays,
    strides: Sequence[int],
    outputs: StridedArrays,
    rows: int,
    threads: int = 1,
    codes: Codes | None = None,
) -> LoopOutcome:
    """Call the program for `rows` rows `count` times, or until one is not clean.

    `strides` are doubles from row to row of each input, 0 for one row for all; rows have no gaps.

    With `codes`, zeros, one per row, bad rows end nothing: their first statuses are stored there.

    Threads take rows of their own through all calls. The outcome is that of the first call with a bad row.
    """
    outline = compiled.outline
    steps = (*strides, *(port.size for port in outline.outputs))
    tables, each = _tables(inputs, outputs), packed_layouts((*outline.inputs, *outline.outputs), steps)
    address, entry = compiled.compile_batch().address("batch"), _entry("repeat_rows")
    pieces = iter(_pieces(rows, threads, compiled.lanes))
    taken = 0 if codes is None else codes.ctypes.data
    outcomes = list[LoopOutcome]()

    def task() -> None:
        for piece in pieces:  # next() of a list's iterator is one step of the interpreter
            done, status = ctypes.c_int64(0), ctypes.c_int64(0)
            words = (*tables.words, each.buffer_info()[0], *piece)
            row = entry(address, count, *words, ctypes.addressof(done), ctypes.addressof(status), taken)
            outcomes.append(LoopOutcome(done.value, status.value, row))

    run_on_threads(task, threads, stop=lambda: list(pieces))
    return _first_bad(outcomes, LoopOutcome(count))


def _first_bad(outcomes: list[LoopOutcome], clean: LoopOutcome) -> LoopOutcome:
    """Return the outcome of the first call with a bad row, and its first one; `clean` if there is none."""
    bad = [outcome for outcome in outcomes if outcome.row >= 0]
    return min(bad, key=lambda outcome: (outcome.done, outcome.row), default=clean)


def _pieces(rows: int, threads: int, lanes: int) -> list[tuple[int, int]]:
    """Return (first, count) per thread: whole blocks of lanes, so that cutting changes no result."""
    blocks = -(-rows // lanes)
    size = -(-blocks // max(threads, 1)) * lanes
    return [(first, min(size, rows - first)) for first in range(0, rows, max(size, 1))]


@final
@attrs.frozen
class _Tables:
    """Number of inputs and of all, the addresses of their numbers and of their strides, as words for the loops."""

    words: tuple[int, ...]
    kept: tuple[object, ...]


def _tables(inputs: StridedArrays, outputs: StridedArrays) -> _Tables:
    arrays = [*inputs, *outputs]
    starts = array("Q", [abi.address(each) for each, _ in arrays])
    strides = array("q", [8 * stride for _, stride in arrays])
    addresses = (starts.buffer_info()[0], strides.buffer_info()[0])
    return _Tables((len(inputs), len(arrays), *addresses), (starts, strides))


@functools.cache
def _entry(symbol: str) -> Callable[..., int]:
    """Return one of the loops; every argument is a word."""
    counts = {"repeat": 7, "repeat_rows": 12}
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * counts[symbol])(_code().address(symbol))


@once_under_compiler_lock
def _code() -> Library:
    """Return the loops, which serve all programs; from disk if they were made before."""
    return Library(cached_code(code_key(_KEY), lambda: _ONE + _MANY, shared=True), _SYMBOLS)


_MOVES: Final = """
entry:
  %work = alloca ptr, i64 %ports, align 8
  %outputs = getelementptr ptr, ptr %work, i64 %inputs
  br label %calls
calls:
  %k = phi i64 [ 0, %entry ], [ %next, %called ]
  store i64 %k, ptr %done
  %more = icmp slt i64 %k, %count
  br i1 %more, label %ports_left, label %end
ports_left:
  %p = phi i64 [ 0, %calls ], [ %after, %move ]
  %some = icmp slt i64 %p, %ports
  br i1 %some, label %move, label %call
move:
  %start_at = getelementptr ptr, ptr %starts, i64 %p
  %start = load ptr, ptr %start_at
  %stride_at = getelementptr i64, ptr %strides, i64 %p
  %stride = load i64, ptr %stride_at
  %offset = mul i64 %stride, %k
  %place = getelementptr i8, ptr %start, i64 %offset
  %work_at = getelementptr ptr, ptr %work, i64 %p
  store ptr %place, ptr %work_at
  %after = add i64 %p, 1
  br label %ports_left
call:
"""
"""Counts the calls, and moves all addresses on before each."""


def _loop(call: str, stopped: str) -> str:
    """Return the body both functions share: `call` sets %bad, on which it returns `stopped`."""
    return f"""{_MOVES}{call}
  br i1 %bad, label %stop, label %called
called:
  %next = add i64 %k, 1
  br label %calls
stop:
  ret i64 {stopped}
end:
"""


_CALL = "i64 %first, i64 %rows, ptr %work, ptr %layouts, ptr %outputs, ptr %status, ptr %codes"
_SHARED = "ptr %compiled, i64 %count, i64 %inputs, i64 %ports, ptr %starts, ptr %strides"
_ONE = (
    f"define i64 @repeat({_SHARED}, ptr %done) {{"
    + _loop(
        """  %status = call i64 %compiled(ptr %work, ptr %outputs)
  %bad = icmp ne i64 %status, 0""",
        "%status",
    )
    + "  ret i64 0\n}\n"
)
_MANY = (
    f"define i64 @repeat_rows({_SHARED}, ptr %layouts, i64 %first, i64 %rows, ptr %done, ptr %status, ptr %codes) {{"
    + _loop(
        f"""  %row = call i64 %compiled({_CALL})
  %failed = icmp sge i64 %row, 0
  %code = load i64, ptr %status
  %ends_all = icmp eq i64 %code, {NO_MEMORY}
  %ends_calls = icmp eq ptr %codes, null
  %ends = or i1 %ends_all, %ends_calls
  %bad = and i1 %failed, %ends""",
        "%row",
    )
    + "  ret i64 -1\n}\n"
)
