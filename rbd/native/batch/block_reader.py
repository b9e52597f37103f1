"""Reading of blocks and tiles: rows of arrays to lanes, with the sums that tell whether all inputs are finite."""

from __future__ import annotations

from functools import partial
from typing import final

from rbd.native.batch.block_memory import BatchArguments, BlockMemory, LaneRows, TileBlock
from rbd.native.batch.row_access import PortAccess
from rbd.native.codegen.finite import zero_sum


@final
class BlockReader:
    """Writes the reading of inputs."""

    def __init__(self, arguments: BatchArguments, memory: BlockMemory) -> None:
        """Set what is read, and where to."""
        self._arguments, self._memory = arguments, memory
        self._w, self._lanes = arguments.w, arguments.lanes
        self._ports = list(zip(arguments.inputs, memory.input_ports, strict=True))

    def read_shared(self) -> None:
        """Write the reading of inputs that are the same for all rows, once and for all."""
        w, lanes, total = self._w, self._lanes, self._memory.shared_sum
        w.store(lanes.double, lanes.double_constant(0.0), total, lanes.alignment)
        for access, block in self._ports:
            w.if_(access.is_shared, partial(self._read_shared_port, access, block))

    def _read_shared_port(self, access: PortAccess, block: str) -> None:
        w, lanes, address = self._w, self._lanes, self._memory.shared_sum
        access.read_shared(block)
        total, before = zero_sum(w, lanes, block, access.port.size), w.load(lanes.double, address)
        w.store(lanes.double, w.assign(f"fadd {lanes.double} {before}, {total}"), address, lanes.alignment)

    def read(self, rows: LaneRows, unread: str) -> TileBlock:
        """Write the reading of a block, or of a tile that begins with it.

        `unread` is the number of blocks of a tile, from this one on, that were read with an earlier block.
        """
        w, blocks = self._w, self._arguments.tile.blocks
        fits = w.assign(f"icmp sge i64 {rows.left}, {blocks * self._lanes.width}") if blocks > 1 else "false"
        is_unread = w.assign(f"icmp eq i64 {unread}, 0")
        begins_tile = w.assign(f"and i1 {self._memory.can_tile}, {fits}")
        block, tile = partial(self._read_block, rows), partial(self._read_tile, rows)
        w.if_(is_unread, lambda: w.if_(begins_tile, tile, block) if blocks > 1 else block())
        read = w.assign(f"select i1 {begins_tile}, i64 {blocks}, i64 1")
        left = w.assign(f"select i1 {is_unread}, i64 {read}, i64 {unread}")
        size = w.assign(f"select i1 {is_unread}, i64 {read}, i64 {blocks}")
        return TileBlock(w.assign(f"sub i64 {size}, {left}"), w.assign(f"sub i64 {left}, 1"))

    def _read_tile(self, rows: LaneRows) -> None:
        w, lanes, tile, sums = self._w, self._lanes, self._arguments.tile, self._memory.sums
        total = w.load(lanes.double, self._memory.shared_sum, lanes.alignment)
        for k in range(tile.blocks):
            w.store(lanes.double, total, w.address(sums, k * lanes.width), lanes.alignment)
        for access, block in self._ports:
            w.unless(access.is_shared, partial(access.read_tile, rows.first, tile, block, sums))

    def _read_block(self, rows: LaneRows) -> None:
        w, lanes, memory = self._w, self._lanes, self._memory
        last = w.assign(f"sub i64 {rows.count}, 1")
        for access, block in self._ports:
            w.unless(access.is_shared, partial(access.read, rows.first, last, rows.is_full, block))
        total = zero_sum(w, lanes, memory.inputs, self._arguments.program.input_size)
        w.store(lanes.double, total, memory.sums, lanes.alignment)
