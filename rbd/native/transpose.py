"""Rows of ordinary arrays to and from blocks in which the lanes lie side by side.

Room: native; knows nothing of robots. Full groups of W columns go through a real W x W transpose in registers.
"""

from __future__ import annotations

from collections.abc import Callable

from rbd.native.ir import Lanes, Writer


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
    return w.set(f"shufflevector {lanes.double} {a}, {lanes.double} {b}, <{lanes.width} x i32> <{picks}>")


def gather(w: Writer, lanes: Lanes, source: str, stride: str, size: int, target: str, filled: str) -> None:
    """Write the reading of W rows (from %row on, `stride` doubles apart) of `size` columns into an interleaved block.

    Of `filled` rows; the lanes beyond repeat the last row, so that nothing outside the array is read.
    """
    rows = [_row_pointer(w, source, stride, lane, filled) for lane in range(lanes.width)]

    def group(column: str) -> None:
        loaded = [w.load(lanes.double, w.element(row, column)) for row in rows]
        for offset, vector in enumerate(transposed(w, lanes, loaded)):
            place = w.set(f"mul i64 {w.set(f'add i64 {column}, {offset}')}, {lanes.width}")
            w.store(lanes.double, vector, w.element(target, place), lanes.alignment)

    for last in range(_groups(w, lanes, size, group), size):
        values = [w.load("double", w.element(row, last)) for row in rows]
        w.store(lanes.double, _joined(w, lanes, values), w.element(target, last * lanes.width), lanes.alignment)


def _groups(w: Writer, lanes: Lanes, size: int, group: Callable[[str], None]) -> int:
    """Write `group` for every full group of W columns, by a loop; return how many columns that makes."""
    full = size // lanes.width if lanes.width > 1 else 0
    if full == 0:
        return 0
    before, loop, after = w.label(), w.label(), w.label()
    w.add(f"  br label %{before}")
    w.begin(before)
    w.add(f"  br label %{loop}")
    w.begin(loop)
    index, following = w.name(), w.name()
    w.add(f"  {index} = phi i64 [0, %{before}], [{following}, %{loop}]")
    group(w.set(f"mul i64 {index}, {lanes.width}"))
    w.add(f"  {following} = add i64 {index}, 1")
    w.add(f"  br i1 {w.set(f'icmp eq i64 {following}, {full}')}, label %{after}, label %{loop}")
    w.begin(after)
    return full * lanes.width


def _row_pointer(w: Writer, source: str, stride: str, lane: int, filled: str) -> str:
    exists = w.set(f"icmp slt i64 {lane}, {filled}")
    last = w.set(f"sub i64 {filled}, 1")
    used = w.set(f"select i1 {exists}, i64 {lane}, i64 {last}")
    row = w.set(f"add i64 %row, {used}")
    return w.element(source, w.set(f"mul i64 {row}, {stride}"))


def _joined(w: Writer, lanes: Lanes, values: list[str]) -> str:
    if lanes.width == 1:
        return values[0]
    vector = "poison"
    for lane, value in enumerate(values):
        vector = w.set(f"insertelement {lanes.double} {vector}, double {value}, i64 {lane}")
    return vector


def scatter_all(w: Writer, lanes: Lanes, source: str, size: int, target: str) -> None:
    """Write the storing of an interleaved block of `size` columns as W rows from %row on."""
    rows = [_output_row(w, target, size, lane) for lane in range(lanes.width)]

    def group(column: str) -> None:
        start = w.element(source, w.set(f"mul i64 {column}, {lanes.width}"))
        pointers = [w.element(start, offset * lanes.width) for offset in range(lanes.width)]
        loaded = [w.load(lanes.double, pointer, lanes.alignment) for pointer in pointers]
        for row, vector in zip(rows, transposed(w, lanes, loaded), strict=True):
            w.store(lanes.double, vector, w.element(row, column))

    for last in range(_groups(w, lanes, size, group), size):
        for lane, row in enumerate(rows):
            value = w.load("double", w.element(source, last * lanes.width + lane))
            w.store("double", value, w.element(row, last))


def _output_row(w: Writer, target: str, size: int, lane: int) -> str:
    row = w.set(f"add i64 %row, {lane}")
    return w.element(target, w.set(f"mul i64 {row}, {size}"))


def scatter_lane(w: Writer, lanes: Lanes, source: str, size: int, target: str, row: str, lane: str) -> None:
    """Write the storing of one lane of an interleaved block of `size` columns as row `row`, by a loop."""
    if size == 0:
        return
    before, loop, after = w.label(), w.label(), w.label()
    start = w.set(f"mul i64 {row}, {size}")
    w.add(f"  br label %{before}")
    w.begin(before)
    w.add(f"  br label %{loop}")
    w.begin(loop)
    index, following = w.name(), w.name()
    w.add(f"  {index} = phi i64 [0, %{before}], [{following}, %{loop}]")
    place = w.set(f"add i64 {w.set(f'mul i64 {index}, {lanes.width}')}, {lane}")
    value = w.load("double", w.element(source, place))
    w.store("double", value, w.element(target, w.set(f"add i64 {start}, {index}")))
    w.add(f"  {following} = add i64 {index}, 1")
    w.add(f"  br i1 {w.set(f'icmp eq i64 {following}, {size}')}, label %{after}, label %{loop}")
    w.begin(after)
