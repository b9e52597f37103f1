"""Rows in and out: every width, odd shapes, empty ports, nothing read or written beyond an array's end."""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np
import pytest

from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from tests.native.programs import assert_same_bits, native_rows, native_singles, random_inputs, reference

LANES = (1, 2, 4, 8)


def copying(*sizes: int) -> Program:
    """Return a program that hands its inputs on, in another order, with something computed between."""
    graph = Graph()
    ports = [graph.input(f"x{k}", (size,)) for k, size in enumerate(sizes)]
    outputs = {f"y{k}": port[::-1] for k, port in enumerate(ports)}
    return Program.of(graph, "copying", {**outputs, "sum": sum(x for port in ports for x in port) + 1.0})


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("sizes", [(1,), (2, 3), (7, 8, 9), (15, 16, 17), (4, 31, 1, 64)])
def test_widths(lanes: int, sizes: tuple[int, ...]) -> None:
    kernel = CompiledProgram(copying(*sizes), lanes=lanes)
    for count in (1, 7, 8, 9, 19):
        arrays = random_inputs(kernel.program, count, seed=count)
        assert_same_bits(native_rows(kernel, arrays, count), reference(kernel.program, arrays, count))
        assert_same_bits(native_singles(kernel, arrays, count), reference(kernel.program, arrays, count))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("count", [0, 1, 8, 13])
def test_empty_ports(lanes: int, count: int) -> None:
    for sizes in ((0,), (0, 3, 0)):
        kernel = CompiledProgram(copying(*sizes), lanes=lanes)
        arrays = random_inputs(kernel.program, count)
        assert_same_bits(native_rows(kernel, arrays, count), reference(kernel.program, arrays, count))
        assert_same_bits(native_singles(kernel, arrays, count), reference(kernel.program, arrays, count))


@pytest.mark.parametrize("lanes", LANES)
def test_nothing_comes_in(lanes: int) -> None:
    kernel = CompiledProgram(Program.of(Graph(), "p", {"y": (1.5, 2), "z": 3}), lanes=lanes)
    outputs = [np.zeros(2), np.zeros(())]
    assert kernel.run([], outputs) == 0
    assert (outputs[0].tolist(), float(outputs[1])) == ([1.5, 2.0], 3.0)
    assert native_rows(kernel, [], 11)[0].tolist() == [[1.5, 2.0, 3.0]] * 11
    assert native_rows(kernel, [], 0)[0].shape == (0, 3)


@pytest.mark.parametrize("lanes", LANES)
def test_nothing_comes_out(lanes: int) -> None:
    graph = Graph()
    graph.input("x", (3,))
    kernel = CompiledProgram(Program.of(graph, "p", {}), lanes=lanes)
    assert kernel.run([np.zeros(3)], []) == 0
    assert kernel.run([np.array([0, np.nan, 0])], []) == 1
    assert native_rows(kernel, [np.zeros((9, 3))], 9)[1] == (-1, 0)
    nothing = CompiledProgram(Program.of(Graph(), "p", {}), lanes=lanes)
    assert nothing.run([], []) == 0
    assert native_rows(nothing, [], 5)[1] == (-1, 0)


class Fenced:
    """Arrays that end right before memory nobody may touch: one number too far ends the process."""

    def __init__(self) -> None:
        self.kept: list[mmap.mmap] = []
        self.protect = ctypes.CDLL(None, use_errno=True).mprotect
        self.protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def array(self, values: Array, *, at_end: bool) -> Array:
        page = mmap.PAGESIZE
        size = -(-max(values.nbytes, 8) // page) * page
        memory = mmap.mmap(-1, size + 2 * page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for fence in (start, start + page + size):
            assert self.protect(fence, page, 0) == 0
        self.kept.append(memory)
        offset = page + (size - values.nbytes if at_end else 0)
        fenced = np.frombuffer(memory, np.float64, values.size, offset).reshape(values.shape)
        fenced[...] = values
        return fenced


@pytest.mark.skipif(sys.platform != "linux", reason="needs mprotect as Linux has it")
@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("lanes", LANES)
def test_nothing_beyond_an_array_is_touched(lanes: int, at_end: bool) -> None:
    program, fenced = copying(3, 8, 13), Fenced()
    kernel = CompiledProgram(program, lanes=lanes)
    for count in (1, 5, 8, 11, 17):
        arrays = random_inputs(program, count, seed=count)
        if count > 5:
            arrays[1][count // 2, 3] = np.nan  # rows are written one by one then
        table, verdict = reference(program, arrays, count)
        inside = [fenced.array(array, at_end=at_end) for array in arrays]
        outputs = [fenced.array(np.zeros((count, *port.shape)), at_end=at_end) for port in program.outputs]
        assert kernel.run_batch(inside, outputs, count, 2) == verdict
        assert outputs[0][0].tobytes() == table[0, :3].tobytes()
        row = [fenced.array(array[0], at_end=at_end) for array in arrays]
        assert kernel.run(row, [fenced.array(output[0], at_end=at_end) for output in outputs]) == 0
    assert len(fenced.kept) > 50
    outputs = row = inside = []  # the memory is used no more
