"""Sine and cosine in machine code: the bits of `rbd.scalars.sincos`, in every lane, near and far."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rbd import scalars as s
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.sincos import LIMIT
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

pytestmark = pytest.mark.optimised

LANES = (1, 2, 4, 8)


def angles() -> list[float]:
    """Return angles at which something may go wrong."""
    beyond = math.nextafter(LIMIT, math.inf)
    special = [0.0, -0.0, 5e-324, -1e-310, 1e-200, 1e-9, LIMIT, -LIMIT, beyond, -beyond, 1e7, -1e7, 1e22, 1e300, -1e308]
    for k in (1, 2, 3, 4, 5, 101, 1_000_003):
        for sign in (1, -1):
            exact = sign * k * math.pi / 4
            special += [exact, math.nextafter(exact, math.inf), math.nextafter(exact, -math.inf)]
    rng = np.random.default_rng(4)
    return special + [*rng.uniform(-10, 10, 200), *rng.uniform(-LIMIT, LIMIT, 200), *rng.uniform(-1e9, 1e9, 50)]


def of_inputs(count: int) -> Program:
    graph = Graph()
    xs = graph.input("x", (count,))
    return Program.of(graph, "p", {"s": tuple(s.sin(x) for x in xs), "c": tuple(s.cos(x) for x in xs)})


@pytest.mark.parametrize("lanes", LANES)
def test_edge_cases(lanes: int) -> None:
    rows = np.array(angles())[:, None]
    compiled = CompiledProgram(of_inputs(1), lanes=lanes)
    expected = reference(compiled.program, [rows], len(rows))
    assert expected[1] == (-1, 0)
    assert_same_bits(native_rows(compiled, [rows], len(rows)), expected)
    assert_same_bits(native_singles(compiled, [rows], len(rows)), expected)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 15, 16, 17, 20])
def test_packed_angles_of_one_state(count: int) -> None:
    values = np.random.default_rng(count).permutation(angles())
    rows = values[: len(values) // count * count].reshape(-1, count)
    compiled = CompiledProgram(of_inputs(count), lanes=2)
    assert_same_bits(native_singles(compiled, [rows], len(rows)), reference(compiled.program, [rows], len(rows)))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("chunk", [3, 1000])
def test_only_one_of_both_constants_and_computed_angles(lanes: int, chunk: int) -> None:
    graph = Graph()
    a, b, c = graph.input("x", (3,))
    inner = s.sin(a + b) + s.cos(s.sin(c) * 3)
    outputs = {"y": (s.sin(a), s.cos(b), inner, s.cos(inner * 1e7), s.sin(inner * 1e7), s.cos(s.cos(s.sin(b))))}
    compiled = CompiledProgram(Program.of(graph, "p", outputs), lanes=lanes, chunk_size=chunk)
    rows = np.random.default_rng(0).normal(size=(50, 3)) * [1, 10, 1e6]
    assert_same_bits(native_rows(compiled, [rows], 50), reference(compiled.program, [rows], 50))
    assert_same_bits(native_singles(compiled, [rows], 50), reference(compiled.program, [rows], 50))
