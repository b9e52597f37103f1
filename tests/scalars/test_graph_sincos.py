"""Sine and cosine of compiled programs against 60 digits; the fused multiply-add."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from rbd.program.interpret import FLOAT_FUNCTIONS
from rbd.program.opcodes import Op
from rbd.scalars import libm
from rbd.scalars.sincos import LIMIT, sincos

any_float = st.floats(allow_nan=False, allow_infinity=False)
# Doubles that are closer to a multiple of pi/2 than all others up to the limit.
CLOSEST = (29, 58, 116, 232, 464, 928, 1856, 204551)


def ulps(value: float, exact: object) -> float:
    """The error of `value` in units of the last place of the exact result."""
    with mp.workdps(60):
        return float(abs(mp.mpf(value) - exact) / mp.mpf(math.ulp(float(exact)) if exact else 5e-324))


def worst(x: float) -> float:
    s, c = sincos(x, libm.fma)
    with mp.workdps(60):
        return max(ulps(s, mp.sin(mp.mpf(x))), ulps(c, mp.cos(mp.mpf(x))))


@given(st.floats(-LIMIT, LIMIT))
def test_error_is_below_one_last_place(x: float) -> None:
    assert worst(x) < 1


def test_error_at_random_angles() -> None:
    rng = random.Random(1)
    angles = [rng.uniform(-bound, bound) for bound in (1.0, 7.0, 1e3, LIMIT) for _ in range(400)]
    assert max(map(worst, angles)) < 0.9


@pytest.mark.parametrize("k", CLOSEST)
def test_error_next_to_multiples_of_a_right_angle(k: int) -> None:
    with mp.workdps(60):
        nearest = float(k * mp.pi / 2)
    for x in (nearest, math.nextafter(nearest, 0), math.nextafter(nearest, math.inf), -nearest):
        assert worst(x) < 1


def test_tiny_angles() -> None:
    assert [sincos(x, libm.fma) for x in (0.0, 5e-324, -1e-300)] == [(0.0, 1.0), (5e-324, 1.0), (-1e-300, 1.0)]
    assert math.copysign(1.0, sincos(-0.0, libm.fma)[0]) == 1.0  # as documented


def test_library_is_used_beyond_the_limit() -> None:
    for x in (1.6e6, -1e10, 1e300):
        assert FLOAT_FUNCTIONS[Op.SIN](x) == math.sin(x)
        assert FLOAT_FUNCTIONS[Op.COS](x) == math.cos(x)
    assert math.isnan(FLOAT_FUNCTIONS[Op.SIN](math.inf))


@given(any_float, any_float, any_float)
def test_fma_rounds_once(a: float, b: float, c: float) -> None:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    fused = libm.fma(a, b, c)
    if math.isfinite(fused):
        assert fused == libm.exact_fma(a, b, c)
        low, high = math.nextafter(fused, -math.inf), math.nextafter(fused, math.inf)
        nearest = min((low, fused, high), key=lambda x: abs(Fraction(x) - exact) if math.isfinite(x) else math.inf)
        assert abs(Fraction(nearest) - exact) == abs(Fraction(fused) - exact)
    else:
        assert abs(exact) > Fraction(1.7976931348623157e308)


def test_is_fma_detects_two_roundings() -> None:
    assert libm.is_fma(libm.exact_fma)
    assert libm.is_fma(libm.fma)
    assert not libm.is_fma(lambda a, b, c: a * b + c)
