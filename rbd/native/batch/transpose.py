"""Transposition of rows of arrays to and from blocks with interleaved lanes.

A block is W rows: full groups of W columns go through a real W x W transpose in registers, and the last group overlaps
the one before it. Rows shorter than that are cut out of the block as a whole, which lies in memory without gaps;
nothing outside the block is touched.
"""

from __future__ import annotations

from collections.abc import Callable

from rbd.native.codegen.ir import Lanes, Writer


def transposed(w: Writer, lanes: Lanes, rows: list[str]) -> list[str]:
    """Write the transpose of W vectors of W lanes: exchange of ever larger blocks, log2(W) stages of shuffles."""
    step = 1
    while step < lanes.width:
        rows = _exchanged(w, lanes, rows, step)
        step *= 2
    return rows


def _exchanged(w: Writer, lanes: Lanes, rows: list[str], step: int) -> list[str]:
    width, result = lanes.width, list(rows)
    upper = [k if not k & step else width + (k ^ step) for k in range(width)]
    lower = [k ^ step if not k & step else width + k for k in range(width)]
    for i in range(width):
        if not i & step:
            a, b = rows[i], rows[i + step]
            result[i], result[i + step] = _shuffled(w, lanes, a, b, upper), _shuffled(w, lanes, a, b, lower)
    return result


def _shuffled(w: Writer, lanes: Lanes, a: str, b: str, mask: list[int]) -> str:
    picks = ", ".join(f"i32 {k}" for k in mask)
    return w.assign(f"shufflevector {lanes.double} {a}, {lanes.double} {b}, <{lanes.width} x i32> <{picks}>")


# ---------------------------------------------------------------- whole blocks


def interleave_rows(w: Writer, lanes: Lanes, source: str, size: int, target: str) -> None:
    """Write the reading of W rows of `size` columns, one behind the other from `source` on, into a block."""
    if size < lanes.width:
        columns = transposed(w, lanes, _short_rows(w, lanes, source, size))[:size]
        for column, vector in enumerate(columns):
            w.store(lanes.double, vector, w.address(target, column * lanes.width), lanes.alignment)
        return
    rows = [w.address(source, lane * size) for lane in range(lanes.width)]

    def group(column: str) -> None:
        loaded = [w.load(lanes.double, w.address(row, column)) for row in rows]
        start = w.address(target, w.assign(f"mul i64 {column}, {lanes.width}"))
        for offset, vector in enumerate(transposed(w, lanes, loaded)):
            w.store(lanes.double, vector, w.address(start, offset * lanes.width), lanes.alignment)

    _groups(w, lanes, size, group)


def deinterleave_rows(w: Writer, lanes: Lanes, source: str, size: int, target: str) -> None:
    """Write the storing of a block of `size` columns as W rows, one behind the other from `target` on."""
    if size < lanes.width:
        for number, vector in enumerate(_joined_rows(w, lanes, source, size)):
            w.store(lanes.double, vector, w.address(target, number * lanes.width))
        return
    rows = [w.address(target, lane * size) for lane in range(lanes.width)]

    def group(column: str) -> None:
        start = w.address(source, w.assign(f"mul i64 {column}, {lanes.width}"))
        for row, vector in zip(rows, transposed(w, lanes, _columns(w, lanes, start, lanes.width)), strict=True):
            w.store(lanes.double, vector, w.address(row, column))

    _groups(w, lanes, size, group)


def _columns(w: Writer, lanes: Lanes, source: str, count: int) -> list[str]:
    pointers = [w.address(source, column * lanes.width) for column in range(count)]
    return [w.load(lanes.double, pointer, lanes.alignment) for pointer in pointers]


def _groups(w: Writer, lanes: Lanes, size: int, group: Callable[[str], None]) -> None:
    """Write `group` for every full group of W columns, by a loop, and once more for the last W columns."""
    w.for_each(size // lanes.width, lambda index: group(w.assign(f"mul i64 {index}, {lanes.width}")))
    if size % lanes.width:
        group(str(size - lanes.width))


def _short_rows(w: Writer, lanes: Lanes, source: str, size: int) -> list[str]:
    """Write the loading of a whole block; return one vector per row, of which the first `size` lanes count."""
    width = lanes.width
    block = [w.load(lanes.double, w.address(source, column * width)) for column in range(size)]
    rows: list[str] = []
    for lane in range(width if size else 0):
        first, last = lane * size // width, (lane * size + size - 1) // width
        mask = [min(lane * size + k - first * width, 2 * width - 1) for k in range(width)]
        rows.append(_shuffled(w, lanes, block[first], block[last], mask))
    return rows or ["poison"] * width


def _joined_rows(w: Writer, lanes: Lanes, source: str, size: int) -> list[str]:
    """Return the vectors that rows of `size` < W columns make when they are laid one after the other."""
    width = lanes.width
    rows = transposed(w, lanes, [*_columns(w, lanes, source, size), *["poison"] * (width - size)])
    vectors: list[str] = []
    for number in range(size):
        entries = [divmod(number * width + k, size) for k in range(width)]
        vector = "poison"
        for row in dict.fromkeys(row for row, _ in entries):
            mask = [width + column if owner == row else k for k, (owner, column) in enumerate(entries)]
            vector = _shuffled(w, lanes, vector, rows[row], mask)
        vectors.append(vector)
    return vectors
