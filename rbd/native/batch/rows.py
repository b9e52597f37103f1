"""The entry point of a program for many rows: W at a time, in pieces of rows for threads.

W rows are a block, which is read into lanes, computed, and written where its status is clean; several blocks of arrays
in column order are a tile, which is read and written as a whole. A piece is the rows that a thread takes at a time.
"""

from __future__ import annotations

from functools import partial

from rbd.native.batch.block_computation import BlockComputation
from rbd.native.batch.block_memory import BatchArguments, BlockMemory, doubles_of_blocks, rows_of_block
from rbd.native.batch.block_reader import BlockReader
from rbd.native.batch.block_writer import BlockWriter
from rbd.native.batch.column_tiles import ColumnTile, tile_functions
from rbd.native.batch.prefetching import prefetch_functions
from rbd.native.batch.row_access import access_functions
from rbd.native.batch.transpose import short_transpose_functions, transpose_functions
from rbd.native.codegen.entry_points import ScratchMemory
from rbd.native.codegen.finite import zero_sum_function
from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer
from rbd.program.program import Program
from rbd.program.status import NO_MEMORY

_SHARED = "ptr %in, ptr %layouts, ptr %out"


def batch_function(program: Program, slots: int, names: list[str], lanes: Lanes) -> str:
    """Return the function for rows, `@batch`: W at a time; the first bad row or -1.

    Its arguments are `BatchArguments`. `names` are those of the functions that compute a block in a workspace of
    `slots` slots. `layouts` are those of inputs, then outputs; see `row_access.py`. `row_statuses` has a status per
    row, or is null: that of a bad row is stored there, unless there is one already.
    """
    w, tile = Writer(), ColumnTile(program.input_size, program.output_size, lanes)
    w.begin_function(f"i64 @batch({BatchArguments.declarations}) {ATTRIBUTES}")
    workspace = ScratchMemory(w, slots * lanes.width + doubles_of_blocks(program, lanes.width))
    workspace.require(partial(_return_without_memory, w))
    arguments = BatchArguments(w, lanes, program, tile)
    memory = BlockMemory(arguments, w.address(workspace.pointer, slots * lanes.width))
    computation = BlockComputation(arguments, memory, workspace.pointer, names)
    _write_blocks(arguments, memory, computation)
    workspace.free()
    memory.free()
    w.end_function(f"i64 {w.load('i64', memory.bad_row)}")
    inputs, outputs = ([port.size for port in ports] for ports in (program.inputs, program.outputs))
    return "".join((*short_transpose_functions(lanes, inputs, outputs), w.text()))


def _return_without_memory(w: Writer) -> None:
    """Write the return of the first row, whose status is that there is no memory."""
    w.store("i64", str(NO_MEMORY), BatchArguments.status)
    w.ret(f"i64 {BatchArguments.first}")


def _write_blocks(arguments: BatchArguments, memory: BlockMemory, computation: BlockComputation) -> None:
    """Write the loop over all blocks, which are read, computed and written."""
    w, lanes = arguments.w, arguments.lanes
    reader, writer = BlockReader(arguments, memory), BlockWriter(arguments, memory)
    end_row = w.assign(f"add i64 {arguments.first}, {arguments.count}")
    reader.begin()

    def block(row: str) -> None:
        rows = rows_of_block(w, lanes, row, end_row)
        tile_block = memory.tile_block(rows)
        reader.read(rows, tile_block)
        writer.write(rows, tile_block, computation.compute(rows, tile_block))

    w.for_each(end_row, block, start=arguments.first, step=lanes.width)


def _worker() -> str:
    """Return `i64 @work(batch, next, piece, rows, in, layouts, out, status, row_statuses)`; see `row_functions`."""
    w = Writer()
    counter = "ptr %batch, ptr %next, i64 %piece, i64 %rows"
    w.begin_function(f"i64 @work({counter}, {_SHARED}, ptr %status, ptr %row_statuses) {ATTRIBUTES}")
    first, bad_row, status = (w.assign("alloca i64, align 8") for _ in range(3))
    w.store("i64", "-1", bad_row)

    def take() -> str:
        w.store("i64", w.assign("atomicrmw add ptr %next, i64 %piece monotonic"), first)
        return w.test(f"slt i64 {w.load('i64', first)}, %rows")

    def run() -> None:
        start = w.load("i64", first)
        count = w.call("i64", "@llvm.smin.i64", "i64 %piece", f"i64 {w.assign(f'sub i64 %rows, {start}')}")
        found = w.call("i64", "%batch", f"i64 {start}", f"i64 {count}", _SHARED, f"ptr {status}", "ptr %row_statuses")
        is_first = w.all_of(w.test(f"sge i64 {found}, 0"), w.test(f"slt i64 {w.load('i64', bad_row)}, 0"))
        w.if_(is_first, lambda: note(found))

    def note(found: str) -> None:
        w.store("i64", found, bad_row)
        w.store("i64", w.load("i64", status), "%status")

    w.while_(take, run)
    w.end_function(f"i64 {w.load('i64', bad_row)}")
    return w.text()


def row_functions(lanes: Lanes) -> list[str]:
    """Return the functions that batches of all programs share.

    `i64 @work(batch, next, piece, rows, in, layouts, out, status, row_statuses)` computes pieces of rows until none are
    left. Threads that share the counter at `next` share the rows. Each returns its first bad row or -1.
    """
    whole = [*transpose_functions(lanes), *tile_functions(lanes), zero_sum_function(lanes)]
    return [*access_functions(lanes), *whole, *prefetch_functions(), _worker()]
