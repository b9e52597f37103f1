"""Large programs: code grows with size, not with its square; workspaces move to the heap and back."""

from __future__ import annotations

import resource
import sys
import threading

import numpy as np
import pytest

from rbd.native.codegen.plan import make_plan
from rbd.native.compiled_program import CompiledProgram, batch_module, single_module
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from tests.native.programs import (
    assert_same_bits,
    native_rows,
    native_singles,
    random_inputs,
    random_program,
    reference,
)

pytestmark = pytest.mark.optimised


def keeping(size: int) -> Program:
    """Return a program that needs its first values at its very end."""
    graph = Graph()
    xs = graph.input("x", (10,))
    values = [xs[k % 10] * (1.0 + k) for k in range(size)]
    total = values[0]
    for a, b in zip(values, reversed(values), strict=True):
        total = total * 0.5 + a * b
    return Program.of(graph, "keeping", {"y": total})


def test_code_is_linear_in_functions_of_one_size() -> None:
    """LLVM takes time linear in the number of functions, and more than linear in the length of each."""
    small, large = (random_program(1, size, plain=True) for size in (2500, 12_500))
    few, many = (function_lengths(single_module(program)) for program in (small, large))
    assert sum(many) < 1.2 * 5 * sum(few)
    assert max(many) < 1.5 * max(few)
    arrays = random_inputs(large, 3)
    assert_same_bits(native_singles(CompiledProgram(large), arrays, 3), reference(large, arrays, 3))


def function_lengths(module: str) -> list[int]:
    """Return the number of lines of every function."""
    return [len(function.splitlines()) for function in module.split("\ndefine ")[1:]]


@pytest.fixture
def small_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbd.native.codegen.entry_points.STACK_LIMIT", 200)
    monkeypatch.setenv("RBD_CACHE", "0")


def on_heap(text: str) -> bool:
    """Return whether the workspace is allocated; tiles of columns always are, where there are rows enough."""
    taken, tiles = text.count("call ptr @rbd_malloc"), int("@read_tile" in text)
    assert taken == text.count("call void @rbd_free")
    return taken > tiles


def test_large_workspaces_are_on_the_heap() -> None:
    sizes = [make_plan(keeping(size)).slot_count for size in (700, 1400, 8500)]
    assert [on_heap(batch_module(keeping(size), 8)) for size in (700, 1400)] == [False, True]
    assert sizes[0] < 950 < sizes[1] < 8000 < sizes[2]
    assert [on_heap(single_module(keeping(size))) for size in (1400, 8500)] == [False, True]


def test_threads_with_small_stacks() -> None:
    program = keeping(1400)
    arrays = random_inputs(program, 11)
    compiled, expected = CompiledProgram(program, lanes=8), reference(program, arrays, 11)
    found: list[tuple[Array, tuple[int, int]]] = []
    old = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.extend([native_rows(compiled, arrays, 11)] * 2))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
    assert_same_bits(found[0], expected)


@pytest.mark.usefixtures("small_stack")
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_heap_workspaces_compute_the_same(lanes: int) -> None:
    program = random_program(4, 200, checks=0.02)
    assert on_heap(single_module(program))
    compiled, arrays = CompiledProgram(program, lanes=lanes, chunk_size=20), random_inputs(program, 21, wild=True)
    expected = reference(program, arrays, 21)
    assert_same_bits(native_rows(compiled, arrays, 21, threads=2), expected)
    assert_same_bits(native_singles(compiled, arrays, 21), expected)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the memory in use")
@pytest.mark.usefixtures("small_stack")
def test_workspaces_on_the_heap_are_given_back() -> None:
    program = keeping(700)
    assert on_heap(single_module(program))
    compiled, arrays, bad = CompiledProgram(program, lanes=8), random_inputs(program, 1), [np.full((1, 10), np.nan)]

    def use(times: int) -> int:
        for _ in range(times):
            for rows in (arrays, bad):
                native_rows(compiled, rows, 1)
                native_singles(compiled, rows, 1)
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = use(50)
    assert use(2000) - before < 2000 * 400 * 8


@pytest.mark.parametrize("chunk", [3, 10, 100, 1000])
def test_places_are_used_again(chunk: int) -> None:
    program = random_program(9, 3000, plain=True)
    cut = make_plan(program, chunk)
    assert sorted(index for part in cut.chunks for index in part) == list(range(len(program.code)))
    assert all(len(part) <= chunk for part in cut.chunks)
    assert all(0 <= slot < cut.slot_count for slot in cut.slots.values())
    assert cut.slot_count < len(cut.slots) or chunk == 1000
