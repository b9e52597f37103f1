"""Dual numbers: agreement with complex steps, other families, nested duals."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ScalarError, SingularError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import (
    absolute,
    acos,
    asin,
    atan2,
    const,
    cos,
    divide,
    exp,
    less,
    less_equal,
    log,
    maximum,
    positive,
    power,
    sin,
    sqrt,
    tan,
    tanh,
    to_float,
    where,
)
from rbd.scalars.dual import Dual, value_and_derivative, value_and_derivatives
from rbd.scalars.norms import norm
from rbd.scalars.sparse_tangents import SparseTangents

STEP = 1e-30
FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda x, y: (2 - x) * y + x / y - 3 / x + (x - 1) * const(1, 3) - (-x),
    "sin": lambda x, y: sin(x * y),
    "cos": lambda x, y: cos(x - y),
    "tan": lambda x, y: tan(x * const(1, 4)),
    "asin": lambda x, y: asin(x * y * const(1, 8)),
    "acos": lambda x, y: acos(x * const(1, 4)),
    "atan2": lambda x, y: atan2(x, y - 1),
    "sqrt": lambda x, y: sqrt(x + y),
    "exp": lambda x, y: exp(-x * y),
    "log": lambda x, y: log(x + 2 * y),
    "tanh": lambda x, y: tanh(x - y),
    "power": lambda x, y: power(x, 3) * power(y, -2),
    "powers with a variable exponent": lambda x, y: power(2.0, x) + power(x, y) + power(x, 2 * x),
    "divide": lambda x, y: divide(x, 1 + y),
    "absolute": lambda x, y: absolute(x - y) * y,
    "maximum": lambda x, y: maximum(x, y) * x,
    "where": lambda x, y: where(less(x, y), x * x, y * x) + where(less_equal(2, x), x, 3),
    "constant": lambda x, y: 7,
}
POINTS = st.floats(0.3, 1.9)


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-170, 1e170, 1e300])
def test_lengths_and_angles_beyond_the_range_of_squares(size: float) -> None:
    _, slopes = value_and_derivatives(lambda x: (norm(x), size * atan2(*x)), (3 * size, 4 * size), ((1, 0), (0, 1)))
    np.testing.assert_allclose(slopes, [[3 / 5, 4 / 5], [4 / 25, -3 / 25]], rtol=1e-14)


@pytest.mark.parametrize("name", FORMULAS)
@given(POINTS, POINTS, st.floats(-1, 1))
def test_chain_rule(name: str, x: float, y: float, slope: float) -> None:
    if abs(x - y) < 1e-9:
        return  # kinks have no derivative
    formula = FORMULAS[name]
    (value,), (derivative,) = value_and_derivative(lambda p: (formula(*p),), (x, y), (1.0, slope))
    stepped = complex(formula(complex(x, STEP), complex(y, STEP * slope)))
    assert cmath.isclose(complex(to_float(value)), stepped.real, rel_tol=1e-13, abs_tol=1e-13)
    assert math.isclose(to_float(derivative), stepped.imag / STEP, rel_tol=1e-11, abs_tol=1e-11)


@pytest.mark.parametrize("zero", [0, 0.0, const(0), np.float64(0.0)])
def test_the_power_zero_has_no_derivative(zero: Any) -> None:
    assert value_and_derivative(lambda x: (power(x[0], zero),), (0.0,), (1.0,)) == ((1.0,), (0,))
    assert value_and_derivative(lambda x: (power(x[0], zero),), (Fraction(0),), (1,)) == ((1,), (0,))


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_second_derivatives_of_powers_of_zero(n: int) -> None:
    def slope(x: Any) -> Any:
        return value_and_derivative(lambda y: (power(y[0], n),), x, (1.0,))[1]

    assert value_and_derivative(slope, (0.0,), (1.0,)) == ((float(n == 1),), (2.0 * (n == 2),))


def test_duals_of_exact_numbers_are_exact() -> None:
    (value,), (slope,) = value_and_derivative(
        lambda p: (p[0] * p[0] / 3 + sqrt(p[0]),), (Fraction(9, 4),), (Fraction(1, 2),)
    )
    assert (value, slope) == (Fraction(51, 16), Fraction(3, 4) + Fraction(1, 6))


def test_duals_of_duals_give_second_derivatives() -> None:
    def slope(p: tuple[Any, ...]) -> tuple[Any, ...]:
        return value_and_derivative(lambda r: (sin(r[0]) * r[0],), p, (1,))[1]

    (first,), (second,) = value_and_derivative(slope, (0.7,), (1,))
    assert math.isclose(to_float(first), 0.7 * math.cos(0.7) + math.sin(0.7))
    assert math.isclose(to_float(second), 2 * math.cos(0.7) - 0.7 * math.sin(0.7))


def test_outer_variables_are_constants_of_inner_derivatives() -> None:
    """d/dx (x d/dy (x + y)) is 1: perturbations are not confused."""

    def outer(p: tuple[Any, ...]) -> tuple[Any, ...]:
        x = p[0]
        return (x * value_and_derivative(lambda r: (x + r[0],), (1.0,), (1,))[1][0],)

    assert value_and_derivative(outer, (5.0,), (1,))[1] == (1.0,)


def test_recorded_scalars_are_differentiated_while_recording() -> None:
    x = Graph().input("x", ())
    _, (slope,) = value_and_derivative(lambda p: (sin(p[0]),), (x,), (1,))
    assert slope is cos(x)
    _, (zero,) = value_and_derivative(lambda p: (p[0] * 0 + 2.0,), (x,), (1,))
    assert zero == 0


def test_duals_have_no_float_and_their_pivots_are_checked() -> None:
    with pytest.raises(ScalarError):
        to_float(Dual(1.0, 1.0))
    with pytest.raises(SingularError, match="the mass"):
        positive(Dual(-1.0, 1.0), "the mass")
    kept = positive(Dual(2.0, 3.0), "the mass")
    assert isinstance(kept, Dual)
    assert kept.derivative == 3.0


DIRECTIONS = [(1, 0), (0.5, -2.0), (0, 0), (0, 1)]


@pytest.mark.parametrize("name", FORMULAS)
def test_all_directions_at_once(name: str) -> None:
    """The same bits as one after the other."""
    point = (1.25, 2.5)

    def formula(x: Any) -> Any:
        return FORMULAS[name](*x), x[1] * x[1]

    values, rows = value_and_derivatives(formula, point, DIRECTIONS)
    one_by_one = [value_and_derivative(formula, point, direction) for direction in DIRECTIONS]
    assert values == one_by_one[0][0]
    assert rows == tuple(zip(*(slopes for _, slopes in one_by_one), strict=True))


@pytest.mark.parametrize("name", FORMULAS)
def test_recorded_all_directions_take_the_same_operations(name: str) -> None:
    programs: list[Program] = []
    for together in (True, False):
        graph = Graph()
        point: Any = graph.input("x", (2,))

        def formula(x: Any) -> Any:
            return (FORMULAS[name](*x),)

        if together:
            slopes = value_and_derivatives(formula, point, DIRECTIONS)[1]
        else:
            slopes = tuple(zip(*(value_and_derivative(formula, point, d)[1] for d in DIRECTIONS), strict=True))
        programs.append(Program.of(graph, name, {"slopes": slopes}))
    first, second = programs
    assert first.count().total == second.count().total
    assert np.array_equal(first.interpret(x=[1.25, 2.5])["slopes"], second.interpret(x=[1.25, 2.5])["slopes"])


def test_all_directions_of_duals() -> None:
    """Second derivatives: duals with all directions inside those with one, and the other way round."""

    def inside(x: Any) -> Any:
        return value_and_derivative(lambda y: (sin(y[0]) * y[1] * y[1],), x, (1, 1))[1]

    def outside(x: Any) -> Any:
        return (
            row[0] + row[1]
            for row in value_and_derivatives(lambda y: (sin(y[0]) * y[1] * y[1],), x, [(1, 0), (0, 1)])[1]
        )

    a, b = 0.5, 2.0
    expected = [(-math.sin(a) * b * b + 2 * b * math.cos(a)), 2 * b * math.cos(a) + 2 * math.sin(a)]
    (found,) = value_and_derivatives(inside, (a, b), [(1, 0), (0, 1)])[1]
    assert found == pytest.approx(expected, rel=1e-15)
    assert value_and_derivative(outside, (a, b), (0, 1))[1] == pytest.approx(expected[1:], rel=1e-15)


def test_sparse_tangents_of_zero_derivatives() -> None:
    _, ((first, second),) = value_and_derivatives(
        lambda x: (0 * x[0] + x[1] * 0.0 + where(less(x[0], 0), x[0], 3),), (1.0, 2.0), [(1, 0), (0, 1)]
    )
    assert (first, second) == (0, 0)
    assert repr(Dual(1.0, SparseTangents({2: 0.5}))) == "Dual(1.0, SparseTangents({2: 0.5}))"
