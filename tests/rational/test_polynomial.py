"""Arithmetic of polynomials: a ring, exact about structure; values, derivatives, printing."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Mechanism, Planar, Prismatic, QuaternionSpherical, Revolute, RigidBody
from rbd.errors import ArgumentError, ScalarError, ShapeError
from rbd.rational import Polynomial, RationalForwardKinematics
from rbd.scalars import cos, sin, sqrt, to_float
from tests.rational.models import iiwa, planar_arm

Q_STAR = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def mixed() -> RationalForwardKinematics:
    """Return kinematics with an angle, a length and a rotation; s has five entries."""
    mechanism = Mechanism()
    kinds = [Revolute((0, 0, 1)), Prismatic((1, 0, 0)), QuaternionSpherical()]
    for name, kind in zip("abc", kinds, strict=True):
        mechanism.attach(mechanism.bodies[-1], RigidBody(name), rbd.Joint(name, kind))
    return RationalForwardKinematics(mechanism)


MIXED = mixed()
VARIABLES = MIXED.variables(Q_STAR)
EXACT = MIXED.variables([0, 0, 1, 0, 0, 0], exact=True)
S_VALUES = st.lists(st.floats(-3, 3), min_size=5, max_size=5)


def polynomials(variables: Mapping[str, Polynomial]) -> st.SearchStrategy[Polynomial]:
    """Return sums of a few products of variables with small whole coefficients."""
    usable = [p for name, p in variables.items() if name not in ("s[0]", "s[2]", "s[3]", "s[4]")]
    factors = st.lists(st.sampled_from(usable), max_size=3)
    terms = st.lists(st.tuples(st.integers(-3, 3), factors), max_size=4)

    def made(parts: list[tuple[int, list[Polynomial]]]) -> Polynomial:
        total = Polynomial.constant(usable[0].ring, 0)
        for c, chosen in parts:
            term = Polynomial.constant(usable[0].ring, c)
            for factor in chosen:
                term = term * factor
            total = total + term
        return total

    return terms.map(made)


P, E = polynomials(VARIABLES), polynomials(EXACT)


@given(E, E, E)
def test_ring_axioms(a: Polynomial, b: Polynomial, c: Polynomial) -> None:
    for left, right in [
        ((a + b) * c, a * c + b * c),
        (a * (b * c), (a * b) * c),
        (a + (b + c), (a + b) + c),
        (a * b, b * a),
        (a - b, -(b - a)),
    ]:
        assert left.terms == right.terms
    assert not (a - a).terms
    assert (a * 1).terms == a.terms == (a + 0).terms


@given(P, P, S_VALUES)
def test_values_are_those_of_the_operands(a: Polynomial, b: Polynomial, s: list[float]) -> None:
    scale = (1 + abs(s[1])) ** 6 * 100
    assert (a + b)(s) == pytest.approx(a(s) + b(s), abs=1e-13 * scale)
    assert (a * b)(s) == pytest.approx(a(s) * b(s), abs=1e-12 * scale**2)
    assert (a - 2.5)(s) == pytest.approx(a(s) - 2.5, abs=1e-13 * scale)


@given(P, P)
def test_floats_and_fractions_have_the_same_terms(a: Polynomial, b: Polynomial) -> None:
    """No round-off terms: coefficients that are whole stay whole."""
    for p in (a * b, a + b, a * a - b * b, (a + b) * (a - b)):
        assert all(float(c).is_integer() for c in p.terms.values())
    assert ((a * a - b * b) - (a + b) * (a - b)).terms == {}


@given(E)
def test_leading_variables_never_occur_squared(p: Polynomial) -> None:
    square = p * p
    assert square.degree("cos[0]") <= 1
    assert square.degree("qw[2]") <= 1


def test_squares_of_circle_variables_sum_to_one() -> None:
    c, s = VARIABLES["cos[0]"], VARIABLES["sin[0]"]
    w, x, y, z = (VARIABLES[f"q{name}[2]"] for name in "wxyz")
    assert (c * c + s * s).terms == {(): 1.0}
    assert (w * w + x * x + y * y + z * z).terms == {(): 1.0}
    assert (c**4 - (1 - s**2) ** 2).terms == {}


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_cancellation_leaves_no_terms(a: float, b: float) -> None:
    """cos² + sin² of sums of angles is one: round-off in the coefficients does not become terms."""
    arm = planar_arm(3)
    tip = RationalForwardKinematics(arm).pose_polynomial([a, b, a - b], arm.body("tip"))
    for i in range(3):
        for j in range(3):
            row, other = tip.rotation[i], tip.rotation[j]
            product = row[0] * other[0] + row[1] * other[1] + row[2] * other[2]
            assert set(product.terms) <= {()}
            assert product.coefficient() == pytest.approx(float(i == j), abs=1e-14)


@given(P, S_VALUES, st.integers(0, 4))
def test_derivative(p: Polynomial, s: list[float], index: int) -> None:
    step = 1e-6
    above, below = [list(s), list(s)]
    above[index], below[index] = s[index] + step, s[index] - step
    expected = (p(above) - p(below)) / (2 * step)
    assert p.derivative(index)(s) == pytest.approx(expected, abs=1e-6 * (1 + abs(s[1])) ** 12)


@given(P, S_VALUES)
def test_native_and_batches(p: Polynomial, s: list[float]) -> None:
    rows = np.array([s, [0.0] * 5, [x / 2 for x in s]])
    np.testing.assert_allclose(p(rows), [p(row) for row in rows], rtol=1e-13, atol=1e-13)
    compiled = p.compile()
    np.testing.assert_allclose(compiled.interpret(rows), p(rows), rtol=1e-12, atol=1e-12)


def test_native_machine_code() -> None:
    arm = planar_arm()
    x = RationalForwardKinematics(arm).pose_polynomial([0.1, 0.2], arm.body("tip")).translation[0]
    rows = np.random.default_rng(0).standard_normal((50, 2))
    np.testing.assert_allclose(x.compile()(rows), x(rows), rtol=0, atol=1e-14)
    assert x.compile()(rows[0]) == pytest.approx(x(rows[0]), abs=1e-14)


def test_values_at_infinity() -> None:
    c, s = VARIABLES["cos[0]"], VARIABLES["sin[0]"]
    at = [np.inf, 0, 0, 0, 0]
    assert (c(at), s(at)) == (-1.0, 0.0)
    assert c([-np.inf, 0, 0, 0, 0]) == -1.0
    assert c([1e300, 0, 0, 0, 0]) == -1.0
    half_turn = [0, 0, 0, -np.inf, 0]
    assert [VARIABLES[f"q{name}[2]"](half_turn) for name in "wxyz"] == [0, 0, -1, 0]


def test_values_of_other_scalars() -> None:
    mpmath, sympy = pytest.importorskip("mpmath"), pytest.importorskip("sympy")
    arm = planar_arm()
    y = RationalForwardKinematics(arm).pose_polynomial([0, 0], arm.body("tip"), exact=True).translation[1]
    assert y((Fraction(1, 2), Fraction(1, 3))) == Fraction(4, 5) + Fraction(4, 5) * Fraction(4, 5) + Fraction(3, 5) * (
        Fraction(3, 5)
    )
    a, b = sympy.symbols("a b")
    assert sympy.simplify(y((a, b)).subs({a: 1, b: 0}) - 2) == 0
    interval = y((mpmath.iv.mpf([0, 0.1]), mpmath.iv.mpf(0)))
    assert interval.a <= 0 <= interval.b
    step = y((0.3 + 1e-30j, 0.1))
    assert step.imag / 1e-30 == pytest.approx(y.derivative(0)([0.3, 0.1]), abs=1e-14)


# --- as scalars of the house ------------------------------------------------------------------------------------------


def test_operations_without_polynomial_result_raise() -> None:
    c = VARIABLES["cos[0]"]
    for use in (
        lambda: sin(c),
        lambda: cos(c),
        lambda: sqrt(c),
        lambda: 1 / c,
        lambda: to_float(c),
        lambda: c / (c * 0),
    ):
        with pytest.raises(ScalarError):
            use()
    assert to_float(c * 0 + 3.0 + Polynomial.constant(c.ring, 1)) == 4.0
    assert (c / 2).terms == {(("cos[0]", 1),): 0.5}
    with pytest.raises(TypeError):
        _ = c + "1"


# --- looking at them --------------------------------------------------------------------------------------------------


def test_printing() -> None:
    c, s, x, w = (VARIABLES[name] for name in ("cos[0]", "sin[0]", "s[1]", "qw[2]"))
    p = 2 * c * x - s + 0.5 - x * x * w
    assert str(p) == repr(p) == "0.5 - sin[0] + 2*cos[0]*s[1] - qw[2]*s[1]**2"
    assert str(c - c) == "0"
    assert str(EXACT["cos[0]"] * Fraction(-2, 3) + Fraction(1, 2)) == "1/2 - 2/3*cos[0]"
    assert p.latex() == "0.5 - \\sigma_{0} + 2 c_{0} s_{1} - w_{2} s_{1}^{2}"
    assert "\\tfrac{2}{3}" in (EXACT["cos[0]"] * Fraction(2, 3)).latex()
    assert (1e-7 * c).latex() == "1 \\cdot 10^{-7} c_{0}"


def test_long_polynomials_are_cut() -> None:
    arm = iiwa()
    pose = RationalForwardKinematics(arm).pose_polynomial(np.full(7, 0.3), arm.body("link_7"))
    entry = pose.rotation[0][0]
    assert repr(entry).endswith(f"... ({len(entry.terms)} terms)")
    assert len(repr(entry)) < 2100
    assert f"{len(entry.terms) - 60} more" in entry.latex()
    assert f"({len(entry.terms)} terms)" in pose.latex()
    for shown in (entry, pose, pose.rational(), pose.rational().rotation[2][2]):
        assert getattr(shown, "_repr_latex_")() == f"$\\displaystyle {shown.latex()}$"  # noqa: B009 - notebooks call it
    assert str(entry).count("cos") > 500


@given(P)
def test_text_is_python(p: Polynomial) -> None:
    names = {name.replace("[", "_").rstrip("]"): q for name, q in VARIABLES.items()}
    text = str(p).replace("[", "_").replace("]", "")
    assert not (p - eval(text, {}, names)).terms


def test_sympy() -> None:
    sympy = pytest.importorskip("sympy")
    c, x = VARIABLES["cos[0]"], VARIABLES["s[1]"]
    cos_0, s_1 = sympy.Symbol("cos_0", real=True), sympy.Symbol("s_1", real=True)
    assert (2 * c * x**2 - 3).to_sympy() == 2 * cos_0 * s_1**2 - 3
    assert (EXACT["cos[0]"] / 3).to_sympy() == cos_0 / 3
    arm = planar_arm()
    pose = RationalForwardKinematics(arm).pose_polynomial([0, 0], arm.body("tip"))
    assert pose.to_sympy().shape == (4, 4)
    assert pose.to_sympy()[3, 3] == 1
    rational = pose.rational().to_sympy()
    assert rational[0, 3].subs(dict.fromkeys(rational.free_symbols, 0)) == 2


def test_coefficients_by_name() -> None:
    p = 3 * VARIABLES["cos[0]"] * VARIABLES["s[1]"] ** 2 + 1
    assert p.coefficient({"cos[0]": 1, "s[1]": 2}) == 3
    assert p.coefficient(["cos[0]"]) == 0
    assert p.coefficient("cos[0]") == p.coefficient({"cos[0]": 64}) == 0
    assert (p * p).coefficient(["cos[0]", "s[1]", "s[1]"]) == 6
    assert (VARIABLES["sin[0]"]).coefficient({"cos[0]": 64}) == 0
    assert p.coefficient() == 1
    assert p.variables == ("cos[0]", "s[1]")
    with pytest.raises(ArgumentError, match=r"cos\[9\]"):
        p.coefficient(["cos[9]"])
    with pytest.raises(ArgumentError):
        p.derivative(5)
    with pytest.raises(ShapeError):
        p([0, 0])


def test_pickles() -> None:
    arm = planar_arm()
    kinematics = RationalForwardKinematics(arm)
    pose = kinematics.pose_polynomial([0.1, 0.2], arm.body("tip"))
    again = pickle.loads(pickle.dumps((pose, pose.rational())))
    assert again[0].translation[0].terms == pose.translation[0].terms
    assert again[1].translation[0]([0.1, 0.2]) == pose.rational().translation[0]([0.1, 0.2])
    assert (again[0].translation[0] - pose.translation[0]).terms == {}
    other = pickle.loads(pickle.dumps(kinematics))
    elsewhere = other.pose_polynomial([0.1, 0.2], other.mechanism.body("tip"))
    assert elsewhere.translation[0].terms == pose.translation[0].terms


def test_planar_joints_have_three_variables() -> None:
    mechanism = Mechanism()
    mechanism.attach(mechanism.root_body, RigidBody("b"), rbd.Joint("b", Planar((1, 0, 0), (0, 1, 0))))
    kinematics = RationalForwardKinematics(mechanism)
    assert kinematics.s_descriptions == ("b: length", "b: length", "b: angle")
    pose = kinematics.pose_polynomial([1, 2, 0], mechanism.body("b"))
    assert [str(p) for p in pose.translation] == ["1 + s[0]", "2 + s[1]", "0"]
    assert str(pose.rotation[0][0]) == "cos[2]"
