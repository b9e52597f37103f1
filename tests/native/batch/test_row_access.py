"""Rows in any layout: bits, statuses and untouched rows are those of rows without gaps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.native.batch.column_tiles import ColumnTile, slice_length
from rbd.native.batch.rows import batch_function
from rbd.native.codegen.ir import Lanes
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from tests.native.programs import UNTOUCHED, random_inputs, reference

SHAPES = {"a": (7,), "b": (2, 3), "c": (), "d": (9,), "e": (2, 2, 2)}


def shaped() -> Program:
    """Return a program whose outputs have the shapes of its inputs; it may fail."""
    graph = Graph()
    ports = [graph.input(name, shape) for name, shape in SHAPES.items()]
    flat = [np.array(port, dtype=object).reshape(-1) for port in ports]
    total = sum(sum(each) for each in flat)
    found = [np.array([x * 1.5 + total / x for x in each], dtype=object) for each in flat]
    outputs = {
        f"y{k}": _nested(each.reshape(shape))
        for k, (each, shape) in enumerate(zip(found, SHAPES.values(), strict=True))
    }
    return Program.of(graph, "shaped", outputs)


def _nested(values: np.ndarray) -> object:
    return values.item() if not values.shape else tuple(map(_nested, values)) if values.ndim > 1 else tuple(values)


@pytest.fixture(scope="module", params=(1, 2, 4, 8))
def kernel(request: pytest.FixtureRequest) -> CompiledProgram:
    return CompiledProgram(shaped(), lanes=request.param)


def placed(array: Array, layout: str) -> Array:
    """Return an equal array in another layout."""
    axes = range(1, array.ndim)
    match layout:
        case "columns":
            return np.asfortranarray(array)
        case "moved":
            return np.moveaxis(np.moveaxis(array, 0, -1).copy(), -1, 0)
        case "wide":
            return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim > 1 else np.repeat(array, 2)[::2]
        case "sparse rows":
            return np.repeat(array, 3, axis=0)[1::3]
        case "backwards":
            return np.flip(np.flip(array).copy())
        case "transposed":
            return array.transpose(0, *reversed(axes)).copy().transpose(0, *reversed(axes))
        case _:
            return array.copy()


LAYOUTS = ("rows", "columns", "moved", "wide", "sparse rows", "backwards", "transposed")


@given(data=st.data(), count=st.sampled_from([1, 3, 8, 9, 64, 70, 131, 197]), threads=st.sampled_from([1, 1, 2]))
def test_bits_in_every_layout(kernel: CompiledProgram, data: st.DataObject, count: int, threads: int) -> None:
    program, ports = kernel.program, len(SHAPES)
    arrays = random_inputs(program, count, seed=count, wild=data.draw(st.booleans()))
    same = data.draw(st.sampled_from(["columns", "moved", None]))
    layouts = [same or data.draw(st.sampled_from(LAYOUTS)) for _ in range(2 * ports)]
    shared = data.draw(st.sets(st.integers(0, ports - 1), max_size=ports - 1))
    given_arrays = [x[0, ...] if k in shared else placed(x, layouts[k]) for k, x in enumerate(arrays)]
    outputs = [
        placed(np.full((count, *port.shape), UNTOUCHED), layout)
        for port, layout in zip(program.outputs, layouts[ports:], strict=True)
    ]
    codes = np.zeros(count, np.int64)
    verdict = kernel.run_batch(given_arrays, outputs, count, threads, codes)
    wanted = reference(program, given_arrays, count)
    table = np.concatenate([each.reshape(count, -1) for each in outputs], axis=1)
    assert table.tobytes() == wanted[0].tobytes()
    assert verdict == wanted[1]
    assert ((codes != 0) == (wanted[0][:, 0] == UNTOUCHED)).all()


def test_tiles_are_left_to_programs_of_few_columns() -> None:
    lanes = Lanes(8)
    assert [ColumnTile(size, size, lanes).blocks for size in (1, 90, 180, 300, 2000)] == [8, 8, 4, 2, 1]


def test_tiles_and_rows_alone_have_the_same_bits(kernel: CompiledProgram) -> None:
    """So do rows that begin in the middle of a cache line."""
    program = kernel.program
    arrays = random_inputs(program, 200, seed=1)
    columns = [np.asfortranarray(x) for x in arrays]
    outputs = [np.asfortranarray(np.zeros((200, *port.shape))) for port in program.outputs]
    assert kernel.run_batch(columns, outputs, 200) == (-1, 0)
    for first in range(0, 200, 37):
        part = [each[first : first + 37] for each in columns]
        again = [np.zeros((len(part[0]), *port.shape)) for port in program.outputs]
        assert kernel.run_batch(part, again, len(part[0])) == (-1, 0)
        for whole, each in zip(outputs, again, strict=True):
            assert whole[first : first + 37].tobytes() == each.tobytes()


@pytest.mark.parametrize(("size", "blocks"), [(90, 8), (180, 4), (300, 2), (800, 1)])
def test_smaller_tiles_have_the_bits_of_rows(size: int, blocks: int) -> None:
    graph = Graph()
    x, y = graph.input("x", (size,)), graph.input("y", (2, 2))
    outputs = {"u": tuple(each * y[0][1] + k for k, each in enumerate(x)), "v": tuple(map(tuple, y))}
    program = Program.of(graph, "wide", outputs)
    kernel, arrays = CompiledProgram(program, lanes=8), random_inputs(program, 150, seed=3)
    assert ColumnTile(program.input_size, program.output_size, Lanes(8)).blocks == blocks
    found = [
        [placed(np.full((150, *port.shape), UNTOUCHED), layout) for port in program.outputs]
        for layout in ("rows", "columns")
    ]
    for layout, results in zip(("rows", "columns"), found, strict=True):
        assert kernel.run_batch([placed(each, layout) for each in arrays], results, 150) == (-1, 0)
    for by_rows, by_columns in zip(*found, strict=True):
        assert by_rows.tobytes() == by_columns.tobytes()
        assert not (by_rows == UNTOUCHED).any()


@pytest.mark.parametrize("slices", [1, 3, 8, 40])
@pytest.mark.parametrize("size", [1, 7, 49, 1000])
def test_slices_end_with_the_columns(size: int, slices: int) -> None:
    length = slice_length(Port("x", (size,)), slices)
    bounds = [k * length >> 32 for k in range(slices + 1)]
    assert (bounds[0], bounds[-1]) == (0, size)
    assert {stop - start for start, stop in pairwise(bounds)} <= {size // slices, -(-size // slices)}


def test_the_memory_of_a_tile_is_that_of_its_blocks() -> None:
    """The allocation and the layout agree; besides the blocks there is room to align them, of any number of lanes."""
    program, lanes = shaped(), Lanes(8)
    blocks, size = ColumnTile(program.input_size, program.output_size, lanes).blocks, program.input_size
    assert blocks > 1
    assert program.output_size == size
    doubles = {"inputs": 2 * blocks * size, "outputs": blocks * size, "statuses": blocks, "sums": 2 * blocks}
    allocated = 8 * lanes.width * (sum(doubles.values()) + 1) + 64
    assert f"@rbd_malloc(i64 {allocated})" in batch_function(program, 0, ["wide_0"], lanes)


def test_a_port_adds_few_lines_to_the_function_for_rows() -> None:
    """What LLVM compiles for every program: most of the access to rows is in functions that programs share."""

    def lines(ports: int) -> int:
        graph = Graph()
        inputs = [graph.input(f"x{k}", (7,)) for k in range(ports)]
        program = Program.of(graph, "sums", {"y": sum(each[0] for each in inputs)})
        return batch_function(program, 0, ["wide_0"], Lanes(4)).count("\n")

    assert lines(3) - lines(2) < 100
