"""Scalar families: registration, and operations of two families."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from mpmath import iv, mp

from rbd.errors import ScalarError, SingularError
from rbd.scalars import (
    Scalar,
    ScalarFamily,
    absolute,
    atan2,
    const,
    cos,
    divide,
    invert,
    less,
    lift,
    log,
    maximum,
    minimum,
    positive,
    power,
    register_scalar,
    scalars,
    sin,
    to_float,
    where,
)
from rbd.scalars.registry import family_of
from tests.scalars.dual import Dual, dual
from tests.scalars.families import FUNCTIONS, NAMES, Function, close


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@given(x=st.floats(0.01, 0.99))
def test_dual_numbers_differentiate(function: Function, x: float) -> None:
    result: Any = function.ours(Dual(x, 1.0))
    with mp.workdps(40):
        assert close(result.value, function.theirs(mp.mpf(x)), 1e-14)
        assert close(result.derivative, function.derivative(mp.mpf(x)), 1e-12)


@given(st.floats(0.1, 3.0))
def test_dual_numbers_mix_with_floats_and_constants(x: float) -> None:
    t = Dual(x, 1.0)
    quarter: Any = const(1, 4) * power(t, 3) / 2 - 1.0 / t + t * const(1, 3)
    assert quarter.derivative == pytest.approx(3 * x * x / 8 + 1 / (x * x) + 1 / 3)
    angle: Any = atan2(t, 2)
    assert angle.derivative == pytest.approx(2 / (x * x + 4))


def test_defaults_of_the_abstract_class() -> None:
    a, b = Dual(1.0, 5.0), Dual(2.0, 6.0)
    assert minimum(a, b).derivative == 5.0
    assert maximum(a, b).derivative == 6.0
    assert minimum(a, 0.5).value == 0.5
    assert absolute(-a).derivative == 5.0
    assert where(less(a, b), a, b) is a
    assert positive(a, "mass") is a
    with pytest.raises(SingularError, match="mass"):
        positive(-a, "mass")
    assert to_float(a) == 1.0
    assert scalars([a, 0.5], 2, "q") == (a, 0.5)
    assert isinstance(a, Scalar)


def test_dual_numbers_over_other_families() -> None:
    x = sympy.Symbol("x")
    assert sin(Dual(x, 1)).derivative == sympy.cos(x)
    exact: Any = divide(Dual(Fraction(1, 3), Fraction(1)), 3)
    assert exact.derivative == Fraction(1, 3)
    wide: Any = cos(Dual(iv.mpf([0, 1]), 1))
    assert 0 in wide.derivative


class Minimal:
    """A scalar that can do nothing."""


class MinimalFamily(ScalarFamily[Minimal]):
    name = "minimal"
    priority = 200

    def lift(self, x: Scalar, like: Minimal) -> Minimal:
        return like

    def to_float(self, x: Minimal) -> float:
        return 0.0

    def less(self, a: Minimal, b: Minimal) -> bool:
        return False

    def less_equal(self, a: Minimal, b: Minimal) -> bool:
        return False


register_scalar(Minimal, MinimalFamily(), condition=Minimal)


@pytest.mark.parametrize("function", [f.ours for f in FUNCTIONS] + [absolute], ids=[*NAMES, "absolute"])
def test_undefined_functions_raise_with_their_name(function: Any) -> None:
    with pytest.raises(ScalarError, match=rf"{function.__name__}\(.*'minimal'"):
        function(Minimal())


@pytest.mark.parametrize("function", [atan2, power, divide])
def test_undefined_functions_of_two_operands_raise_with_their_name(function: Any) -> None:
    with pytest.raises(ScalarError, match=rf"{function.__name__}\(.*'minimal'"):
        function(Minimal(), 1.0)


def test_conditions_a_family_cannot_select_by_are_refused() -> None:
    condition: Any = Minimal()
    with pytest.raises(ScalarError, match="condition"):
        where(condition, 1.0, 2.0)
    with pytest.raises(ScalarError, match="condition"):
        invert(condition)


class Child(Dual):
    """Subclasses belong to the family of their base."""


def test_subclasses_belong_to_the_family() -> None:
    assert sin(Child(0.5, 1.0)).derivative == cos(0.5)


def test_a_family_may_be_replaced() -> None:
    class Number:
        pass

    class Descendant(Number):
        pass

    class First(MinimalFamily):
        def to_float(self, x: Minimal) -> float:
            return 1.0

    class Second(MinimalFamily):
        def to_float(self, x: Minimal) -> float:
            return 2.0

    value: Any = Descendant()
    register_scalar(Number, First())
    assert to_float(value) == 1.0
    register_scalar(Number, Second())
    assert to_float(value) == 2.0


def test_family_of_higher_priority_computes() -> None:
    x = sympy.Symbol("x")
    assert lift(0.5, (1.0, Fraction(1), x)) == sympy.Rational(1, 2)
    assert isinstance(minimum(Fraction(1, 3), 1j), complex)
    assert isinstance(minimum(Fraction(1, 3), mp.mpf(1)), mp.mpf)
    assert isinstance(minimum(mp.mpf(1), iv.mpf(2)), type(iv.mpf(1)))
    assert isinstance(minimum(x, Fraction(1, 3)), sympy.Min)
    smaller: Any = minimum(dual(1.0), Dual(x, 1))
    assert smaller.derivative == sympy.Piecewise((1, x < 1), (0, True))
    assert lift(x, 1.0) is x
    assert log(np_one := const(1)) == 0
    assert np_one == 1


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_foreign_packages_are_not_imported() -> None:
    code = """
import sys
from rbd.scalars import *
from fractions import Fraction
sin(0.5), sin(1j), sqrt(Fraction(4)), less(const(1, 2), 1.0), scalars([1, 2.0], 2, "q")
try:
    sin(object())
except TypeError:
    pass
print(*sorted({"sympy", "mpmath", "scipy", "tqdm"} & set(sys.modules)))
"""
    assert run(code).strip() == ""


@pytest.mark.parametrize(
    ("package", "lines"),
    [
        ("sympy", ["sin(sympy.Integer(0)) == 0", "where(sympy.Symbol('x') < 1, 0, 0) == 0"]),
        ("mpmath", ["where(less(0.0, mpmath.pi), 0, 1) == 0", "sin(mpmath.iv.mpf(0)) == 0", "sin(mpmath.mpf(0)) == 0"]),
    ],
)
def test_families_are_registered_at_their_first_operand(package: str, lines: list[str]) -> None:
    printed = run(f"from rbd.scalars import *; import {package}; print({', '.join(lines)})")
    assert printed.split() == ["True"] * len(lines)


def test_registration_updates_types_found_by_their_bases() -> None:
    class Base(float):
        pass

    class Derived(Base):
        pass

    assert family_of(Derived(1.0)).name == family_of(1.0).name

    class BaseFamily(ScalarFamily[Base]):
        name = "late"

        def lift(self, x: Any, like: Base) -> Base:
            return Base(x)

        def to_float(self, x: Base) -> float:
            return float(x)

        def less(self, a: Base, b: Base) -> bool:
            return float(a) < float(b)

        def less_equal(self, a: Base, b: Base) -> bool:
            return float(a) <= float(b)

    register_scalar(Base, BaseFamily())
    assert family_of(Derived(1.0)).name == "late"
