"""Complex numbers: principal values, comparison by real part, complex-step derivatives."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp

from rbd.errors import ScalarError
from rbd.scalars import (
    absolute,
    atan2,
    divide,
    exp,
    less,
    less_equal,
    log,
    maximum,
    minimum,
    power,
    sin,
    sqrt,
    tanh,
    to_float,
    where,
)
from tests.scalars.families import FUNCTIONS, NAMES, Function, close

STEP = 1e-150
coordinate = st.floats(-10.0, 10.0)


def step_derivative(value: object) -> float:
    assert isinstance(value, complex)
    return value.imag / STEP


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@given(data=st.data())
def test_complex_step(function: Function, data: st.DataObject) -> None:
    narrow = function.name in {"asin", "acos"}
    x = data.draw(
        st.floats(max(function.low, 1e-3 - narrow), min(function.high, 9.0)).filter(
            lambda x: abs(x) < 0.999 or not narrow
        )
    )
    result = function.ours(complex(x, STEP))
    assert isinstance(result, complex)
    with mp.workdps(40):
        assert close(result.real, function.theirs(mp.mpf(x)), 1e-14)
        assert close(step_derivative(result), function.derivative(mp.mpf(x)), 1e-12)


@given(coordinate, coordinate, coordinate, coordinate)
def test_complex_step_of_atan2(y: float, x: float, dy: float, dx: float) -> None:
    square = x * x + y * y
    assume(square > 1e-6)
    result = atan2(complex(y, dy * STEP), complex(x, dx * STEP))
    assert isinstance(result, complex)
    assert result.real == pytest.approx(math.atan2(y, x), abs=1e-14)
    assert step_derivative(result) == pytest.approx((x * dy - y * dx) / square, rel=1e-12, abs=1e-12)


@given(coordinate, coordinate, coordinate, coordinate)
def test_atan2_is_analytic(a: float, b: float, c: float, d: float) -> None:
    y, x = complex(a, b), complex(c, d)
    modulus = cmath.sqrt(x * x + y * y)
    # Away from the branch points, where tangent and cotangent are well conditioned.
    assume(abs(modulus) > 0.1)
    angle = atan2(y, x)
    assert isinstance(angle, complex)
    sine, cosine = cmath.sin(angle), cmath.cos(angle)
    assert abs(sine * x - cosine * y) <= 1e-10 * (abs(x) + abs(y)) * (abs(sine) + abs(cosine))


def test_atan2_of_extremes() -> None:
    assert atan2(0j, 0j) == 0
    assert atan2(1e200 + 0j, 1e200) == pytest.approx(math.pi / 4)
    assert atan2(1e-200 + 0j, 1e-200) == pytest.approx(math.pi / 4)
    assert atan2(complex(0.0, STEP), complex(-1.0)).real == math.pi
    assert step_derivative(atan2(complex(0.0, STEP), complex(-1.0))) == pytest.approx(-1.0)
    unknown = atan2(complex(math.inf, 1.0), complex(1.0))
    assert isinstance(unknown, complex)
    assert unknown.real == math.pi / 2


@given(st.floats(0.01, 10.0), st.sampled_from([-3, -2, -1, 0, 1, 2, 3, 0.5, -1.5, 7.25]))
def test_complex_step_of_power(x: float, n: float) -> None:
    result = power(complex(x, STEP), n)
    assert isinstance(result, complex)
    assert result.real == pytest.approx(x**n)
    assert step_derivative(result) == pytest.approx(n * x ** (n - 1), rel=1e-12)


@given(coordinate, coordinate)
def test_selection_is_by_real_part(a: float, b: float) -> None:
    u, v = complex(a, 1.0), complex(b, -1.0)
    assert less(u, v) is (a < b)
    assert less_equal(u, b) is (a <= b)
    assert minimum(u, v) == (v if b < a else u)
    assert maximum(u, v) == (v if a < b else u)
    assert absolute(u) == (-u if a < 0 else u)
    assert where(less(u, v), u, v) == minimum(u, v) or a == b


def test_principal_values() -> None:
    assert sqrt(-1 + 0j) == 1j
    assert sqrt(complex(-1.0, -0.0)) == -1j
    assert log(-1 + 0j) == complex(0.0, math.pi)
    assert sin(np.complex128(1j)) == cmath.sin(1j)
    assert divide(1 + 1j, 2.0) == 0.5 + 0.5j


@pytest.mark.parametrize(
    ("value", "real"),
    [
        (sin(complex(math.inf, 0.0)), math.nan),
        (exp(complex(1e4, STEP)), math.inf),
        (log(0j), -math.inf),
        (divide(1 + 0j, 0j), math.inf),
        (power(0j, -1), math.inf),
        (tanh(complex(math.inf, 0.0)), 1.0),
    ],
)
def test_exceptions_become_the_real_result(value: object, real: float) -> None:
    assert isinstance(value, complex)
    assert value.real == real or (math.isnan(value.real) and math.isnan(real))


def test_to_float() -> None:
    assert to_float(2 + 0j) == 2.0
    with pytest.raises(ScalarError, match="complex"):
        to_float(2 + 1j)
