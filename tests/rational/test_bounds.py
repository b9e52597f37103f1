"""Bounds over boxes: rigorous, tight, confirmed by exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Mechanism, MechanismState, RigidBody
from rbd.errors import ArgumentError, NotFiniteError, RbdError, ShapeError
from rbd.rational import Bounds, HalfTangent, Polynomial, RationalForwardKinematics
from rbd.scalars.arrays import Array
from rbd.testing import strategies
from tests.rational.models import iiwa, planar_arm
from tests.rational.test_kinematics import RATIONAL, SIMPLE
from tests.rational.test_polynomial import EXACT, MIXED, VARIABLES, polynomials

ARM = planar_arm()
KINEMATICS = RationalForwardKinematics(ARM)
EVEN = [VARIABLES[f"q{a}[2]"] * VARIABLES[f"q{b}[2]"] for a, b in ("wx", "xx", "yz")]
USABLE = {str(k): p for k, p in enumerate([*EVEN, *(VARIABLES[n] for n in ("cos[0]", "sin[0]", "s[1]"))])}
POLYNOMIALS = polynomials(USABLE)


def assert_inside(bounds: Bounds[Any], values: Array) -> None:
    assert np.all(bounds.low <= values)
    assert np.all(values <= bounds.high)


@pytest.mark.parametrize("width", [0.0, 1e-9, 0.1, 2.0])
@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_bounds_contain_a_hundred_thousand_samples(width: float, angle: float) -> None:
    arm, rng = iiwa(), np.random.default_rng(5)
    kinematics = RationalForwardKinematics(arm)
    q_star = np.full(7, angle)
    pose = kinematics.pose_polynomial(q_star, arm.body("link_7"))
    low = rng.uniform(-1, 1, 7)
    high = low + width
    s = rng.uniform(low, high, (100_000, 7))
    s[:128] = np.where(rng.integers(0, 2, (128, 7)), low, high)
    values = pose.evaluate(s)[:, :3]
    assert_inside(kinematics.bounds(pose, low, high), values)
    assert_inside(kinematics.bounds(kinematics.rational(pose), low, high), values)
    q = kinematics.compute_q(s[:200], q_star)
    numeric = [MechanismState(arm, row).transform_to_root(arm.body("link_7")).matrix[:3] for row in q]
    assert_inside(kinematics.bounds(pose, low, high), np.array(numeric))


@given(strategies.mechanisms(SIMPLE | RATIONAL, max_bodies=3), strategies.seeds())
def test_bounds_contain_samples_of_random_mechanisms(mechanism: Mechanism, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinematics = RationalForwardKinematics(mechanism)
    q_star = np.array([x for joint in mechanism.tree_joints for x in joint.type.random(rng)])
    count = len(kinematics.s_names)
    low = rng.uniform(-1.5, 1.5, count)
    high = low + rng.uniform(0, 0.5, count)
    pose = kinematics.pose_polynomial(q_star, mechanism.bodies[-1])
    rational = kinematics.rational(pose)
    bounds, rational_bounds = kinematics.bounds(pose, low, high), kinematics.bounds(rational, low, high)
    for s in (*rng.uniform(low, high, (20, count)), low, high):
        values = pose(s).matrix[:3]
        assert_inside(bounds, values)
        assert_inside(rational_bounds, values)
        exact = MechanismState(mechanism, kinematics.compute_q(s, q_star)).transform_to_root(mechanism.bodies[-1])
        assert_inside(bounds, exact.matrix[:3])


@given(POLYNOMIALS, strategies.seeds())
def test_bounds_contain_samples_of_any_polynomial(p: Polynomial, seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.uniform(-2, 2, 5)
    high = low + rng.uniform(0, 1, 5)
    bounds = MIXED.bounds(p, low, high)
    values = p(np.vstack([rng.uniform(low, high, (200, 5)), low, high]))
    assert_inside(bounds, values)
    finer = MIXED.bounds(p, low, high, pieces=2) if not any(n[0] == "q" for n in p.variables) else bounds
    assert_inside(finer, values)
    assert finer.high - finer.low <= (bounds.high - bounds.low) * (1 + 1e-9) + 1e-9


FRACTIONS = st.fractions(-2, 2, max_denominator=20)


@given(polynomials(EXACT).filter(lambda p: not any(name.startswith("q") for name in p.variables)), st.data())
def test_bounds_contain_exact_values(p: Polynomial, data: st.DataObject) -> None:
    """Exact values at exact points are inside, without any rounding."""
    ends = [sorted([data.draw(FRACTIONS), data.draw(FRACTIONS)]) for _ in range(2)]
    box = [[float(a), float(b)] for a, b in ends]
    low, high = [a for a, _ in box] + [0, 0, 0], [b for _, b in box] + [0, 0, 0]
    bounds = MIXED.bounds(p, low, high)
    for k in range(5):
        point = tuple(Fraction(a) + (Fraction(b) - Fraction(a)) * k / 4 for a, b in box)
        value = p((*point, Fraction(0), Fraction(0), Fraction(0)))
        assert Fraction(float(bounds.low)) <= value <= Fraction(float(bounds.high))


@pytest.mark.parametrize("seed", range(3))
def test_bounds_contain_kinematics_to_fifty_digits(seed: int) -> None:
    """For boxes that are points, the kinematics to fifty digits are between the bounds."""
    mpmath: Any = pytest.importorskip("mpmath")
    arm, rng = iiwa(), np.random.default_rng(seed)
    kinematics = RationalForwardKinematics(arm)
    q_star, s = rng.uniform(-2, 2, (2, 7))
    pose = kinematics.pose_polynomial(q_star, arm.body("link_7"))
    with mpmath.workdps(50):
        q = [mpmath.mpf(a) + 2 * mpmath.atan(mpmath.mpf(b)) for a, b in zip(q_star, s, strict=True)]
        state = rbd.ScalarState(arm, q, [mpmath.mpf(0)] * 7)
        rotation, translation = state.transform_to_root(arm.body("link_7")).components
        true = [[*row, x] for row, x in zip(rotation, translation, strict=True)]
        for what in (pose, kinematics.rational(pose)):
            low, high = kinematics.bounds(what, s, s)
            assert np.max(high - low) < 1e-8
            for i, row in enumerate(true):
                for j, x in enumerate(row):
                    assert mpmath.mpf(low[i, j]) <= x <= mpmath.mpf(high[i, j])


# --- how tight --------------------------------------------------------------------------------------------------------


def test_one_variable_is_bounded_exactly_where_it_is_monotonous() -> None:
    sine = KINEMATICS.variables([0, 0])["sin[0]"]
    low, high = KINEMATICS.bounds(sine, [0.1, 0], [0.5, 0])
    assert low == pytest.approx(2 * 0.1 / 1.01, abs=1e-13)
    assert high == pytest.approx(0.8, abs=1e-13)


def test_a_point_is_bounded_to_rounding() -> None:
    pose = KINEMATICS.pose_polynomial([0.3, -0.4], ARM.body("tip"))
    s = np.array([0.7, -1.2])
    low, high = KINEMATICS.bounds(pose, s, s)
    assert np.max(high - low) < 1e-12


def test_pieces_make_bounds_tighter() -> None:
    x = KINEMATICS.pose_polynomial([0, 0], ARM.body("tip")).translation[0]
    sides = [-1.0, -1.0], [1.0, 1.0]
    found = [KINEMATICS.bounds(x, *sides, pieces=n) for n in (1, 4, 16)]
    samples = x(np.stack(np.meshgrid(*[np.linspace(-1, 1, 101)] * 2), axis=-1))
    true = samples.max() - samples.min()
    assert KINEMATICS.bounds(x, *sides, pieces=np.int64(4)) == found[1]
    errors = [high - low - true for low, high in found]
    assert errors[0] > 4 * errors[1] > 16 * errors[2] > 0


def test_bounds_over_whole_turns() -> None:
    """Boxes of angles may be infinite."""
    x, y, _ = KINEMATICS.pose_polynomial([0.2, 0.3], ARM.body("tip")).translation
    everything = [-np.inf, -np.inf], [np.inf, np.inf]
    low, high = KINEMATICS.bounds(x, *everything, pieces=8)
    assert -2.05 < low <= -2
    assert 2 <= high < 2.05
    distance = KINEMATICS.rational(x * x + y * y)
    low, high = KINEMATICS.bounds(distance, *everything, pieces=8)
    assert -0.05 < low <= 0
    assert 4 <= high < 4.05
    half = KINEMATICS.bounds(KINEMATICS.variables([0, 0])["cos[0]"], [1, 0], [np.inf, 0])
    assert half.low == pytest.approx(-1, abs=1e-12)
    assert half.high == pytest.approx(0, abs=1e-12)


def test_derivatives_are_bounded_over_whole_turns() -> None:
    x = KINEMATICS.pose_polynomial([0.2, 0.3], ARM.body("tip")).translation[0]
    everything = [-np.inf, -np.inf], [np.inf, np.inf]
    for slope in (x.derivative(0), KINEMATICS.rational(x).derivative(0), KINEMATICS.rational(x.derivative(0))):
        low, high = KINEMATICS.bounds(slope, *everything, pieces=4)
        assert -6 < low < -2 < 2 < high < 6
        s = np.random.default_rng(0).uniform(-5, 5, (1000, 2))
        assert_inside(Bounds(low, high), slope(s))


def test_dropped_terms_widen_bounds() -> None:
    """The bound on a dropped coefficient is multiplied by the size of its variable."""
    s = KINEMATICS.variables([0, 0])["s[0]"]
    third = 1 / (0 * s + 3.0)
    rest = third * s + third * s + third * s - s
    assert rest.terms == {}
    low, high = KINEMATICS.bounds(rest, [0, 0], [1e12, 0])
    assert low < -1e-5
    assert high > 1e-5
    assert max(-low, high) < 1


def test_exact_poses_have_the_tightest_bounds() -> None:
    star = [HalfTangent(Fraction(1, 2)), HalfTangent(Fraction(1, 3))]
    exact = KINEMATICS.pose_polynomial(star, ARM.body("tip"), exact=True).translation[0]
    low, high = KINEMATICS.bounds(exact, [0.25, 0.5], [0.25, 0.5])
    value = exact((Fraction(1, 4), Fraction(1, 2)))
    assert Fraction(float(low)) <= value <= Fraction(float(high))
    assert high - low < 1e-13


# --- what is refused --------------------------------------------------------------------------------------------------


def test_errors_name_the_argument() -> None:
    x = KINEMATICS.pose_polynomial([0, 0], ARM.body("tip")).translation[0]
    stretched = KINEMATICS.variables([0, 0])["s[0]"] * x
    cases: list[tuple[Any, type[RbdError], str]] = [
        (lambda: KINEMATICS.bounds(x, [0], [1, 1]), ShapeError, "s_low"),
        (lambda: KINEMATICS.bounds(x, [0, 0], [[1, 1]]), ShapeError, "s_high"),
        (lambda: KINEMATICS.bounds(x, [0, np.nan], [1, 1]), NotFiniteError, "s_low"),
        (lambda: KINEMATICS.bounds(x, [0, 2], [1, 1]), ArgumentError, "s_low"),
        (lambda: KINEMATICS.bounds(x, [0, 0], [1, 1], pieces=0), ArgumentError, "pieces"),
        (lambda: KINEMATICS.bounds("x", [0, 0], [1, 1]), ArgumentError, "pose"),  # type: ignore[call-overload]  # the test
        (lambda: KINEMATICS.bounds(VARIABLES["cos[0]"], [0, 0], [1, 1]), ArgumentError, "pose"),
        (lambda: KINEMATICS.bounds(stretched, [0, 0], [np.inf, 1]), NotFiniteError, "s_low"),
        (lambda: KINEMATICS.bounds(x, [0, 0], [1, 1], pieces=10_000), ArgumentError, "pose"),
        (lambda: MIXED.bounds(VARIABLES["s[1]"], [0, -np.inf, 0, 0, 0], [0, 0, 0, 0, 0]), NotFiniteError, "s_low"),
    ]
    for use, kind, argument in cases:
        with pytest.raises(kind) as caught:
            use()
        assert caught.value.argument == argument


def test_bounds_of_rotations_need_finite_boxes() -> None:
    mechanism = Mechanism()
    mechanism.attach(mechanism.root_body, RigidBody("ball"), rbd.Joint("ball", rbd.QuaternionSpherical()))
    kinematics = RationalForwardKinematics(mechanism)
    pose = kinematics.pose_polynomial([1, 0, 0, 0], mechanism.body("ball"))
    with pytest.raises(NotFiniteError):
        kinematics.bounds(pose, [-np.inf, 0, 0], [0, 0, 0])
    low, high = kinematics.bounds(pose, [-5, -5, -5], [5, 5, 5])
    s = np.random.default_rng(0).uniform(-5, 5, (1000, 3))
    assert_inside(Bounds(low, high), pose.evaluate(s)[:, :3])
