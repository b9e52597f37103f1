"""Fractions: exact results, errors for irrational ones."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import NotFiniteError, ScalarError, SingularError
from rbd.scalars import (
    Scalar,
    absolute,
    acos,
    asin,
    atan2,
    const,
    cos,
    divide,
    exp,
    is_float,
    less,
    less_equal,
    lift,
    log,
    maximum,
    minimum,
    positive,
    power,
    sin,
    sqrt,
    tan,
    tanh,
    to_float,
)
from rbd.scalars.arrays import scalar
from tests.scalars.families import FUNCTIONS, NAMES, Function

fraction = st.fractions(max_denominator=1000)
ZERO, ONE = Fraction(0), Fraction(1)


@pytest.mark.parametrize(
    ("function", "x", "value"),
    [
        (sin, 0, 0),
        (cos, 0, 1),
        (tan, 0, 0),
        (asin, 0, 0),
        (acos, 1, 0),
        (exp, 0, 1),
        (log, 1, 0),
        (tanh, 0, 0),
        (sqrt, 0, 0),
    ],
)
def test_exact_values(function: object, x: int, value: int) -> None:
    result = function(Fraction(x))
    assert isinstance(result, Fraction)
    assert result == value
    # An integer zero of the structure stays exact too.
    assert function(x) == value
    assert isinstance(function(x), int)


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_irrational_values_raise_with_the_function_name(function: Function) -> None:
    with pytest.raises(ScalarError, match=rf"{function.name}\(1/7\)") as caught:
        function.ours(Fraction(1, 7))
    assert caught.value.function == function.name
    assert caught.value.scalar == Fraction(1, 7)


@given(fraction)
def test_square_roots(x: Fraction) -> None:
    assert sqrt(x * x) == abs(x)
    for bad in (x * x * 2, -x * x):
        if x != 0:
            with pytest.raises(ScalarError):
                sqrt(bad)


def test_atan2() -> None:
    assert atan2(ZERO, ONE) == 0
    assert atan2(ZERO, ZERO) == 0
    assert isinstance(atan2(0, ONE), Fraction)
    assert atan2(0, 5) == 0
    for y, x in [(ZERO, -ONE), (ONE, ZERO), (ONE, ONE)]:
        with pytest.raises(ScalarError, match="atan2"):
            atan2(y, x)


@given(fraction, st.floats(-1e6, 1e6))
def test_floats_enter_exactly(x: Fraction, y: float) -> None:
    assert lift(y, x) == Fraction(y)
    assert less(x, y) is (x < Fraction(y))
    assert less_equal(y, x) is (Fraction(y) <= x)
    assert minimum(x, y) == min(x, Fraction(y))
    assert maximum(y, x) == max(x, Fraction(y))
    for result in (minimum(x, y), maximum(y, x)):
        assert isinstance(result, Fraction)
    if y:
        assert divide(x, y) == x / Fraction(y)


def test_nan_and_infinity_raise() -> None:
    for bad in (math.nan, math.inf):
        with pytest.raises(ScalarError):
            minimum(ONE, bad)


def test_powers() -> None:
    assert power(Fraction(2, 3), 3) == Fraction(8, 27)
    assert power(Fraction(2, 3), -2) == Fraction(9, 4)
    assert power(Fraction(4, 9), const(1, 2)) == Fraction(2, 3)
    assert power(Fraction(4, 9), Fraction(-3, 2)) == Fraction(27, 8)
    for x, n in [(Fraction(2), Fraction(1, 2)), (Fraction(8), Fraction(1, 3)), (ZERO, -ONE)]:
        with pytest.raises(ScalarError, match=r"power|sqrt"):
            power(x, n)


def test_division_by_zero_is_refused() -> None:
    with pytest.raises(ScalarError, match="divide"):
        divide(ONE, ZERO)


def test_remaining_functions() -> None:
    assert absolute(Fraction(-1, 2)) == Fraction(1, 2)
    assert to_float(Fraction(1, 4)) == 0.25
    assert to_float(Fraction(-(10**400))) == -math.inf
    assert not is_float(ONE)
    assert positive(ONE, "mass") is ONE
    with pytest.raises(SingularError, match="mass"):
        positive(ZERO, "mass")


def test_divided_integers_stay_exact() -> None:
    third: Scalar = divide(1, 3)
    assert third * Fraction(3) == 1
    assert isinstance(third * Fraction(1), Fraction)


@pytest.mark.parametrize("digits", [308, 400, 5000])
@pytest.mark.parametrize("sign", [-1, 1])
def test_fractions_are_finite_in_the_range_of_floats(digits: int, sign: int) -> None:
    large = sign * Fraction(10**digits)
    assert scalar(1 / large, "x") == 1 / large
    assert scalar(Fraction(large.numerator, 10**digits + 1), "x") < 1
    if digits == 308:
        assert scalar(large, "x") == large
    else:
        with pytest.raises(NotFiniteError, match="^x is -?inf$".replace("-?", "-" * (sign < 0))):
            scalar(large, "x")
