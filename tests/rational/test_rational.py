"""Rational functions of s: the same values, minimal denominators, finite at infinity."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Mechanism, Prismatic, QuaternionSpherical, Revolute
from rbd.errors import ArgumentError
from rbd.rational import Polynomial, RationalForwardKinematics
from rbd.scalars.arrays import Array
from rbd.testing import random_chain, strategies
from tests.rational.models import iiwa, planar_arm
from tests.rational.test_polynomial import EXACT, MIXED, S_VALUES, VARIABLES, polynomials

EVEN = [VARIABLES[f"q{a}[2]"] * VARIABLES[f"q{b}[2]"] for a in "wxyz" for b in "wxyz"]
P = polynomials({str(k): p for k, p in enumerate([*EVEN, *(VARIABLES[n] for n in ("cos[0]", "sin[0]", "s[1]"))])})


@given(P, S_VALUES)
def test_values(p: Polynomial, s: list[float]) -> None:
    scale = (1 + abs(s[1])) ** 4 * 100
    r = MIXED.rational(p)
    assert r(s) == pytest.approx(p(s), abs=1e-13 * scale)
    assert r.numerator(s) / r.denominator(s) == pytest.approx(p(s), abs=1e-12 * scale)
    for at in ([np.inf, *s[1:]], [s[0], s[1], 0, -np.inf, 0]):
        assert r(at) == pytest.approx(p(at), abs=1e-13 * scale)


@given(P, S_VALUES, st.integers(0, 4))
def test_derivative(p: Polynomial, s: list[float], index: int) -> None:
    scale = (1 + abs(s[1])) ** 4 * 100
    expected = p.derivative(index)(s)
    assert MIXED.rational(p).derivative(index)(s) == pytest.approx(expected, abs=1e-11 * scale)


@given(P)
def test_denominators_are_minimal(p: Polynomial) -> None:
    """The numerator of what is left over does not vanish where 1 + s² does: at s = i, exactly."""
    r = MIXED.rational(p)
    for number, _ in r.powers.items():
        block = r.ring.blocks[number]
        if len(block.s) == 1:
            imaginary = _at_root(r.numerator, block.first)
            assert any(imaginary)


def _at_root(p: Polynomial, index: int) -> list[complex]:
    """Return the coefficients, as polynomials in the other variables, of p at s[index] = i."""
    found: dict[tuple[tuple[str, int], ...], complex] = {}
    for monomial, c in p.terms.items():
        rest = tuple(pair for pair in monomial if pair[0] != f"s[{index}]")
        exponent = dict(monomial).get(f"s[{index}]", 0)
        found[rest] = found.get(rest, 0) + complex(float(c)) * 1j**exponent
    return [abs(c) > 1e-9 for c in found.values()]


def test_the_squared_distance_of_a_planar_arm() -> None:
    """Drake keeps (1 + s0²)² (1 + s1²)²; the angle of the shoulder does not matter, and the elbow's once."""
    arm = planar_arm()
    kinematics = RationalForwardKinematics(arm)
    x, y, _ = kinematics.pose_polynomial([0, 0], arm.body("tip")).translation
    distance = kinematics.rational(x * x + y * y)
    assert str(distance) == "4 / (1 + s[1]**2)"
    assert str(kinematics.rational(x)) == "(2 - 2*s[0]**2 - 4*s[0]*s[1]) / ((1 + s[0]**2)*(1 + s[1]**2))"
    assert distance.latex() == "\\frac{4}{1 + s_{1}^{2}}"


def test_variables_beside_cosines_are_kept() -> None:
    p = VARIABLES["s[0]"] * VARIABLES["cos[0]"] + VARIABLES["s[1]"]
    r = MIXED.rational(p)
    assert str(r) == "(s[0] + s[1] - s[0]**3 + s[0]**2*s[1]) / (1 + s[0]**2)"
    s = [0.3, 2.0, 0, 0, 0]
    assert r(s) == pytest.approx(p(s), abs=1e-15)
    with pytest.raises(ArgumentError):
        r.compile()


def test_odd_powers_of_quaternions_raise() -> None:
    with pytest.raises(ArgumentError) as caught:
        MIXED.rational(VARIABLES["qx[2]"] * VARIABLES["s[1]"])
    assert caught.value.argument == "polynomial"


@given(strategies.seeds())
def test_dense_and_sparse_conversion_agree(seed: int) -> None:
    arm, rng = iiwa(), np.random.default_rng(seed)
    kinematics = RationalForwardKinematics(arm)
    pose = kinematics.pose_polynomial(rng.uniform(-3, 3, 7), arm.body("link_7"))
    p = pose.rotation[2][int(rng.integers(3))]
    dense = kinematics.rational(p)
    from rbd.rational.polynomials.half_angle import _converted_sparse  # pyright: ignore[reportPrivateUsage]  # both ways are tested

    sparse = _converted_sparse(p, dense.powers)
    assert dense.numerator.terms.keys() == sparse.terms.keys()
    assert dense.numerator.isclose(sparse, 1e-13)


def test_exact_polynomials_give_exact_functions() -> None:
    c, s = EXACT["cos[0]"], EXACT["sin[0]"]
    r = MIXED.rational((c + 2 * s) * Fraction(1, 3))
    assert r.numerator.terms == {
        (): Fraction(1, 3),
        (("s[0]", 1),): Fraction(4, 3),
        (("s[0]", 2),): Fraction(-1, 3),
    }
    assert r((Fraction(1, 2), 0, 0, 0, 0)) == Fraction(3, 5) / 3 + 2 * Fraction(4, 5) / 3


def test_native() -> None:
    arm = planar_arm()
    x = RationalForwardKinematics(arm).pose_polynomial([0.1, 0.2], arm.body("tip")).rational().translation[0]
    rows = np.random.default_rng(0).standard_normal((50, 2))
    np.testing.assert_allclose(x.compile()(rows), x(rows), rtol=0, atol=1e-14)


# --- poses ------------------------------------------------------------------------------------------------------------


def random_arm(seed: int) -> tuple[Mechanism, RationalForwardKinematics]:
    rng = np.random.default_rng(seed)
    kinds = [Revolute(rng.standard_normal(3)), Prismatic(rng.standard_normal(3)), QuaternionSpherical()]
    mechanism = random_chain(kinds, rng)
    return mechanism, RationalForwardKinematics(mechanism)


@given(strategies.seeds())
def test_jacobian(seed: int) -> None:
    """Times ds/dt it is the twist, as the numeric kinematics give along a path of s."""
    mechanism, kinematics = random_arm(seed)
    rng = np.random.default_rng(seed)
    body = mechanism.bodies[-1]
    q_star = np.array([x for joint in mechanism.tree_joints for x in joint.type.random(rng)])
    s, rate, h = rng.uniform(-1, 1, 5), rng.uniform(-1, 1, 5), 1e-5
    pose = kinematics.pose_polynomial(q_star, body)
    ahead, behind = pose(s + h * rate), pose(s - h * rate)
    back = behind.inverse()
    step = rbd.Transform(body.default_frame, back.from_frame, *(ahead.rotation, ahead.translation)).matrix
    twist = pose.jacobian(s) @ rate
    motion = step @ back.matrix
    difference = (motion - np.linalg.inv(motion)) / (4 * h)  # the error is of order h², not h
    assert (twist.body, twist.base, twist.frame) == (body.default_frame, mechanism.root_frame, mechanism.root_frame)
    np.testing.assert_allclose(twist.angular, [difference[2, 1], difference[0, 2], difference[1, 0]], rtol=0, atol=1e-4)
    np.testing.assert_allclose(twist.linear, difference[:3, 3], rtol=0, atol=1e-4)


def test_jacobian_against_the_numeric_one() -> None:
    arm, rng = iiwa(), np.random.default_rng(1)
    kinematics = RationalForwardKinematics(arm)
    q, q_star = rng.uniform(-1, 1, (2, 7))
    body, s = arm.body("link_7"), kinematics.compute_s(q, q_star)
    pose = kinematics.pose_polynomial(q_star, body)
    numeric = rbd.geometric_jacobian(rbd.MechanismState(arm, q), arm.path(arm.root_body, body))
    dq_ds = 2 / (1 + s.astype(float) ** 2)
    np.testing.assert_allclose(pose.jacobian(s).matrix, numeric.matrix * dq_ds, rtol=0, atol=1e-12)
    half_turn = np.full(7, np.inf)
    assert not pose.jacobian(half_turn).matrix.any()


def test_batches() -> None:
    arm, rng = iiwa(), np.random.default_rng(2)
    pose = RationalForwardKinematics(arm).pose_polynomial(np.zeros(7), arm.body("link_7"))
    s = rng.standard_normal((3, 20, 7))
    s[1, 4, 2] = np.inf
    matrices = pose.evaluate(s)
    assert matrices.shape == (3, 20, 4, 4)
    for index in [(0, 0), (1, 4), (2, 19)]:
        np.testing.assert_allclose(matrices[index], pose(s[index]).matrix, rtol=0, atol=1e-14)
    rotation, translation = pose.compile()(s[0])
    np.testing.assert_allclose(rotation, matrices[0, :, :3, :3], rtol=0, atol=1e-14)
    np.testing.assert_allclose(translation, matrices[0, :, :3, 3], rtol=0, atol=1e-14)
    still = RationalForwardKinematics(Mechanism())
    assert still.pose_polynomial([], still.mechanism.root_body).evaluate(np.zeros((5, 0))).shape == (5, 4, 4)


def test_poses_compose_with_frames_checked() -> None:
    arm = planar_arm(3)
    kinematics = RationalForwardKinematics(arm)
    q_star = [0.1, 0.2, 0.3]
    first = kinematics.pose_polynomial(q_star, arm.body("link1"))
    second = kinematics.pose_polynomial(q_star, arm.body("tip"), arm.body("link1"))
    whole = kinematics.pose_polynomial(q_star, arm.body("tip"))
    composed = first.transform @ second.transform
    for p, r in zip(composed.translation_components, whole.translation, strict=True):
        assert (r - p).isclose(0 * r + Polynomial.constant(r.ring, 0), 1e-14)
    with pytest.raises(rbd.errors.FrameMismatchError):
        _ = second.transform @ first.transform


def test_text_and_latex_of_poses() -> None:
    arm = planar_arm()
    pose = RationalForwardKinematics(arm).pose_polynomial([0, 0], arm.body("tip"))
    assert (
        repr(pose) == "<MultilinearPose of 'after_weld' in 'world', terms [[2, 2, 0, 3], [2, 2, 0, 3], [0, 0, 1, 0]]>"
    )
    assert str(pose.rotation[0, 1]) == str(pose.rotation[0][1]) == "-cos[0]*sin[1] - sin[0]*cos[1]"
    assert len(pose.rotation) == 3
    assert str(pose).splitlines()[3] == "p0 = cos[0] + cos[0]*cos[1] - sin[0]*sin[1]"
    assert "\\begin{pmatrix}" in pose.latex()
    assert "\\frac" in pose.rational().latex()


def test_jacobian_is_that_of_the_entries() -> None:
    """It agrees with the derivatives of the entries, for any scalars."""
    mechanism, kinematics = random_arm(4)
    rng = np.random.default_rng(4)
    q_star = np.array([x for joint in mechanism.tree_joints for x in joint.type.random(rng)])
    pose, s = kinematics.pose_polynomial(q_star, mechanism.bodies[-1]), rng.uniform(-2, 2, 5)
    rotation, position = pose(s).rotation, pose(s).translation
    columns: list[Array] = []
    for index in range(5):
        rate = np.array([[float(entry(s)) for entry in row] for row in pose.derivative(index)])
        turning = rate[:, :3] @ rotation.T
        angular = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
        columns.append(np.hstack([angular, rate[:, 3] - np.cross(angular, position)]))
    np.testing.assert_allclose(pose.jacobian(s).matrix, np.transpose(columns), rtol=0, atol=1e-13)
    other = pose.jacobian([complex(x) for x in s])
    values = np.array([[*angular, *linear] for angular, linear in other.columns], dtype=np.complex128)
    np.testing.assert_allclose(values.T, pose.jacobian(s).matrix, rtol=0, atol=1e-13)


def test_exact_poses_have_float_values_at_floats() -> None:
    arm = planar_arm()
    pose = RationalForwardKinematics(arm).pose_polynomial([0, 0], arm.body("tip"), exact=True)
    expected = [[0, -1, 0, 1], [1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    for value in (pose([0.0, 1.0]), pose.rational()([0.0, 1.0])):
        np.testing.assert_allclose(value.matrix, expected, rtol=0, atol=1e-15)
    assert type(pose.rotation[2, 2]([0.0, 1.0])) is float
