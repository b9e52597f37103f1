"""Access to rows of strided arrays: their layout, and the IR that moves them to and from interleaved lanes.

The layout of an array is its distances in doubles: from row to row, 0 where one row serves all, then along each axis of
its port. Rows that follow each other without gaps go through transposes (`transpose.py`). In column order each entry
of a port has its own column, in which the rows follow each other: a vector is loaded as it is. All others are read
entry by entry.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import final

from rbd.native.batch.column_tiles import ColumnTile, slice_length
from rbd.native.batch.prefetching import prefetch_lines
from rbd.native.batch.transpose import call_deinterleave, call_interleave
from rbd.native.codegen.ir import Lanes, Writer, loop_function
from rbd.program.ports import Port
from rbd.scalars.arrays import Array

_DOUBLE = 8


def array_layouts(arrays: Iterable[Array], ports: Iterable[Port]) -> array[int]:
    """Return the layouts of arrays, one after the other: of the shape of the port, or with an axis of rows before."""
    layouts = array("q")
    for each, port in zip(arrays, ports, strict=True):
        if each.ndim == len(port.shape):
            layouts.append(0)
        layouts.extend([step // _DOUBLE for step in each.strides])
    return layouts


def packed_layouts(ports: Iterable[Port], row_steps: Iterable[int]) -> array[int]:
    """Return the layouts of arrays whose rows have no gaps, for given distances from row to row."""
    layouts = array("q")
    for port, step in zip(ports, row_steps, strict=True):
        layouts.extend((step, *_packed_steps(port.shape)))
    return layouts


def _packed_steps(shape: Sequence[int]) -> list[int]:
    """Return the distances along the axes of an array without gaps."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


@final
class PortAccess:
    """Writes the access to the rows of one port; its layout begins at `first_word` of the table at `layouts`."""

    def __init__(self, w: Writer, lanes: Lanes, port: Port, pointer: str, layouts: str, first_word: int) -> None:
        """Write the loading of the layout, and which of the ways to the rows it allows."""
        self._w, self._lanes, self.port, self.pointer = w, lanes, port, pointer
        self.row_step, *self._steps = (
            w.load("i64", w.address(layouts, first_word + k, "i64")) for k in range(1 + len(port.shape))
        )
        self.is_shared = w.test(f"eq i64 {self.row_step}, 0")
        self.is_packed = self._packed()
        single = w.test(f"eq i64 {self.row_step}, 1")
        self.is_columns = w.all_of(single, w.negated(self.is_packed))

    def _packed(self) -> str:
        """Write whether the rows follow each other without gaps."""
        w, shape = self._w, self.port.shape
        is_packed = w.test(f"eq i64 {self.row_step}, {self.port.size}")
        for length, step, wanted in zip(shape, self._steps, _packed_steps(shape), strict=True):
            if length > 1:
                is_packed = w.all_of(is_packed, w.test(f"eq i64 {step}, {wanted}"))
        return is_packed

    @property
    def is_vector(self) -> bool:
        """Whether the port has one axis, so that slices of its columns can be read."""
        return len(self.port.shape) == 1

    def row(self, number: str) -> str:
        """Write the pointer to a row."""
        return self._w.address(self.pointer, self._w.assign(f"mul i64 {number}, {self.row_step}"))

    def read_shared(self, block: str) -> None:
        """Write the reading of the row that serves all, into all lanes."""
        self._call_on_runs("read_shared", self.pointer, block)

    def read(self, row: str, last: str, is_full: str, block: str) -> None:
        """Write the reading of rows from `row` on, of which `last` is the last: all lanes if they are full."""
        w, start = self._w, self.row(row)

        def packed() -> None:
            call_interleave(w, start, self.port.size, block)

        def columns() -> None:
            self._call_on_runs("read_columns", start, block)

        def entries() -> None:
            self._call_on_runs("read_entries", start, block, before=(f"i64 {self.row_step}", f"i64 {last}"))

        def loose() -> None:
            w.if_(w.all_of(is_full, self.is_columns), columns, entries)

        w.if_(w.all_of(is_full, self.is_packed), packed, loose)

    def write(self, row: str, block: str) -> None:
        """Write the storing of all lanes as rows from `row` on, without gaps or in columns."""
        w, start = self._w, self.row(row)

        def packed() -> None:
            call_deinterleave(w, block, self.port.size, start)

        def columns() -> None:
            self._call_on_runs("write_columns", start, block)

        w.if_(self.is_packed, packed, columns)

    def read_tile(self, row: str, tile: ColumnTile, block: str, sums: str) -> None:
        """Write the reading of the columns of a tile; `sums` get what is no number where an entry is not finite."""
        after = f"i64 {tile.input_step}", f"ptr {sums}"
        self._call_on_runs(f"read_tile_{tile.blocks}", self.row(row), block, after=after)

    def write_tile(self, row: str, tile: ColumnTile, block: str) -> None:
        """Write the storing of the columns of a tile."""
        self._call_on_runs(f"write_tile_{tile.blocks}", self.row(row), block, after=(f"i64 {tile.output_step}",))

    def read_slice(self, row: str, number: str, tile: ColumnTile, block: str, sums: str) -> None:
        """Write the reading of a slice of the columns of a tile, which has as many slices as blocks."""
        columns = f"ptr {self.row(row)}", f"i64 {self._steps[0]}"
        part = f"i64 {number}", f"i64 {slice_length(self.port, tile.blocks)}"
        target = f"ptr {block}", f"i64 {tile.input_step}", f"ptr {sums}"
        self._w.call("void", f"@read_slice_{tile.blocks}", *columns, *part, *target)

    def prefetch_slice(self, row: str, number: str, parts: int, blocks: int, *, write: bool) -> None:
        """Write the prefetching of a slice of the columns of the tile from `row` on into the second-level cache.

        The tile has so many blocks, and its columns so many slices for each.
        """
        if self.is_vector:
            start = self._w.address(self.pointer, row, inbounds=False)
            columns = f"ptr {start}", f"i64 {self._steps[0]}"
            part = f"i64 {number}", f"i64 {slice_length(self.port, parts * blocks)}"
            rows = f"i64 {blocks * self._lanes.width}"
            self._w.call("void", f"@prefetch_columns_{int(write)}", *columns, *part, rows)

    def prefetch_lines(self, row: str, lines: range, *, write: bool) -> None:
        """Write the prefetching of some of the cache lines from `row` on."""
        start = self._w.assign(f"mul i64 {row}, {self.row_step}")
        prefetch_lines(self._w, self._w.address(self.pointer, start, inbounds=False), lines, write=write)

    def write_lane(self, row: str, lane: str, block: str) -> None:
        """Write the storing of one lane as a row, however it lies."""
        first = self._w.address(block, lane)
        self._call_on_runs("write_lane", self.row(row), first)

    def _call_on_runs(
        self, function: str, start: str, block: str, *, before: Sequence[str] = (), after: Sequence[str] = ()
    ) -> None:
        """Write calls of a function of the entries along the last axis: their start, distance, number and slots.

        It has further arguments `before` the distance and `after` the slots.
        """
        w, shape, width = self._w, self.port.shape, self._lanes.width

        def call(run: str, step: str, count: int, slot: str) -> None:
            entries = f"i64 {step}", f"i64 {count}", f"ptr {slot}"
            w.call("void", f"@{function}", f"ptr {run}", *before, *entries, *after)

        def call_on_run(index: str) -> None:
            slot = w.address(block, w.assign(f"mul i64 {index}, {shape[-1] * width}"))
            call(self._run_start(start, index), self._steps[-1], shape[-1], slot)

        if not shape:
            call(start, "0", 1, block)
        elif len(shape) == 1:
            call(start, self._steps[0], shape[0], block)
        else:
            w.for_each(math.prod(shape[:-1]) if shape[-1] else 0, call_on_run)

    def _run_start(self, start: str, index: str) -> str:
        """Write the pointer to run number `index` of the last axis."""
        w, shape = self._w, self.port.shape[:-1]
        for length, step, count in zip(shape, self._steps, _packed_steps(shape), strict=False):
            along = w.assign(f"urem i64 {w.assign(f'udiv i64 {index}, {count}')}, {length}")
            start = w.address(start, w.assign(f"mul i64 {along}, {step}"))
        return start


def access_of(
    w: Writer, lanes: Lanes, inputs: Sequence[Port], outputs: Sequence[Port], pointers: tuple[str, str], layouts: str
) -> tuple[list[PortAccess], list[PortAccess]]:
    """Write the loading of the pointers and layouts of all ports; `pointers` are the tables of inputs and outputs."""
    first_words = list(accumulate((1 + len(port.shape) for port in (*inputs, *outputs)), initial=0))
    accesses: list[PortAccess] = []
    for table, ports in zip(pointers, (inputs, outputs), strict=True):
        for k, port in enumerate(ports):
            pointer = w.load("ptr", w.address(table, k, "ptr"))
            accesses.append(PortAccess(w, lanes, port, pointer, layouts, first_words[len(accesses)]))
    return accesses[: len(inputs)], accesses[len(inputs) :]


# ---------------------------------------------------------------- functions


def access_functions(lanes: Lanes) -> list[str]:
    """Return the functions that read and write the entries along one axis of a port, `%step` doubles apart."""
    return [
        _function("read_shared", "", lanes, _read_shared),
        _function("read_columns", "", lanes, _read_column),
        _function("read_entries", "i64 %row_step, i64 %last, ", lanes, _read_entries),
        _function("write_columns", "", lanes, _write_column),
        _function("write_lane", "", lanes, _write_entry),
    ]


def _function(name: str, more: str, lanes: Lanes, body: Callable[[Writer, Lanes, str, str], None]) -> str:
    """Return a function that runs `body` for every entry: where it is, and its slot in the block."""

    def entry(w: Writer, index: str) -> None:
        slot = w.address("%block", w.assign(f"mul i64 {index}, {lanes.width}"))
        body(w, lanes, w.address("%rows", w.assign(f"mul i64 {index}, %step")), slot)

    arguments = f"ptr noalias %rows, {more}i64 %step, i64 %count, ptr noalias %block"
    return loop_function(name, arguments, entry, linkage="")


def _read_shared(w: Writer, lanes: Lanes, entry: str, slot: str) -> None:
    w.store(lanes.double, w.splat(lanes, w.load("double", entry)), slot, lanes.alignment)


def _read_column(w: Writer, lanes: Lanes, entry: str, slot: str) -> None:
    w.store(lanes.double, w.load(lanes.double, entry), slot, lanes.alignment)


def _write_column(w: Writer, lanes: Lanes, entry: str, slot: str) -> None:
    w.store(lanes.double, w.load(lanes.double, slot, lanes.alignment), entry)


def _read_entries(w: Writer, lanes: Lanes, entry: str, slot: str) -> None:
    """Write the reading of every lane by itself; those behind the last row repeat it."""
    vector = "poison"
    for lane in range(lanes.width):
        row = w.call("i64", "@llvm.smin.i64", f"i64 {lane}", "i64 %last")
        value = w.load("double", w.address(entry, w.assign(f"mul i64 {row}, %row_step")))
        vector = (
            w.assign(f"insertelement {lanes.double} {vector}, double {value}, i64 {lane}") if lanes.width > 1 else value
        )
    w.store(lanes.double, vector, slot, lanes.alignment)


def _write_entry(w: Writer, lanes: Lanes, entry: str, slot: str) -> None:
    w.store("double", w.load("double", slot), entry)
