"""Derivatives of programs in both modes: agreement with complex steps, operation counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ArgumentError
from rbd.program.differentiate import derivative, sparsity
from rbd.program.graph import Graph
from rbd.program.opcodes import Op
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.program.replay import replay
from rbd.scalars import (
    absolute,
    acos,
    asin,
    atan2,
    both,
    cos,
    exp,
    less,
    log,
    maximum,
    minimum,
    positive,
    power,
    sin,
    sqrt,
    tan,
    tanh,
    where,
)
from rbd.scalars.norms import norm

STEP = 1e-30


def everything(x: Any) -> tuple[Any, ...]:
    """Return an output for every operation there is."""
    a, b, c = x
    return (
        a * b + c,
        a * b - c,
        c - a * b,
        -(a * b) - c,
        a / b - 3 / c + 2 * a - (1 - b),
        sqrt(a + b) * positive(c, "c"),
        sin(a) * cos(b) + tan(c / 3),
        asin(a / 4) + acos(b / 4) + atan2(a, c),
        exp(-a) + log(b) + tanh(c),
        power(a, b) + power(c, 3) + power(b, -1.5),
        where(both(less(a, b), less(b, 9)), a * c, b * b) + absolute(a - b),
        minimum(a, b) * maximum(b, c),
        7.0,
        b,
    )


def recorded(function: Callable[[Any], Any], size: int) -> Program:
    graph = Graph()
    return Program.of(graph, "example", {"y": function(graph.input("x", (size,)))})


def stepped(program: Program, x: Any) -> Any:
    """Return the Jacobian by complex steps."""
    columns = [replay(program, list(np.asarray(x) + 1j * STEP * unit)) for unit in np.eye(len(x))]
    return np.array([[complex(value).imag / STEP for value in column] for column in columns]).T


POINT = st.lists(st.floats(0.5, 2.0), min_size=3, max_size=3, unique=True)


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
@given(x=POINT)
def test_every_operation(mode: Any, x: list[float]) -> None:
    if min(abs(x[i] - x[j]) for i in range(3) for j in range(i)) < 1e-6:
        return  # kinks
    program = recorded(everything, 3)
    (found,) = derivative(program, "y", "x", mode=mode).interpret(x=x).values()
    np.testing.assert_allclose(found, stepped(program, x), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize(
    "size", [1e-300, 2.0**-704, 2.0**-700, 1e-200, 1e-170, 2.0**-204, 2.0**-200, 1.0, 1e170, 1e300]
)
def test_lengths_and_angles_beyond_the_range_of_squares(mode: Any, size: float) -> None:
    for function, exact in ((norm, [3 / 5, 4 / 5]), (lambda x: size * atan2(*x), [4 / 25, -3 / 25])):
        program = recorded(lambda x, of=function: (of(x),), 2)
        (found,) = derivative(program, "y", "x", mode=mode).interpret(x=[3 * size, 4 * size]).values()
        np.testing.assert_allclose(found, [exact], rtol=1e-14)


def test_unselected_branches_may_be_infinite() -> None:
    """Going forward, a slope that is no number does no harm where it is not chosen."""
    program = recorded(lambda x: (where(less(x[0], 1), x[0] * 2, sqrt(x[0] - 1) * x[0]),), 1)
    (found,) = derivative(program, "y", "x", mode="forward").interpret(x=[0.5]).values()
    assert found.tolist() == [[2.0]]


def test_directions_are_combined_and_may_depend_on_the_input() -> None:
    program = recorded(lambda x: (x[0] * x[1], sin(x[2])), 3)
    x = np.array([0.3, 0.7, 1.1])
    for mode in ("forward", "reverse"):
        turned = derivative(program, "y", "x", mode=mode, directions=lambda q: ((q[1], 0), (-q[0], 0), (0, 2)))  # type: ignore[arg-type]  # a literal
        (found,) = turned.interpret(x=x).values()
        seeds = np.array([[x[1], 0], [-x[0], 0], [0, 2]])
        np.testing.assert_allclose(found, stepped(program, x) @ seeds, rtol=0, atol=1e-14)
        assert turned.outputs[0].shape == (2, 2)


def test_sparse_derivatives_have_the_pattern_of_sparsity() -> None:
    program = recorded(lambda x: (x[0] * x[1], sin(x[2]), 3.0, x[1]), 3)
    pattern = sparsity(program, "y", "x")
    assert pattern.tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0]]
    x = [0.3, 0.7, 1.1]
    for mode in ("forward", "reverse"):
        (found,) = derivative(program, "y", "x", sparse=True, mode=mode).interpret(x=x).values()  # type: ignore[arg-type]  # a literal
        np.testing.assert_allclose(found, stepped(program, x)[pattern])


def test_empty_inputs() -> None:
    graph = Graph()
    x, none = graph.input("x", (2,)), graph.input("none", (0,))
    program = Program.of(graph, "example", {"y": (x[0] * x[1], *none)})
    assert sparsity(program, "y", "none").shape == (1, 0)
    for mode in ("forward", "reverse", None):
        assert derivative(program, "y", "none", mode=mode, sparse=True).outputs[0].size == 0  # type: ignore[arg-type]  # literals


def test_default_mode_is_the_cheaper_one() -> None:
    def many_to_one(x: Any) -> tuple[Any, ...]:
        total = 0
        for entry in x:
            total = total + sin(entry * x[0])
        return (total * total,)

    def one_to_many(x: Any) -> tuple[Any, ...]:
        return tuple(sin(x[0] * k) * cos(x[0]) for k in range(2, 12))

    for program in (recorded(many_to_one, 10), recorded(one_to_many, 1)):
        sizes = {mode: derivative(program, "y", "x", mode=mode).count().total for mode in ("forward", "reverse", None)}  # type: ignore[arg-type]  # literals
        assert sizes[None] == min(sizes.values())


def test_shapes_and_second_derivatives() -> None:
    graph = Graph()
    (a, b), s = graph.input("x", (2,)), graph.input("s", ())
    program = Program.of(graph, "example", {"y": ((a * s, b), (a * b, s * s)), "z": a * a * b})
    first = derivative(program, "y", "x")
    assert first.outputs[0].shape == (2, 2, 2)
    assert derivative(program, "z", "s").outputs[0].shape == ()
    hessian = derivative(derivative(program, "z", "x"), "d_z_d_x", "x").interpret(x=[2.0, 3.0], s=1.0)
    assert hessian["d_d_z_d_x_d_x"].tolist() == [[6.0, 4.0], [4.0, 0.0]]


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_factors_that_are_zero_in_a_later_run(mode: Any) -> None:
    code = ((Op.SUB, 0, 0), (Op.MUL, 1, 2), (Op.FMA, 1, 2, 3))  # (x - x) y + (x - x) y
    program = Program("vanishing", (Port("x", (2,)),), (Port("y", (1,)),), (), code, (4,), ())
    assert derivative(program, "y", "x", mode=mode).interpret(x=[2.0, 3.0])["d_y_d_x"].tolist() == [[0.0, 0.0]]


def test_unknown_names_are_refused() -> None:
    program = recorded(lambda x: (x[0],), 1)
    for arguments, wrong in ((("z", "x"), "of"), (("y", "t"), "wrt")):
        with pytest.raises(ArgumentError) as caught:
            derivative(program, *arguments)
        assert caught.value.argument == wrong
    with pytest.raises(ArgumentError, match="mode"):
        derivative(program, "y", "x", mode="sideways")  # type: ignore[arg-type]  # the error
