"""Arguments of the function for many rows, and the memory of its blocks."""

from __future__ import annotations

from typing import final

import attrs

from rbd.native.batch.column_tiles import ColumnTile
from rbd.native.batch.row_access import access_of
from rbd.native.codegen.ir import Lanes, Writer
from rbd.program.program import Program, offsets


@final
@attrs.frozen
class RowsOfBlock:
    """The rows of a block, one per lane: the first one, how many are left in the batch, and how many the block has."""

    first: str
    left: str
    is_full: str
    """Whether the block has a row for every lane."""
    count: str


def rows_of_block(w: Writer, lanes: Lanes, first: str, end: str) -> RowsOfBlock:
    """Write the range of rows of a block."""
    left = w.assign(f"sub i64 {end}, {first}")
    is_full = w.assign(f"icmp sge i64 {left}, {lanes.width}")
    return RowsOfBlock(first, left, is_full, w.assign(f"select i1 {is_full}, i64 {lanes.width}, i64 {left}"))


@final
@attrs.frozen
class TileBlock:
    """A block of a tile: its number, and how many blocks of the tile come after it; both 0 for a block alone."""

    number: str
    left: str
    first_row: str
    """The first row of the tile, or of the block alone."""
    slot: str
    """Addresses of the inputs of the block; the inputs of tiles are in one half of the slots and the other in turn."""
    is_tile: str
    """Whether the block is part of a tile."""
    has_next: str
    """Whether another tile comes after that of the block."""


@final
class BatchArguments:
    """Writes the loading of the arguments: pointers and layouts of all ports."""

    def __init__(self, w: Writer, lanes: Lanes, program: Program, tile: ColumnTile) -> None:
        """Write it at the beginning of the function."""
        self.w, self.lanes, self.program, self.tile = w, lanes, program, tile
        tables = ("%in", "%out")
        self.inputs, self.outputs = access_of(w, lanes, program.inputs, program.outputs, tables, "%layouts")
        self.all_columns = "true"
        """Whether all arrays are in column order, or the same for all rows."""
        ways = [w.assign(f"or i1 {each.is_columns}, {each.is_shared}") for each in self.inputs]
        for way in (*ways, *(each.is_columns for each in self.outputs)):
            self.all_columns = w.assign(f"and i1 {self.all_columns}, {way}")


@final
class BlockMemory:
    """Memory of blocks: behind the workspace, or in memory for tiles if there are rows enough for one.

    Of every block there are the inputs, the outputs, the status of every lane, and the sum of 0 x over the inputs x.
    Inputs and sums have slots for two tiles: the one that is computed, and the next one, which is read meanwhile.
    """

    def __init__(self, arguments: BatchArguments, behind_workspace: str) -> None:
        """Write the allocation."""
        self._w, self._tile = arguments.w, arguments.tile
        w, program, width = arguments.w, arguments.program, arguments.lanes.width
        self.has_failed = w.assign("alloca i1, align 8")
        """Whether a row of the tile has failed."""
        self.bad_row = w.assign("alloca i64, align 8")
        """The first row that has failed; -1 without one."""
        w.store("i64", "-1", self.bad_row)
        self._tile_memory = "null"
        self.can_tile, self.inputs = self._allocate(arguments, behind_workspace)
        rows = self._tile.blocks * width
        count = w.assign(f"select i1 {self.can_tile}, i64 {rows}, i64 {width}")
        slots = w.assign(f"select i1 {self.can_tile}, i64 {2 * rows}, i64 {width}")
        self.outputs = w.address(self.inputs, w.assign(f"mul i64 {slots}, {program.input_size}"))
        self.statuses = w.address(self.outputs, w.assign(f"mul i64 {count}, {program.output_size}"))
        self.sums = w.address(self.statuses, count)
        self.shared_sum = w.address(self.sums, slots)
        """The sum over inputs that are the same for all rows."""
        self.input_ports = [w.address(self.inputs, start * width) for start, _ in offsets(program.inputs)]

    def _allocate(self, arguments: BatchArguments, behind_workspace: str) -> tuple[str, str]:
        """Write the allocation of memory for a tile; return whether there is any, and the address of inputs."""
        w, width, blocks = self._w, arguments.lanes.width, self._tile.blocks
        if blocks == 1:
            return "false", behind_workspace
        enough = w.assign(f"icmp sge i64 %count, {blocks * width}")
        wanted = w.assign(f"and i1 {arguments.all_columns}, {enough}")
        numbers = (2 * arguments.program.input_size + arguments.program.output_size + 3) * blocks * width
        allocation = f"call ptr @rbd_malloc(i64 {8 * numbers + 72 * width})"
        self._tile_memory = w.value_if("ptr", wanted, lambda: w.assign(allocation), "null")
        can_tile = w.assign(f"icmp ne ptr {self._tile_memory}, null")
        return can_tile, w.assign(f"select i1 {can_tile}, ptr {w.aligned(self._tile_memory)}, ptr {behind_workspace}")

    def tile_block(self, rows: RowsOfBlock) -> TileBlock:
        """Write the place of a block: tiles follow each other from the first row on, then come blocks alone."""
        w, blocks, rows_of_tile = self._w, self._tile.blocks, self._tile.rows
        if blocks == 1:
            return TileBlock("0", "0", rows.first, "0", "false", "false")
        before = w.assign(f"sub i64 {rows.first}, %first")
        above = w.assign(f"urem i64 {before}, {rows_of_tile}")
        rest = w.assign(f"add i64 {rows.left}, {above}")
        inside = w.assign(f"udiv i64 {above}, {rows_of_tile // blocks}")
        is_tile, has_next = (
            w.assign(f"and i1 {self.can_tile}, {w.assign(f'icmp sge i64 {rest}, {k * rows_of_tile}')}") for k in (1, 2)
        )
        half = w.assign(f"and i64 {w.assign(f'udiv i64 {before}, {rows_of_tile}')}, 1")
        slot = w.assign(f"add i64 {w.assign(f'mul i64 {half}, {blocks}')}, {inside}")
        last = w.assign(f"sub i64 {blocks - 1}, {inside}")
        number, left, slot, start = (
            w.assign(f"select i1 {is_tile}, i64 {each}, i64 0") for each in (inside, last, slot, above)
        )
        return TileBlock(number, left, w.assign(f"sub i64 {rows.first}, {start}"), slot, is_tile, has_next)

    def free(self) -> None:
        """Write the release of the memory for tiles."""
        if self._tile.blocks > 1:
            self._w.add(f"  call void @rbd_free(ptr {self._tile_memory})")
