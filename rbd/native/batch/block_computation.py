"""Computation of a block: the functions of the program, and the status of every lane.

While a block is computed, what the next one reads and writes is prefetched into the caches.
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
from rbd.native.codegen.statuses import first_status
from rbd.program.ports import offsets
from rbd.program.status import BAD_INPUT, BAD_OUTPUT

PREFETCH_BYTES = 16 * 1024
"""Bytes of a block that are prefetched, at most; more would drive out what is worked on."""
AHEAD_BYTES = 8 * 1024
"""Bytes from the block that is computed to the one that is prefetched, unless that is the next one; measured: where
blocks are small, the next one is needed before it is there."""


@final
class BlockComputation:
    """Writes the calls of the functions that compute a block."""

    def __init__(self, arguments: BatchArguments, memory: BlockMemory, workspace: str, names: list[str]) -> None:
        """Set the arguments of the functions, and their names."""
        self._arguments, self._memory, self._workspace, self._names = arguments, memory, workspace, names
        self._w, self._lanes, self._program = arguments.w, arguments.lanes, arguments.program
        self._prefetcher = _Prefetcher(arguments, len(names))

    def compute(self, rows: RowsOfBlock, tile_block: TileBlock) -> str:
        """Write the calls, prefetching in between; return the status of every lane."""
        w, lanes = self._w, self._lanes
        first, input_place = (
            w.assign(f"mul i64 {k}, {lanes.width}") for k in (tile_block.number, tile_block.input_place)
        )
        total = w.load(lanes.double, w.address(self._memory.sums, input_place), lanes.alignment)
        bad_input, statuses = not_a_number(w, lanes, total), w.address(self._memory.statuses, first)
        w.store(lanes.integer, lanes.integer_constant(0), statuses, lanes.alignment)
        inputs, outputs = self._inputs(tile_block), self._outputs(tile_block)
        ports = [w.address(outputs, start * lanes.width) for start, _ in offsets(self._program.outputs)]
        for number, name in enumerate(self._names):
            self._prefetcher.prefetch(rows.first, tile_block, number)
            write_call(w, name, (*inputs, *ports, self._workspace, statuses))
        merged = self._lane_statuses(bad_input, w.load(lanes.integer, statuses, lanes.alignment), outputs)
        w.store(lanes.integer, merged, statuses, lanes.alignment)
        return merged

    def _inputs(self, tile_block: TileBlock) -> list[str]:
        """Write the addresses of the inputs of a block; those that are the same for all rows are in the first place."""
        w = self._w
        offset = w.assign(f"mul i64 {tile_block.input_place}, {self._program.input_size * self._lanes.width}")
        shared = [access.is_shared for access in self._arguments.inputs]
        starts = [w.select("i64", is_shared, "0", offset) for is_shared in shared]
        return [w.address(port, start) for port, start in zip(self._memory.input_ports, starts, strict=True)]

    def _outputs(self, tile_block: TileBlock) -> str:
        """Write the addresses of the outputs of a block."""
        offset = self._w.assign(f"mul i64 {tile_block.number}, {self._program.output_size * self._lanes.width}")
        return self._w.address(self._memory.outputs, offset)

    def _lane_statuses(self, bad_input: str, checks: str, outputs: str) -> str:
        """Write the status of every lane: inputs first, then failed checks, then outputs."""
        w, lanes, later = self._w, self._lanes, checks
        tested = outputs_to_test(self._program)
        if tested:
            bad_output = nonfinite_lanes(w, lanes, outputs, tested)
            later = first_status(
                w, lanes, checks, self._select_status(bad_output, BAD_OUTPUT, lanes.integer_constant(0))
            )
        return self._select_status(bad_input, BAD_INPUT, later)

    def _select_status(self, is_bad: str, status: int, otherwise: str) -> str:
        """Write a status for the lanes that are bad, and another one for all others."""
        integer = self._lanes.integer
        constant = self._lanes.integer_constant(status)
        return self._w.assign(f"select {self._lanes.truth} {is_bad}, {integer} {constant}, {integer} {otherwise}")


@final
class _Prefetcher:
    """Prefetching of the next rows to be read and written, one part before each function."""

    def __init__(self, arguments: BatchArguments, parts: int) -> None:
        self._arguments, self._parts = arguments, parts
        self._w, self._width = arguments.w, arguments.lanes.width
        self._ports = [(each, False) for each in arguments.inputs] + [(each, True) for each in arguments.outputs]

    def prefetch(self, row: str, tile_block: TileBlock, part: int) -> None:
        """Write the prefetching of a part; `row` is the first one of the block that is computed."""
        packed, columns = partial(self._prefetch_packed, row, part), partial(self._prefetch_columns, tile_block, part)
        self._w.unless(self._arguments.all_columns, packed, columns)  # in memory, packed rows come first

    def _prefetch_packed(self, row: str, part: int) -> None:
        """Write the prefetching of a block further on where rows have no gaps."""
        blocks = max(1, AHEAD_BYTES // (8 * self._width * max(1, sum(access.port.size for access, _ in self._ports))))
        following = self._w.assign(f"add i64 {row}, {blocks * self._width}")
        for access, write in self._ports:
            self._prefetch_lines(access, following, part, write=write)

    def _prefetch_columns(self, tile_block: TileBlock, part: int) -> None:
        """Write the prefetching of columns: a slice of those read with the next block, and of this tile's results.

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
            access.prefetch_slice(row, each, self._parts, tile.blocks, write=write)

    def _prefetch_lines(self, access: PortAccess, row: str, part: int, *, write: bool) -> None:
        lines = -(-min(8 * self._width * access.port.size, PREFETCH_BYTES) // CACHE_LINE_BYTES)
        of_part = range(lines * part // self._parts, lines * (part + 1) // self._parts)
        access.prefetch_lines(row, of_part, write=write)
