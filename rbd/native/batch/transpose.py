"""Transposition of rows of arrays to and from blocks with interleaved lanes.

A block is W rows: full groups of W columns go through a real W x W transpose in registers, and the last group overlaps
the one before it. Rows shorter than that are cut out of the block as a whole, which lies in memory without gaps;
nothing outside the block is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer

_LONGEST: Final = 64
"""Columns of rows that have a function of their own in each module: of an arm, it is faster by a fortieth."""
_WriteShort: TypeAlias = Callable[[Writer, Lanes, int], None]
"""Writes the transposition of rows of so many columns, fewer than lanes."""
_WriteGroup: TypeAlias = Callable[[Writer, Lanes, Sequence[int | str], str], None]
"""Writes the transposition of W columns: where rows start, and the first column."""


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


def call_interleave(w: Writer, rows: str, size: int, block: str) -> None:
    """Write the reading of W rows of `size` columns, one behind the other from `rows` on, into a block."""
    if size:
        w.call("void", f"@{_name('interleave', size)}", f"ptr {rows}", f"i64 {size}", f"ptr {block}")


def call_deinterleave(w: Writer, block: str, size: int, rows: str) -> None:
    """Write the storing of a block of `size` columns as W rows, one behind the other from `rows` on."""
    if size:
        w.call("void", f"@{_name('deinterleave', size)}", f"ptr {block}", f"i64 {size}", f"ptr {rows}")


def _name(name: str, size: int) -> str:
    """Return the name of the function for rows of `size` columns."""
    return name if size > _LONGEST else f"{name}_{size}"


def transpose_functions(lanes: Lanes) -> list[str]:
    """Return `@interleave` and `@deinterleave`, for rows of any length from W on."""
    return [_interleave("interleave", lanes, "%size"), _deinterleave("deinterleave", lanes, "%size")]


def short_transpose_functions(lanes: Lanes, inputs: Iterable[int], outputs: Iterable[int]) -> list[str]:
    """Return the functions for short rows of inputs and outputs of these sizes, such as `@interleave_7`."""
    return [
        *(_interleave(_name("interleave", size), lanes, size) for size in _sizes_with_functions(inputs)),
        *(_deinterleave(_name("deinterleave", size), lanes, size) for size in _sizes_with_functions(outputs)),
    ]


def _sizes_with_functions(sizes: Iterable[int]) -> list[int]:
    return sorted({size for size in sizes if 0 < size <= _LONGEST})


def _interleave(name: str, lanes: Lanes, size: int | str) -> str:
    return _function(name, lanes, size, _interleave_short, _interleave_group)


def _deinterleave(name: str, lanes: Lanes, size: int | str) -> str:
    return _function(name, lanes, size, _deinterleave_short, _deinterleave_group)


def _function(name: str, lanes: Lanes, size: int | str, short: _WriteShort, group: _WriteGroup) -> str:
    """Return a function: one transpose where rows are shorter than W, else one for every group of W columns."""
    w, linkage = Writer(), "" if isinstance(size, str) else "internal "
    w.begin_function(f"{linkage}void @{name}(ptr noalias %source, i64 %size, ptr noalias %target) {ATTRIBUTES}")
    if isinstance(size, int) and size < lanes.width:
        short(w, lanes, size)
    else:
        _write_groups(w, lanes, size, group)
    w.end_function()
    return w.text()


def _write_groups(w: Writer, lanes: Lanes, size: int | str, group: _WriteGroup) -> None:
    """Write `group` for every full group of W columns, by a loop, and once more for the last W columns."""
    width = lanes.width
    starts = [w.assign(f"mul i64 %size, {lane}") if isinstance(size, str) else lane * size for lane in range(width)]
    full = w.assign(f"udiv i64 %size, {width}") if isinstance(size, str) else size // width
    w.for_each(full, lambda index: group(w, lanes, starts, w.assign(f"mul i64 {index}, {width}")))
    if isinstance(size, str):
        is_whole = w.test(f"eq i64 {w.assign(f'mul i64 {full}, {width}')}, %size")
        w.unless(is_whole, lambda: group(w, lanes, starts, w.assign(f"sub i64 %size, {width}")))
    elif size % width:
        group(w, lanes, starts, str(size - width))


def _interleave_short(w: Writer, lanes: Lanes, size: int) -> None:
    columns = transposed(w, lanes, _short_rows(w, lanes, "%source", size))[:size]
    for column, vector in enumerate(columns):
        w.store(lanes.double, vector, w.address("%target", column * lanes.width), lanes.alignment)


def _interleave_group(w: Writer, lanes: Lanes, starts: Sequence[int | str], column: str) -> None:
    source = w.address("%source", column)
    loaded = [w.load(lanes.double, w.address(source, start)) for start in starts]
    target = w.address("%target", w.assign(f"mul i64 {column}, {lanes.width}"))
    for offset, vector in enumerate(transposed(w, lanes, loaded)):
        w.store(lanes.double, vector, w.address(target, offset * lanes.width), lanes.alignment)


def _deinterleave_short(w: Writer, lanes: Lanes, size: int) -> None:
    for number, vector in enumerate(_joined_rows(w, lanes, "%source", size)):
        w.store(lanes.double, vector, w.address("%target", number * lanes.width))


def _deinterleave_group(w: Writer, lanes: Lanes, starts: Sequence[int | str], column: str) -> None:
    source = w.address("%source", w.assign(f"mul i64 {column}, {lanes.width}"))
    target = w.address("%target", column)
    rows = transposed(w, lanes, _columns(w, lanes, source, lanes.width))
    for start, vector in zip(starts, rows, strict=True):
        w.store(lanes.double, vector, w.address(target, start))


def _columns(w: Writer, lanes: Lanes, source: str, count: int) -> list[str]:
    pointers = [w.address(source, column * lanes.width) for column in range(count)]
    return [w.load(lanes.double, pointer, lanes.alignment) for pointer in pointers]


def _short_rows(w: Writer, lanes: Lanes, source: str, size: int) -> list[str]:
    """Write the loading of a whole block; return one vector per row, of which the first `size` lanes count."""
    width = lanes.width
    block = [w.load(lanes.double, w.address(source, column * width)) for column in range(size)]
    rows: list[str] = []
    for lane in range(width):
        first, last = lane * size // width, (lane * size + size - 1) // width
        mask = [min(lane * size + k - first * width, 2 * width - 1) for k in range(width)]
        rows.append(_shuffled(w, lanes, block[first], block[last], mask))
    return rows


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
