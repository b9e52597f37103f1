"""Arguments of the function for many rows, and the memory of its blocks."""

from __future__ import annotations

from typing import final

import attrs

from rbd.native.batch.column_tiles import ColumnTile
from rbd.native.batch.row_access import access_of
from rbd.native.codegen.ir import ALIGNMENT_BYTES, Lanes, Writer
from rbd.program.ports import offsets
from rbd.program.program import Program

_PLACES_OF_TILES = 2
"""Places for the inputs of each block of a tile; see `BlockMemory`."""


@final
@attrs.frozen
class RowsOfBlock:
    """The rows of a block, one per lane: the first one, how many are left in the batch, and how many the block has."""

    first: str
    rows_left: str
    is_full: str
    """Whether the block has a row for every lane."""
    count: str


def rows_of_block(w: Writer, lanes: Lanes, first: str, end: str) -> RowsOfBlock:
    """Write the range of rows of a block."""
    rows_left = w.assign(f"sub i64 {end}, {first}")
    is_full = w.test(f"sge i64 {rows_left}, {lanes.width}")
    return RowsOfBlock(first, rows_left, is_full, w.select("i64", is_full, lanes.width, rows_left))


@final
@attrs.frozen
class TileBlock:
    """A block of a tile: its number, and how many blocks of the tile come after it; both 0 for a block alone."""

    number: str
    blocks_left: str
    first_row: str
    """The first row of the tile, or of the block alone."""
    input_place: str
    """Number of the place of its inputs; those of tiles are in one half of the places and the other in turn."""
    is_tile: str
    """Whether the block is part of a tile."""
    has_next: str
    """Whether another tile comes after that of the block."""


@final
class BatchArguments:
    """Arguments of the function for many rows, and access to the ports that they point to."""

    first, count, status, row_statuses = "%first", "%count", "%status", "%row_statuses"
    """The first row; the number of rows; where the status of the first bad row goes, and those of all, or null."""
    declarations = (
        f"i64 {first}, i64 {count}, ptr noalias %in, ptr noalias %layouts, ptr noalias %out, ptr noalias {status}, "
        f"ptr noalias {row_statuses}"
    )

    def __init__(self, w: Writer, lanes: Lanes, program: Program, tile: ColumnTile) -> None:
        """Write the loading of pointers and layouts of all ports at the beginning of the function."""
        self.w, self.lanes, self.program, self.tile = w, lanes, program, tile
        tables = ("%in", "%out")
        self.inputs, self.outputs = access_of(w, lanes, program.inputs, program.outputs, tables, "%layouts")
        self.all_columns = "true"
        """Whether all arrays are in column order, or the same for all rows."""
        ways = [w.any_of(each.is_columns, each.is_shared) for each in self.inputs]
        for way in (*ways, *(each.is_columns for each in self.outputs)):
            self.all_columns = w.all_of(self.all_columns, way)


def doubles_of_blocks(program: Program, width: int, blocks: int = 1, places_per_block: int = 1) -> int:
    """Return the number of doubles of a `BlockMemory`, of a block alone or of the blocks of a tile."""
    inputs_and_sums = (program.input_size + 1) * places_per_block * blocks
    outputs_and_statuses = (program.output_size + 1) * blocks
    shared_sum = 1
    return (inputs_and_sums + outputs_and_statuses + shared_sum) * width


@final
class BlockMemory:
    """Memory of blocks: behind the workspace, or in memory for tiles if there are rows enough for one.

    Of every block there are the inputs, the outputs, the status of every lane, and the sum of 0 x over the inputs x.
    Inputs and sums have places for two tiles: the one that is computed, and the next one, which is read meanwhile.
    """

    def __init__(self, arguments: BatchArguments, behind_workspace: str) -> None:
        """Write the allocation."""
        self._w, self._tile, self._first_row = arguments.w, arguments.tile, arguments.first
        w, program, width = arguments.w, arguments.program, arguments.lanes.width
        self.has_failed = w.assign("alloca i1, align 8")
        """Whether a row of the tile has failed."""
        self.bad_row = w.assign("alloca i64, align 8")
        """The first row that has failed; -1 without one."""
        w.store("i64", "-1", self.bad_row)
        self._tile_memory = "null"
        self.can_tile, self.inputs = self._allocate(arguments, behind_workspace)
        rows = self._tile.blocks * width
        count = w.select("i64", self.can_tile, rows, width)
        input_count = w.select("i64", self.can_tile, _PLACES_OF_TILES * rows, width)
        self.outputs = w.address(self.inputs, w.assign(f"mul i64 {input_count}, {program.input_size}"))
        self.statuses = w.address(self.outputs, w.assign(f"mul i64 {count}, {program.output_size}"))
        self.sums = w.address(self.statuses, count)
        self.shared_sum = w.address(self.sums, input_count)
        """The sum over inputs that are the same for all rows."""
        self.input_ports = [w.address(self.inputs, start * width) for start, _ in offsets(program.inputs)]

    def _allocate(self, arguments: BatchArguments, behind_workspace: str) -> tuple[str, str]:
        """Write the allocation of memory for a tile; return whether there is any, and the address of inputs."""
        w, width, blocks = self._w, arguments.lanes.width, self._tile.blocks
        if blocks == 1:
            return "false", behind_workspace
        enough = w.test(f"sge i64 {arguments.count}, {blocks * width}")
        wanted = w.all_of(arguments.all_columns, enough)
        doubles = doubles_of_blocks(arguments.program, width, blocks, _PLACES_OF_TILES)
        allocation = f"call ptr @rbd_malloc(i64 {8 * doubles + ALIGNMENT_BYTES})"
        self._tile_memory = w.value_if("ptr", wanted, lambda: w.assign(allocation), "null")
        can_tile = w.test(f"ne ptr {self._tile_memory}, null")
        return can_tile, w.select("ptr", can_tile, w.aligned(self._tile_memory), behind_workspace)

    def tile_block(self, rows: RowsOfBlock) -> TileBlock:
        """Write the place of a block: tiles follow each other from the first row on, then come blocks alone."""
        w, blocks, rows_of_tile = self._w, self._tile.blocks, self._tile.rows
        if blocks == 1:
            return TileBlock("0", "0", rows.first, "0", "false", "false")
        row_in_batch = w.assign(f"sub i64 {rows.first}, {self._first_row}")
        row_in_tile = w.assign(f"urem i64 {row_in_batch}, {rows_of_tile}")
        rows_from_tile = w.assign(f"add i64 {rows.rows_left}, {row_in_tile}")
        number = w.assign(f"udiv i64 {row_in_tile}, {rows_of_tile // blocks}")
        is_tile, has_next = (
            w.all_of(self.can_tile, w.test(f"sge i64 {rows_from_tile}, {k * rows_of_tile}")) for k in (1, 2)
        )
        half = w.assign(f"and i64 {w.assign(f'udiv i64 {row_in_batch}, {rows_of_tile}')}, 1")
        input_place = w.assign(f"add i64 {w.assign(f'mul i64 {half}, {blocks}')}, {number}")
        blocks_left = w.assign(f"sub i64 {blocks - 1}, {number}")
        number, blocks_left, input_place, row_in_tile = (
            w.select("i64", is_tile, each, "0") for each in (number, blocks_left, input_place, row_in_tile)
        )
        first_row = w.assign(f"sub i64 {rows.first}, {row_in_tile}")
        return TileBlock(number, blocks_left, first_row, input_place, is_tile, has_next)

    def free(self) -> None:
        """Write the release of the memory for tiles."""
        if self._tile.blocks > 1:
            self._w.call("void", "@rbd_free", f"ptr {self._tile_memory}")
