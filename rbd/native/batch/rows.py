"""The entry point of a program for many rows: W at a time, in pieces of rows for threads.

Rows are written only where their status is clean. While a block is computed, what the next one reads and writes is
fetched into the caches.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import final

from rbd.native.batch.column_tiles import ColumnTile, tile_functions
from rbd.native.batch.row_access import PortAccess, access_functions, access_of
from rbd.native.batch.transpose import each_index
from rbd.native.codegen.bounds import always_finite
from rbd.native.codegen.finite import nonfinite_lanes, not_a_number, zero_sum
from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer
from rbd.native.codegen.wrappers import ScratchMemory
from rbd.program.opcodes import BAD_INPUT, BAD_OUTPUT, NO_MEMORY
from rbd.program.program import Program, offsets

CACHE_LINE_BYTES = 64
"""Bytes that are fetched together."""
PREFETCH_BYTES = 16 * 1024
"""Bytes of the next block that are fetched ahead, at most; more would drive out what is worked on."""

_SHARED = "ptr %in, ptr %layouts, ptr %out"
_CALL = f"i64 %first, i64 %count, {_SHARED}, ptr %status_here, ptr %codes"


def batch(program: Program, slots: int, names: list[str], lanes: Lanes) -> str:
    """Return `i64 @batch(first, count, in, layouts, out, status, codes)`: rows, W at a time; first bad row or -1.

    `layouts` are those of inputs, then outputs; see `row_access.py`. `codes` has a status per row, or is null: that of
    a bad row is stored there, unless there is one already.
    """
    found = _Batch(program, slots, lanes)
    tiles = tile_functions(lanes, found.tile.blocks) if found.tile.blocks > 1 else ""
    return access_functions(lanes) + tiles + found.text(names)


def batch_worker() -> str:
    """Return `i64 @work(next, piece, rows, in, layouts, out, status, codes)`: pieces of rows until none are left.

    Threads that share the counter at `next` share the rows. Each returns its first bad row or -1.
    """
    return f"""
define i64 @work(ptr %next, i64 %piece, i64 %rows, {_SHARED}, ptr %status, ptr %codes) {ATTRIBUTES} {{
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
  %found = call i64 @batch({_CALL})
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


@final
class _Batch:
    """Writes the function, from top to bottom."""

    def __init__(self, program: Program, slots: int, lanes: Lanes) -> None:
        self.w, self.lanes, self.program = Writer(), lanes, program
        self.n_in, self.n_out = program.input_size, program.output_size
        self.slots, self.tile = slots, ColumnTile(program.input_size, program.output_size, lanes)

    def text(self, names: list[str]) -> str:
        """Return the whole function; `names` are those of the functions that compute a block."""
        w, width = self.w, self.lanes.width
        self._begin()
        end_row = w.assign("add i64 %first, %count")
        self._read_shared()
        before = w.label()
        w.add(f"  br label %{before}")
        w.begin_block(before)
        w.add(f"  br label %head\nhead:\n  %row = phi i64 [%first, %{before}], [%next, %tail]")
        w.add(f"  %tiled = phi i64 [0, %{before}], [%tiled_next, %tail]")
        w.add(f"  %more = icmp slt i64 %row, {end_row}\n  br i1 %more, label %block, label %done\nblock:")
        rows_left = w.assign(f"sub i64 {end_row}, %row")
        is_full_block = w.assign(f"icmp sge i64 {rows_left}, {width}")
        row_count = w.assign(f"select i1 {is_full_block}, i64 {width}, i64 {rows_left}")
        slot = self._read(rows_left, is_full_block, row_count)
        status_of_lanes = self._compute(names, slot)
        self._write(slot, status_of_lanes, is_full_block, row_count)
        w.add(f"tail:\n  %next = add i64 %row, {width}\n  br label %head\ndone:")
        self.workspace.free()
        if self.tile.blocks > 1:
            w.add(f"  call void @rbd_free(ptr {self.tile_memory})")
        w.add(f"  ret i64 {w.load('i64', self.bad_row)}\n}}")
        return w.text()

    def _begin(self) -> None:
        """Write the head of the function, its memory, and the pointers of all ports."""
        w, width, program = self.w, self.lanes.width, self.program
        w.add(
            "define i64 @batch(i64 %first, i64 %count, ptr noalias %in, ptr noalias %layouts, ptr noalias %out, "
            f"ptr noalias %status, ptr noalias %codes) {ATTRIBUTES} {{"
        )
        w.begin_block("entry")
        self.workspace = ScratchMemory(w, (self.slots + self.n_in + self.n_out + 3) * width)
        self.workspace.require(f"  store i64 {NO_MEMORY}, ptr %status, align 8\n  ret i64 %first")
        tables = ("%in", "%out")
        self.into, self.out = access_of(w, self.lanes, program.inputs, program.outputs, tables, "%layouts")
        self.all_columns = "true"
        ways = [w.assign(f"or i1 {each.is_columns}, {each.is_shared}") for each in self.into]
        for way in (*ways, *(each.is_columns for each in self.out)):
            self.all_columns = w.assign(f"and i1 {self.all_columns}, {way}")
        self.not_columns = w.assign(f"xor i1 {self.all_columns}, true")
        self._place(w.address(self.workspace.pointer, self.slots * width))
        self.blocks = [w.address(self.inputs, start * width) for start, _ in offsets(program.inputs)]
        self.failed = w.assign("alloca i1, align 8")
        self.bad_row = w.assign("alloca i64, align 8")
        w.store("i64", "-1", self.bad_row)

    def _place(self, block: str) -> None:
        """Write where blocks are: behind the workspace, or in memory for a tile if there are rows enough for one."""
        w, width, blocks = self.w, self.lanes.width, self.tile.blocks
        self.can_tile = "false"
        if blocks > 1:
            enough = w.assign(f"icmp sge i64 %count, {blocks * width}")
            wanted = w.assign(f"and i1 {self.all_columns}, {enough}")
            self.tile_memory = self._allocated(wanted, 8 * blocks * (self.n_in + self.n_out + 2) * width + 72 * width)
            self.can_tile = w.assign(f"icmp ne ptr {self.tile_memory}, null")
            block = w.assign(f"select i1 {self.can_tile}, ptr {w.aligned(self.tile_memory)}, ptr {block}")
        count = w.assign(f"select i1 {self.can_tile}, i64 {blocks * width}, i64 {width}")
        self.inputs, at = block, w.assign(f"mul i64 {count}, {self.n_in}")
        self.outputs = block = w.address(block, at)
        self.states = block = w.address(block, w.assign(f"mul i64 {count}, {self.n_out}"))
        self.sums = block = w.address(block, count)
        self.shared_sum = w.address(block, count)

    def _allocated(self, wanted: str, size: int) -> str:
        """Write the allocation of memory if it is wanted; null without."""
        w = self.w
        start, take, end = w.label(), w.label(), w.label()
        w.add(f"  br label %{start}\n{start}:\n  br i1 {wanted}, label %{take}, label %{end}\n{take}:")
        taken = w.assign(f"call ptr @rbd_malloc(i64 {size})")
        w.add(f"  br label %{end}\n{end}:")
        return w.assign(f"phi ptr [null, %{start}], [{taken}, %{take}]")

    def _read_shared(self) -> None:
        """Write the reading of inputs that are the same for all rows, once and for all."""
        w, lanes = self.w, self.lanes
        w.store(lanes.double, lanes.double_constant(0.0), self.shared_sum, lanes.alignment)
        for access, block in zip(self.into, self.blocks, strict=True):
            self._unless(w.assign(f"xor i1 {access.is_shared}, true"), partial(self._read_shared_port, access, block))

    def _read_shared_port(self, access: PortAccess, block: str) -> None:
        w, lanes = self.w, self.lanes
        access.read_shared(block)
        total, before = zero_sum(w, lanes, block, access.port.size), w.load(lanes.double, self.shared_sum)
        w.store(lanes.double, w.assign(f"fadd {lanes.double} {before}, {total}"), self.shared_sum, lanes.alignment)

    def _read(self, rows_left: str, is_full_block: str, row_count: str) -> str:
        """Write the reading of a block, or of a tile in column order; return which block of the tile comes next."""
        w, blocks = self.w, self.tile.blocks
        fits = w.assign(f"icmp sge i64 {rows_left}, {blocks * self.lanes.width}") if blocks > 1 else "false"
        begins = w.assign(f"and i1 {self.can_tile}, {fits}")
        single, tile, again, go = (w.label() for _ in range(4))
        w.add(f"  br i1 {w.assign('icmp eq i64 %tiled, 0')}, label %{again}, label %{go}\n{again}:")
        w.add(f"  br i1 {begins}, label %{tile}, label %{single}\n{tile}:")
        if blocks > 1:
            self._read_tile()
        tile_end, single_end = w.label(), w.label()
        w.add(f"  br label %{tile_end}\n{tile_end}:\n  br label %{go}\n{single}:")
        self._read_block(is_full_block, row_count)
        w.add(f"  br label %{single_end}\n{single_end}:\n  br label %{go}\n{go}:")
        # Blocks of a tile that are left: all when it was read, one less with every block.
        left = w.assign(f"phi i64 [%tiled, %block], [{blocks}, %{tile_end}], [1, %{single_end}]")
        full = w.assign(f"phi i64 [{blocks}, %block], [{blocks}, %{tile_end}], [1, %{single_end}]")
        w.add(f"  %tiled_next = sub i64 {left}, 1")
        return w.assign(f"sub i64 {full}, {left}")

    def _read_tile(self) -> None:
        w, lanes = self.w, self.lanes
        total = w.load(lanes.double, self.shared_sum, lanes.alignment)
        for k in range(self.tile.blocks):
            w.store(lanes.double, total, w.address(self.sums, k * lanes.width), lanes.alignment)
        for access, block in zip(self.into, self.blocks, strict=True):
            self._unless(access.is_shared, partial(access.read_tile, "%row", self.tile, block, self.sums))

    def _read_block(self, is_full_block: str, row_count: str) -> None:
        last = self.w.assign(f"sub i64 {row_count}, 1")
        for access, block in zip(self.into, self.blocks, strict=True):
            self._unless(access.is_shared, partial(access.read, "%row", last, is_full_block, block))
        total = zero_sum(self.w, self.lanes, self.inputs, self.n_in)
        self.w.store(self.lanes.double, total, self.sums, self.lanes.alignment)

    def _unless(self, condition: str, write: Callable[[], None]) -> None:
        """Write what is done unless a condition holds."""
        w = self.w
        inside, after = w.label(), w.label()
        w.add(f"  br i1 {condition}, label %{after}, label %{inside}")
        w.begin_block(inside)
        write()
        w.add(f"  br label %{after}")
        w.begin_block(after)

    def _compute(self, names: list[str], slot: str) -> str:
        """Write the calls of the functions that compute, fetching in between; return the status of every lane."""
        w, lanes = self.w, self.lanes
        first = w.assign(f"mul i64 {slot}, {lanes.width}")
        total = w.load(lanes.double, w.address(self.sums, first), lanes.alignment)
        bad_input, state = not_a_number(w, lanes, total), w.address(self.states, first)
        w.store(lanes.integer, lanes.integer_constant(0), state, lanes.alignment)
        step = w.assign(f"mul i64 {slot}, {self.n_in * lanes.width}")
        steps = [w.assign(f"select i1 {access.is_shared}, i64 0, i64 {step}") for access in self.into]
        blocks = [w.address(block, step) for block, step in zip(self.blocks, steps, strict=True)]
        outputs = w.address(self.outputs, w.assign(f"mul i64 {slot}, {self.n_out * lanes.width}"))
        arguments = ", ".join(f"ptr {block}" for block in (*blocks, outputs, self.workspace.pointer, state))
        for number, name in enumerate(names):
            self._unless(self.all_columns, partial(self._prefetch, number, len(names)))
            self._unless(self.not_columns, partial(self._fetch_columns, number, len(names)))
            w.add(f"  call void @{name}({arguments})")
        found = self._lane_statuses(bad_input, w.load(lanes.integer, state, lanes.alignment), outputs)
        w.store(lanes.integer, found, state, lanes.alignment)
        return found

    def _prefetch(self, part: int, parts: int) -> None:
        """Write the fetching of a part of what the next block reads and writes where rows have no gaps."""
        w, width = self.w, self.lanes.width
        following = w.assign(f"add i64 %row, {width}")
        for each in (*self.into, *self.out):
            offset = w.assign(f"mul i64 {following}, {each.row_step}")
            size = 8 * width * each.port.size
            self._prefetch_lines(offset, each.pointer, size, part, parts, write=each in self.out)

    def _fetch_columns(self, part: int, parts: int) -> None:
        """Write the fetching of a part of the columns of this block's successor in the next tile."""
        row = self.w.assign(f"add i64 %row, {self.tile.blocks * self.lanes.width}")
        for each in (*self.into, *self.out):
            each.fetch_columns(row, part, parts, write=each in self.out)

    def _prefetch_lines(self, offset: str, pointer: str, size: int, part: int, parts: int, *, write: bool) -> None:
        w = self.w
        lines = -(-min(size, PREFETCH_BYTES) // CACHE_LINE_BYTES)
        first, end = lines * part // parts, lines * (part + 1) // parts
        start = w.assign(f"getelementptr double, ptr {pointer}, i64 {offset}")

        def prefetch(index: str) -> None:
            place = w.assign(f"add i64 {w.assign(f'mul i64 {index}, {CACHE_LINE_BYTES}')}, {first * CACHE_LINE_BYTES}")
            line = w.assign(f"getelementptr i8, ptr {start}, i64 {place}")
            w.add(f"  call void @llvm.prefetch.p0(ptr {line}, i32 {int(write)}, i32 3, i32 1)")

        each_index(w, end - first, prefetch)

    def _lane_statuses(self, bad_input: str, checks: str, outputs: str) -> str:
        """Write the status of every lane: inputs first, then failed checks, then outputs."""
        w, lanes = self.w, self.lanes
        integer, truth = lanes.integer, lanes.truth
        later = checks
        if not always_finite(self.program):
            bad_output = nonfinite_lanes(w, lanes, outputs, self.n_out)
            bad, zero = lanes.integer_constant(BAD_OUTPUT), lanes.integer_constant(0)
            last = w.assign(f"select {truth} {bad_output}, {integer} {bad}, {integer} {zero}")
            clean = w.assign(f"icmp eq {integer} {checks}, {zero}")
            later = w.assign(f"select {truth} {clean}, {integer} {last}, {integer} {checks}")
        return w.assign(f"select {truth} {bad_input}, {integer} {lanes.integer_constant(BAD_INPUT)}, {integer} {later}")

    def _write(self, slot: str, status_of_lanes: str, is_full_block: str, row_count: str) -> None:
        """Write the storing of a block or of a whole tile after its last block.

        All rows are stored at once, or those that exist and are clean one by one.
        """
        w, lanes = self.w, self.lanes
        failed = w.any_lane(lanes, w.assign(f"icmp ne {lanes.integer} {status_of_lanes}, {lanes.integer_constant(0)}"))
        is_first, before = w.assign(f"icmp eq i64 {slot}, 0"), w.load("i1", self.failed)
        failed = w.assign(f"or i1 {failed}, {w.assign(f'select i1 {is_first}, i1 false, i1 {before}')}")
        w.store("i1", failed, self.failed)
        w.add(f"  br i1 {w.assign('icmp eq i64 %tiled_next, 0')}, label %last, label %tail\nlast:")
        above = w.assign(f"mul i64 {slot}, {lanes.width}")
        first_row, lane_count = w.assign(f"sub i64 %row, {above}"), w.assign(f"add i64 {above}, {row_count}")
        easy = w.assign(f"and i1 {is_full_block}, {w.assign(f'xor i1 {failed}, true')}")
        for access in self.out:
            easy = w.assign(f"and i1 {easy}, {w.assign(f'or i1 {access.is_packed}, {access.is_columns}')}")
        w.add(f"  br i1 {easy}, label %write, label %lane\nwrite:")
        w.add(f"  br i1 {is_first}, label %write_block, label %write_tile\nwrite_tile:")
        for access, (start, _) in zip(self.out, offsets(self.program.outputs), strict=True):
            if self.tile.blocks > 1:
                access.write_tile(first_row, self.tile, w.address(self.outputs, start * lanes.width))
        w.add("  br label %tail\nwrite_block:")
        for access, (start, _) in zip(self.out, offsets(self.program.outputs), strict=True):
            access.write("%row", w.address(self.outputs, start * lanes.width))
        w.add("  br label %tail")
        self._write_lanes(first_row, lane_count)

    def _write_lanes(self, first_row: str, lane_count: str) -> None:
        """Write rows one by one where they are clean; note the first bad one and its status."""
        w, width = self.w, self.lanes.width
        w.add("lane:\n  %l = phi i64 [0, %last], [%l1, %lane_end]")
        status = w.load("i64", w.address(self.states, "%l", "i64"))
        row = w.assign(f"add i64 {first_row}, %l")
        block = w.address(self.outputs, w.assign(f"mul i64 {w.assign(f'udiv i64 %l, {width}')}, {self.n_out * width}"))
        lane = w.assign(f"urem i64 %l, {width}")
        w.add(f"  br i1 {w.assign(f'icmp eq i64 {status}, 0')}, label %lane_write, label %lane_bad\nlane_write:")
        for access, (start, _) in zip(self.out, offsets(self.program.outputs), strict=True):
            access.write_lane(row, lane, w.address(block, start * width))
        w.add("  br label %lane_end\nlane_bad:")
        known = w.load("i64", self.bad_row)
        first = w.assign(f"icmp eq i64 {known}, -1")
        w.store("i64", w.assign(f"select i1 {first}, i64 {row}, i64 {known}"), self.bad_row)
        old = w.load("i64", "%status")
        w.store("i64", w.assign(f"select i1 {first}, i64 {status}, i64 {old}"), "%status")
        w.add(f"  br i1 {w.assign('icmp eq ptr %codes, null')}, label %lane_end, label %lane_code\nlane_code:")
        code = w.address("%codes", row, "i64")
        before = w.load("i64", code)
        w.store("i64", w.assign(f"select i1 {w.assign(f'icmp eq i64 {before}, 0')}, i64 {status}, i64 {before}"), code)
        w.add(f"  br label %lane_end\nlane_end:\n  %l1 = add i64 %l, 1\n  %lm = icmp slt i64 %l1, {lane_count}")
        w.add("  br i1 %lm, label %lane, label %tail")
