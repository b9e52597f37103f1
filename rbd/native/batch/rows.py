"""The entry point of a program for many rows: W at a time, in pieces of rows for threads.

W rows are a block, which is read into lanes, computed, and written where its status is clean; several blocks of arrays
in column order are a tile, which is read and written as a whole. A piece is the rows that a thread takes at a time.
"""

from __future__ import annotations

from typing import Final

from rbd.native.batch.block_computation import BlockComputation
from rbd.native.batch.block_memory import BatchArguments, BlockMemory, rows_of_block
from rbd.native.batch.block_reader import BlockReader
from rbd.native.batch.block_writer import BlockWriter
from rbd.native.batch.column_tiles import ColumnTile, tile_functions
from rbd.native.batch.prefetching import fetch_functions
from rbd.native.batch.row_access import access_functions
from rbd.native.batch.transpose import short_transpose_functions, transpose_functions
from rbd.native.codegen.finite import zero_sum_function
from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer
from rbd.native.codegen.wrappers import ScratchMemory
from rbd.program.program import Program
from rbd.program.status import NO_MEMORY

_ARGUMENTS = (
    "i64 %first, i64 %count, ptr noalias %in, ptr noalias %layouts, ptr noalias %out, ptr noalias %status, "
    "ptr noalias %codes"
)
_SHARED = "ptr %in, ptr %layouts, ptr %out"
_CALL = f"i64 %first, i64 %count, {_SHARED}, ptr %status_here, ptr %codes"


def batch(program: Program, slots: int, names: list[str], lanes: Lanes) -> str:
    """Return `i64 @batch(first, count, in, layouts, out, status, codes)`: rows, W at a time; first bad row or -1.

    `names` are those of the functions that compute a block in a workspace of `slots` slots. `layouts` are those of
    inputs, then outputs; see `row_access.py`. `codes` has a status per row, or is null: that of a bad row is stored
    there, unless there is one already.
    """
    w, tile = Writer(), ColumnTile(program.input_size, program.output_size, lanes)
    w.begin_function(f"i64 @batch({_ARGUMENTS}) {ATTRIBUTES}")
    workspace = ScratchMemory(w, (slots + program.input_size + program.output_size + 3) * lanes.width)
    workspace.require(f"  store i64 {NO_MEMORY}, ptr %status, align 8\n  ret i64 %first")
    arguments = BatchArguments(w, lanes, program, tile)
    memory = BlockMemory(arguments, w.address(workspace.pointer, slots * lanes.width))
    computation = BlockComputation(arguments, memory, workspace.pointer, names)
    _write_blocks(arguments, memory, computation)
    workspace.free()
    memory.free()
    w.end_function(f"i64 {w.load('i64', memory.bad_row)}")
    inputs, outputs = ([port.size for port in ports] for ports in (program.inputs, program.outputs))
    return "".join((*short_transpose_functions(lanes, inputs, outputs), w.text()))


def _write_blocks(arguments: BatchArguments, memory: BlockMemory, computation: BlockComputation) -> None:
    """Write the loop over all blocks, which are read, computed and written."""
    w, lanes = arguments.w, arguments.lanes
    reader, writer = BlockReader(arguments, memory), BlockWriter(arguments, memory)
    end_row = w.assign("add i64 %first, %count")
    reader.begin()

    def block(row: str) -> None:
        rows = rows_of_block(w, lanes, row, end_row)
        tile_block = memory.tile_block(rows)
        reader.read(rows, tile_block)
        writer.write(rows, tile_block, computation.compute(rows, tile_block))

    w.for_each(end_row, block, start="%first", step=lanes.width)


_WORKER: Final = f"""
define i64 @work(ptr %batch, ptr %next, i64 %piece, i64 %rows, {_SHARED}, ptr %status, ptr %codes) {ATTRIBUTES} {{
begin:
  %status_here = alloca i64, align 8
  br label %again
again:
  %bad = phi i64 [-1, %begin], [%bad_next, %done]
  %first = atomicrmw add ptr %next, i64 %piece monotonic
  %more = icmp slt i64 %first, %rows
  br i1 %more, label %run, label %end
run:
  %left = sub i64 %rows, %first
  %whole = icmp slt i64 %piece, %left
  %count = select i1 %whole, i64 %piece, i64 %left
  %found = call i64 %batch({_CALL})
  %new = icmp sge i64 %found, 0
  %none = icmp slt i64 %bad, 0
  %is_first = and i1 %new, %none
  br i1 %is_first, label %note, label %done
note:
  %code = load i64, ptr %status_here
  store i64 %code, ptr %status
  br label %done
done:
  %bad_next = select i1 %is_first, i64 %found, i64 %bad
  br label %again
end:
  ret i64 %bad
}}
"""


def row_functions(lanes: Lanes) -> list[str]:
    """Return the functions that batches of all programs share.

    `i64 @work(batch, next, piece, rows, in, layouts, out, status, codes)` computes pieces of rows until none are left.
    Threads that share the counter at `next` share the rows. Each returns its first bad row or -1.
    """
    whole = [*transpose_functions(lanes), *tile_functions(lanes), zero_sum_function(lanes)]
    return [*access_functions(lanes), *whole, *fetch_functions(), _WORKER]
