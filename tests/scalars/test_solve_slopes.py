"""Derivatives of programs through solvers agree with complex steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rbd.program.differentiate import Mode, derivative
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.replay import replay
from rbd.scalars.linear_algebra import dot
from rbd.solvers import determinant, minimum_norm_solve, solve_positive_definite, solve_square
from rbd.solvers.equations import ltdl_factor

STEP = 1e-30


def slopes(program: Program, x: Any) -> Any:
    """Return the Jacobian by complex steps."""
    columns = [replay(program, list(np.asarray(x) + 1j * STEP * unit)) for unit in np.eye(len(x))]
    return np.array([[complex(value).imag / STEP for value in column] for column in columns]).T


def test_positive_definite_equations() -> None:
    graph = Graph()
    a, b, c, d = graph.input("x", (4,))
    matrix = ((a * a + 2, a * b, 0.1 * c), (a * b, b * b + 3, d), (0.1 * c, d, 4 + c * c))
    solution = solve_positive_definite(matrix, ((a, 1.0), (c * d, b), (2.0, d)), ["first", "second", "third"])
    program = Program.of(graph, "solve", {"y": solution})
    x = [0.3, -0.7, 1.1, 0.4]
    (found,) = derivative(program, "y", "x").interpret(x=x).values()
    np.testing.assert_allclose(found.reshape(6, 4), slopes(program, x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_factors_that_are_intrinsics(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ltdl_factor, "MAX_RECORDED_FACTOR", 0)
    graph = Graph()
    x = graph.input("x", (6,))
    rows = [[x[(3 * i + j) % 6] * (1.0 + 0.1 * i) for j in range(5)] for i in range(5)]
    matrix = tuple(tuple(dot(a, b) + (2.0 if i == j else 0.0) for j, b in enumerate(rows)) for i, a in enumerate(rows))
    factor = ltdl_factor.Factor.of(matrix, list("abcde"))
    outputs = (*factor.inverse_diagonal, *(entry for row in factor.rows for _, entry in row), *factor.solve(x[:5]))
    program = Program.of(graph, "factor", {"y": outputs})
    assert [call.intrinsic.name for call in program.calls] == ["factor_positive_definite"]
    at = [0.3, -0.7, 1.1, 0.4, -0.2, 0.9]
    (found,) = derivative(program, "y", "x", mode=mode).interpret(x=at).values()
    np.testing.assert_allclose(found, slopes(program, at), rtol=0, atol=1e-13)


def test_square_equations_and_determinants() -> None:
    graph = Graph()
    a, b, c, d = graph.input("x", (4,))
    matrix = ((a, b, c, 1.0), (c, -a, d, b), (2.0, d, b * c, 0.5), (b, 1.0, a * d, c))
    solution = solve_square(matrix, ((a, 1.0), (c * d, b), (2.0, d), (1.0, a)))
    small = tuple(row[:3] for row in matrix[:3])
    program = Program.of(graph, "solve", {"y": (*sum(solution, ()), determinant(matrix), determinant(small))})
    x = [0.3, -0.7, 1.1, 0.4]
    (found,) = derivative(program, "y", "x").interpret(x=x).values()
    np.testing.assert_allclose(found, slopes(program, x), rtol=0, atol=1e-11)


MATRICES: dict[str, Any] = {
    "wide": lambda a, b, c: ((a, b, c), (b, 1.0, a)),
    "tall": lambda a, b, c: ((a, b), (b, c), (1.0, a), (c, 2.0)),
    "redundant": lambda a, b, c: ((a, b, c), (2 * a, 2 * b, 2 * c), (b, c, a)),
}


@pytest.mark.parametrize("name", MATRICES)
def test_minimum_norm_solutions(name: str) -> None:
    graph = Graph()
    a, b, c = graph.input("x", (3,))
    matrix = MATRICES[name](a, b, c)
    right = tuple(a * k + b * b for k in range(len(matrix)))
    solution, rank = minimum_norm_solve(matrix, right)
    program = Program.of(graph, "solve", {"y": solution, "rank": rank})
    x = [0.9, -0.4, 1.3]
    (found,) = derivative(program, "y", "x").interpret(x=x).values()
    np.testing.assert_allclose(found, slopes(program, x)[:-1], rtol=0, atol=1e-11)
    (still,) = derivative(program, "rank", "x").interpret(x=x).values()
    assert not still.any()


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_second_derivatives_of_minimum_norm_solutions(name: str, mode: Mode) -> None:
    graph = Graph()
    a, b, c = graph.input("x", (3,))
    matrix = MATRICES[name](a, b, c)
    solution, _ = minimum_norm_solve(matrix, tuple(a * k + b * b for k in range(len(matrix))))
    first = derivative(Program.of(graph, "solve", {"y": solution}), "y", "x")
    x = [0.9, -0.4, 1.3]
    (found,) = derivative(first, "d_y_d_x", "x", mode=mode).interpret(x=x).values()
    np.testing.assert_allclose(found.reshape(-1, 3), slopes(first, x), rtol=0, atol=1e-10)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_of_minimum_norm_solutions_have_the_rank_of_the_solution(mode: Mode) -> None:
    graph = Graph()
    matrix, right = graph.input("a", (2, 2)), graph.input("b", (2,))
    solution, rank = minimum_norm_solve(matrix, right)
    program = Program.of(graph, "solve", {"y": solution, "rank": rank})
    e = 1.5e-10  # the second row is short: factored by its rows, the matrix would have rank 1
    at = {"a": [[1.0, 1.0], [e, 2 * e]], "b": [1.0, e]}
    assert program.interpret(**at)["rank"] == 2
    (found,) = derivative(program, "y", "b", mode=mode).interpret(**at).values()
    np.testing.assert_allclose(found, [[2, -1 / e], [-1, 1 / e]], rtol=1e-12)
    (found,) = derivative(program, "y", "a", mode=mode).interpret(**at).values()
    # entries are 1e10 large: rounding makes 1e-6 of those that cancel
    inverse, y = np.linalg.inv(at["a"]), np.linalg.solve(at["a"], at["b"])
    np.testing.assert_allclose(found, -np.einsum("ki,j->kij", inverse, y), rtol=1e-9, atol=1e-5)
