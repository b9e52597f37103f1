"""Builtins without memory for results: references are given back, and the call goes to the fallback."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest

from rbd.native.builtins import builtin
from rbd.native.builtins.builtin_ir import builtin_functions
from rbd.native.builtins.objects_ir import with_addresses
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble_shared
from rbd.program.graph import Graph
from rbd.program.program import Program
from tests.marks import needs_builtins

pytestmark = needs_builtins
X = np.array([1.0, 2.0])


def one_result() -> Program:
    graph = Graph()
    x, y = graph.input("x", (2,))
    return Program.of(graph, "one", {"a": (x + y, x - y)})


def three_results() -> Program:
    graph = Graph()
    x, y = graph.input("x", (2,))
    return Program.of(graph, "three", {"a": x + y, "b": ((x,), (y,), (1,)), "c": ()})


@pytest.fixture(params=["PyArray_New", "PyTuple_New"])
def missing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let builtins fail to make such an object, with a MemoryError."""
    no_memory = abi._function_address(abi.ctypes.pythonapi.PyErr_NoMemory)
    addresses = {**abi.symbol_addresses(), request.param: no_memory}
    library = Library(assemble_shared(with_addresses(builtin_functions(), addresses)), ("builtin",))
    monkeypatch.setattr(builtin, "_code", lambda: library)
    return str(request.param)


@pytest.mark.parametrize("program", [one_result, three_results])
def test_calls_without_memory_for_results_go_to_the_fallback(missing: str, program: Callable[[], Program]) -> None:
    calls = list[object]()
    entry = builtin.make_builtin(CompiledProgram(program()), lambda *arguments: calls.append(arguments))
    assert type(entry) is type(len)
    fails = missing == "PyArray_New" or program is three_results  # a single result needs no tuple
    before = sys.getrefcount(X), sys.getrefcount(np.ndarray)
    for _ in range(100):
        result = entry(X)
        assert (result is None) == fails
        del result
    assert len(calls) == (100 if fails else 0)
    calls.clear()
    assert (sys.getrefcount(X), sys.getrefcount(np.ndarray)) == before
