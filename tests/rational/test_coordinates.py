"""q to s and back, with half turns and infinity."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Mechanism, MechanismState, RigidBody
from rbd.rational import HalfTangent, RationalForwardKinematics
from rbd.testing import random_chain, strategies
from tests.rational.models import planar_arm

ARM = RationalForwardKinematics(planar_arm())
ANGLES = st.floats(-np.pi, np.pi) | st.sampled_from([np.pi, -np.pi, 0.0, np.pi / 2])


@given(ANGLES, ANGLES)
def test_round_trip_around_zero(a: float, b: float) -> None:
    """Angles within half a turn come back, plus and minus pi among them."""
    for wrap in (False, True):
        s = ARM.compute_s([a, b], [0, 0], wrap=wrap)
        np.testing.assert_allclose(ARM.compute_q(s, [0, 0]), [a, b], rtol=0, atol=1e-14)


@given(ANGLES, st.floats(-10, 10))
def test_round_trip_around_any_angle(difference: float, star: float) -> None:
    q = [star + difference, 0]
    back = ARM.compute_q(ARM.compute_s(q, [star, 0]), [star, 0])
    turned = (back[0] - q[0] + np.pi) % (2 * np.pi) - np.pi
    assert abs(turned) < 1e-12
    assert abs(back[0] - star) <= np.pi + 1e-14


@given(st.floats() | st.sampled_from([np.inf, -np.inf]), st.floats(-1e3, 1e3), st.floats(-3, 3))
def test_round_trip_of_s(s: float, other: float, star: float) -> None:
    if np.isnan(s):
        s = 0.0
    q = ARM.compute_q([s, other], [star, 0])
    assert abs(q[0] - star) <= np.pi + 1e-15
    again = ARM.compute_s(q, [star, 0])
    # the angle is what both must agree on: near half a turn, s has no digits left
    assert np.arctan(again[0]) == pytest.approx(np.arctan(s), abs=1e-14) or abs(np.arctan(s)) > 1.57
    assert np.arctan(again[1]) == pytest.approx(np.arctan(other), abs=1e-14)


def test_wrapping() -> None:
    def s_of(angle: float, wrap: bool) -> float:
        return float(ARM.compute_s([angle, 0], [0, 0], wrap)[0])

    assert s_of(np.pi, wrap=True) == np.inf
    assert s_of(-np.pi, wrap=True) == -np.inf
    assert s_of(4.0, wrap=True) == np.inf
    assert s_of(3.0, wrap=True) == pytest.approx(np.tan(1.5))
    assert s_of(4.0, wrap=False) == pytest.approx(np.tan(2.0))
    assert ARM.compute_q([np.inf, -np.inf], [0.5, 0.5]).tolist() == [0.5 + np.pi, 0.5 - np.pi]


@given(st.floats(-1e3, 1e3))
def test_half_turns_come_back_as_infinity(star: float) -> None:
    """Also if rounding makes half a turn around q* slightly less than π."""
    s = [np.inf, -np.inf]
    q = ARM.compute_q(s, [star, star])
    assert ARM.compute_s(q, [star, star], wrap=True).tolist() == s
    assert ARM.compute_s([q], [star, star], wrap=True).tolist() == [s]
    nearly = ARM.compute_s(q - [1e-12, -1e-12], [star, star], wrap=True)
    assert np.isfinite(nearly).all()


def test_rows() -> None:
    q = np.random.default_rng(0).uniform(-1, 1, (4, 3, 2))
    s = ARM.compute_s(q, [0.1, 0.2])
    assert s.shape == (4, 3, 2)
    np.testing.assert_allclose(s[2, 1], ARM.compute_s(q[2, 1], [0.1, 0.2]), rtol=1e-15)
    np.testing.assert_allclose(ARM.compute_q(s, [0.1, 0.2]), q, rtol=0, atol=1e-15)
    assert ARM.compute_s(np.zeros((0, 2)), [0, 0]).shape == (0, 2)
    wrapped = ARM.compute_s([[4.0, 0], [-4.0, np.pi], [1.0, -np.pi]], [0, 0], wrap=True)
    assert wrapped.tolist() == [[np.inf, 0], [-np.inf, np.inf], [pytest.approx(np.tan(0.5)), -np.inf]]


@given(strategies.seeds())
def test_rows_of_every_kind(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mechanism = random_chain(KINDS, rng)
    kinematics = RationalForwardKinematics(mechanism)
    q, star = (np.array([joint_q(mechanism, rng) for _ in range(n)]) for n in (3, 1))
    s = kinematics.compute_s(q, star[0])
    np.testing.assert_allclose(s, np.array([kinematics.compute_s(row, star[0]) for row in q]), rtol=1e-14, atol=1e-14)
    back = kinematics.compute_q(s, star[0])
    np.testing.assert_allclose(
        back, np.array([kinematics.compute_q(row, star[0]) for row in s]), rtol=1e-14, atol=1e-14
    )


def joint_q(mechanism: Mechanism, rng: np.random.Generator) -> list[float]:
    return [x for joint in mechanism.tree_joints for x in joint.type.random(rng)]


def test_other_scalars() -> None:
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x y", real=True)
    assert ARM.compute_s([x, y], [0, 0])[0] == sympy.tan(x / 2)
    assert ARM.compute_q([x, y], [0, 1])[1] == 2 * sympy.atan2(y, 1) + 1
    step = ARM.compute_s((complex(0.3, 1e-30), 0), [0, 0])[0]
    assert step.imag / 1e-30 == pytest.approx((1 + np.tan(0.15) ** 2) / 2)


KINDS = [
    rbd.Planar((1, 0, 0), (0, 1, 0)),
    rbd.Universal((1, 0, 0), (0, 1, 0)),
    rbd.SinCosRevolute((0, 0, 1)),
    rbd.QuaternionSpherical(),
    rbd.QuaternionFloating(),
    rbd.MRPFloating(),
    rbd.RotationVectorSpherical(),
    rbd.RotationVectorFloating(),
]


def one_joint(kind: rbd.JointType) -> tuple[Mechanism, RationalForwardKinematics]:
    mechanism = Mechanism()
    mechanism.attach(mechanism.root_body, RigidBody("body"), rbd.Joint("joint", kind))
    return mechanism, RationalForwardKinematics(mechanism)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
@given(strategies.seeds())
def test_round_trip_of_every_joint_type(kind: rbd.JointType, seed: int) -> None:
    """The configuration comes back up to turns and the sign of quaternions: as the same pose."""
    mechanism, kinematics = one_joint(kind)
    rng = np.random.default_rng(seed)
    q, q_star = kind.random(rng), kind.random(rng)
    back = kinematics.compute_q(kinematics.compute_s(q, q_star), q_star)
    states = [MechanismState(mechanism, x).transform_to_root(mechanism.body("body")) for x in (q, back)]
    np.testing.assert_allclose(states[0].matrix, states[1].matrix, rtol=0, atol=1e-13)
    s = kinematics.compute_s(q_star, q_star)
    np.testing.assert_allclose(s, 0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_half_turns_of_rotations(axis: int) -> None:
    mechanism, kinematics = one_joint(rbd.QuaternionSpherical())
    q = np.eye(4)[axis + 1]
    s = kinematics.compute_s(q, [1, 0, 0, 0])
    assert s.tolist() == [np.inf if i == axis else 0 for i in range(3)]
    assert kinematics.compute_q(s, [1, 0, 0, 0]).tolist() == q.tolist()
    expected = MechanismState(mechanism, q).transform_to_root(mechanism.body("body")).matrix
    pose = kinematics.pose_polynomial([1, 0, 0, 0], mechanism.body("body"))
    for value in (pose(s).matrix, pose.rational()(s).matrix, pose.evaluate(s)):
        np.testing.assert_allclose(value, expected, rtol=0, atol=1e-15)


def test_half_turn_of_sine_and_cosine() -> None:
    _, kinematics = one_joint(rbd.SinCosRevolute((0, 0, 1)))
    s = kinematics.compute_s([0, -1], [0, 1])
    assert s.tolist() == [np.inf]
    np.testing.assert_allclose(kinematics.compute_q(s, [0, 1]), [0, -1], rtol=0, atol=2e-16)
    nearly = kinematics.compute_s([1e-9, -1], [0, 1])
    assert nearly[0] == pytest.approx(2e9, rel=1e-12)


def test_half_tangents() -> None:
    assert HalfTangent(Fraction(1, 3)).cosine == Fraction(4, 5)
    assert HalfTangent(Fraction(1, 3)).angle == pytest.approx(np.arctan2(3, 4))
    assert (HalfTangent(float("inf")).cosine, HalfTangent(float("inf")).sine) == (Fraction(-1), Fraction(0))
    assert HalfTangent(1).angle == np.pi / 2
    assert HalfTangent(Fraction(1, 3)) == HalfTangent(Fraction(1, 3))
