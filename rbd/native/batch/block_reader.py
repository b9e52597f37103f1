"""Reading of blocks and tiles: rows of arrays to lanes, with the sums that tell whether all inputs are finite."""

from __future__ import annotations

from functools import partial
from typing import final

from rbd.native.batch.block_memory import BatchArguments, BlockMemory, RowsOfBlock, TileBlock
from rbd.native.batch.row_access import PortAccess
from rbd.native.codegen.finite import zero_sum


@final
class BlockReader:
    """Writes the reading of inputs."""

    def __init__(self, arguments: BatchArguments, memory: BlockMemory) -> None:
        """Set the source and the destination of reading."""
        self._arguments, self._memory = arguments, memory
        self._w, self._lanes, self._tile = arguments.w, arguments.lanes, arguments.tile
        self._ports = list(zip(arguments.inputs, memory.input_ports, strict=True))

    def begin(self) -> None:
        """Write the reading of inputs that are the same for all rows, once and for all, and of the first tile."""
        w, lanes, memory = self._w, self._lanes, self._memory
        w.store(lanes.double, lanes.double_constant(0.0), memory.shared_sum, lanes.alignment)
        for access, block in self._ports:
            w.if_(access.is_shared, partial(self._read_shared_port, access, block))
        if self._tile.blocks > 1:
            w.if_(memory.can_tile, self._read_first_tile)

    def _read_shared_port(self, access: PortAccess, block: str) -> None:
        w, lanes, address = self._w, self._lanes, self._memory.shared_sum
        access.read_shared(block)
        total, before = zero_sum(w, lanes, block, access.port.size), w.load(lanes.double, address)
        w.store(lanes.double, w.assign(f"fadd {lanes.double} {before}, {total}"), address, lanes.alignment)

    def read(self, rows: RowsOfBlock, tile_block: TileBlock) -> None:
        """Write the reading of a block alone, or of a slice of the next tile; the block of a tile has been read."""
        w = self._w
        w.unless(tile_block.is_tile, partial(self._read_block, rows))
        if self._tile.blocks > 1:
            w.if_(tile_block.has_next, partial(self._read_ahead, tile_block))

    def _read_first_tile(self) -> None:
        w, sums = self._w, self._memory.sums
        self._begin_sums(sums)
        for access, block in self._ports:
            w.unless(access.is_shared, partial(access.read_tile, self._arguments.first, self._tile, block, sums))

    def _read_ahead(self, tile_block: TileBlock) -> None:
        """Write the reading of a slice of the next tile; ports that are no vectors are read with the first slice."""
        w, tile = self._w, self._tile
        row = w.assign(f"add i64 {tile_block.first_row}, {tile.rows}")
        first = w.assign(f"sub i64 {tile.blocks}, {w.assign(f'sub i64 {tile_block.input_place}, {tile_block.number}')}")
        sums = w.address(self._memory.sums, w.assign(f"mul i64 {first}, {self._lanes.width}"))
        offset = w.assign(f"mul i64 {first}, {tile.input_step}")
        is_first = w.test(f"eq i64 {tile_block.number}, 0")
        w.if_(is_first, lambda: self._begin_sums(sums))
        for access, start in self._ports:
            block = w.address(start, offset)
            if access.is_vector:
                read = partial(access.read_slice, row, tile_block.number, tile, block, sums)
                w.unless(access.is_shared, read)
            else:
                skipped = w.any_of(access.is_shared, w.negated(is_first))
                w.unless(skipped, partial(access.read_tile, row, tile, block, sums))

    def _begin_sums(self, sums: str) -> None:
        """Write the sums of a tile before its own inputs are added."""
        w, lanes = self._w, self._lanes
        total = w.load(lanes.double, self._memory.shared_sum, lanes.alignment)
        w.call("void", "@begin_sums", f"ptr {sums}", f"i64 {self._tile.blocks}", f"{lanes.double} {total}")

    def _read_block(self, rows: RowsOfBlock) -> None:
        w, lanes, memory = self._w, self._lanes, self._memory
        last = w.assign(f"sub i64 {rows.count}, 1")
        for access, block in self._ports:
            w.unless(access.is_shared, partial(access.read, rows.first, last, rows.is_full, block))
        total = zero_sum(w, lanes, memory.inputs, self._arguments.program.input_size)
        w.store(lanes.double, total, memory.sums, lanes.alignment)
