"""Fetching of rows and columns into the caches, before they are read or written."""

from __future__ import annotations

from typing import Final

from rbd.native.batch.column_tiles import slice_bounds
from rbd.native.codegen.ir import ATTRIBUTES, Writer

CACHE_LINE_BYTES: Final = 64
"""Bytes that are fetched together."""
_FIRST_LEVEL, _SECOND_LEVEL = 3, 2
"""Caches that lines are fetched into, as LLVM counts them."""
_UNROLLED: Final = 8
"""Lines that are fetched without a loop; calls of a function for so few lines take a twentieth of an arm's dynamics."""


def fetch_lines(w: Writer, start: str, lines: range, *, write: bool) -> None:
    """Write the fetching of cache lines from `start` on; a loop, out of line, where they are many."""
    if len(lines) > _UNROLLED:
        w.add(f"  call void @fetch_lines_{int(write)}(ptr {start}, i64 {lines.start}, i64 {lines.stop})")
        return
    for line in lines:
        address = w.assign(f"getelementptr i8, ptr {start}, i64 {line * CACHE_LINE_BYTES}")
        _fetch(w, address, int(write), _FIRST_LEVEL)


def fetch_functions() -> list[str]:
    """Return `@fetch_lines_0` and `@fetch_columns_0` for what is read, and those with 1 for what is written."""
    return [function(write) for write in (0, 1) for function in (_lines, _columns)]


def _lines(write: int) -> str:
    """Return a function that fetches the cache lines %first to before %stop from %start on."""
    w = Writer()
    w.begin_function(f"void @fetch_lines_{write}(ptr %start, i64 %first, i64 %stop) {ATTRIBUTES}")

    def fetch(line: str) -> None:
        offset = w.assign(f"mul i64 {line}, {CACHE_LINE_BYTES}")
        _fetch(w, w.assign(f"getelementptr i8, ptr %start, i64 {offset}"), write, _FIRST_LEVEL)

    w.for_each("%stop", fetch, start="%first")
    w.end_function()
    return w.text()


def _columns(write: int) -> str:
    """Return a function that fetches %rows rows of a slice of the columns, which are %step doubles apart."""
    w = Writer()
    w.begin_function(
        f"void @fetch_columns_{write}(ptr %start, i64 %step, i64 %number, i64 %length, i64 %rows) {ATTRIBUTES}"
    )
    first, count = slice_bounds(w)
    start = w.assign(f"getelementptr double, ptr %start, i64 {w.assign(f'mul i64 {first}, %step')}")

    def column(index: str) -> None:
        entry = w.assign(f"getelementptr double, ptr {start}, i64 {w.assign(f'mul i64 {index}, %step')}")

        def fetch(row: str) -> None:
            _fetch(w, w.assign(f"getelementptr double, ptr {entry}, i64 {row}"), write, _SECOND_LEVEL)

        w.for_each("%rows", fetch, step=CACHE_LINE_BYTES // 8)

    w.for_each(count, column)
    w.end_function()
    return w.text()


def _fetch(w: Writer, address: str, write: int, level: int) -> None:
    w.add(f"  call void @llvm.prefetch.p0(ptr {address}, i32 {write}, i32 {level}, i32 1)")
