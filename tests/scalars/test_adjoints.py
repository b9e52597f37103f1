"""Derivatives go backwards through solves as they go forwards, whose rules have tests against complex steps."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest

import rbd
from rbd.intrinsics import INTRINSICS
from rbd.program.differentiate import derivative
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.solvers import (
    SOLVE_FACTORED,
    determinant,
    minimum_norm_solve,
    solve_factored,
    solve_positive_definite,
    solve_square,
)
from rbd.solvers.equations import ltdl_factor
from rbd.solvers.friction.solve import solve_friction
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program

SIZE = 5


def positive(x: Any) -> Any:
    square = tuple(tuple(x[i] * x[j] + (3 if i == j else 0) for j in range(3)) for i in range(3))
    return solve_positive_definite(square, tuple((x[3], x[i], 1.0) for i in range(3)), ["a", "b", "c"])


def square(x: Any) -> Any:
    matrix = tuple(tuple(x[(i + 2 * j) % SIZE] * (i - j + 1.5) for j in range(3)) for i in range(3))
    return solve_square(matrix, tuple((x[3], x[i], 1.0) for i in range(3)))


def of_determinant(x: Any) -> Any:
    matrix = tuple(tuple(x[(i * j + j) % SIZE] + (x[i] if i == j else 0) for j in range(4)) for i in range(4))
    return (determinant(matrix), determinant(matrix[:3] + ((1.0, 0.0, x[1], 2.0),)))


def smallest(*shape: int) -> Any:
    def solve(x: Any) -> Any:
        m, n = shape
        matrix = tuple(tuple(x[(2 * i + j) % 4] * x[(i + j) % SIZE] for j in range(n)) for i in range(m))
        return minimum_norm_solve(matrix, tuple(x[i % SIZE] for i in range(m)))[0]

    return solve


def redundant(x: Any) -> Any:
    row = (x[0], x[1], x[2])
    return minimum_norm_solve((row, tuple(2 * v for v in row), (x[3], 1.0, x[4])), (x[1], x[2], x[3]))[0]


def factored(x: Any) -> Any:
    rows = ((), ((0, x[0]),), ((0, x[1]),), ((0, x[2] * x[3]), (2, x[4])))
    right = [(x[k], 0, x[k] * x[1], 1.0) for k in range(3)] + [(0, 0, 0, 0)]
    return tuple(solve_factored(rows, tuple(2 + v for v in x[:4]), right))


def quadratic(x: Any) -> Any:
    hessian = tuple(tuple(x[i] * x[j] + (3 if i == j else 0) for j in range(3)) for i in range(3))
    rows = ((1.0, x[0], 0.0), (x[1], 0.0, 1.0), (0.0, -1.0, x[2]))
    point, multipliers, *_ = solve_quadratic_program(hessian, (x[3], -x[4], x[0]), rows, (x[4], x[2], -9.0))
    return (*point, *multipliers)


def friction(x: Any) -> Any:
    matrix = tuple(tuple(x[i] * x[j] + (3 if i == j else 0) for j in range(3)) for i in range(3))
    rows = ((0.1 * x[0], 1.0, 0.0), (1.0, x[1], 0.0), (0.0, 0.2, 1.0))
    point, forces, *_ = solve_friction(matrix, (x[3], -4 * x[4], x[2]), rows, (0.0, 0.0, 0.0), (0.0,))
    return (*point, *forces)


SOLVES: dict[str, Any] = {
    "positive": positive,
    "square": square,
    "determinant": of_determinant,
    "wide": smallest(2, 4),
    "tall": smallest(4, 2),
    "cubic": smallest(3, 3),
    "redundant": redundant,
    "factored": factored,
    "quadratic": quadratic,
    "friction": friction,
}


@pytest.mark.parametrize("name", SOLVES)
def test_backwards_is_forwards(name: str) -> None:
    graph = Graph()
    x = graph.input("x", (SIZE,))
    squares = tuple(v * v for v in x)
    program = Program.of(graph, name, {"y": (*_flat(SOLVES[name](squares)), x[0] * x[1])})
    assert program.calls
    point = np.random.default_rng(5).uniform(0.5, 1.2, SIZE)
    found = {mode: _only(derivative(program, "y", "x", mode=mode), point) for mode in ("forward", "reverse")}  # type: ignore[arg-type]  # literals
    assert np.abs(found["forward"]).max() > 0.1
    np.testing.assert_allclose(found["reverse"], found["forward"], rtol=1e-10, atol=1e-11)


def _flat(values: Any) -> tuple[Any, ...]:
    return tuple(x for row in values for x in (row if isinstance(row, tuple) else (row,)))


def _only(program: Program, point: Any) -> Any:
    (found,) = program.interpret(x=point).values()
    return found


def test_without_a_rule_backwards_the_one_forwards_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph()
    program = Program.of(graph, "factored", {"y": factored(graph.input("x", (SIZE,)))})
    point = np.linspace(0.5, 1.2, SIZE)
    expected = _only(derivative(program, "y", "x", mode="reverse"), point)
    monkeypatch.setitem(INTRINSICS, "solve_factored", attrs.evolve(SOLVE_FACTORED, adjoint=None))
    bare = attrs.evolve(program.calls[0], intrinsic=INTRINSICS["solve_factored"])
    program = attrs.evolve(program, calls=(bare,))
    np.testing.assert_allclose(
        _only(derivative(program, "y", "x", mode="reverse"), point), expected, atol=1e-12, rtol=0
    )


def test_what_does_not_move_weighs_nothing() -> None:
    graph = Graph()
    x = graph.input("x", (2,))
    _, _, active, rounds = solve_quadratic_program(((2.0,),), (x[0],), ((1.0,),), (x[1],))
    program = Program.of(graph, "still", {"y": (*active, rounds)})
    slopes = derivative(program, "y", "x", mode="reverse")
    assert not slopes.calls
    assert not _only(slopes, [1.0, 2.0]).any()


def test_one_weight_costs_one_solve() -> None:
    """A scalar of a solution, by all data, takes one more solve, not one per entry."""
    graph = Graph()
    x = graph.input("x", (12,))
    matrix = tuple(tuple(x[i] * x[j] + (20 if i == j else 0) for j in range(12)) for i in range(12))
    solution = solve_positive_definite(matrix, tuple((v,) for v in x), ["row"] * 12)
    program = Program.of(graph, "one", {"y": sum((row[0] for row in solution), 0)})
    assert len(derivative(program, "y", "x").calls) == 2
    assert len(derivative(program, "y", "x", mode="forward").calls) == 13


def test_inverse_mass_matrix_in_both_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ltdl_factor, "MAX_RECORDED_SOLVES", 50)
    mechanism = rbd.robots.arm7()
    program = rbd.record(rbd.inverse_mass_matrix, mechanism).program
    assert [call.intrinsic.name for call in program.calls] == ["solve_factored"]
    q = np.linspace(-1, 1, 7)
    found = [
        next(iter(derivative(program, "result", "q", mode=mode).interpret(q=q, v=np.zeros(7)).values()))
        for mode in ("forward", "reverse")
    ]
    assert np.abs(found[0]).max() > 1
    np.testing.assert_allclose(found[1], found[0], rtol=1e-11, atol=1e-11)
