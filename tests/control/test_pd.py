"""PD control of numbers, vectors, rotations and poses."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, FrameMismatchError, NotFiniteError, ShapeError
from rbd.mechanism import Mechanism
from rbd.scalars.dual import Dual
from rbd.spatial.so3 import rotation_exp
from tests.simulation.conftest import single_body


def test_numbers_and_vectors() -> None:
    rng = np.random.default_rng(0)
    k, d, e, ed = rng.random(4)
    assert rbd.pd(rbd.PDGains(k, d), float(e), float(ed)) == -k * e - d * ed
    x, xd, v, vd = rng.random((4, 5))
    assert np.allclose(rbd.pd(rbd.PDGains(k, d), x, v), -k * x - d * v)
    assert np.allclose(rbd.pd(rbd.PDGains(k, d), x, v, desired=xd, desired_rate=vd), -k * (x - xd) - d * (v - vd))
    diagonal, matrix = rng.random(5), rng.random((5, 5))
    assert np.allclose(rbd.pd(rbd.PDGains(diagonal, matrix), x, v), -diagonal * x - matrix @ v)


def test_vectors_are_checked() -> None:
    with pytest.raises(ShapeError, match="rate"):
        rbd.pd(rbd.PDGains(1.0, 1.0), np.zeros(3), np.zeros(2))
    with pytest.raises(ShapeError, match=r"desired has shape \(2,\), x \(3,\)") as caught:
        rbd.pd(rbd.PDGains(1.0, 1.0), np.zeros(3), np.zeros(3), desired=np.zeros(2))
    assert (caught.value.argument, caught.value.expected, caught.value.actual) == ("desired", (3,), (2,))
    with pytest.raises(ShapeError, match=r"desired_rate has shape \(2,\), rate \(3,\)"):
        rbd.pd(rbd.PDGains(1.0, 1.0), np.zeros(3), np.zeros(3), desired_rate=np.zeros(2))
    with pytest.raises(ShapeError, match="gain"):
        rbd.pd(rbd.PDGains([1.0, 2.0], 1.0), np.zeros(3), np.zeros(3))
    with pytest.raises(ArgumentError, match="numbers"):
        rbd.pd(rbd.PDGains([1.0, 2.0], 1.0), 1.0, 1.0)
    with pytest.raises(ArgumentError, match="gains"):
        rbd.pd(3.0, 1.0, 1.0)  # type: ignore[call-overload]  # meant


@pytest.mark.parametrize("x", [1e200, np.array([0.0, 1e200]), rbd.FreeVector(rbd.Frame("world"), (1e200, 0, 0))])
def test_laws_out_of_range_raise(x: Any) -> None:
    with pytest.raises(NotFiniteError, match="pd"):
        rbd.pd(rbd.PDGains(1e200, 0.0), x, 0.0 * x)


@pytest.mark.parametrize("k", [0.0, 1.0])
@pytest.mark.parametrize("x", [1.7e308, np.array([1.7e308, 0.0])])
def test_errors_out_of_range_raise_without_a_warning(x: Any, k: float) -> None:
    with pytest.raises(NotFiniteError, match="pd"):
        rbd.pd(rbd.PDGains(k, 0.0), x, 0.0 * x, desired=-x)


def test_free_vectors_keep_their_frame() -> None:
    world, other = rbd.Frame("world"), rbd.Frame("other")
    gains = rbd.PDGains(np.diag([1.0, 2.0, 3.0]), 0.5, frame=world)
    x, v = rbd.FreeVector(world, (1, 1, 1)), rbd.FreeVector(world, (2, 0, 0))
    assert rbd.pd(gains, x, v).isclose(rbd.FreeVector(world, (-2, -2, -3)))
    with pytest.raises(FrameMismatchError, match=r"rate\.frame"):
        rbd.pd(gains, x, rbd.FreeVector(other, (0, 0, 0)))
    with pytest.raises(FrameMismatchError, match=r"gains\.frame"):
        rbd.pd(rbd.PDGains(1.0, 1.0, frame=other), x, v)


def test_free_vectors_are_driven_towards_others_in_their_frame() -> None:
    world, other = rbd.Frame("world"), rbd.Frame("other")
    x, v, goal, rate = (rbd.FreeVector(world, each) for each in np.random.default_rng(2).normal(size=(4, 3)))
    found = rbd.pd(rbd.PDGains(3.0, 0.5), x, v, desired=goal, desired_rate=rate)
    assert found.isclose(rbd.FreeVector(world, -3.0 * (x.xyz - goal.xyz) - 0.5 * (v.xyz - rate.xyz)), atol=1e-14)
    assert rbd.pd(rbd.PDGains(3.0, 0.5), x, v, desired_rate=v).isclose(-3.0 * x, atol=1e-14)
    elsewhere: Any = rbd.FreeVector(other, (0, 0, 0))
    for wrong in ({"desired": elsewhere}, {"desired_rate": elsewhere}):
        with pytest.raises(FrameMismatchError, match="other"):
            rbd.pd(rbd.PDGains(1.0, 1.0), x, v, **wrong)
    with pytest.raises(ArgumentError, match="desired must be a FreeVector"):
        rbd.pd(rbd.PDGains(1.0, 1.0), x, v, desired=(0.0, 0.0, 0.0))  # type: ignore[call-overload]  # meant


def test_gains_turn_with_their_frame() -> None:
    a, b = rbd.Frame("a"), rbd.Frame("b")
    tf = rbd.Transform(a, b, rotation=rotation_exp((0.3, -0.4, 0.5)), translation=(1, 2, 3))
    gains = rbd.PDGains(np.diag([1.0, 2.0, 3.0]), (0.1, 0.2, 0.3), frame=a)
    x, v = rbd.FreeVector(a, (0.1, 0.2, 0.3)), rbd.FreeVector(a, (-1, 0.5, 2))
    there = rbd.pd(gains.transformed(tf), x.transformed(tf), v.transformed(tf))
    assert there.isclose(rbd.pd(gains, x, v).transformed(tf))
    assert rbd.PDGains(4.0, 5.0, frame=a).transformed(tf) == rbd.PDGains(4.0, 5.0, frame=b)
    with pytest.raises(FrameMismatchError):
        gains.transformed(tf.inverse())
    for k in ((1.0, 2.0), np.eye(2)):
        with pytest.raises(ShapeError, match="a gain has 2 rows"):
            rbd.PDGains(k, 1.0).transformed(tf)


@pytest.mark.parametrize("axis", [(0.3, -0.4, 0.5), (0.0, 0.0, 0.7)])
def test_asymmetric_gains_turn_with_their_frame(axis: tuple[float, float, float]) -> None:
    a, b = rbd.Frame("a"), rbd.Frame("b")
    tf = rbd.Transform(a, b, rotation=rotation_exp(axis))
    k = np.arange(9.0).reshape(3, 3)
    turned = rbd.PDGains(k, 1.0, frame=a).transformed(tf)
    assert np.allclose(turned.k, tf.rotation @ k @ tf.rotation.T, rtol=0, atol=1e-14)


def test_what_only_framed_values_have_is_refused_for_numbers() -> None:
    world = rbd.Frame("world")
    gains, plain = rbd.PDGains(1.0, 1.0, frame=world), rbd.PDGains(1.0, 1.0)
    vector = rbd.FreeVector(world, (1, 0, 0))
    with pytest.raises(ArgumentError, match="gains in 'world' need x with a frame; x is an ndarray"):
        rbd.pd(gains, np.zeros(3), np.zeros(3))
    with pytest.raises(ArgumentError, match="gains in 'world'"):
        rbd.pd(gains, 0.5, 0.5)
    for x in (0.5, np.zeros(3), vector):
        with pytest.raises(ArgumentError, match="method 'linearized' is for poses"):
            rbd.pd(plain, x, x, method="linearized")  # type: ignore[call-overload]  # meant


def regulated(joint_type: rbd.JointType, seed: int, method: str) -> tuple[rbd.MechanismState, rbd.Transform]:
    """Return a body after three seconds of control, and the pose it should have."""
    mechanism: Mechanism = single_body(joint_type)
    joint, rng = mechanism.tree_joints[0], np.random.default_rng(seed)
    state = rbd.MechanismState(mechanism)
    state.randomize(rng)
    target = rbd.MechanismState(mechanism)
    target.randomize(rng)
    goal = target.joint_transform(joint)
    desired = rbd.Transform(rbd.Frame("desired"), joint.frame_before, goal.rotation, goal.translation)
    if method == "linearized":  # works within a quarter turn only
        near = rotation_exp((0.5, -0.3, 0.4))
        start = rbd.Transform(joint.frame_after, desired.from_frame, near, (0.1, 0.2, 0.3))
        state.set_configuration(joint, desired @ start)
    gains = rbd.PDGains(100.0, 20.0)

    def control(t: float, state: rbd.MechanismState) -> np.ndarray:
        body, base = joint.frame_after, joint.frame_before
        rate = state.relative_twist(body, base, frame=body)
        x = state.joint_transform(joint)
        both = rbd.SE3PDGains(gains, gains)
        if joint.nv == 3:
            vd = rbd.pd(gains, x, rate, desired=desired, method=method).xyz
        else:
            vd = rbd.pd(both, x, rate, desired=desired, method=method).vector
        return rbd.inverse_dynamics(state, vd)

    rbd.simulate(state, 3.0, control, dt=0.01)
    return state, desired


@pytest.mark.parametrize("method", ["geodesic", "linearized"])
def test_a_rotation_is_regulated(method: str) -> None:
    """Upstream: to 1e-8 in three seconds."""
    state, desired = regulated(rbd.QuaternionSpherical(), 1, method)
    error = desired.inverse() @ state.joint_transform(state.mechanism.tree_joints[0])
    assert np.abs(error.rotation - np.eye(3)).max() < 1e-8
    assert np.abs(state.v).max() < 1e-8


@pytest.mark.parametrize("method", ["geodesic", "linearized"])
def test_a_pose_is_regulated(method: str) -> None:
    """Upstream: to 1e-6 in three seconds."""
    state, desired = regulated(rbd.QuaternionFloating(), 2, method)
    error = desired.inverse() @ state.joint_transform(state.mechanism.tree_joints[0])
    assert np.abs(error.matrix - np.eye(4)).max() < 1e-6
    assert np.abs(state.v).max() < 1e-6


def pose_and_twist(angle: float) -> tuple[rbd.Transform, rbd.Twist]:
    body, base = rbd.Frame("body"), rbd.Frame("base")
    axis = np.array([1.0, -2.0, 2.0]) / 3
    x = rbd.Transform(body, base, rotation_exp(tuple(angle * axis)), (0.3, -0.2, 0.1))
    return x, rbd.Twist(body, base, body, (0.1, 0.2, 0.3), (-0.3, 0.1, 0.2))


def test_both_laws_agree_near_the_goal() -> None:
    x, rate = pose_and_twist(1e-3)
    gains = rbd.SE3PDGains(rbd.PDGains(50.0, 5.0), rbd.PDGains(80.0, 8.0))
    exact, linear = (rbd.pd(gains, x, rate, method=method) for method in ("geodesic", "linearized"))
    assert exact.isclose(linear, atol=1e-6)
    assert not exact.isclose(linear, atol=1e-12)


def test_the_law_of_a_pose_in_numbers() -> None:
    x, rate = pose_and_twist(2.0)
    gains = rbd.SE3PDGains(rbd.PDGains(50.0, 5.0), rbd.PDGains(np.diag([80.0, 70.0, 60.0]), 8.0, frame=x.from_frame))
    acceleration = rbd.pd(gains, x, rate)
    turn = 2.0 * np.array([1.0, -2.0, 2.0]) / 3
    assert np.allclose(acceleration.angular, -50 * turn - 5 * rate.angular, atol=1e-12)
    away = x.rotation.T @ x.translation
    assert np.allclose(acceleration.linear, -np.array([80.0, 70, 60]) * away - 8 * rate.linear, atol=1e-12)
    assert (acceleration.body, acceleration.base, acceleration.frame) == (x.from_frame, x.to_frame, x.from_frame)


def test_moving_goals() -> None:
    """What moves exactly with its goal feels the spring only, however the goal's twist is expressed."""
    x, _ = pose_and_twist(0.7)
    goal = rbd.Frame("goal")
    desired = rbd.Transform(goal, x.to_frame, rotation_exp((0.1, 0.2, -0.3)), (1, 0, 0))
    moving = rbd.Twist(goal, x.to_frame, goal, (0.5, 0.1, -0.2), (1.0, 0.3, 0.2))
    in_body = moving.transformed(x.inverse() @ desired)
    along = rbd.Twist(x.from_frame, x.to_frame, x.from_frame, in_body.angular, in_body.linear)
    springs = rbd.SE3PDGains(rbd.PDGains(9.0, 0.0), rbd.PDGains(9.0, 0.0))
    still = rbd.pd(springs, x, along, desired=desired)
    gains = rbd.SE3PDGains(rbd.PDGains(9.0, 6.0), rbd.PDGains(9.0, 6.0))
    for rate in (moving, in_body):
        assert rbd.pd(gains, x, along, desired=desired, desired_rate=rate).isclose(still, atol=1e-12)


def test_frames_of_poses_are_checked() -> None:
    x, rate = pose_and_twist(0.3)
    gains = rbd.SE3PDGains(rbd.PDGains(1.0, 1.0), rbd.PDGains(1.0, 1.0))
    stranger = rbd.Frame("body")
    for wrong in (
        rbd.Twist(stranger, rate.base, rate.frame, (0, 0, 0), (0, 0, 0)),
        rbd.Twist(rate.body, stranger, rate.frame, (0, 0, 0), (0, 0, 0)),
        rbd.Twist(rate.body, rate.base, rate.base, (0, 0, 0), (0, 0, 0)),
    ):
        with pytest.raises(FrameMismatchError, match="rate"):
            rbd.pd(gains, x, wrong)
    with pytest.raises(FrameMismatchError):
        rbd.pd(gains, x, rate, desired=rbd.Transform(rbd.Frame("goal"), stranger))
    goal = rbd.Transform(rbd.Frame("goal"), rate.base)
    for wrong in (
        rbd.Twist(stranger, rate.base, rate.frame, (0, 0, 0), (1, 0, 0)),
        rbd.Twist(rate.body, rate.base, rate.frame, (0, 0, 0), (1, 0, 0)),
        rbd.Twist(goal.from_frame, stranger, rate.frame, (0, 0, 0), (1, 0, 0)),
        rbd.Twist(rate.base, goal.from_frame, rate.frame, (0, 0, 0), (1, 0, 0)),
        rbd.Twist(goal.from_frame, rate.base, rate.base, (0, 0, 0), (1, 0, 0)),
    ):
        with pytest.raises(FrameMismatchError):
            rbd.pd(gains, x, rate, desired=goal, desired_rate=wrong)
    with pytest.raises(ArgumentError, match="desired_rate needs desired"):
        rbd.pd(gains, x, rate, desired_rate=rate)
    with pytest.raises(ArgumentError, match="method"):
        rbd.pd(gains, x, rate, method="magic")  # type: ignore[call-overload]  # meant


def test_controllers_can_be_recorded() -> None:
    mechanism = rbd.robots.double_pendulum()
    gains = rbd.PDGains([10.0, 5.0], 1.0)
    recorded = rbd.record(lambda state: rbd.pd(gains, state.q, state.v), mechanism)
    q, v = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    assert np.allclose(recorded(q, v), rbd.pd(gains, q, v))


def test_arrays_of_complex_numbers_give_derivatives() -> None:
    q, v, h = np.array([0.3, -0.2]), np.array([1.0, 2.0]), 1e-30
    for gains in (rbd.PDGains(3.0, 2.0), rbd.PDGains([3.0, 4.0], 2.0), rbd.PDGains([[3.0, 1.0], [0.0, 4.0]], 2.0)):
        step = rbd.pd(gains, q + 1j * h * np.eye(2)[0], v)
        assert step.dtype == np.complex128
        assert np.allclose(step.real, rbd.pd(gains, q, v))
        assert np.allclose(step.imag / h, rbd.pd(gains, np.eye(2)[0], np.zeros(2)))
        assert np.array_equal(rbd.pd(gains, [*(q + 1j * h * np.eye(2)[0])], v), step)
    assert np.allclose(rbd.pd(rbd.PDGains(1j, 2.0), q, v), -1j * q - 2 * v)
    single = rbd.pd(rbd.PDGains(1.0, 2.0), q.astype(np.complex64), v)
    assert np.allclose(single, -q - 2 * v)


def test_gains_of_other_scalars_apply_to_arrays_of_floats() -> None:
    q, v = np.array([0.5, -0.25]), np.array([1.0, 2.0])
    dual = rbd.pd(rbd.PDGains(Dual(3.0, 1.0, 1), 2.0), q, v)
    assert [(x.value, x.derivative) for x in dual] == [(-3.5, -0.5), (-3.25, 0.25)]
    k = pytest.importorskip("mpmath").iv.mpf([1, 2])
    assert [(float(x.a), float(x.b)) for x in rbd.pd(rbd.PDGains(k, 2.0), q, v)] == [(-3, -2.5), (-3.75, -3.5)]
    assert float(rbd.pd(rbd.PDGains(k, 2.0), 0.5, 1.0).a) == -3
    x = pytest.importorskip("sympy").Symbol("x")
    assert rbd.pd(rbd.PDGains(x, 2), q, v)[0].coeff(x) == -0.5


@pytest.mark.parametrize("huge", [10**400, -Fraction(10**400), Fraction(10**5000, 3)], ids=["int", "Fraction", "long"])
def test_numbers_above_the_range_of_floats_are_named(huge: Any) -> None:
    gains = rbd.PDGains(1.0, 1.0)
    values: list[Any] = [1.0, 1.0, 1.0, 1.0]
    for k, name in enumerate(("x", "rate", "desired", "desired_rate")):
        for case in (
            [huge if k == i else x for i, x in enumerate(values)],
            [[huge if k == i else x, x] for i, x in enumerate(values)],
        ):
            with pytest.raises(NotFiniteError, match=rf"^{name}.* is -?inf") as caught:
                rbd.pd(gains, case[0], case[1], desired=case[2], desired_rate=case[3])
            assert caught.value.argument == name
    with pytest.raises(NotFiniteError, match=r"^k is -?inf"):
        rbd.PDGains(huge, 1.0)


def test_products_above_the_range_of_floats_are_refused() -> None:
    large = Fraction(10**200)
    gains = rbd.PDGains(large, 1.0)
    for x, rate in ((large, 1.0), ([large], [1.0])):
        with pytest.raises(NotFiniteError, match="pd left the range"):
            rbd.pd(gains, x, rate)  # type: ignore[call-overload]  # lists are not in the annotations


@pytest.mark.parametrize("x", [math.nan, [1.0, math.inf], np.array([math.nan, 0.0])], ids=str)
def test_errors_and_rates_must_be_finite(x: object) -> None:
    gains = rbd.PDGains(1.0, 1.0)
    rest = np.zeros(np.shape(x))
    for call in (lambda: rbd.pd(gains, x, rest), lambda: rbd.pd(gains, rest, x)):
        with pytest.raises((NotFiniteError, ArgumentError)):
            call()


@pytest.mark.parametrize(
    "gain", [math.nan, math.inf, -math.inf, [1.0, math.nan], [[1.0, 0.0], [0.0, math.inf]]], ids=str
)
def test_gains_must_be_finite(gain: Any) -> None:
    with pytest.raises(NotFiniteError, match=r"^k.* is (nan|-?inf)"):
        rbd.PDGains(gain, 1)
    with pytest.raises(NotFiniteError, match=r"^d.* is (nan|-?inf)"):
        rbd.PDGains(1, gain)


@pytest.mark.parametrize("wrong", [None, "a", True])
def test_numbers_of_the_wrong_kind_have_no_index(wrong: Any) -> None:
    gains = rbd.PDGains(1.0, 1.0)
    with pytest.raises(ShapeError, match=r"^x is .*, needs a number"):
        rbd.pd(gains, wrong, 1.0)
    with pytest.raises(ShapeError, match=r"^rate is .*, needs a number"):
        rbd.pd(gains, 1.0, wrong)
    for k, d, name in ((wrong, 1.0, "k"), (1.0, wrong, "d")):
        with pytest.raises(ShapeError, match=rf"^{name} is .*, needs a number"):
            rbd.PDGains(k, d)


@pytest.mark.parametrize("empty", [[], np.zeros((0, 0)), [[]]], ids=str)
def test_gains_have_entries(empty: Any) -> None:
    with pytest.raises(ShapeError, match="k has no entries; a number"):
        rbd.PDGains(empty, 1.0)
    with pytest.raises(ShapeError, match="d has no entries; a number"):
        rbd.PDGains(1.0, empty)


def test_stiffness_and_damping_have_the_same_coordinates() -> None:
    with pytest.raises(ShapeError, match="k is for 2 coordinates, d for 3") as caught:
        rbd.PDGains([1.0, 2.0], np.eye(3))
    assert (caught.value.argument, caught.value.expected, caught.value.actual) == ("d", (2,), (3,))
