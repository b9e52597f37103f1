"""SymPy expressions: relations, Piecewise, exact constants, decided conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from mpmath import iv

from rbd.errors import NotFiniteError, ScalarError, SingularError
from rbd.scalars import (
    Scalar,
    absolute,
    atan2,
    both,
    const,
    divide,
    either,
    greater,
    greater_equal,
    invert,
    is_float,
    less,
    less_equal,
    lift,
    maximum,
    minimum,
    positive,
    power,
    scalars,
    sin,
    sqrt,
    to_float,
    where,
)
from tests.scalars.families import FUNCTIONS, NAMES, Function

x, y = sympy.symbols("x y", real=True)
number = st.fractions(-100, 100, max_denominator=64)


def value(expression: Any, **values: Any) -> float:
    return float(expression.subs({sympy.Symbol(name, real=True): v for name, v in values.items()}))


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@given(data=st.data())
def test_functions(function: Function, data: st.DataObject) -> None:
    at = data.draw(st.floats(max(function.low, 0.01), min(function.high, 9.0)))
    expression = function.ours(x)
    assert value(expression, x=at) == pytest.approx(function.ours(at), rel=1e-9, abs=1e-12)


def test_relations() -> None:
    assert less(x, y) == (x < y)
    assert less_equal(x, 2) == (x <= 2)
    assert greater(x, y) == (y < x)
    assert greater_equal(const(1, 2), x) == (x <= sympy.Rational(1, 2))


def test_decided_relations_collapse() -> None:
    assert less(sympy.Integer(1), 2) is True
    assert less(2, sympy.Integer(1)) is False
    assert less_equal(x, x) is True
    assert where(less(sympy.pi, 3), x, y) is y
    assert invert(less(sympy.pi, 3)) is True
    mass = sympy.Symbol("m", positive=True)
    assert greater(mass, 0) is True
    assert less(mass, 0) is False


@given(number, number)
def test_where_is_a_piecewise(a: Any, b: Any) -> None:
    chosen = where(less(x, y), x, 2 * y)
    assert isinstance(chosen, sympy.Piecewise)
    assert chosen.subs({x: a, y: b}) == (a if a < b else 2 * b)


@given(number, number)
def test_logic(a: Any, b: Any) -> None:
    c, d = less(x, 0), less_equal(1, y)
    cases: list[tuple[Any, bool]] = [
        (both(c, d), a < 0 and b >= 1),
        (either(c, d), a < 0 or b >= 1),
        (invert(c), a >= 0),
        (both(c, invert(c)), False),
        (either(True, c), True),
        (both(True, c), a < 0),
    ]
    for condition, expected in cases:
        assert where(condition, sympy.Integer(1), sympy.Integer(0)).subs({x: a, y: b}) == int(expected)


def test_users_own_relations_are_conditions() -> None:
    assert where(sympy.And(x > 0, x < 1), 1, 0).subs(x, 2) == 0


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_converted_exactly(f: float) -> None:
    lifted: Any = lift(f, x)
    assert lifted.is_Rational
    assert float(lifted) == f
    assert where(less(x, 0), f, 1).subs(x, -1) == lifted


def test_other_numbers_are_converted_exactly() -> None:
    assert lift(0.5 - 2j, x) == sympy.Rational(1, 2) - 2 * sympy.I
    assert lift(math.inf, x) == sympy.oo
    assert lift(x, (x, y)) is x
    assert minimum(x, 0.25) == sympy.Min(x, sympy.Rational(1, 4))
    assert maximum(const(1, 3), x) == sympy.Max(x, sympy.Rational(1, 3))
    with pytest.raises(ScalarError, match="SymPy"):
        lift(iv.mpf([1, 2]), x)


def test_exact_results() -> None:
    assert sqrt(sympy.Rational(9, 4)) == sympy.Rational(3, 2)
    assert sqrt(sympy.Integer(2)) ** 2 == 2
    assert sin(sympy.pi / 6) == sympy.Rational(1, 2)
    assert atan2(sympy.Integer(0), sympy.Integer(0)) == 0
    assert atan2(sympy.Integer(1), sympy.Integer(1)) == sympy.pi / 4
    assert atan2(y, x) == sympy.atan2(y, x)
    assert power(x, const(1, 2)) == sympy.sqrt(x)
    assert power(2.0, x) == 2**x
    assert divide(1, x) == 1 / x
    assert absolute(-x) == sympy.Abs(x)


def test_derivatives_of_symbolic_results() -> None:
    f: Callable[[Scalar], Scalar] = lambda s: where(less(s, 0), -s, s * sin(s))  # noqa: E731
    slope: Any = sympy.diff(f(x), x)
    assert slope.subs(x, -2) == -1
    assert value(slope, x=1.0) == pytest.approx(math.sin(1.0) + math.cos(1.0))


def test_complex_symbols_cannot_be_compared() -> None:
    with pytest.raises(ScalarError, match="order"):
        less(sympy.I, 1)


def test_to_float() -> None:
    assert to_float(sympy.pi / 2) == math.pi / 2
    for bad in (x, sympy.I):
        with pytest.raises(ScalarError):
            to_float(bad)
    assert not is_float(sympy.Integer(1))


def test_positive() -> None:
    assert positive(x, "mass") is x
    assert positive(sympy.Integer(2), "mass") == 2
    for bad in (sympy.Integer(0), -sympy.pi, sympy.Symbol("n", negative=True)):
        with pytest.raises(SingularError, match="mass"):
            positive(bad, "mass")


def test_vectors_of_symbols_are_exact() -> None:
    assert scalars([x, 0.5, 1], 3, "q") == (x, sympy.Rational(1, 2), 1)
    for bad in (sympy.nan, sympy.oo, math.nan):
        with pytest.raises(NotFiniteError, match=r"q\[1\]"):
            scalars([x, bad], 2, "q")
