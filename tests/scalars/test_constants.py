"""Exact constants in operations with all families, in both operand orders."""

from __future__ import annotations

import copy
import itertools
import math
import operator
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from mpmath import iv, mp

from rbd.errors import ArgumentError
from rbd.program.graph import Graph
from rbd.scalars import Scalar, const, cos, sin, sqrt, to_float
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.scalars.structural_zeros import is_structural_zero

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv]
top = st.integers(-50, 50)
bottom = st.integers(1, 50)
each_operator = pytest.mark.parametrize("operation", OPERATORS)


def defined(operation: object, b: object) -> bool:
    return operation is not operator.truediv or b != 0


@each_operator
@given(n=top, d=bottom, m=top, e=bottom)
def test_operations_of_constants_are_exact(operation: Any, n: int, d: int, m: int, e: int) -> None:
    if defined(operation, m):
        result = operation(const(n, d), const(m, e))
        expected = operation(Fraction(n, d), Fraction(m, e))
        assert (result.numerator, result.denominator) == (expected.numerator, expected.denominator)
        assert isinstance(result, int) == (expected.denominator == 1)


@each_operator
@given(n=top, d=bottom, m=st.integers(-9, 9))
def test_constants_with_integers_are_exact(operation: Any, n: int, d: int, m: int) -> None:
    for kind in (int, np.int64):
        if defined(operation, m):
            assert operation(const(n, d), kind(m)) == operation(Fraction(n, d), m)
        if defined(operation, n):
            assert operation(kind(m), const(n, d)) == operation(m, Fraction(n, d))


OF_FLOATS = ["lt", "le", "gt", "ge", "eq", "ne", "pow", "floordiv", "mod"]
OF_INTEGERS = [*OF_FLOATS, "and_", "or_", "xor", "lshift", "rshift"]
INTEGERS = (2, True, np.int64(3), np.array([1, 2]))
FLOATS = (2.0, np.float64(3), np.ones(2))
OTHERS = [*itertools.product(OF_INTEGERS, INTEGERS), *itertools.product(OF_FLOATS, FLOATS)]


@pytest.mark.parametrize(("name", "other"), OTHERS)
def test_other_operators_take_whole_constants_as_ints(name: str, other: Any) -> None:
    operation = getattr(operator, name)
    for found, expected in (
        (operation(const(2), other), operation(2, other)),
        (operation(other, const(2)), operation(other, 2)),
    ):
        assert type(found) is type(expected)
        assert np.array_equal(found, expected)


def test_arrays_take_whole_constants_in_place() -> None:
    array = np.array([1.0, 3.0])
    view = array[:]
    view += const(1)
    view *= const(2)
    view **= const(2)
    assert array.tolist() == [16.0, 64.0]
    assert divmod(np.int64(7), const(2)) == (3, 1)
    assert {const(2): "two"}[2] == "two"


@each_operator
@given(n=top, m=st.integers(1, 9))
def test_whole_constants_with_arrays_are_ints(operation: Any, n: int, m: int) -> None:
    array = np.arange(m, m + 3)
    assert operation(const(n), array).tolist() == operation(n, array).tolist()
    if defined(operation, n):
        assert operation(array, const(n)).tolist() == operation(array, n).tolist()


@each_operator
@given(n=top, d=bottom, x=st.floats(-1e9, 1e9).filter(lambda x: x == 0 or abs(x) > 1e-9))
def test_constants_with_floats_are_floats(operation: Any, n: int, d: int, x: float) -> None:
    for kind in (float, np.float64):
        if defined(operation, x):
            assert operation(const(n, d), kind(x)) == operation(n / d, x)
        if defined(operation, n):
            assert operation(kind(x), const(n, d)) == operation(x, n / d)


@each_operator
@given(n=top, d=bottom, p=top, q=bottom)
def test_constants_with_fractions_are_fractions(operation: Any, n: int, d: int, p: int, q: int) -> None:
    c, x = const(n, d), Fraction(p, q)
    if defined(operation, x):
        result = operation(c, x)
        assert isinstance(result, Fraction)
        assert result == operation(Fraction(n, d), x)
    if defined(operation, n):
        result = operation(x, c)
        assert isinstance(result, Fraction)
        assert result == operation(x, Fraction(n, d))


@each_operator
def test_constants_with_symbols_are_rationals(operation: Any) -> None:
    x, third = sympy.Symbol("x"), sympy.Rational(1, 3)
    assert operation(const(1, 3), x) == operation(third, x)
    assert operation(x, const(1, 3)) == operation(x, third)
    assert operation(const(3), x) == operation(3, x)
    assert not operation(x, const(1, 3)).has(sympy.Float)


@each_operator
def test_constants_with_intervals_are_enclosed(operation: Any) -> None:
    x = iv.mpf([2, 3])
    for result, value in [
        (operation(const(1, 3), x), operation(Fraction(1, 3), Fraction(5, 2))),
        (operation(x, const(1, 3)), operation(Fraction(5, 2), Fraction(1, 3))),
        (operation(x, const(3)), operation(Fraction(5, 2), 3)),
    ]:
        with mp.workdps(40):
            assert mp.mpf(result.a.a) <= mp.mpf(value.numerator) / value.denominator <= mp.mpf(result.b.b)


@pytest.mark.parametrize("digits", [10, 15, 50])
def test_intervals_of_any_precision_enclose_constants(digits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iv, "dps", digits)
    product = iv.mpf(3) * const(1, 3)
    assert 1 in product
    assert product.delta.b < 10.0 ** (3 - digits)


@each_operator
def test_constants_with_mpmath_numbers_have_their_precision(operation: Any) -> None:
    with mp.workdps(50):
        third = mp.mpf(1) / 3
        for x in (mp.mpf("1.5"), mp.mpc("1.5", "-2")):
            assert operation(const(1, 3), x) == operation(third, x)
            assert operation(x, const(1, 3)) == operation(x, third)


@each_operator
def test_constants_with_other_numbers(operation: Any) -> None:
    z = complex(1.5, -2.0)
    assert operation(const(1, 3), z) == operation(1 / 3, z)
    assert operation(z, const(1, 3)) == operation(z, 1 / 3)
    x = CountingScalar(1.5, OperationCount())
    assert operation(const(1, 3), x).value == operation(1 / 3, 1.5)
    assert operation(x, const(1, 3)).value == operation(1.5, 1 / 3)
    assert x.count.total == 2


@each_operator
@pytest.mark.parametrize("other", ["1", None, [1]])
def test_values_that_are_not_numbers_raise(operation: Any, other: object) -> None:
    with pytest.raises(TypeError):
        operation(const(1, 3), other)
    with pytest.raises(TypeError):
        operation(other, const(1, 3))


def test_division_by_a_zero_constant() -> None:
    for zero in (const(0), 0, 0.0, Fraction(0)):
        with pytest.raises(ZeroDivisionError):
            _ = const(1, 2) / zero


@given(top, bottom)
def test_equal_numbers_hash_alike(n: int, d: int) -> None:
    assert const(n, d) == Fraction(n, d)
    assert Fraction(n, d) == const(n, d)
    assert hash(const(n, d)) == hash(Fraction(n, d))
    assert (const(n, d) == n / d) == (Fraction(n, d) == n / d)


@given(top, bottom, top, bottom)
def test_order(n: int, d: int, m: int, e: int) -> None:
    comparisons: list[Callable[[Any, Any], bool]] = [operator.lt, operator.le, operator.gt, operator.ge]
    for compare in comparisons:
        expected = compare(Fraction(n, d), Fraction(m, e))
        assert compare(const(n, d), const(m, e)) == expected
        assert compare(const(n, d), Fraction(m, e)) == expected
        assert compare(Fraction(n, d), const(m, e)) == expected
        assert compare(const(n, d), m / e) == compare(Fraction(n, d), m / e)


def test_signs() -> None:
    assert const(1, -2) == const(-1, 2) == -const(1, 2) == +const(-1, 2)
    assert abs(const(-1, 2)) == const(1, 2)
    assert -const(3) == -3
    assert -const(3) / const(2) == const(-3, 2)
    assert const(-6, 4).numerator == -3


@pytest.mark.parametrize("n", [2, 0, -2])
def test_absolute_values_of_whole_constants_have_exact_quotients(n: int) -> None:
    assert abs(const(n)) == abs(n)
    assert abs(const(n)) / 3 == Fraction(abs(n), 3)


def test_constant_zeros_are_structural() -> None:
    for zero in (0, const(0), const(1, 2) - const(1, 2)):
        assert is_structural_zero(zero)
    for other in (0.0, Fraction(0), const(1), const(1, 2), Graph().input("x")):
        assert not is_structural_zero(other)


def test_a_constant_is_a_scalar() -> None:
    assert isinstance(const(1, 2), Scalar)
    assert isinstance(const(2), int)
    assert float(const(1, 2)) == 0.5
    assert to_float(const(1, 3)) == 1 / 3
    assert float(const(10**400, 3)) == math.inf
    assert sin(const(1, 2)) == math.sin(0.5)
    assert cos(const(1, 3)) == math.cos(1 / 3)
    assert sqrt(const(9, 4)) == const(3, 2)
    assert repr(const(1, 2)) == "const(1, 2)"
    assert np.array([1.0, const(1, 2)], dtype=float).tolist() == [1.0, 0.5]


def test_copies_are_equal() -> None:
    for c in (const(1, 3), const(2)):
        assert pickle.loads(pickle.dumps(c)) == c
        assert copy.deepcopy(c) == c


@pytest.mark.parametrize(("n", "d"), [(0.5, 1), (1, 0.5), ("1", 2), (None, 1), (Fraction(1), 2), (1, 0)])
def test_const_takes_integers(n: Any, d: Any) -> None:
    with pytest.raises(ArgumentError):
        const(n, d)
