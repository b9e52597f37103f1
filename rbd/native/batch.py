"""The entry point of a kernel for many rows: W at a time, in pieces of rows for threads.

Rows are written only where their status is clean. While a block is computed, what the next one reads and writes is
fetched into the caches.
"""

from __future__ import annotations

from typing import final

from rbd.native.bounds import always_finite
from rbd.native.finite import nonfinite_lanes
from rbd.native.ir import ATTRIBUTES, Lanes, Writer
from rbd.native.transpose import (
    broadcast_row,
    deinterleave_lane,
    deinterleave_rows,
    interleave_partial,
    interleave_rows,
    loop,
)
from rbd.native.wrappers import ScratchMemory
from rbd.program.opcodes import BAD_INPUT, BAD_OUTPUT, NO_MEMORY
from rbd.program.program import Program, offsets

CACHE_LINE_BYTES = 64
"""Bytes that are fetched together."""
PREFETCH_BYTES = 16 * 1024
"""Bytes of the next block that are fetched ahead, at most; more would drive out what is worked on."""

_SHARED = "ptr %in, ptr %strides, ptr %out"
_CALL = f"i64 %first, i64 %count, {_SHARED}, ptr %status_here, ptr %codes"


def batch(program: Program, slots: int, names: list[str], lanes: Lanes) -> str:
    """Return `i64 @batch(first, count, in, in_strides, out, status, codes)`: rows, W at a time; first bad row or -1.

    `codes` has a status per row, or is null: that of a bad row is stored there, unless there is one already.
    """
    return _Batch(program, slots, lanes).text(names)


def batch_worker() -> str:
    """Return `i64 @work(next, piece, rows, in, in_strides, out, status, codes)`: pieces of rows until none are left.

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
        self.slots = slots

    def text(self, names: list[str]) -> str:
        """Return the whole function; `names` are those of the functions that compute a block."""
        w, width = self.w, self.lanes.width
        self._begin()
        end_row = w.set("add i64 %first, %count")
        self._read_broadcast()
        before = w.label()
        w.add(f"  br label %{before}")
        w.begin(before)
        w.add("  br label %head\nhead:")
        w.add(f"  %row = phi i64 [%first, %{before}], [%next, %tail]")
        w.add(f"  %more = icmp slt i64 %row, {end_row}\n  br i1 %more, label %block, label %done\nblock:")
        rows_left = w.set(f"sub i64 {end_row}, %row")
        is_full_block = w.set(f"icmp sge i64 {rows_left}, {width}")
        row_count = w.set(f"select i1 {is_full_block}, i64 {width}, i64 {rows_left}")
        self._read(is_full_block, row_count)
        status_of_lanes = self._compute(names)
        self._write(status_of_lanes, is_full_block, row_count)
        w.add(f"  br label %tail\ntail:\n  %next = add i64 %row, {width}\n  br label %head\ndone:")
        self.workspace.free()
        w.add(f"  ret i64 {w.load('i64', self.bad_row)}\n}}")
        return w.text()

    def _begin(self) -> None:
        """Write the head of the function, its memory, and the pointers of all ports."""
        w, width, program = self.w, self.lanes.width, self.program
        w.add(
            "define i64 @batch(i64 %first, i64 %count, ptr noalias %in, ptr noalias %strides, ptr noalias %out, "
            f"ptr noalias %status, ptr noalias %codes) {ATTRIBUTES} {{"
        )
        w.begin("entry")
        self.workspace = ScratchMemory(w, (self.slots + self.n_in + self.n_out + 1) * width)
        self.workspace.require(f"  store i64 {NO_MEMORY}, ptr %status, align 8\n  ret i64 %first")
        inputs = w.element(self.workspace.pointer, self.slots * width)
        self.inputs = inputs
        self.outputs = w.element(inputs, self.n_in * width)
        self.state = w.element(self.outputs, self.n_out * width)
        self.sources = [w.load("ptr", w.element("%in", k, "ptr")) for k in range(len(program.inputs))]
        self.strides = [w.load("i64", w.element("%strides", k, "i64")) for k in range(len(program.inputs))]
        self.targets = [w.load("ptr", w.element("%out", k, "ptr")) for k in range(len(program.outputs))]
        self.is_broadcast = [w.set(f"icmp eq i64 {stride}, 0") for stride in self.strides]
        self.blocks = [w.element(inputs, start * width) for start, _ in offsets(program.inputs)]
        self.bad_row = w.set("alloca i64, align 8")
        w.store("i64", "-1", self.bad_row)

    def _read_broadcast(self) -> None:
        """Write the reading of inputs that are the same for all rows, once and for all."""
        for k, port in enumerate(self.program.inputs):
            read, after = self.w.label(), self.w.label()
            self.w.add(f"  br i1 {self.is_broadcast[k]}, label %{read}, label %{after}")
            self.w.begin(read)
            broadcast_row(self.w, self.lanes, self.sources[k], port.size, self.blocks[k])
            self.w.add(f"  br label %{after}")
            self.w.begin(after)

    def _read(self, is_full_block: str, row_count: str) -> None:
        """Write the reading of a block: all its rows at once, or those that exist one by one."""
        w = self.w
        full, partial, end = w.label(), w.label(), w.label()
        w.add(f"  br i1 {is_full_block}, label %{full}, label %{partial}")
        w.begin(full)
        for k, port in enumerate(self.program.inputs):
            read, after = w.label(), w.label()
            w.add(f"  br i1 {self.is_broadcast[k]}, label %{after}, label %{read}")
            w.begin(read)
            interleave_rows(w, self.lanes, self._row(self.sources[k], port.size), port.size, self.blocks[k])
            w.add(f"  br label %{after}")
            w.begin(after)
        w.add(f"  br label %{end}")
        w.begin(partial)
        for k, port in enumerate(self.program.inputs):
            start = w.element(self.sources[k], w.set(f"mul i64 %row, {self.strides[k]}"))
            interleave_partial(w, self.lanes, start, self.strides[k], port.size, self.blocks[k], row_count)
        w.add(f"  br label %{end}")
        w.begin(end)

    def _row(self, pointer: str, size: int, row: str = "%row") -> str:
        return self.w.element(pointer, self.w.set(f"mul i64 {row}, {size}"))

    def _compute(self, names: list[str]) -> str:
        """Write the calls of the functions that compute, fetching in between; return the status of every lane."""
        w, lanes = self.w, self.lanes
        bad_input = nonfinite_lanes(w, lanes, self.inputs, self.n_in)
        w.store(lanes.integer, lanes.integer_constant(0), self.state, lanes.alignment)
        arguments = "".join(f"ptr {block}, " for block in self.blocks)
        for number, name in enumerate(names):
            self._prefetch(number, len(names))
            w.add(f"  call void @{name}({arguments}ptr {self.outputs}, ptr {self.workspace.pointer}, ptr {self.state})")
        return self._lane_statuses(bad_input, w.load(lanes.integer, self.state, lanes.alignment))

    def _prefetch(self, part: int, parts: int) -> None:
        """Write the fetching of a part of what the next block reads and writes."""
        w, width = self.w, self.lanes.width
        following = w.set(f"add i64 %row, {width}")
        ports = list(zip(self.sources, self.strides, [port.size for port in self.program.inputs], strict=True))
        for pointer, stride, size in ports:
            self._prefetch_lines(
                w.set(f"mul i64 {following}, {stride}"), pointer, 8 * width * size, part, parts, write=False
            )
        for pointer, port in zip(self.targets, self.program.outputs, strict=True):
            offset = w.set(f"mul i64 {following}, {port.size}")
            self._prefetch_lines(offset, pointer, 8 * width * port.size, part, parts, write=True)

    def _prefetch_lines(self, offset: str, pointer: str, size: int, part: int, parts: int, *, write: bool) -> None:
        w = self.w
        lines = -(-min(size, PREFETCH_BYTES) // CACHE_LINE_BYTES)
        first, end = lines * part // parts, lines * (part + 1) // parts
        start = w.set(f"getelementptr double, ptr {pointer}, i64 {offset}")

        def prefetch(index: str) -> None:
            place = w.set(f"add i64 {w.set(f'mul i64 {index}, {CACHE_LINE_BYTES}')}, {first * CACHE_LINE_BYTES}")
            line = w.set(f"getelementptr i8, ptr {start}, i64 {place}")
            w.add(f"  call void @llvm.prefetch.p0(ptr {line}, i32 {int(write)}, i32 3, i32 1)")

        loop(w, end - first, prefetch)

    def _lane_statuses(self, bad_input: str, checks: str) -> str:
        """Write the status of every lane: inputs first, then failed checks, then outputs."""
        w, lanes = self.w, self.lanes
        integer, truth = lanes.integer, lanes.truth
        later = checks
        if not always_finite(self.program):
            bad_output = nonfinite_lanes(w, lanes, self.outputs, self.n_out)
            bad, zero = lanes.integer_constant(BAD_OUTPUT), lanes.integer_constant(0)
            last = w.set(f"select {truth} {bad_output}, {integer} {bad}, {integer} {zero}")
            clean = w.set(f"icmp eq {integer} {checks}, {zero}")
            later = w.set(f"select {truth} {clean}, {integer} {last}, {integer} {checks}")
        return w.set(f"select {truth} {bad_input}, {integer} {lanes.integer_constant(BAD_INPUT)}, {integer} {later}")

    def _write(self, status_of_lanes: str, is_full_block: str, row_count: str) -> None:
        """Write the storing of a block: all its rows at once, or those that exist and are clean one by one."""
        w, lanes = self.w, self.lanes
        failed = w.any_lane(lanes, w.set(f"icmp ne {lanes.integer} {status_of_lanes}, {lanes.integer_constant(0)}"))
        easy = w.set(f"and i1 {is_full_block}, {w.set(f'xor i1 {failed}, true')}")
        w.add(f"  br i1 {easy}, label %write, label %careful\nwrite:")
        for pointer, (start, port) in zip(self.targets, offsets(self.program.outputs), strict=True):
            source = w.element(self.outputs, start * lanes.width)
            deinterleave_rows(w, lanes, source, port.size, self._row(pointer, port.size))
        w.add("  br label %tail\ncareful:")
        w.store(lanes.integer, status_of_lanes, self.state, lanes.alignment)
        self._write_lanes(row_count)

    def _write_lanes(self, row_count: str) -> None:
        """Write the rows of a block one by one where they are clean; note the first bad one and its status."""
        w, lanes = self.w, self.lanes
        w.add("  br label %lane\nlane:\n  %l = phi i64 [0, %careful], [%l1, %lane_end]")
        status = w.load("i64", w.element(self.state, "%l", "i64"))
        row = w.set("add i64 %row, %l")
        w.add(f"  br i1 {w.set(f'icmp eq i64 {status}, 0')}, label %lane_write, label %lane_bad\nlane_write:")
        for pointer, (start, port) in zip(self.targets, offsets(self.program.outputs), strict=True):
            source = w.element(self.outputs, start * lanes.width)
            deinterleave_lane(w, lanes, source, port.size, self._row(pointer, port.size, row), "%l")
        w.add("  br label %lane_end\nlane_bad:")
        known = w.load("i64", self.bad_row)
        first = w.set(f"icmp eq i64 {known}, -1")
        w.store("i64", w.set(f"select i1 {first}, i64 {row}, i64 {known}"), self.bad_row)
        old = w.load("i64", "%status")
        w.store("i64", w.set(f"select i1 {first}, i64 {status}, i64 {old}"), "%status")
        w.add(f"  br i1 {w.set('icmp eq ptr %codes, null')}, label %lane_end, label %lane_code\nlane_code:")
        code = w.element("%codes", row, "i64")
        before = w.load("i64", code)
        w.store("i64", w.set(f"select i1 {w.set(f'icmp eq i64 {before}, 0')}, i64 {status}, i64 {before}"), code)
        w.add(f"  br label %lane_end\nlane_end:\n  %l1 = add i64 %l, 1\n  %lm = icmp slt i64 %l1, {row_count}")
        w.add("  br i1 %lm, label %lane, label %lanes_done\nlanes_done:")
