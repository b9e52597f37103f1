"""Actuators: their laws as coefficients, ranges that they inherit, and dampers that follow from inertia."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rbd
from rbd.mjcf import MjcfReport, parse_mjcf

INERTIA = 2.0


def read(actuators: str, *, joint: str = "", beside: str = "") -> tuple[rbd.Mechanism, MjcfReport]:
    """Return a robot of one hinge, `j`, that moves an inertia of 2 kg m^2, with actuators."""
    report = MjcfReport()
    body = f"<body><joint name='j' {joint}/><inertial pos='0 0 0' mass='1' diaginertia='2 2 2'/></body>"
    text = f"<mujoco>{beside}<worldbody>{body}</worldbody><actuator>{actuators}</actuator></mujoco>"
    return parse_mjcf(text, strict=True, report=report), report


@pytest.mark.parametrize(
    ("actuator", "gain", "bias"),
    [
        ("<motor joint='j'/>", (1, 0, 0), (0, 0, 0)),
        ("<position joint='j' kp='3' kv='2'/>", (3, 0, 0), (0, -3, -2)),
        ("<velocity joint='j' kv='2'/>", (2, 0, 0), (0, 0, -2)),
        ("<damper joint='j' kv='2' ctrlrange='0 1'/>", (0, 0, -2), (0, 0, 0)),
        ("<general joint='j' gainprm='4'/>", (4, 0, 0), (0, 0, 0)),
        ("<general joint='j' gainprm='4 5 6'/>", (4, 0, 0), (0, 0, 0)),
        ("<general joint='j' gaintype='affine' gainprm='4 5 6'/>", (4, 5, 6), (0, 0, 0)),
        ("<general joint='j' biasprm='7 8 9'/>", (1, 0, 0), (0, 0, 0)),
        ("<general joint='j' biastype='affine' biasprm='7 8 9'/>", (1, 0, 0), (7, 8, 9)),
    ],
)
def test_laws(actuator: str, gain: tuple[float, ...], bias: tuple[float, ...]) -> None:
    _, report = read(actuator)
    (found,) = report.actuators
    assert (found.gain, found.bias) == (gain, bias)


def test_the_damping_ratio_is_of_the_inertia_that_the_actuator_moves() -> None:
    _, report = read("<position joint='j' kp='10' dampratio='0.7' gear='3'/><motor joint='j'/>")
    servo, motor = report.actuators
    reflected = INERTIA / 9
    np.testing.assert_allclose(servo.bias, (0, -10, -2 * 0.7 * math.sqrt(10 * reflected)), rtol=1e-14, atol=0)
    assert motor.bias == (0, 0, 0)


def test_springs_and_dampers_follow_from_time_constant_and_ratio() -> None:
    mechanism, report = read("", joint="springdamper='0.5 0.8' springref='90'")
    (spring,) = report.springs
    np.testing.assert_allclose(spring.stiffness, INERTIA / (0.5 * 0.8) ** 2, rtol=1e-14, atol=0)
    np.testing.assert_allclose(spring.rest, (math.pi / 2, math.pi / 2), rtol=1e-14, atol=0)
    np.testing.assert_allclose(mechanism.joint("j").damping, 2 * INERTIA / 0.5, rtol=1e-14, atol=0)


def test_springs_and_dampers_can_be_off() -> None:
    off = "<option><flag spring='disable' damper='disable'/></option>"
    mechanism, report = read("", joint="springdamper='0.5 0.8'", beside=off)
    assert report.springs == []
    assert mechanism.joint("j").damping == (0.0,)


def test_position_servos_inherit_a_share_of_the_range_of_their_joint() -> None:
    _, report = read("<position joint='j' inheritrange='0.5'/>", joint="range='-30 90'")
    np.testing.assert_allclose(report.actuators[0].control_range, np.radians([0, 60]), rtol=0, atol=1e-15)


def test_groups_of_actuators_can_be_off() -> None:
    _, report = read(
        "<motor name='off' joint='j' group='2'/><motor name='on' joint='j' group='1'/>",
        beside="<option actuatorgroupdisable='2 3'/>",
    )
    assert {found.name: found.gain for found in report.actuators} == {"off": (0, 0, 0), "on": (1, 0, 0)}


def test_tendons_hand_on_forces_with_their_factors() -> None:
    tendon = "<tendon><fixed name='t'><joint joint='j' coef='-2'/></fixed></tendon>"
    _, report = read("<motor tendon='t' gear='3'/>", beside=tendon)
    assert report.actuators[0].moment_arms == (("j", (-6.0,)),)


def test_weights_that_actuators_bear_are_named() -> None:
    _, report = read("<motor joint='j'/>", joint="actuatorgravcomp='true'")
    assert report.compensated_by_actuators == ["j"]
