"""Errors of wrong arguments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Frame, Mechanism, Point, RigidBody
from rbd.errors import (
    ArgumentError,
    FrameMismatchError,
    NotFiniteError,
    RbdError,
    ScalarError,
    ShapeError,
    TopologyError,
    UnknownNameError,
)
from rbd.rational import HalfTangent, RationalForwardKinematics
from tests.rational.models import planar_arm
from tests.rational.test_polynomial import MIXED, VARIABLES


def test_errors_name_the_argument() -> None:
    arm, other = planar_arm(), planar_arm()
    kinematics = RationalForwardKinematics(arm)
    tip = arm.body("tip")
    cases: list[tuple[Any, type[RbdError], str]] = [
        (lambda: kinematics.pose_polynomial([0], tip), ShapeError, "q_star"),
        (lambda: kinematics.pose_polynomial([0, 0, 0], tip), ShapeError, "q_star"),
        (lambda: kinematics.pose_polynomial([0, np.nan], tip), NotFiniteError, "q_star"),
        (lambda: kinematics.pose_polynomial([0, 0], other.body("tip")), UnknownNameError, "body"),
        (lambda: kinematics.pose_polynomial([0, 0], tip, other.body("tip")), UnknownNameError, "expressed_in"),
        (lambda: kinematics.pose_polynomial([0, 0], tip, Frame("x")), FrameMismatchError, "expressed_in"),
        (lambda: kinematics.pose_polynomial([0, 0], Point(Frame("x"), [0, 0, 0])), FrameMismatchError, "body"),
        (lambda: kinematics.pose_polynomial([0, 0], 1), ArgumentError, "body"),  # type: ignore[arg-type]  # the test
        (lambda: kinematics.pose_polynomial([1, 0], tip, exact=True), ArgumentError, "q_star"),
        (lambda: kinematics.pose_polynomial([HalfTangent(1)], tip), ShapeError, "q_star"),
        (lambda: kinematics.pose_polynomial(0.0, tip), ShapeError, "q_star"),
        (lambda: kinematics.pose_polynomial(0.0, tip, exact=True), ShapeError, "q_star"),
        (lambda: kinematics.pose_polynomial([0, 1j], tip), ShapeError, "q_star"),
        (lambda: kinematics.compute_s([0], [0, 0]), ShapeError, "q"),
        (lambda: kinematics.compute_s([0, 0], [0]), ShapeError, "q_star"),
        (lambda: kinematics.compute_s([0, np.inf], [0, 0]), NotFiniteError, "q"),
        (lambda: kinematics.compute_s(np.zeros((2, 3)), [0, 0]), ShapeError, "q"),
        (lambda: kinematics.compute_q([0, 0, 0], [0, 0]), ShapeError, "s"),
        (lambda: kinematics.compute_q([0, np.nan], [0, 0]), NotFiniteError, "s"),
        (lambda: kinematics.compute_q([0, 0], [0, 0, 0]), ShapeError, "q_star"),
        (lambda: kinematics.pose_polynomial([0, 0], tip)([0]), ShapeError, "s"),
        (lambda: kinematics.pose_polynomial([0, 0], tip).evaluate(np.zeros((4, 3))), ShapeError, "s"),
        (lambda: kinematics.pose_polynomial([0, 0], tip)(np.zeros((4, 2))), ShapeError, "s"),
        (lambda: kinematics.compute_s([[0, 1], [2]], [0, 0]), ShapeError, "q"),
        (lambda: kinematics.compute_q([[0, 1], [2]], [0, 0]), ShapeError, "s"),
        (lambda: kinematics.s_index("elbow"), UnknownNameError, "joint"),
        (lambda: kinematics.s_index(other.joints[0]), TopologyError, "joint"),
        (lambda: kinematics.s_index(0), ArgumentError, "joint"),  # type: ignore[arg-type]  # the test
        (
            lambda: kinematics.pose_polynomial([0, 0], tip).point(Point(Frame("x"), [0, 0, 0])),
            FrameMismatchError,
            "point",
        ),
        (lambda: kinematics.pose_polynomial([0, 0], tip).point([0, 0, 0]), ArgumentError, "point"),  # type: ignore[arg-type]  # the test
    ]
    for use, kind, argument in cases:
        with pytest.raises(kind) as caught:
            use()
        assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("kind", "identity"),
    [(rbd.QuaternionSpherical(), [1, 0, 0, 0]), (rbd.SinCosRevolute((0, 0, 1)), [0, 1])],
    ids=["quaternion", "sine and cosine"],
)
def test_directions_of_length_zero_raise(kind: rbd.JointType, identity: list[float]) -> None:
    mechanism = Mechanism()
    mechanism.attach(mechanism.root_body, RigidBody("ball"), rbd.Joint("ball", kind))
    kinematics, zero = RationalForwardKinematics(mechanism), np.zeros(kind.nq)
    uses: list[tuple[Any, str]] = [
        (lambda: kinematics.pose_polynomial(zero, mechanism.body("ball")), "q_star"),
        (lambda: kinematics.pose_polynomial(zero, mechanism.body("ball"), exact=True), "q_star"),
        (lambda: kinematics.compute_q(np.ones(len(kinematics.s_names)), zero), "q_star"),
        (lambda: kinematics.compute_s(identity, zero), "q_star"),
        (lambda: kinematics.compute_s(zero, identity), "q"),
        (lambda: kinematics.compute_s(np.array([identity, zero]), identity), "q"),
    ]
    for use, argument in uses:
        with pytest.raises(ArgumentError) as caught:
            use()
        assert caught.value.argument == argument


@pytest.mark.parametrize("tangent", ["1", None, True, float("nan")])
def test_half_tangents_must_be_numbers(tangent: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        HalfTangent(tangent)
    assert caught.value.argument == "tangent"


def test_symbolic_parameters_raise() -> None:
    sympy = pytest.importorskip("sympy")
    mechanism = rbd.robots.double_pendulum(lengths=(sympy.Symbol("l"), 1.0))
    kinematics = RationalForwardKinematics(mechanism)
    with pytest.raises(ScalarError, match="real numbers"):
        kinematics.pose_polynomial([0, 0], mechanism.bodies[-1])


def test_polynomials_around_different_configurations_cannot_be_combined() -> None:
    arm = planar_arm()
    kinematics = RationalForwardKinematics(arm)
    one, other = kinematics.variables([0, 0])["cos[0]"], kinematics.variables([0, 1])["cos[0]"]
    again = RationalForwardKinematics(arm).variables([0, 0])["cos[0]"]
    assert (one - again).terms == {}
    with pytest.raises(ArgumentError, match="different q_star"):
        _ = one + other
    with pytest.raises(ArgumentError, match="another mechanism"):
        RationalForwardKinematics(planar_arm()).rational(one)
    with pytest.raises(ArgumentError) as caught:
        kinematics.rational("1")  # type: ignore[call-overload]  # the point of the test
    assert caught.value.argument == "polynomial"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_coefficients_must_be_finite(bad: float) -> None:
    with pytest.raises(NotFiniteError):
        _ = VARIABLES["cos[0]"] * bad


def test_exponents_are_bounded() -> None:
    x = VARIABLES["s[1]"]
    assert (x**63).degree("s[1]") == 63
    with pytest.raises(ArgumentError, match="63"):
        _ = x**63 * x
    with pytest.raises(ArgumentError):
        _ = x**-1


@pytest.mark.parametrize("monomial", ["u", ["cos[0]", "u"], 3, {"cos[0]": -1}, {"cos[0]": 0.5}, [1]], ids=repr)
def test_monomials_must_be_names_with_exponents(monomial: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        VARIABLES["cos[0]"].coefficient(monomial)
    assert caught.value.argument == "monomial"


@pytest.mark.parametrize("index", [-1, 5, 0.5, 0.0, "0", [0], None])
def test_derivatives_need_an_index(index: Any) -> None:
    for use in (VARIABLES["cos[0]"].derivative, MIXED.rational(VARIABLES["cos[0]"]).derivative):
        with pytest.raises(ArgumentError) as caught:
            use(index)
        assert caught.value.argument == "index"


@pytest.mark.parametrize("n", [0.5, 2.0, 64, 10**400, "2", None, True, np.array([1, 2]), np.zeros(0), np.array(2.0)])
def test_exponents_must_be_integers(n: Any) -> None:
    for base in (VARIABLES["cos[0]"], MIXED.rational(VARIABLES["cos[0]"])):
        with pytest.raises(ArgumentError) as caught:
            _ = base**n
        assert caught.value.argument == "n"
    with pytest.raises(ArgumentError):
        _ = VARIABLES["cos[0]"] ** -1


def test_exponents_of_any_integer_type() -> None:
    bases: list[Any] = [VARIABLES["cos[0]"], MIXED.rational(VARIABLES["cos[0]"])]
    for base in bases:
        for n in (np.int64(2), np.array(2)):
            assert (base**n).isclose(base * base)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
@pytest.mark.parametrize(
    "array", [np.zeros(2), np.array(1.0), np.ma.masked, np.ma.masked_array([1.0, 2.0], [True, False]), np.eye(1)]
)
def test_arrays_are_no_operands(name: str, array: Any) -> None:
    operation: Any = getattr(operator, name)
    for element in (VARIABLES["cos[0]"], VARIABLES["cos[0]"] * 0 + 2, MIXED.rational(VARIABLES["cos[0]"])):
        for call in (lambda e=element: operation(e, array), lambda e=element: operation(array, e)):
            with pytest.raises(ArgumentError, match="and an array: other must be a") as caught:
                call()
            assert caught.value.argument == "other"


@pytest.mark.parametrize("nested", [False, True])
def test_masked_entries_of_s_are_refused(nested: bool) -> None:
    arm = planar_arm()
    pose = RationalForwardKinematics(arm).pose_polynomial([0, 0], arm.body("tip")).rational()
    multilinear = RationalForwardKinematics(arm).pose_polynomial([0, 0], arm.body("tip"))
    masked = np.ma.masked_array([0.1, 0.2], [False, True])
    s: Any = [masked, masked] if nested else masked
    place = r"s\[0, 1\]" if nested else r"s\[1\]"
    for call in (lambda: multilinear.evaluate(s), lambda: pose(s), lambda: multilinear.jacobian(s)):
        with pytest.raises(NotFiniteError, match=f"^{place} is masked"):
            call()
