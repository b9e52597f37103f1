"""Intervals: results contain the values at all points."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from mpmath import iv, mp

from rbd.errors import NotFiniteError, ScalarError, SingularError
from rbd.scalars import (
    Scalar,
    absolute,
    acos,
    asin,
    atan2,
    both,
    const,
    divide,
    either,
    exp,
    greater,
    invert,
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
    tanh,
    to_float,
    where,
)
from tests.scalars.families import FUNCTIONS, NAMES, Function

DIGITS = 60
part = st.fractions(0, 1, max_denominator=64)
modest = st.floats(-20.0, 20.0)
Ends = tuple[float, float]


def ends(low: float, high: float) -> st.SearchStrategy[Ends]:
    return st.tuples(st.floats(low, high), st.floats(low, high)).map(lambda e: (min(e), max(e)))


def interval(e: Ends) -> Any:
    return iv.mpf(list(e))


def point(e: Ends, where_in: Fraction) -> Any:
    t = mp.mpf(where_in.numerator) / where_in.denominator
    inside = mp.mpf(e[0]) + t * (mp.mpf(e[1]) - mp.mpf(e[0]))
    return min(max(inside, mp.mpf(e[0])), mp.mpf(e[1]))


def low(x: Any) -> Any:
    return mp.make_mpf(x._mpi_[0])


def high(x: Any) -> Any:
    return mp.make_mpf(x._mpi_[1])


def holds(x: Any, value: Any) -> bool:
    return bool(low(x) <= value <= high(x))


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@given(data=st.data())
def test_containment(function: Function, data: st.DataObject) -> None:
    e = data.draw(ends(max(function.low, -300.0), min(function.high, 300.0)))
    with mp.workdps(DIGITS):
        assert holds(function.ours(interval(e)), function.theirs(point(e, data.draw(part))))


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@pytest.mark.parametrize("precision", [20, 53, 200])
@given(data=st.data())
def test_points_are_enclosed_tightly(function: Function, precision: int, data: st.DataObject) -> None:
    x = data.draw(st.floats(max(function.low, -300.0), min(function.high, 300.0)))
    context = mpmath.ctx_iv.MPIntervalContext()
    context.prec = precision
    result: Any = function.ours(lift(x, context.mpf(1)))
    with mp.workdps(200):
        value = function.theirs(mp.mpf(x))
        assert holds(result, value)
        assert high(result) - low(result) <= abs(value) * mp.mpf(2) ** (2 - precision)


def test_points_next_to_poles_are_not_at_them() -> None:
    """A float differs from every pole, also where the difference is below the precision of the result."""
    context = mpmath.ctx_iv.MPIntervalContext()
    context.prec = 20
    result: Any = tan(lift(1.5707963705062866, context.mpf(1)))
    with mp.workdps(200):
        value = mp.tan(mp.mpf(1.5707963705062866))
        assert holds(result, value)
        assert high(result) - low(result) <= abs(value) * mp.mpf(2) ** -18


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f.name in {"sin", "cos", "tan"}], ids=lambda f: f.name)
@given(quarter=st.integers(-(10**9), 10**9), left=st.integers(0, 40), right=st.integers(0, 40), t=part)
def test_extrema_and_poles(function: Function, quarter: int, left: int, right: int, t: Fraction) -> None:
    middle = quarter * math.pi / 2
    e = middle - left * math.ulp(middle), middle + right * math.ulp(middle)
    with mp.workdps(DIGITS):
        result = function.ours(interval(e))
        assert holds(result, function.theirs(point(e, t)))
        exact = quarter * mp.pi / 2
        if e[0] <= exact <= e[1] and not (function.name == "tan" and quarter % 2):
            assert holds(result, function.theirs(exact))
        if e[0] <= exact <= e[1] and function.name == "tan" and quarter % 2:
            assert (low(result), high(result)) == (-mp.inf, mp.inf)


def test_huge_angles() -> None:
    with mp.workdps(1000):
        assert holds(sin(iv.mpf(1e300)), mp.sin(mp.mpf(1e300)))
    far = iv.mpf(2) ** 100000
    assert -1 in sin(far)
    assert 1 in sin(far)
    assert sin(iv.mpf(["-inf", "inf"])) == iv.mpf([-1, 1])
    assert tan(far) == iv.mpf(["-inf", "inf"])


def test_exact_points_stay_exact() -> None:
    zero, one = iv.mpf(0), iv.mpf(1)
    for result in (sin(zero), tan(zero), asin(zero), acos(one), log(one), tanh(zero), sqrt(zero), atan2(zero, one)):
        assert result == zero
    assert exp(zero) == one
    assert sqrt(iv.mpf([4, 9])) == iv.mpf([2, 3])


@given(ends(-5.0, 5.0), ends(-5.0, 5.0), part, part)
@example((0.0, 1.0), (-2.0, -1.0), Fraction(0), Fraction(0))
@example((-1.0, 0.0), (-2.0, -1.0), Fraction(1), Fraction(0))
@example((-1.0, 0.0), (0.0, 2.0), Fraction(1), Fraction(0))
@example((0.0, 0.0), (-2.0, 2.0), Fraction(1), Fraction(0))
@example((-1.0, -0.5), (-2.0, 2.0), Fraction(1), Fraction(0))
def test_atan2_contains(ey: Ends, ex: Ends, s: Fraction, t: Fraction) -> None:
    with mp.workdps(DIGITS):
        y, x = point(ey, s), point(ex, t)
        assert holds(atan2(interval(ey), interval(ex)), mp.atan2(y, x))


@given(st.tuples(st.floats(-5.0, -1e-9), st.floats(0.0, 5.0)), st.tuples(st.floats(-5.0, -1e-9), st.floats(-5.0, 5.0)))
def test_atan2_across_the_cut_is_everything(ey: Ends, ex: Ends) -> None:
    assume(ex[0] <= ex[1])
    result = atan2(interval(ey), interval(ex))
    with mp.workdps(DIGITS):
        assert holds(result, -mp.pi)
        assert holds(result, mp.pi)
        assert high(result) - low(result) < 6.2832


@given(modest, modest)
def test_atan2_of_points_is_tight(y: float, x: float) -> None:
    result = atan2(iv.mpf(y), iv.mpf(x))
    with mp.workdps(DIGITS):
        value = mp.atan2(mp.mpf(y), mp.mpf(x))
        assert holds(result, value)
        assert high(result) - low(result) <= abs(value) * mp.mpf(2) ** -50


def test_atan2_of_boxes_at_the_origin_and_beyond() -> None:
    half_pi, inf = math.pi / 2, math.inf
    cases: list[tuple[Ends, Ends, Ends]] = [
        ((0, 1), (0, 1), (0, half_pi)),
        ((-1, 1), (0, 1), (-half_pi, half_pi)),
        ((-1, 0), (0, 1), (-half_pi, 0)),
        ((0, 1), (-1, 1), (0, math.pi)),
        ((0, 0), (0, 0), (0, 0)),
        ((0, 0), (-1, 0), (0, math.pi)),
        ((1, inf), (1, 2), (0, half_pi)),
        ((-2, -1), (-inf, inf), (-math.pi, 0)),
    ]
    for y, x, expected in cases:
        result = atan2(interval(y), interval(x))
        assert (to_float(lift(float(low(result)), 1.0)), float(high(result))) == pytest.approx(expected)


@given(ends(-20.0, 20.0), st.integers(-6, 6), part)
def test_integer_powers(e: Ends, n: int, t: Fraction) -> None:
    with mp.workdps(DIGITS):
        x = point(e, t)
        if x != 0 or n >= 0:
            assert holds(power(interval(e), n), x**n)


@given(ends(0.0, 20.0), st.sampled_from([const(1, 2), const(3, 2), const(-1, 3), 0.1, 2.5, math.pi]), part)
def test_other_powers(e: Ends, n: Scalar, t: Fraction) -> None:
    with mp.workdps(DIGITS):
        x, exponent = point(e, t), mp.mpmathify(lift(n, mp.mpf(1)))
        if x != 0 or exponent > 0:
            assert holds(power(interval(e), n), x**exponent)


@given(ends(-20.0, 20.0), ends(-20.0, 20.0), part, part)
def test_functions_of_two(ea: Ends, eb: Ends, s: Fraction, t: Fraction) -> None:
    a, b = interval(ea), interval(eb)
    with mp.workdps(DIGITS):
        u, v = point(ea, s), point(eb, t)
        assert holds(minimum(a, b), min(u, v))
        assert holds(maximum(a, b), max(u, v))
        assert holds(absolute(a), abs(u))
        if v != 0:
            assert holds(divide(a, b), u / v)
    assert minimum(a, b) == iv.mpf([min(ea[0], eb[0]), min(ea[1], eb[1])])
    assert maximum(a, b) == iv.mpf([max(ea[0], eb[0]), max(ea[1], eb[1])])


def test_arguments_partly_outside_the_domain() -> None:
    whole = iv.mpf(["-inf", "inf"])
    assert sqrt(iv.mpf([-1, 4])) == iv.mpf([0, 2])
    assert low(log(iv.mpf([-1, 1]))) == -mp.inf
    assert high(log(iv.mpf([-1, 1]))) == 0
    assert low(acos(iv.mpf([0, 5]))) == 0
    assert high(asin(iv.mpf([-5, 0]))) == 0
    for nowhere in (sqrt(iv.mpf([-2, -1])), log(iv.mpf([-2, 0])), asin(iv.mpf([2, 3])), acos(iv.mpf([-3, -2]))):
        assert nowhere == whole
    assert divide(1, iv.mpf([-1, 1])) == whole
    assert divide(1.0, iv.mpf(0)) == whole


@given(ends(-5.0, 5.0), ends(-5.0, 5.0))
def test_comparisons_have_three_values(ea: Ends, eb: Ends) -> None:
    a, b = interval(ea), interval(eb)
    strict = True if ea[1] < eb[0] else False if ea[0] >= eb[1] else None
    weak = True if ea[1] <= eb[0] else False if ea[0] > eb[1] else None
    for condition, expected in [(less(a, b), strict), (greater(b, a), strict), (less_equal(a, b), weak)]:
        hull = iv.mpf([0, 1])
        chosen = where(condition, iv.mpf(1), iv.mpf(0))
        assert chosen == (hull if expected is None else iv.mpf(int(expected)))


def test_undecided_comparisons() -> None:
    x = iv.mpf([1, 3])
    undecided = less(x, 2)
    assert where(undecided, 5.0, -1) == iv.mpf([-1, 5])
    assert where(undecided, x, 10.0) == iv.mpf([1, 10])
    assert where(undecided, const(1, 2), Fraction(1, 4)) == iv.mpf([0.25, 0.5])
    assert repr(undecided) == "undecided"
    assert both(undecided, False) is False
    assert either(undecided, True) is True
    for still in (both(undecided, True), either(False, undecided), invert(undecided), both(undecided, undecided)):
        assert where(still, 1.0, 2.0) == iv.mpf([1, 2])
    with pytest.raises(ScalarError, match="where"):
        bool(undecided)
    with pytest.raises(ScalarError):
        where(undecided, 1j, x)


def test_guarded_series_are_enclosed() -> None:
    # The pattern of the algorithms: sin(t) / t with a series near zero, over an interval that holds zero.
    t = iv.mpf([-0.5, 0.5])
    square = t * t
    small = less(square, const(1, 100))
    safe = where(small, 1, square)
    near = 1 - square / 6
    root = sqrt(safe)
    result = where(small, near, sin(root) / root)
    for x in (-0.5, -0.1, 1e-9, 0.3):
        assert holds(result, mp.sin(x) / x)


@pytest.mark.parametrize("x", [0.1, -3, 10**30, const(1, 3), Fraction(2, 7), 1e-320])
def test_lifting_encloses(x: Scalar) -> None:
    lifted = lift(x, iv.mpf(1))
    with mp.workdps(DIGITS):
        assert holds(lifted, mp.mpmathify(lift(x, mp.mpf(1))))
    if isinstance(x, float):
        assert low(lifted) == high(lifted) == x


def test_lifting_of_other_numbers() -> None:
    assert lift(math.nan, iv.mpf(1)) == iv.mpf(["-inf", "inf"])
    assert lift(mp.mpf(0.1), iv.mpf(1)) == iv.mpf(0.1)
    for bad in (1j, mp.mpc(1, 1)):
        with pytest.raises(ScalarError):
            lift(bad, iv.mpf(1))


def test_positive_must_be_certain() -> None:
    x = iv.mpf([1, 2])
    assert positive(x, "mass") is x
    with pytest.raises(SingularError, match="mass must be positive"):
        positive(iv.mpf([-2, 0]), "mass")
    for doubtful in (iv.mpf([0, 1]), iv.mpf([-1, 1])):
        with pytest.raises(SingularError, match=r"mass .* undecided"):
            positive(doubtful, "mass")


def test_to_float_needs_a_point() -> None:
    assert to_float(iv.mpf(0.5)) == 0.5
    with pytest.raises(ScalarError, match="interval"):
        to_float(iv.mpf([1, 2]))
    assert not is_float(iv.mpf(1))


def test_vectors_of_intervals() -> None:
    x = iv.mpf([1, 2])
    assert scalars([x, 0.5], 2, "q") == (x, 0.5)
    with pytest.raises(NotFiniteError):
        scalars([x, iv.mpf([0, "inf"])], 2, "q")


def test_constants_of_mpmath_are_intervals() -> None:
    functions: list[Callable[[Scalar], Scalar]] = [sin, lambda x: maximum(x, 3)]
    assert 0 in functions[0](iv.pi)
    assert holds(functions[1](iv.pi), mp.pi)
