"""Programs evaluated on other scalars: floats, exact numbers, recorded numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import scalars
from rbd.errors import ShapeError, SingularError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.replay import replay
from rbd.scalars import positive

NUMBERS = st.lists(st.floats(0.125, 4), min_size=3, max_size=3)


def everything() -> Program:
    """Return a program with every operation there is, calls aside."""
    graph = Graph()
    x, y, z = graph.input("x", (3,))
    less = scalars.less(x, y)
    both = scalars.either(scalars.both(less, scalars.less_equal(y, z)), scalars.invert(less))
    chosen = scalars.where(both, x * y + z, x * y - z)
    outputs = {
        "sums": (x * y + z, x * y - z, z - x * y, -(x * y) - z, x + 2, 3 - x, 5 * x, x / y, 1 / z, -x),
        "roots": (scalars.sqrt(x), scalars.absolute(x - y), scalars.exp(-x), scalars.log(y), scalars.tanh(z)),
        "angles": (scalars.sin(x), scalars.cos(y), scalars.tan(x / 4), scalars.asin(x / 5), scalars.acos(y / 5)),
        "more": (scalars.atan2(x, y), scalars.power(x, 2.5), chosen, positive(x, "x"), 1.5, y),
    }
    return Program.of(graph, "everything", outputs)


@given(NUMBERS)
def test_floats(x: list[float]) -> None:
    program = everything()
    expected, status = program.interpret_flat(x)
    assert status == 0
    assert replay(program, x) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(NUMBERS)
def test_recorded_again(x: list[float]) -> None:
    program = everything()
    graph = Graph()
    again = Program.of(graph, "again", {"out": tuple(replay(program, graph.input("x", (3,))))})
    assert again.interpret_flat(x)[0] == pytest.approx(program.interpret_flat(x)[0], rel=1e-12, abs=1e-14)
    assert again.count().total <= program.count().total
    assert again.labels == program.labels


def test_exact_numbers_stay_exact() -> None:
    graph = Graph()
    x, y = graph.input("x", (2,))
    program = Program.of(graph, "exact", {"z": (x * y + x / y, x - y)})
    assert replay(program, [Fraction(1, 3), Fraction(2, 7)]) == [Fraction(2, 21) + Fraction(7, 6), Fraction(1, 21)]


def test_calls_and_labels() -> None:
    mechanism = rbd.robots.four_bar()
    program = rbd.record(lambda state, tau: rbd.forward_dynamics(state, tau), mechanism, tau=mechanism.nv).program
    assert program.calls
    x = [0.1 * (k + 1) for k in range(program.input_size)]
    expected, _ = program.interpret_flat(x)
    assert replay(program, x) == pytest.approx(expected, rel=1e-9)
    graph = Graph()
    again = Program.of(graph, "again", {"out": tuple(replay(program, graph.input("x", (len(x),))))})
    assert again.interpret_flat(x)[0] == pytest.approx(expected, rel=1e-9)
    assert set(again.labels) == set(program.labels)


def test_errors_name_the_argument() -> None:
    with pytest.raises(ShapeError, match="everything takes 3 scalars, not 2"):
        replay(everything(), [1.0, 2.0])
    with pytest.raises(SingularError, match="x"):
        replay(everything(), [-1.0, 1.0, 1.0])
