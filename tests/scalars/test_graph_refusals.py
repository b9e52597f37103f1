"""Restrictions of recorded scalars, and the lines named by errors."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rbd.errors import ArgumentError, RecordingError, RecordingLimitError, ScalarError, ShapeError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import const, is_float, less, less_equal, lift, to_float, where
from rbd.scalars.arrays import pack, scalars
from rbd.solvers import solve_positive_definite


@pytest.mark.parametrize(
    "look",
    [
        bool,
        float,
        int,
        complex,
        hash,
        iter,
        list,
        to_float,
        operator.index,
        lambda x: x == 1,
        lambda x: x != x,
        lambda x: 1 if x < 1 else 2,
        lambda x: sorted([x, x + 1]),
        lambda x: less(x, 1) < less(x, 2),
        lambda x: 1 if x else 2,
        lambda x: bool(less(x, 1)),
        lambda x: less(x, 1) == less(x, 2),
    ],
)
def test_reading_a_value_names_the_line(look: Callable[[Any], object]) -> None:
    x = Graph().input("x")
    with pytest.raises(RecordingError, match=r"test_graph_refusals\.py:\d+"):
        look(x)


def test_comparisons_are_conditions() -> None:
    x = Graph().input("x")
    pairs = ((x < 1, less(x, 1)), (x >= 1, less_equal(1, x)), (x > 1, less(1, x)), (x <= x, True), (x > x, False))
    for found, wanted in pairs:
        assert found is wanted
    assert (x < 1) & True is less(x, 1)
    assert True & (x < 1) is less(x, 1)
    assert (x < 1) & False is False
    assert False | (x < 1) is less(x, 1)
    assert True | (x < 1) is True
    with pytest.raises(TypeError, match="unsupported operand"):
        (x < 1) & 1


def test_scalars_of_two_recordings_raise() -> None:
    x, y = Graph().input("x"), Graph().input("y")
    for meet in (operator.add, operator.sub, operator.mul, operator.truediv, less):
        with pytest.raises(RecordingError, match="two recordings"):
            meet(x, y)
    with pytest.raises(RecordingError, match="two recordings"):
        where(less(x, 1), y, 1)
    for branches in ((x, y), (y, x), (y, y)):  # x and y have the same index
        with pytest.raises(RecordingError, match="two recordings"):
            where(less(x, 1), *branches)
    with pytest.raises(RecordingError, match="another graph"):
        Program.of(x.graph, "p", {"y": y})


@pytest.mark.parametrize("other", ["1", None, 1j, [1.0], True])
def test_foreign_operands(other: object) -> None:
    x = Graph().input("x")
    with pytest.raises(TypeError):
        x + other
    with pytest.raises(TypeError):
        other * x


def test_inputs() -> None:
    graph = Graph()
    matrix = graph.input("m", (2, 3))
    assert [len(row) for row in matrix] == [3, 3]
    assert repr(matrix[1][2]) == "m[1, 2]"
    assert graph.input("empty", (0,)) == ()
    assert repr(graph) == "Graph of 6 nodes from m[2, 3], empty[0]"
    for name in ("m", "not a name", ""):
        with pytest.raises(ArgumentError):
            graph.input(name)


def test_outputs() -> None:
    graph = Graph()
    x = graph.input("x")
    with pytest.raises(ShapeError):
        Program.of(graph, "p", {"y": ((x, 1), (x,))})
    with pytest.raises(ScalarError):
        Program.of(graph, "p", {"y": 1j})
    with pytest.raises(ScalarError):
        Program.of(graph, "p", {"y": less(x, 1)})


def test_family() -> None:
    x = Graph().input("x")
    assert not is_float(x)
    assert lift(const(1, 2), like=x) == 0.5
    assert lift(0, like=(1.0, x)) == 0
    assert scalars([x, 1], 2, "q")[0] is x
    assert pack((x, 1.0)).dtype == object
    assert np.array([x, x]).shape == (2,)
    with pytest.raises(ScalarError):
        lift("a", like=x)


def test_concurrent_recordings() -> None:
    programs: dict[int, Program] = {}

    def record(number: int) -> None:
        graph = Graph()
        x = graph.input("x", (5,))
        for _ in range(200):
            x = tuple(a * b + a for a, b in zip(x, x[1:] + x[:1], strict=True))
        programs[number] = Program.of(graph, "p", {"y": x})

    threads = [threading.Thread(target=record, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({program.digest for program in programs.values()}) == 1


@pytest.mark.parametrize(
    "record",
    [
        lambda x: less(x[0], 1.0),
        lambda x: solve_positive_definite([[2.0]], [x], ["row"]),
    ],
)
def test_comparisons_and_calls_count_towards_the_limit(
    monkeypatch: pytest.MonkeyPatch, record: Callable[[Any], object]
) -> None:
    monkeypatch.setattr("rbd.program.nodes.RECORDING_LIMIT", 5)
    graph = Graph()
    x = graph.input("x", (5,))
    with pytest.raises(RecordingLimitError, match="5 operations"):
        record(x)
    assert len(graph.order) == 5
