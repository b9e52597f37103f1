"""Computation of a block: the functions of the program, and the status of every lane.

While a block is computed, what the next one reads and writes is fetched into the caches.
"""

from __future__ import annotations

from functools import partial
from typing import final

from rbd.native.batch.block_memory import BatchArguments, BlockMemory, RowsOfBlock, TileBlock
from rbd.native.batch.prefetching import CACHE_LINE_BYTES
from rbd.native.batch.row_access import PortAccess
from rbd.native.codegen.bounds import outputs_to_test
from rbd.native.codegen.finite import nonfinite_lanes, not_a_number
from rbd.native.codegen.signature import write_call
from rbd.program.program import offsets
from rbd.program.status import BAD_INPUT, BAD_OUTPUT

PREFETCH_BYTES = 16 * 1024
"""Bytes of a block that are fetched ahead, at most; more would drive out what is worked on."""
AHEAD_BYTES = 8 * 1024
"""Bytes from the block that is computed to the one that is fetched, unless that is the next one; measured: where blocks
are small, the next one is needed before it is there."""


@final
class BlockComputation:
    """Writes the calls of the functions that compute a block."""

    def __init__(self, arguments: BatchArguments, memory: BlockMemory, workspace: str, names: list[str]) -> None:
        """Set the arguments of the functions, and their names."""
        self._arguments, self._memory, self._workspace, self._names = arguments, memory, workspace, names
        self._w, self._lanes, self._program = arguments.w, arguments.lanes, arguments.program
        self._prefetcher = _Prefetcher(arguments, len(names))

    def compute(self, rows: RowsOfBlock, tile_block: TileBlock) -> str:
        """Write the calls, fetching in between; return the status of every lane."""
        w, lanes = self._w, self._lanes
        first, slot = (w.assign(f"mul i64 {k}, {lanes.width}") for k in (tile_block.number, tile_block.slot))
        total = w.load(lanes.double, w.address(self._memory.sums, slot), lanes.alignment)
        bad_input, statuses = not_a_number(w, lanes, total), w.address(self._memory.statuses, first)
        w.store(lanes.integer, lanes.integer_constant(0), statuses, lanes.alignment)
        inputs, outputs = self._inputs(tile_block), self._outputs(tile_block)
        ports = [w.address(outputs, start * lanes.width) for start, _ in offsets(self._program.outputs)]
        for number, name in enumerate(self._names):
            self._prefetcher.fetch(rows.first, tile_block, number)
            write_call(w, name, (*inputs, *ports, self._workspace, statuses))
        merged = self._lane_statuses(bad_input, w.load(lanes.integer, statuses, lanes.alignment), outputs)
        w.store(lanes.integer, merged, statuses, lanes.alignment)
        return merged

    def _inputs(self, tile_block: TileBlock) -> list[str]:
        """Write the addresses of the inputs of a block; those that are the same for all rows are in the first slot."""
        w = self._w
        apart = w.assign(f"mul i64 {tile_block.slot}, {self._program.input_size * self._lanes.width}")
        shared = [access.is_shared for access in self._arguments.inputs]
        starts = [w.assign(f"select i1 {is_shared}, i64 0, i64 {apart}") for is_shared in shared]
        return [w.address(port, start) for port, start in zip(self._memory.input_ports, starts, strict=True)]

    def _outputs(self, tile_block: TileBlock) -> str:
        """Write the addresses of the outputs of a block."""
        apart = self._w.assign(f"mul i64 {tile_block.number}, {self._program.output_size * self._lanes.width}")
        return self._w.address(self._memory.outputs, apart)

    def _lane_statuses(self, bad_input: str, checks: str, outputs: str) -> str:
        """Write the status of every lane: inputs first, then failed checks, then outputs."""
        w, lanes = self._w, self._lanes
        integer, truth = lanes.integer, lanes.truth
        later = checks
        tested = outputs_to_test(self._program)
        if tested:
            bad_output = nonfinite_lanes(w, lanes, outputs, tested)
            bad, zero = lanes.integer_constant(BAD_OUTPUT), lanes.integer_constant(0)
            last = w.assign(f"select {truth} {bad_output}, {integer} {bad}, {integer} {zero}")
            clean = w.assign(f"icmp eq {integer} {checks}, {zero}")
            later = w.assign(f"select {truth} {clean}, {integer} {last}, {integer} {checks}")
        return w.assign(f"select {truth} {bad_input}, {integer} {lanes.integer_constant(BAD_INPUT)}, {integer} {later}")


@final
class _Prefetcher:
    """Prefetching of the next rows to be read and written, one part before each function."""

    def __init__(self, arguments: BatchArguments, parts: int) -> None:
        self._arguments, self._parts = arguments, parts
        self._w, self._width = arguments.w, arguments.lanes.width
        self._ports = [(each, False) for each in arguments.inputs] + [(each, True) for each in arguments.outputs]

    def fetch(self, row: str, tile_block: TileBlock, part: int) -> None:
        """Write the fetching of a part; `row` is the first one of the block that is computed."""
        packed, columns = partial(self._fetch_packed, row, part), partial(self._fetch_columns, tile_block, part)
        self._w.unless(self._arguments.all_columns, packed, columns)

    def _fetch_packed(self, row: str, part: int) -> None:
        """Write the fetching of a block further on where rows have no gaps."""
        blocks = max(1, AHEAD_BYTES // (8 * self._width * max(1, sum(access.port.size for access, _ in self._ports))))
        following = self._w.assign(f"add i64 {row}, {blocks * self._width}")
        for access, write in self._ports:
            self._fetch_lines(access, following, part, write=write)

    def _fetch_columns(self, tile_block: TileBlock, part: int) -> None:
        """Write the fetching of columns: a slice of those read with the next block, and of this tile's results.

        Where blocks are no tiles, it is the columns of the next block.
        """
        w, tile = self._w, self._arguments.tile
        slices = tile.blocks * self._parts
        number = w.assign(f"add i64 {w.assign(f'mul i64 {tile_block.number}, {self._parts}')}, {part}")
        ahead = w.assign(f"add i64 {number}, {self._parts * (tile.blocks + 1 if tile.blocks > 1 else 1)}")
        below = w.assign(f"mul i64 {w.assign(f'udiv i64 {ahead}, {slices}')}, {tile.rows}")
        following = w.assign(f"add i64 {tile_block.first_row}, {below}"), w.assign(f"urem i64 {ahead}, {slices}")
        for access, write in self._ports:
            row, each = (tile_block.first_row, number) if write and tile.blocks > 1 else following
            access.fetch_slice(row, each, self._parts, tile.blocks, write=write)

    def _fetch_lines(self, access: PortAccess, row: str, part: int, *, write: bool) -> None:
        lines = -(-min(8 * self._width * access.port.size, PREFETCH_BYTES) // CACHE_LINE_BYTES)
        of_part = range(lines * part // self._parts, lines * (part + 1) // self._parts)
        access.fetch_lines(row, of_part, write=write)
