"""Rational kinematics at the end of the range of floats: finite results, or errors of rbd; no warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import NotFiniteError, RbdError, ShapeError, SingularError
from rbd.rational import RationalForwardKinematics
from rbd.spatial.values import SpatialValue


def _robot() -> rbd.Mechanism:
    mechanism, previous = rbd.Mechanism("world"), "world"
    kinds = (rbd.Prismatic((1, 2, 3)), rbd.Revolute((1, 2, 3)), rbd.QuaternionFloating())
    for name, kind in zip("abc", kinds, strict=True):
        mechanism.attach(previous, rbd.RigidBody(name), rbd.Joint(f"to {name}", kind))
        previous = name
    return mechanism


def _calls(size: float) -> dict[str, Callable[[], Any]]:
    mechanism = _robot()
    kinematics = RationalForwardKinematics(mechanism)
    near = np.array([0, 0, 1, 0, 0, 0, 0, 0, 0.0])
    far = np.array([size, size, 1, 0, 0, 0, size, -size, size])
    pose = kinematics.pose_polynomial(near, mechanism.bodies[-1])
    rational, s = pose.rational(), np.full(len(kinematics.s_names), size)
    p, r = pose.translation[0], rational.translation[0]
    point = rbd.Point(pose.from_frame, (size, size, size))
    return {
        "s, far": lambda: kinematics.compute_s(far, near),
        "s, opposite": lambda: kinematics.compute_s(far, np.where(abs(far) > 2, -far, far)),
        "s, rows": lambda: kinematics.compute_s([far], np.where(abs(far) > 2, -far, far)),
        "q": lambda: kinematics.compute_q(s, far),
        "q, rows": lambda: kinematics.compute_q([s], far),
        "pose": lambda: pose(s),
        "rational pose": lambda: rational(s),
        "pose around a far star": lambda: kinematics.pose_polynomial(far, mechanism.bodies[-1])(0 * s),
        "poses": lambda: pose.evaluate([s]),
        "jacobian": lambda: pose.jacobian(s),
        "polynomial": lambda: p(s),
        "polynomial, rows": lambda: p([s]),
        "rational function": lambda: r(s),
        "compiled": lambda: r.compile()(s),
        "derivative": lambda: p.derivative(0)(s),
        **{f"bounds of a {type(x).__name__}": lambda x=x: kinematics.bounds(x, -s, s) for x in (p, r, pose, rational)},
        "bounds in pieces": lambda: kinematics.bounds(p, -s, s, pieces=3),
        "bounds of one s": lambda: kinematics.bounds(p, s, s),
        "product": lambda: (p * size * size)(np.ones(8)),
        "quotient": lambda: (p / 5e-324)(np.ones(8)),
        "product with a large fraction": lambda: (p * Fraction(10**400))(np.ones(8)),
        "sum": lambda: (p * size + p * size)(np.ones(8)),
        "point": lambda: [entry(s) for entry in pose.point(point)],
    }


@pytest.mark.parametrize("size", [1e155, 1e308, 1.7e308])
@pytest.mark.parametrize("name", _calls(1.0))
def test_results_are_finite_or_refused(name: str, size: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = _calls(size)[name]()
        except RbdError:
            return
    numbers = found.components if isinstance(found, SpatialValue) else [found]
    assert all(np.isfinite(x).all() for x in numbers)


def test_infinite_angles_keep_their_meaning() -> None:
    kinematics = RationalForwardKinematics(rbd.robots.double_pendulum())
    assert np.isinf(kinematics.compute_s([4.0, 0.0], [0.0, 0.0], wrap=True)[0])
    sine = kinematics.variables([0, 0])["sin[0]"]
    assert sine([np.inf, 0.0]) == 0.0
    assert kinematics.bounds(sine, [-np.inf, 0.0], [np.inf, 0.0]).high < 2.0


def test_rational_functions_that_leave_the_range_are_refused() -> None:
    kinematics = RationalForwardKinematics(rbd.robots.double_pendulum())
    variables = kinematics.variables([0, 0])
    s = variables["s[0]"]
    function = kinematics.rational(variables["sin[0]"] * s * s * s)  # 2 s⁴ / (1 + s²)
    assert function([1e60, 0.0]) == pytest.approx(2e120, rel=1e-12)
    for far in ([1e160, 0.0], [[1e160, 0.0]]):
        with pytest.raises(NotFiniteError, match="the value of the rational function left the range"):
            function(far)


def test_an_error_says_what_left_the_range() -> None:
    with pytest.raises(NotFiniteError, match="coefficient of the polynomial left the range"):
        _calls(1e308)["product"]()


@pytest.mark.parametrize(
    "s",
    [
        np.array(["0.1", "0.2"]),
        np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        np.zeros(2, dtype=[("a", float)]),
        np.array([True, False]),
    ],
    ids=["texts", "dates", "records", "truth values"],
)
def test_arrays_of_no_numbers_are_refused(s: np.ndarray) -> None:
    kinematics = RationalForwardKinematics(rbd.robots.double_pendulum())
    pose = kinematics.pose_polynomial([0.0, 0.0], kinematics.mechanism.bodies[-1])
    for call in (pose, pose.evaluate, pose.jacobian, pose.translation[0], pose.rational().translation[0]):
        with pytest.raises(ShapeError, match="needs numbers"):
            call(s)


def test_conversions_name_the_result_that_overflows() -> None:
    kinematics = RationalForwardKinematics(_robot())
    far, origin = ([x, 0, 1, 0, 0, 0, 0, 0, 0] for x in (1.7e308, -1.7e308))
    s = [1.7e308, 0, 0, 0, 0, 0, 0, 0]
    for q in (far, [far]):
        with pytest.raises(NotFiniteError, match=r"^s left the range") as error:
            kinematics.compute_s(q, origin)
        assert error.value.argument == "s"
    for values in (s, [s]):
        with pytest.raises(NotFiniteError, match=r"^q left the range") as error:
            kinematics.compute_q(values, far)
        assert error.value.argument == "q"


@pytest.mark.parametrize("joint_type", [rbd.Revolute((0, 0, 1)), rbd.MRPFloating(), rbd.RotationVectorFloating()])
@pytest.mark.parametrize("number", [1j, -1.0000000000000002j, 1e308j, 1e200 + 1j, 1e308 + 1e308j])
def test_complex_numbers_at_poles_and_beyond_the_range_are_refused(joint_type: rbd.JointType, number: complex) -> None:
    """Complex steps are near real numbers, where conversions have no poles."""
    mechanism = rbd.Mechanism()
    body = rbd.RigidBody("body")
    mechanism.attach("world", body, rbd.Joint("joint", joint_type))
    kinematics, zero = RationalForwardKinematics(mechanism), joint_type.zero()
    pose = kinematics.pose_polynomial(zero, body, "world")
    s = [number] + [0j] * (len(kinematics.s_names) - 1)
    quotients = kinematics.rational(pose).rotation
    for call in (
        lambda: kinematics.compute_q(s, zero),
        lambda: kinematics.compute_s([number, *zero[1:]], zero),
        lambda: [x(s) for row in pose.rotation for x in row],
        lambda: [x(s) for row in quotients for x in row],
    ):
        try:
            result = np.array(call(), dtype=np.complex128)
        except (NotFiniteError, SingularError):
            continue
        assert np.isfinite(result).all()
