"""Poses as polynomials: values of the state's kinematics, number of terms, number of calls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Fixed, Frame, Mechanism, MechanismState, Point, Prismatic, Revolute, RigidBody, Transform
from rbd.errors import UnknownNameError
from rbd.joints import Reversed
from rbd.rational import HalfTangent, RationalForwardKinematics
from rbd.scalars import Vector
from rbd.testing import strategies
from tests.counting import calls
from tests.rational.models import iiwa, planar_arm

SIMPLE = st.builds(Revolute, strategies.axes()) | st.builds(Prismatic, strategies.axes()) | st.just(Fixed())
RATIONAL = strategies.joint_types().filter(lambda kind: not isinstance(kind, rbd.Screw))


def counts(pose: Any) -> list[int]:
    return [len(entry.terms) for row in pose.entries for entry in row]


@given(strategies.mechanisms(SIMPLE, max_bodies=5), strategies.seeds())
def test_poses_of_every_pair_of_bodies(mechanism: Mechanism, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinematics = RationalForwardKinematics(mechanism)
    q, q_star = rng.uniform(-3, 3, (2, mechanism.nq))
    state, s = MechanismState(mechanism, q), kinematics.compute_s(q, q_star)
    for body in mechanism.bodies:
        for other in mechanism.bodies:
            expected = state.relative_transform(body, other).matrix
            pose = kinematics.pose_polynomial(q_star, body, other)
            np.testing.assert_allclose(pose(s).matrix, expected, rtol=0, atol=1e-12)
            np.testing.assert_allclose(kinematics.rational(pose)(s).matrix, expected, rtol=0, atol=1e-12)
            assert all(entry.degree(name) <= 1 for row in pose.entries for entry in row for name in entry.variables)


@given(strategies.mechanisms(RATIONAL, max_bodies=3), strategies.seeds())
def test_poses_of_every_joint_type(mechanism: Mechanism, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinematics = RationalForwardKinematics(mechanism)
    q, q_star = (np.array([x for joint in mechanism.tree_joints for x in joint.type.random(rng)]) for _ in range(2))
    state, s = MechanismState(mechanism, q), kinematics.compute_s(q, q_star)
    body = mechanism.bodies[-1]
    expected = state.transform_to_root(body).matrix
    pose = kinematics.pose_polynomial(q_star, body)
    # near half a turn away from q* the variables of rotations are huge, and s itself is less accurate
    scale = max(1.0, *np.abs(expected[:3, 3]))
    np.testing.assert_allclose(pose(s).matrix, expected, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(pose.rational()(s).matrix, expected, rtol=0, atol=1e-12 * scale)
    back = MechanismState(mechanism, kinematics.compute_q(s, q_star))
    np.testing.assert_allclose(back.transform_to_root(body).matrix, expected, rtol=0, atol=1e-12 * scale)


@given(strategies.mechanisms(SIMPLE, max_bodies=5), strategies.seeds())
def test_poses_of_frames_and_points(mechanism: Mechanism, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinematics = RationalForwardKinematics(mechanism)
    q, q_star = rng.uniform(-3, 3, (2, mechanism.nq))
    s, state = kinematics.compute_s(q, q_star), MechanismState(mechanism, q)
    body, camera, mark = mechanism.bodies[-1], Frame("camera"), Frame("mark")
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    body.add_frame(Transform(camera, body.default_frame, quarter, rng.standard_normal(3)))
    mechanism.root_body.add_frame(Transform(mark, mechanism.root_frame, translation=rng.standard_normal(3)))
    kinematics = RationalForwardKinematics(mechanism)
    pose = kinematics.pose_polynomial(q_star, camera, mark)
    assert (pose.from_frame, pose.to_frame) == (camera, mark)
    state = MechanismState(mechanism, q)
    np.testing.assert_allclose(pose(s).matrix, state.relative_transform(camera, mark).matrix, rtol=0, atol=1e-12)
    point = Point(camera, rng.standard_normal(3))
    expected = state.transform(point, mark).xyz
    at_point = kinematics.pose_polynomial(q_star, point, mark)
    np.testing.assert_allclose(at_point(s).translation, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose([p(s) for p in pose.point(point)], expected, rtol=0, atol=1e-12)
    seen = kinematics.pose_polynomial(q_star, mark, point)
    moved = state.relative_transform(mark, camera).translation - point.xyz
    np.testing.assert_allclose(seen(s).translation, moved, rtol=0, atol=1e-12)


def test_places_by_name() -> None:
    arm = rbd.robots.arm7()
    kinematics, q_star = RationalForwardKinematics(arm), np.zeros(7)
    s = kinematics.compute_s(np.linspace(-0.5, 0.5, 7), q_star)
    for name, reference, place, base in (
        ("link7", None, arm.body("link7"), arm.root_body),
        ("tool", "link2", arm.frame("tool"), arm.body("link2")),
    ):
        pose, wanted = (
            kinematics.pose_polynomial(q_star, name, reference),
            kinematics.pose_polynomial(q_star, place, base),
        )
        assert (pose.from_frame, pose.to_frame) == (wanted.from_frame, wanted.to_frame)
        np.testing.assert_array_equal(pose(s).matrix, wanted(s).matrix)
    for names in (("tol",), ("tool", "link8")):
        with pytest.raises(UnknownNameError, match=f"(body|expressed_in): .*{names[-1]}.*did you mean") as caught:
            kinematics.pose_polynomial(q_star, *names)
        assert caught.value.argument == ("body" if len(names) == 1 else "expressed_in")


def test_polynomials_use_the_joint_transforms_of_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed joint transform of states changes the polynomials."""
    mechanism = planar_arm()
    original = Revolute.transform

    def stuck(self: Revolute, _q: Vector, after: Frame[Any], before: Frame[Any]) -> Transform[Any, Any]:
        return original(self, (0,), after, before)

    monkeypatch.setattr(Revolute, "transform", stuck)
    pose = RationalForwardKinematics(mechanism).pose_polynomial([0, 0], mechanism.body("tip"))
    assert pose.translation[0].terms == {(): 2.0}


def test_reversed_joints() -> None:
    mechanism = Mechanism()
    mechanism.attach(mechanism.root_body, RigidBody("a"), rbd.Joint("a", Reversed(Revolute((0, 1, 1)))))
    mechanism.attach(mechanism.body("a"), RigidBody("b"), rbd.Joint("b", Reversed(rbd.RotationVectorFloating())))
    kinematics, rng = RationalForwardKinematics(mechanism), np.random.default_rng(0)
    q, q_star = rng.uniform(-1, 1, (2, 7))
    expected = MechanismState(mechanism, q).transform_to_root(mechanism.body("b")).matrix
    pose = kinematics.pose_polynomial(q_star, mechanism.body("b"))
    np.testing.assert_allclose(pose(kinematics.compute_s(q, q_star)).matrix, expected, rtol=0, atol=1e-12)


# --- how few terms, how little work -----------------------------------------------------------------------------------

IIWA_COUNTS = [13, 13, 8, 12, 13, 13, 8, 12, 8, 8, 5, 9]


def test_iiwa_has_no_spurious_terms() -> None:
    """Its placements contain sines of pi, whose rounding errors must not become terms."""
    arm = iiwa()
    kinematics = RationalForwardKinematics(arm)
    pose = kinematics.pose_polynomial(np.zeros(7), arm.body("link_7"), arm.root_body)
    assert counts(pose) == IIWA_COUNTS
    half_turns = kinematics.pose_polynomial(np.full(7, np.pi), arm.body("link_7"), arm.root_body)
    assert counts(half_turns) == IIWA_COUNTS
    assert sum(counts(kinematics.pose_polynomial(np.full(7, 0.3), arm.root_body, arm.body("link_7")))) > 1000


@pytest.mark.parametrize(("angle", "most"), [(0.0, 24_000), (0.7, 60_000)])
def test_number_of_calls_for_a_pose(angle: float, most: int) -> None:
    arm = iiwa()

    def expand() -> None:
        kinematics = RationalForwardKinematics(arm)
        kinematics.rational(kinematics.pose_polynomial(np.full(7, angle), arm.body("link_7"), arm.root_body))

    expand()  # imports are made once
    assert calls(expand) < most


def test_only_joints_on_the_path_occur() -> None:
    arm = planar_arm(4)
    kinematics = RationalForwardKinematics(arm)
    pose = kinematics.pose_polynomial(np.ones(4), arm.body("link2"), arm.body("link1"))
    assert {name for row in pose.entries for entry in row for name in entry.variables} == {"cos[2]", "sin[2]"}
    same = kinematics.pose_polynomial(np.ones(4), arm.body("tip"), arm.body("tip"))
    assert counts(same) == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]


# --- exact coefficients -----------------------------------------------------------------------------------------------


def test_exact_coefficients() -> None:
    arm = planar_arm()
    kinematics = RationalForwardKinematics(arm)
    q_star = [HalfTangent(Fraction(1, 2)), 0]
    pose = kinematics.pose_polynomial(q_star, arm.body("tip"), exact=True)
    x = pose.translation[0]
    assert x.coefficient(["cos[0]"]) == Fraction(3, 5)
    assert x.coefficient(["sin[0]", "cos[1]"]) == Fraction(-4, 5)
    assert all(type(c) is Fraction for row in pose.entries for entry in row for c in entry.terms.values())
    s = (Fraction(1, 3), Fraction(-2, 7))
    value = kinematics.rational(x)(s)
    assert type(value) is Fraction
    assert value == x(s)
    angles = [2 * np.arctan(0.5) + 2 * np.arctan(1 / 3), -2 * np.arctan(2 / 7)]
    expected = MechanismState(arm, angles).transform_to_root(arm.body("tip")).translation[0]
    assert float(value) == pytest.approx(expected, abs=1e-15)


def test_exact_rotations_are_orthogonal() -> None:
    """Every q* given by fractions: R times its transpose is the identity, coefficient for coefficient."""
    arm = planar_arm(3)
    q_star = [HalfTangent(Fraction(1, 3)), HalfTangent(Fraction(-5, 2)), HalfTangent(float("inf"))]
    pose = RationalForwardKinematics(arm).pose_polynomial(q_star, arm.body("tip"), exact=True)
    for i, row in enumerate(pose.rotation):
        for j, other in enumerate(pose.rotation):
            product = row[0] * other[0] + row[1] * other[1] + row[2] * other[2]
            assert product.terms == ({(): 1} if i == j else {})


def test_exact_quaternions() -> None:
    mechanism = Mechanism()
    mechanism.attach(mechanism.root_body, RigidBody("ball"), rbd.Joint("ball", rbd.QuaternionSpherical()))
    kinematics = RationalForwardKinematics(mechanism)
    pose = kinematics.pose_polynomial([1, 2, 3, 4], mechanism.body("ball"), exact=True)
    found = kinematics.rational(pose)((Fraction(1, 2), Fraction(1, 3), Fraction(0)))
    rows = found.rotation_components
    assert all(
        sum(a * b for a, b in zip(rows[i], rows[j], strict=True)) == int(i == j) for i in range(3) for j in range(3)
    )


def test_half_tangent_in_floats_equals_the_angle() -> None:
    arm = planar_arm()
    kinematics = RationalForwardKinematics(arm)
    star = HalfTangent(0.3)
    mine = kinematics.pose_polynomial([star, 0.2], arm.body("tip"))
    other = kinematics.pose_polynomial([star.angle, 0.2], arm.body("tip"))
    for p, r in zip(mine.translation, other.translation, strict=True):
        assert p.terms.keys() == r.terms.keys()
        for monomial, c in p.terms.items():
            assert float(c) == pytest.approx(float(r.terms[monomial]), abs=1e-15)
    assert kinematics.compute_s([star.angle, 0.2], [star, 0.2]).tolist() == [0, 0]


# --- edits ------------------------------------------------------------------------------------------------------------


def test_loop_joints_and_fixed_joints_have_no_variables() -> None:
    four_bar = rbd.robots.four_bar()
    kinematics = RationalForwardKinematics(four_bar)
    assert [kinematics.s_index(joint) for joint in four_bar.loop_joints] == [-1]
    assert len(kinematics.s_names) == len(four_bar.tree_joints)
    assert RationalForwardKinematics(planar_arm()).s_index("weld") == -1


def test_poses_of_frames_added_later() -> None:
    arm = planar_arm(1)
    kinematics, tip = RationalForwardKinematics(arm), arm.body("tip")
    assert str(kinematics.pose_polynomial([0], tip).translation[0]) == "cos[0]"
    frame = Frame("tool")
    tip.add_frame(Transform(frame, tip.default_frame, translation=[0, 2, 0]))
    assert str(kinematics.pose_polynomial([0], frame).translation[0]) == "cos[0] - 2*sin[0]"
