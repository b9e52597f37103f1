"""Tiles of arrays in column order: some blocks of lanes that are read and written together.

Where each entry has a column of its own, all columns of a block may fall into few sets of the caches, most of all when
the number of rows is a power of two. A tile reads neighbouring cache lines of one column before it goes on to the next.
While a block is computed, a slice of the next tile's columns is read, and the slice after it prefetched: all columns of
a tile at once would drive each other out of the caches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer, loop_function
from rbd.program.ports import Port

_TILE_BYTES: Final = 96 * 1024
"""Bytes of a tile, at most: with what a block works on it stays in the second-level cache."""
TILES: Final = (1, 2, 4, 8)
"""Blocks of a tile."""
_FRACTION_BITS: Final = 32
"""Bits behind the point in the length of a slice."""
_TARGET: Final = "ptr noalias %block, i64 %block_step, ptr noalias %sums"


@final
class ColumnTile:
    """The size of tiles for a program: a power of two of blocks; one where it has too many columns."""

    def __init__(self, inputs: int, outputs: int, lanes: Lanes) -> None:
        """Choose for numbers of columns."""
        self.input_step, self.output_step = inputs * lanes.width, outputs * lanes.width
        """Doubles from block to block."""
        self.blocks = TILES[-1]
        while self.blocks > 1 and self.blocks * 8 * (self.input_step + self.output_step) > _TILE_BYTES:
            self.blocks //= 2
        self.rows = self.blocks * lanes.width


def slice_length(port: Port, slices: int) -> int:
    """Return the columns of a slice of a port as a fixed-point number, rounded up: the slices end with the columns."""
    return -(-(port.size << _FRACTION_BITS) // slices)


def slice_bounds(w: Writer) -> tuple[str, str]:
    """Write the first column of slice %number, and its number of columns, from the %length of slices."""
    after = w.assign("add i64 %number, 1")
    first, stop = (
        w.assign(f"lshr i64 {w.assign(f'mul i64 {k}, %length')}, {_FRACTION_BITS}") for k in ("%number", after)
    )
    return first, w.assign(f"sub i64 {stop}, {first}")


def tile_functions(lanes: Lanes) -> list[str]:
    """Return the functions that read and write the columns of tiles, by their numbers of blocks."""
    of_sizes = [function(lanes, blocks) for blocks in TILES[1:] for function in (_read_tile, _read_slice, _write_tile)]
    return [*of_sizes, _begin_sums(lanes)]


def _begin_sums(lanes: Lanes) -> str:
    """Return `@begin_sums`: stores the first sums of the blocks of a tile, which are equal."""

    def begin(w: Writer, index: str) -> None:
        place = w.address("%sums", w.assign(f"mul i64 {index}, {lanes.width}"))
        w.store(lanes.double, "%total", place, lanes.alignment)

    return loop_function("begin_sums", f"ptr %sums, i64 %count, {lanes.double} %total", begin, linkage="")


def _read_tile(lanes: Lanes, blocks: int) -> str:
    """Return `@read_tile_2` ...: reads columns `%step` doubles apart; adds 0 x, which is zero for finite x, to sums."""
    w = Writer()
    w.begin_function(f"void @read_tile_{blocks}(ptr noalias %columns, i64 %step, i64 %count, {_TARGET}) {ATTRIBUTES}")
    addresses = [w.address("%sums", k * lanes.width) for k in range(blocks)]
    before = [(lanes.double, w.load(lanes.double, address, lanes.alignment)) for address in addresses]

    def column(index: str, sums: Sequence[str]) -> list[str]:
        entry, target = _pointers(w, lanes, index)
        return [_read_entry(w, lanes, entry, target, k, total) for k, total in enumerate(sums)]

    for total, address in zip(w.loop("%count", column, before), addresses, strict=True):
        w.store(lanes.double, total, address, lanes.alignment)
    w.end_function()
    return w.text()


def _read_slice(lanes: Lanes, blocks: int) -> str:
    """Return `@read_slice_2` ...: reads slice %number of the columns, all of which begin at %columns and %block."""
    w = Writer()
    arguments = f"ptr noalias %columns, i64 %step, i64 %number, i64 %length, {_TARGET}"
    w.begin_function(f"void @read_slice_{blocks}({arguments}) {ATTRIBUTES}")
    first, count = slice_bounds(w)
    start = w.address("%columns", w.assign(f"mul i64 {first}, %step"))
    target = w.address("%block", w.assign(f"mul i64 {first}, {lanes.width}"))
    columns = f"ptr {start}", "i64 %step", f"i64 {count}"
    w.call("void", f"@read_tile_{blocks}", *columns, f"ptr {target}", "i64 %block_step", "ptr %sums")
    w.end_function()
    return w.text()


def _read_entry(w: Writer, lanes: Lanes, entry: str, target: str, k: int, total: str) -> str:
    """Write the reading of a column's entries for block `k` of the tile; return the sum of that block."""
    x = w.load(lanes.double, w.address(entry, k * lanes.width))
    w.store(lanes.double, x, w.address(target, w.assign(f"mul i64 %block_step, {k}")), lanes.alignment)
    return w.fma(lanes, x, lanes.double_constant(0.0), total)


def _write_tile(lanes: Lanes, blocks: int) -> str:
    """Return `@write_tile_2` ...: writes columns `%step` doubles apart."""

    def column(w: Writer, index: str) -> None:
        entry, source = _pointers(w, lanes, index)
        for k in range(blocks):
            address = w.address(source, w.assign(f"mul i64 %block_step, {k}"))
            w.store(lanes.double, w.load(lanes.double, address, lanes.alignment), w.address(entry, k * lanes.width))

    arguments = "ptr noalias %columns, i64 %step, i64 %count, ptr noalias %block, i64 %block_step"
    return loop_function(f"write_tile_{blocks}", arguments, column, linkage="")


def _pointers(w: Writer, lanes: Lanes, index: str) -> tuple[str, str]:
    """Write the addresses of a column: in the array, and in the block."""
    entry = w.address("%columns", w.assign(f"mul i64 {index}, %step"))
    return entry, w.address("%block", w.assign(f"mul i64 {index}, {lanes.width}"))
