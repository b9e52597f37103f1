"""mpmath's numbers: full precision, real results for real arguments."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from rbd.errors import NotFiniteError, ScalarError, SingularError
from rbd.scalars import (
    absolute,
    acos,
    asin,
    atan2,
    const,
    divide,
    is_float,
    less,
    less_equal,
    lift,
    log,
    maximum,
    minimum,
    positive,
    power,
    scalars,
    sin,
    sqrt,
    tan,
    to_float,
    where,
)
from tests.scalars.families import FUNCTIONS, NAMES, Function

coordinate = st.floats(-10.0, 10.0)
STEP = "1e-100"


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@given(data=st.data())
def test_values_have_full_precision(function: Function, data: st.DataObject) -> None:
    with mp.workdps(50):
        x = mp.mpf(data.draw(st.floats(max(function.low, 0.01), min(function.high, 9.0))))
        result: Any = function.ours(x)
        assert isinstance(result, mp.mpf)
        assert result == function.theirs(x)


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@given(at=st.floats(0.01, 0.99))
def test_complex_step(function: Function, at: float) -> None:
    with mp.workdps(50):
        result: Any = function.ours(mp.mpc(at, STEP))
        assert abs(result.imag / mp.mpf(STEP) - function.derivative(mp.mpf(at))) < mp.mpf("1e-40") * 1e5


@given(coordinate, coordinate, coordinate, coordinate)
def test_complex_step_of_atan2(y: float, x: float, dy: float, dx: float) -> None:
    with mp.workdps(50):
        square = mp.mpf(x) ** 2 + mp.mpf(y) ** 2
        if square > 1e-6:
            result: Any = atan2(mp.mpc(y, mp.mpf(STEP) * dy), mp.mpc(x, mp.mpf(STEP) * dx))
            assert abs(result.real - mp.atan2(y, x)) < 1e-45
            assert abs(result.imag / mp.mpf(STEP) - (mp.mpf(x) * dy - mp.mpf(y) * dx) / square) < 1e-35


def test_functions_of_real_numbers_are_real() -> None:
    two = mp.mpf(2)
    for undefined in (sqrt(-two), asin(two), acos(-two), log(-two), power(-two, const(1, 2)), divide(two * 0, two * 0)):
        assert isinstance(undefined, mp.mpf)
        assert mp.isnan(undefined)
    assert divide(-two, 0) == -mp.inf
    assert power(two * 0, -1) == mp.inf
    assert log(two * 0) == -mp.inf
    assert mp.isnan(sin(mp.inf))
    assert mp.isnan(tan(mp.inf))
    assert atan2(mp.mpc(0), mp.mpf(0)) == 0


def test_complex_numbers_have_principal_values() -> None:
    assert sqrt(mp.mpc(-1)) == mp.j
    assert sqrt(lift(-1.0 + 0j, mp.mpf(1))) == mp.j
    quotient: Any = divide(mp.mpc(1), 0)
    assert quotient.real == mp.inf


def test_conversions_have_full_precision() -> None:
    with mp.workdps(40):
        one = mp.mpf(1)
        assert lift(0.1, one) == mp.mpf(0.1)
        assert lift(Fraction(1, 3), one) == one / 3
        assert lift(const(1, 3), one) == one / 3
        assert lift(10**30 + 1, one) == 10**30 + 1
        assert minimum(const(1, 3), one) == one / 3
        assert sin(mp.pi / 6).ae(0.5)
        assert less(3.14, mp.pi) is True  # a constant of mpmath is one of its numbers


@given(coordinate, coordinate)
def test_comparisons(a: float, b: float) -> None:
    for u, v in [(mp.mpf(a), mp.mpf(b)), (mp.mpc(a, 1), mp.mpc(b, -1))]:
        assert less(u, v) is (a < b)
        assert less_equal(u, b) is (a <= b)
        assert minimum(u, v) == (u if a < b else v)
        assert maximum(u, v) == (u if a > b else v)
        assert absolute(u) == (-u if a < 0 else u)
        assert where(less(u, v), u, v) == minimum(u, v)


def test_nan_passes_through() -> None:
    assert mp.isnan(minimum(mp.nan, mp.mpf(1)))
    assert mp.isnan(maximum(mp.mpf(1), mp.nan))
    assert less(mp.nan, 1) is False


def test_other_contexts_keep_their_precision() -> None:
    context = mpmath.MPContext()
    context.prec = 200
    result: Any = sqrt(context.mpf(2))
    assert result.context is context
    assert abs(result**2 - 2) < context.mpf(2) ** -198


def test_remaining_functions() -> None:
    assert to_float(mp.mpf("0.5")) == 0.5
    assert to_float(mp.mpc("0.5")) == 0.5
    with pytest.raises(ScalarError):
        to_float(mp.mpc(1, 1))
    assert not is_float(mp.mpf(1))
    assert positive(mp.mpf(1), "mass") == 1
    with pytest.raises(SingularError, match="mass"):
        positive(mp.mpf(0), "mass")
    assert scalars([mp.mpf(1), 0.5, 2], 3, "q") == (1, 0.5, 2)
    for bad in (mp.nan, mp.inf, math.inf):
        with pytest.raises(NotFiniteError, match=r"q\[1\]"):
            scalars([mp.mpf(1), bad], 2, "q")
