"""Prefetching of rows and columns into the caches, before they are read or written.

Addresses may be beyond the arrays (`inbounds=False`): what is prefetched ahead of the last rows does not exist.
"""

from __future__ import annotations

from typing import Final

from rbd.native.batch.column_tiles import slice_bounds
from rbd.native.codegen.ir import ATTRIBUTES, Writer

CACHE_LINE_BYTES: Final = 64
"""Bytes that are prefetched together."""
_FIRST_LEVEL, _SECOND_LEVEL = 3, 2
"""Caches that lines are prefetched into, as LLVM counts them."""
_UNROLLED: Final = 8
"""Lines prefetched without a loop; calls of a function for so few lines take a twentieth of an arm's dynamics."""


def prefetch_lines(w: Writer, start: str, lines: range, *, write: bool) -> None:
    """Write the prefetching of cache lines from `start` on; a loop, out of line, where they are many."""
    if len(lines) > _UNROLLED:
        w.call("void", f"@prefetch_lines_{int(write)}", f"ptr {start}", f"i64 {lines.start}", f"i64 {lines.stop}")
        return
    for line in lines:
        address = w.address(start, line * CACHE_LINE_BYTES, "i8", inbounds=False)
        _prefetch(w, address, int(write), _FIRST_LEVEL)


def prefetch_functions() -> list[str]:
    """Return `@prefetch_lines_0` and `@prefetch_columns_0` for what is read, and those with 1 for what is written."""
    return [function(write) for write in (0, 1) for function in (_lines, _columns)]


def _lines(write: int) -> str:
    """Return a function that prefetches the cache lines %first to before %stop from %start on."""
    w = Writer()
    w.begin_function(f"void @prefetch_lines_{write}(ptr %start, i64 %first, i64 %stop) {ATTRIBUTES}")

    def prefetch(line: str) -> None:
        offset = w.assign(f"mul i64 {line}, {CACHE_LINE_BYTES}")
        _prefetch(w, w.address("%start", offset, "i8", inbounds=False), write, _FIRST_LEVEL)

    w.for_each("%stop", prefetch, start="%first")
    w.end_function()
    return w.text()


def _columns(write: int) -> str:
    """Return a function that prefetches %rows rows of a slice of the columns, which are %step doubles apart."""
    w = Writer()
    w.begin_function(
        f"void @prefetch_columns_{write}(ptr %start, i64 %step, i64 %number, i64 %length, i64 %rows) {ATTRIBUTES}"
    )
    first, count = slice_bounds(w)
    start = w.address("%start", w.assign(f"mul i64 {first}, %step"), inbounds=False)

    def column(index: str) -> None:
        entry = w.address(start, w.assign(f"mul i64 {index}, %step"), inbounds=False)

        def prefetch(row: str) -> None:
            _prefetch(w, w.address(entry, row, inbounds=False), write, _SECOND_LEVEL)

        w.for_each("%rows", prefetch, step=CACHE_LINE_BYTES // 8)

    w.for_each(count, column)
    w.end_function()
    return w.text()


def _prefetch(w: Writer, address: str, write: int, level: int) -> None:
    w.call("void", "@llvm.prefetch.p0", f"ptr {address}", f"i32 {write}", f"i32 {level}", "i32 1")
