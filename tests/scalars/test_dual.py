"""Dual numbers against complex steps, over other families, and of themselves."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ScalarError, SingularError
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
from rbd.scalars.dual import Dual, along
from rbd.scalars.graph import Graph

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
    "divide": lambda x, y: divide(x, 1 + y),
    "absolute": lambda x, y: absolute(x - y) * y,
    "maximum": lambda x, y: maximum(x, y) * x,
    "where": lambda x, y: where(less(x, y), x * x, y * x) + where(less_equal(2, x), x, 3),
    "constant": lambda x, y: 7,
}
POINTS = st.floats(0.3, 1.9)


@pytest.mark.parametrize("name", FORMULAS)
@given(POINTS, POINTS, st.floats(-1, 1))
def test_the_chain_rule_holds(name: str, x: float, y: float, slope: float) -> None:
    if abs(x - y) < 1e-9:
        return  # kinks have no derivative
    formula = FORMULAS[name]
    (value,), (derivative,) = along(lambda p: (formula(*p),), (x, y), (1.0, slope))
    stepped = complex(formula(complex(x, STEP), complex(y, STEP * slope)))
    assert cmath.isclose(complex(to_float(value)), stepped.real, rel_tol=1e-13, abs_tol=1e-13)
    assert math.isclose(to_float(derivative), stepped.imag / STEP, rel_tol=1e-11, abs_tol=1e-11)


def test_duals_stay_exact_over_exact_numbers() -> None:
    (value,), (slope,) = along(lambda p: (p[0] * p[0] / 3 + sqrt(p[0]),), (Fraction(9, 4),), (Fraction(1, 2),))
    assert (value, slope) == (Fraction(51, 16), Fraction(3, 4) + Fraction(1, 6))


def test_duals_of_duals_give_second_derivatives() -> None:
    def slope(p: tuple[Any, ...]) -> tuple[Any, ...]:
        return along(lambda r: (sin(r[0]) * r[0],), p, (1,))[1]

    (first,), (second,) = along(slope, (0.7,), (1,))
    assert math.isclose(to_float(first), 0.7 * math.cos(0.7) + math.sin(0.7))
    assert math.isclose(to_float(second), 2 * math.cos(0.7) - 0.7 * math.sin(0.7))


def test_the_variable_outside_is_a_constant_inside() -> None:
    """d/dx (x d/dy (x + y)) is 1: perturbations are not confused."""

    def outer(p: tuple[Any, ...]) -> tuple[Any, ...]:
        x = p[0]
        return (x * along(lambda r: (x + r[0],), (1.0,), (1,))[1][0],)

    assert along(outer, (5.0,), (1,))[1] == (1.0,)


def test_recorded_scalars_are_differentiated_while_recording() -> None:
    x = Graph().input("x", ())
    _, (slope,) = along(lambda p: (sin(p[0]),), (x,), (1,))
    assert slope is cos(x)
    _, (zero,) = along(lambda p: (p[0] * 0 + 2.0,), (x,), (1,))
    assert zero == 0


def test_duals_have_no_float_and_their_pivots_are_checked() -> None:
    with pytest.raises(ScalarError):
        to_float(Dual(1.0, 1.0))
    with pytest.raises(SingularError, match="the mass"):
        positive(Dual(-1.0, 1.0), "the mass")
    kept = positive(Dual(2.0, 3.0), "the mass")
    assert isinstance(kept, Dual)
    assert kept.derivative == 3.0
