"""Arithmetic of rational functions of s: values, exactness, denominators that divide out, poles and infinity."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rbd
from rbd.errors import ArgumentError, NotFiniteError, ScalarError, SingularError
from rbd.rational import Polynomial, RationalForwardKinematics, RationalFunction
from tests.algorithms.helpers import examples
from tests.rational.test_polynomial import EXACT, MIXED, S_VALUES, VARIABLES, polynomials

USED = ("cos[0]", "sin[0]", "s[1]")


def _functions(variables: dict[str, Polynomial]) -> st.SearchStrategy[RationalFunction]:
    even = [variables[f"q{a}[2]"] * variables[f"q{b}[2]"] for a in "wx" for b in "wz"]
    named = {str(k): p for k, p in enumerate([*even, *(variables[name] for name in USED)])}
    return polynomials(named).map(MIXED.rational)


F, E = _functions(dict(VARIABLES)), _functions(dict(EXACT))
COS, SIN, X = (MIXED.rational(VARIABLES[name]) for name in USED)
XCOS, XSIN, XX = (MIXED.rational(EXACT[name]) for name in USED)
S_EXACT = st.lists(st.fractions(-3, 3, max_denominator=7), min_size=5, max_size=5)
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(a=E, b=E, s=S_EXACT)
def test_exact_functions_stay_exact(name: str, a: RationalFunction, b: RationalFunction, s: list[Fraction]) -> None:
    assume(name != "/" or b(s) != 0)
    found = OPERATIONS[name](a, b)
    value = found(s)
    assert isinstance(value, (Fraction, int))
    assert value == OPERATIONS[name](a(s), b(s))
    assert all(isinstance(c, Fraction) for c in found.numerator.terms.values())


@pytest.mark.parametrize("name", OPERATIONS)
@given(a=F, b=F, s=S_VALUES)
def test_values_in_floats(name: str, a: RationalFunction, b: RationalFunction, s: list[float]) -> None:
    below = abs(b(s)) if name == "/" else 1.0
    assume(below > 1e-2)
    scale = (1 + abs(s[1])) ** 8 * 1e3 / below**2
    assert OPERATIONS[name](a, b)(s) == pytest.approx(OPERATIONS[name](a(s), b(s)), abs=1e-13 * scale)


@pytest.mark.parametrize("number", [2, -1, 0.5, Fraction(1, 3), np.float64(4.0), np.int64(3)])
@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic_with_numbers(name: str, number: Any) -> None:
    s = (0.3, 0.7, 0.1, 0.2, -0.4)
    for found, wanted in (
        (OPERATIONS[name](COS, number), OPERATIONS[name](COS(s), float(number))),
        (OPERATIONS[name](number, COS), OPERATIONS[name](float(number), COS(s))),
    ):
        assert isinstance(found, RationalFunction)
        assert found(s) == pytest.approx(wanted, abs=1e-14)


@examples(0.2)
@given(E, E, E)
def test_field_axioms(a: RationalFunction, b: RationalFunction, c: RationalFunction) -> None:
    for left, right in [
        ((a + b) * c, a * c + b * c),
        (a * (b * c), (a * b) * c),
        (a - b, -(b - a)),
        (+a, a**1),
        (a * a * a, a**3),
    ]:
        assert left.isclose(right, 0)
        assert left.powers == right.powers
        assert left.numerator.terms == right.numerator.terms
    assert not (a - a).numerator.terms
    assert str(a**0) == "1"
    if b.numerator.terms:
        assert (a / b * b).isclose(a, 0)
        assert str(b / b) == "1"
        assert (b**-2).isclose(1 / (b * b), 0)


@pytest.mark.parametrize(("cos", "sin"), [(COS, SIN), (XCOS, XSIN)])
def test_denominators_divide_out(cos: RationalFunction, sin: RationalFunction) -> None:
    assert str(cos * cos + sin * sin) == "1"
    assert str(sin / (1 + cos)) == "s[0]"
    assert str(1 / (1 + cos)) in ("1/2 + 1/2*s[0]**2", "0.5 + 0.5*s[0]**2")
    assert str(1 / (2 - cos)) == "(1 + s[0]**2) / (1 + 3*s[0]**2)"
    assert (sin / cos).powers == {}
    assert str(sin / cos * cos) == str(sin)


def test_rotations_divide_out() -> None:
    squares = [MIXED.rational(EXACT[f"q{a}[2]"] * EXACT[f"q{a}[2]"]) for a in "wxyz"]
    total = squares[0] + squares[1] + squares[2] + squares[3]
    assert str(total) == "1"
    assert str(squares[1] / squares[0]) == "s[2]**2"


@given(F, S_VALUES, st.integers(0, 4))
def test_derivatives_of_quotients(a: RationalFunction, s: list[float], index: int) -> None:
    quotient = a / (3 + COS * SIN)
    slope, b = quotient.derivative(index), 3 + COS * SIN
    wanted = (a.derivative(index)(s) * b(s) - a(s) * b.derivative(index)(s)) / b(s) ** 2
    assert slope(s) == pytest.approx(wanted, abs=1e-11 * (1 + abs(s[1])) ** 6 * 100)


def test_infinity_and_poles() -> None:
    bounded = (COS + 2 * SIN) / (3 - SIN)
    assert bounded([math.inf, 0, 0, 0, 0]) == pytest.approx(-1 / 3)
    tangent = SIN / COS
    rows = np.zeros((3, 5))
    rows[:, 0] = [0.5, np.inf, 1.0]
    assert tangent(rows)[:2] == pytest.approx([4 / 3, 0.0])
    assert math.isinf(tangent(rows)[2])
    with pytest.raises(SingularError, match="pole"):
        (XSIN / XCOS)((Fraction(1), 0, 0, 0, 0))
    assert math.isinf(tangent([1.0, 0, 0, 0, 0]))


def test_native_values_are_the_same() -> None:
    quotient, rng = (COS + X) / (2 + SIN * COS), np.random.default_rng(6)
    compiled, s = quotient.compile(), rng.normal(size=(20, 5))
    np.testing.assert_allclose(compiled(s), quotient(s), rtol=1e-14, atol=1e-14)


def test_text_latex_and_pickling() -> None:
    quotient = XX * XSIN / (2 - XCOS) / (1 + XX)
    s = (Fraction(1, 3), Fraction(2, 5), 0, 0, 0)
    assert pickle.loads(pickle.dumps(quotient))(s) == quotient(s)
    assert quotient.variables == ("s[0]", "s[1]")
    symbols = quotient.to_sympy()
    assert symbols.subs({x: s[int(x.name[-1])] for x in symbols.free_symbols}) == quotient(s)
    assert quotient.denominator(s) * quotient(s) == quotient.numerator(s)
    assert "frac" in quotient.latex()
    assert (COS == COS) is True
    assert (COS == COS + 0) is False  # identity, as for polynomials: isclose compares
    assert COS.isclose(COS + 0)
    assert not COS.isclose(SIN)


def test_errors_of_rational_functions() -> None:
    zero = COS - COS
    for wrong in (lambda: COS / zero, lambda: COS / 0, lambda: zero**-1, lambda: 1 / zero):
        with pytest.raises(ScalarError, match="zero"):
            wrong()
    other = RationalForwardKinematics(rbd.robots.double_pendulum())
    for stranger in (XCOS, other.rational(other.variables([0, 0])["cos[0]"])):
        with pytest.raises(ArgumentError, match="cannot be combined"):
            COS + stranger
    with pytest.raises(ArgumentError, match=r"kinematics.rational\("):
        COS * VARIABLES["cos[0]"]
    with pytest.raises(ArgumentError, match="n must be a whole number"):
        COS**0.5  # type: ignore[operator]  # refused on purpose
    with pytest.raises(TypeError):
        COS + "x"
    with pytest.raises(NotFiniteError):
        COS * math.nan
    with pytest.raises(ArgumentError, match="pose has a divisor"):
        MIXED.bounds(1 / (2 - COS), [-1] * 5, [1] * 5)
