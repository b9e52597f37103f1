"""Bad rows are found, named in order, and leave their outputs alone; good rows beside them are written."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rbd import scalars as s
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.status import BAD_INPUT, BAD_OUTPUT, FIRST_CHECK
from tests.native.programs import UNTOUCHED, assert_same_bits, native_rows, native_singles, reference

LANES = (1, 2, 4, 8)


def checked() -> Program:
    """Return a program with two checks; the second is recorded first but both may fail."""
    graph = Graph()
    a, b, c = graph.input("x", (3,))
    outer = s.positive(a, "a") + s.sqrt(s.positive(b - 1, "b - 1"))
    return Program.of(graph, "checked", {"y": (outer, s.exp(c * 1000)), "z": s.positive(c, "a") * 2})


@pytest.fixture(scope="module", params=[(lanes, chunk) for lanes in LANES for chunk in (3, 1000)], ids=str)
def compiled(request: pytest.FixtureRequest) -> CompiledProgram:
    lanes, chunk = request.param
    return CompiledProgram(checked(), lanes=lanes, chunk_size=chunk)


def label(text: str) -> int:
    return FIRST_CHECK + checked().labels.index(text)


CASES = [
    ([1.0, 2.0, 1e-220], 0),
    ([math.nan, 2.0, 1.0], BAD_INPUT),
    ([1.0, math.inf, 1.0], BAD_INPUT),
    ([1.0, 2.0, -math.inf], BAD_INPUT),
    ([-1.0, 2.0, math.nan], BAD_INPUT),
    ([1.0, 2.0, 1.0], BAD_OUTPUT),
    ([0.0, 2.0, 1e-220], label("a")),
    ([-0.0, 2.0, 1.0], label("a")),
    ([1.0, 1.0, 1e-220], label("b - 1")),
    ([-1.0, 0.0, -1.0], label("a")),
    ([1.0, 0.0, -1.0], label("b - 1")),
    ([1.0, 2.0, -1e-220], label("a")),
]


@pytest.mark.parametrize(("row", "status"), CASES)
def test_status_of_one_state(compiled: CompiledProgram, row: list[float], status: int) -> None:
    assert checked().interpret_flat(row)[1] == status
    outputs = [np.full(2, UNTOUCHED), np.full((), UNTOUCHED)]
    assert compiled.run([np.array(row)], outputs) == status
    assert all(np.all(output == UNTOUCHED) == (status != 0) for output in outputs)


@pytest.mark.parametrize("shift", range(len(CASES)))
def test_bad_rows_leave_their_neighbours_alone(compiled: CompiledProgram, shift: int) -> None:
    rows = np.array([CASES[(k * 5 + shift) % len(CASES)][0] if k % 3 == 1 else CASES[0][0] for k in range(23)])
    expected = reference(compiled.program, [rows], 23)
    assert_same_bits(native_rows(compiled, [rows], 23), expected)
    assert_same_bits(native_rows(compiled, [rows], 23, threads=3), expected)
    assert_same_bits(native_singles(compiled, [rows], 23), expected)


@pytest.mark.parametrize("place", range(17))
def test_the_first_bad_row_is_named(compiled: CompiledProgram, place: int) -> None:
    rows = np.tile(CASES[0][0], (17, 1))
    rows[place:, 1] = -1.0
    rows[place, 0] = -1.0
    assert native_rows(compiled, [rows], 17)[1] == (place, label("a"))


def test_nan_is_not_positive() -> None:
    graph = Graph()
    x = graph.input("x")
    program = Program.of(graph, "p", {"y": s.where(s.less(x, 10), s.positive(s.sqrt(x), "root"), 1)})
    for lanes in LANES:
        compiled = CompiledProgram(program, lanes=lanes)
        rows = np.array([4.0, -1.0, 0.0, 20.0, 9.0])
        table, verdict = native_rows(compiled, [rows], 5)
        assert verdict == (1, FIRST_CHECK)
        assert table[:, 0].tolist() == [2.0, UNTOUCHED, UNTOUCHED, 1.0, 3.0]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 255, 256, 257, 300, 515])
@pytest.mark.parametrize("where", ["in", "out"])
def test_every_entry_is_looked_at(size: int, where: str) -> None:
    graph = Graph()
    xs = graph.input("x", (size,))
    scale = 1e-308 if where == "in" else 2.0
    program = Program.of(graph, "p", {"y": tuple(x * scale for x in xs)})
    compiled = CompiledProgram(program, lanes=4)
    bad = math.nan if where == "in" else 1e308
    status = BAD_INPUT if where == "in" else BAD_OUTPUT
    output = np.full(size, UNTOUCHED)
    for k in {0, size // 2, size - 1, size // 8 * 8 - 1}:
        row = np.ones(size)
        row[k] = bad
        assert compiled.run([row], [output]) == status
        assert native_rows(compiled, [row[None]], 1)[1] == (0, status)
    assert np.all(output == UNTOUCHED)
    assert compiled.run([np.ones(size)], [output]) == 0
    assert np.all(output == scale)


def test_large_finite_inputs_are_finite() -> None:
    graph = Graph()
    xs = graph.input("x", (300,))
    compiled = CompiledProgram(Program.of(graph, "p", {"y": xs}), lanes=8)
    row = np.where(np.arange(300) % 2, 1.7976931348623157e308, -1.7976931348623157e308)
    output = np.empty(300)
    assert compiled.run([row], [output]) == 0
    assert output.tobytes() == row.tobytes()
