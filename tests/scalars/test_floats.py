"""Floats: values of mpmath, semantics of IEEE 754."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

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
    greater,
    greater_equal,
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
    where,
)
from tests.scalars.families import FUNCTIONS, NAMES, Function, close

NAN, INF = math.nan, math.inf
any_float = st.floats(allow_nan=True, allow_infinity=True)
number = st.floats(-1e100, 1e100)


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@given(data=st.data())
def test_values(function: Function, data: st.DataObject) -> None:
    x = data.draw(st.floats(function.low, function.high))
    with mp.workdps(60):
        assert close(function.ours(x), function.theirs(mp.mpf(x)))


@given(number, number)
def test_atan2(y: float, x: float) -> None:
    assert atan2(y, x) == math.atan2(y, x)


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@given(x=any_float)
def test_functions_do_not_raise(function: Function, x: float) -> None:
    assert isinstance(function.ours(x), float)


@given(any_float, any_float)
def test_functions_of_two_do_not_raise(a: float, b: float) -> None:
    for function in (atan2, power, divide, minimum, maximum):
        assert isinstance(function(a, b), float)


@pytest.mark.parametrize("function", [sin, cos, tan])
def test_trigonometric_functions_at_infinity_are_nan(function: object) -> None:
    for x in (INF, -INF, NAN):
        assert math.isnan(to_float(function(x)))


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (sqrt(-1.0), NAN),
        (asin(1.5), NAN),
        (acos(-1.5), NAN),
        (log(-1.0), NAN),
        (log(0.0), -INF),
        (exp(1e4), INF),
        (exp(-INF), 0.0),
        (tanh(INF), 1.0),
        (sqrt(INF), INF),
        (divide(1.0, 0.0), INF),
        (divide(1.0, -0.0), -INF),
        (divide(-1.0, 0.0), -INF),
        (divide(0.0, 0.0), NAN),
        (divide(NAN, 0.0), NAN),
        (divide(INF, INF), NAN),
        (divide(1, 0), INF),
        (power(0.0, -1.0), INF),
        (power(-0.0, -1.0), -INF),
        (power(-0.0, -2.0), INF),
        (power(-8.0, 0.5), NAN),
        (power(-10.0, 999.0), -INF),
        (power(-10.0, 1000.0), INF),
        (power(10.0, 999.0), INF),
        (power(-2.0, 3.0), -8.0),
        (power(2.0, INF), INF),
        (minimum(NAN, 1.0), NAN),
        (minimum(1.0, NAN), NAN),
        (maximum(NAN, 1.0), NAN),
        (maximum(1.0, NAN), NAN),
        (absolute(-2.0), 2.0),
    ],
)
def test_ieee(actual: Scalar, expected: float) -> None:
    assert isinstance(actual, float)
    assert actual == expected or (math.isnan(actual) and math.isnan(expected))


@given(any_float, any_float)
def test_comparisons_are_those_of_floats(a: float, b: float) -> None:
    for ours, theirs in [
        (less, operator.lt),
        (less_equal, operator.le),
        (greater, operator.gt),
        (greater_equal, operator.ge),
    ]:
        assert ours(a, b) is theirs(a, b)


@given(number, number)
def test_minimum_and_maximum(a: float, b: float) -> None:
    assert minimum(a, b) == min(a, b)
    assert maximum(a, b) == max(a, b)


def test_where_chooses() -> None:
    assert where(True, 1.0, 2.0) == 1.0
    assert where(False, 1.0, 2.0) == 2.0
    assert where(less(1.0, 2.0), 1.0, divide(1.0, 0.0)) == 1.0


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.int64, np.uint32])
def test_numpy_numbers_are_numbers(kind: type) -> None:
    one = kind(1)
    assert sin(one) == math.sin(1.0)
    assert type(sin(one)) is float
    assert atan2(one, 2.0) == math.atan2(1.0, 2.0)
    assert less(0.0, one) is True
    assert where(np.True_, one, 2.0) == 1.0
    assert is_float(one)
    assert type(to_float(one)) is float
    assert positive(one, "mass") == 1.0
    assert sqrt(kind(4)) == 2.0


def test_integers_are_numbers() -> None:
    assert sin(1) == math.sin(1.0)
    assert sqrt(2) == math.sqrt(2.0)
    assert atan2(1, -1) == math.atan2(1.0, -1.0)
    assert less(1, 2) is True
    assert less_equal(2, 2.0) is True
    assert to_float(10**400) == INF
    assert to_float(-(10**400)) == -INF
    assert minimum(1, 2.5) == 1.0


def test_powers_of_integers_stay_exact() -> None:
    assert power(3, 40) == 3**40
    assert power(2, -1) == const(1, 2)
    assert power(0, -1) == INF
    assert power(2, const(1, 2)) == math.sqrt(2.0)


@pytest.mark.parametrize("bad", [True, np.True_, "1", None, [1.0], object()])
def test_values_that_are_not_scalars_raise(bad: Scalar) -> None:
    with pytest.raises(ScalarError):
        sin(bad)
    with pytest.raises(ScalarError):
        atan2(1.0, bad)
    with pytest.raises(ScalarError):
        less(bad, 1.0)
    assert not is_float(bad)


@pytest.mark.parametrize("bad", [0.0, -1.0, 0, -1, const(-1, 2), np.float64(-1.0), 0j, complex(-1.0, 1.0)])
def test_positive_refuses(bad: Scalar) -> None:
    with pytest.raises(SingularError, match="the mass of 'link'") as caught:
        positive(bad, "the mass of 'link'")
    assert caught.value.what == "the mass of 'link'"


@pytest.mark.parametrize("bad", [NAN, -INF, np.float64(NAN)])
def test_positive_reports_overflow(bad: Scalar) -> None:
    with pytest.raises(NotFiniteError, match="the mass of 'link' left the range of float64"):
        positive(bad, "the mass of 'link'")


@pytest.mark.parametrize("good", [1e-300, 1.0, INF, 3, const(1, 2), complex(1.0, -5.0)])
def test_positive_returns_its_argument(good: Scalar) -> None:
    assert positive(good, "mass") is good


def test_lifting_a_float_among_floats_changes_nothing() -> None:
    assert lift(0.1, 1.0) == 0.1
    assert lift(0.1, (1, 2)) == 0.1
    assert lift(0.1, ()) == 0.1
    assert lift(0.1, ((1, 1j), (2.0, 3))) == 0.1 + 0j
