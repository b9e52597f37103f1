"""Writing of blocks and tiles: lanes to rows of arrays, only where the status is clean."""

from __future__ import annotations

from typing import final

from rbd.native.batch.block_memory import BatchArguments, BlockMemory, RowsOfBlock, TileBlock
from rbd.native.codegen.ir import Lanes
from rbd.native.codegen.statuses import first_status
from rbd.program.ports import offsets


@final
class BlockWriter:
    """Writes the storing of outputs, and of the statuses of rows that have failed."""

    def __init__(self, arguments: BatchArguments, memory: BlockMemory) -> None:
        """Set the source and the destination of storing."""
        self._arguments, self._memory = arguments, memory
        self._w, self._lanes = arguments.w, arguments.lanes
        starts = [start * arguments.lanes.width for start, _ in offsets(arguments.program.outputs)]
        self._ports = list(zip(arguments.outputs, starts, strict=True))

    def write(self, rows: RowsOfBlock, tile_block: TileBlock, statuses: str) -> None:
        """Write the storing of a block, or of a whole tile after its last block; `statuses` are those of lanes."""
        has_failed = self._note_failure(tile_block, statuses)
        is_last = self._w.test(f"eq i64 {tile_block.blocks_left}, 0")
        self._w.if_(is_last, lambda: self._write(rows, tile_block, has_failed))

    def _note_failure(self, tile_block: TileBlock, statuses: str) -> str:
        """Write whether a row of this block, or of an earlier one of its tile, has failed."""
        w, lanes = self._w, self._lanes
        bad = w.any_lane(lanes, w.test(f"ne {lanes.integer} {statuses}, {lanes.integer_constant(0)}"))
        is_first, before = w.test(f"eq i64 {tile_block.number}, 0"), w.load("i1", self._memory.has_failed)
        failed = w.any_of(bad, w.select("i1", is_first, "false", before))
        w.store("i1", failed, self._memory.has_failed)
        return failed

    def _write(self, rows: RowsOfBlock, tile_block: TileBlock, has_failed: str) -> None:
        """Write the storing of all rows at once, or of those that exist and are clean one by one."""
        w = self._w
        above = w.assign(f"mul i64 {tile_block.number}, {self._lanes.width}")
        first, count = w.assign(f"sub i64 {rows.first}, {above}"), w.assign(f"add i64 {above}, {rows.count}")
        at_once = w.all_of(rows.is_full, w.negated(has_failed))
        for access, _ in self._ports:
            at_once = w.all_of(at_once, w.any_of(access.is_packed, access.is_columns))
        w.if_(at_once, lambda: self._write_all(first, tile_block), lambda: self._write_lanes(first, count))

    def _write_all(self, first: str, tile_block: TileBlock) -> None:
        if self._arguments.tile.blocks == 1:
            self._write_block(first)
        else:
            is_alone = self._w.test(f"eq i64 {tile_block.number}, 0")
            self._w.if_(is_alone, lambda: self._write_block(first), lambda: self._write_tile(first))

    def _write_block(self, first: str) -> None:
        for access, start in self._ports:
            access.write(first, self._w.address(self._memory.outputs, start))

    def _write_tile(self, first: str) -> None:
        for access, start in self._ports:
            access.write_tile(first, self._arguments.tile, self._w.address(self._memory.outputs, start))

    def _write_lanes(self, first: str, count: str) -> None:
        """Write rows one by one where they are clean; note the first bad one and its status."""
        w = self._w

        def lane(number: str) -> None:
            row = w.assign(f"add i64 {first}, {number}")
            status = w.load("i64", w.address(self._memory.statuses, number, "i64"))
            is_clean = w.test(f"eq i64 {status}, 0")
            w.if_(is_clean, lambda: self._write_lane(number, row), lambda: self._note_status(row, status))

        w.for_each(count, lane)

    def _write_lane(self, number: str, row: str) -> None:
        w, width = self._w, self._lanes.width
        size = self._arguments.program.output_size * width
        block = w.address(self._memory.outputs, w.assign(f"mul i64 {w.assign(f'udiv i64 {number}, {width}')}, {size}"))
        lane = w.assign(f"urem i64 {number}, {width}")
        for access, start in self._ports:
            access.write_lane(row, lane, w.address(block, start))

    def _note_status(self, row: str, status: str) -> None:
        """Write the storing of a status: for the row, and for the batch if the row is the first that has failed."""
        w, arguments, bad_row = self._w, self._arguments, self._memory.bad_row
        known = w.load("i64", bad_row)
        is_first = w.test(f"eq i64 {known}, -1")
        w.store("i64", w.select("i64", is_first, row, known), bad_row)
        old = w.load("i64", arguments.status)
        w.store("i64", w.select("i64", is_first, status, old), arguments.status)
        w.unless(w.is_null(arguments.row_statuses), lambda: self._store_row_status(row, status))

    def _store_row_status(self, row: str, status: str) -> None:
        w, place = self._w, self._w.address(self._arguments.row_statuses, row, "i64")
        w.store("i64", first_status(w, Lanes(1), w.load("i64", place), status), place)
