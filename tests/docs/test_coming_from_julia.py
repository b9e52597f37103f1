"""What "Coming from RigidBodyDynamics.jl" says of differences, where the page's examples do not show it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
import pytest

import rbd
from rbd.errors import ScalarError, TopologyError, UrdfValueError
from rbd.scalars import Scalar, to_float
from rbd.urdf import UrdfReport, UrdfWarning

iv: Any = mpmath.iv
TENTH, GRAVITY = iv.mpf(1) / 10, -iv.mpf(981) / 100
URDF = """<robot name="arm">
<link name="base"/>
<link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="0.1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="{kind}"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<limit lower="-0.1" upper="0.1" effort="1" velocity="1"/><dynamics damping="0.5" friction="{friction}"/></joint>
</robot>"""


def pendulum_of_intervals() -> rbd.Mechanism:
    """Return a pendulum whose parameters are decimal numbers, none of them a float."""
    mechanism, joint = rbd.Mechanism("world", gravity=(0, 0, GRAVITY)), rbd.Joint("hinge", rbd.Revolute((0, 1, 0)))
    moment = [[TENTH, 0, 0], [0, TENTH, 0], [0, 0, TENTH]]
    rod = rbd.SpatialInertia(rbd.Frame("rod"), mass=TENTH, com=(0, 0, -3 * TENTH), moment_about_com=moment)
    place = rbd.Transform(joint.frame_before, mechanism.root_frame, translation=(0, 0, TENTH))
    mechanism.attach("world", rbd.RigidBody("rod", rod), joint, joint_pose=place)
    return mechanism


def low_and_high(interval: Scalar) -> tuple[float, float]:
    """Return the ends of an interval."""
    ends: Any = interval
    return float(ends.a), float(ends.b)


def holds(interval: Scalar, exact: Fraction) -> bool:
    """Return whether an interval holds a number and is no wider than its rounding."""
    low, high = map(Fraction, low_and_high(interval))
    return low <= exact <= high and high - low < Fraction(1, 10**15)


def test_mechanisms_of_intervals_enclose_decimal_numbers() -> None:
    state = rbd.ScalarState(pendulum_of_intervals(), [iv.mpf(0)], [iv.mpf(0)])
    assert holds(rbd.mass_matrix(state)[0, 0], Fraction(109, 1000))
    height = state.transform_to_root("rod").translation_components[2]
    assert holds(height, Fraction(1, 10))


def test_intervals_of_files_enclose_stored_floats_only() -> None:
    mechanism = rbd.parse_urdf(URDF.format(kind="revolute", friction=0))
    state = rbd.ScalarState(mechanism, [iv.mpf(0)], [iv.mpf(0)])
    mass, moment = state.inertia("rod").mass, rbd.mass_matrix(state)[0, 0]
    assert Fraction(to_float(mass)) == Fraction(0.1) != Fraction(1, 10)
    body = mechanism.body("rod").inertia
    assert body is not None
    assert low_and_high(moment) == (body.moment[1, 1], body.moment[1, 1])


@pytest.mark.parametrize("compute", [rbd.mass_matrix, rbd.dynamics, rbd.forward_dynamics])
def test_states_of_floats_refuse_parameters_that_are_intervals(compute: object) -> None:
    state = rbd.MechanismState(pendulum_of_intervals(), q=[0.3])
    with pytest.raises(ScalarError, match=r"a parameter or an argument is not a float; use state\.with_scalars"):
        compute(state)  # type: ignore[operator]  # one of several functions


@pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning")
def test_damping_and_friction_of_files_act() -> None:
    mechanism = rbd.parse_urdf(URDF.format(kind="revolute", friction=0.2))
    state = rbd.MechanismState(mechanism, v=[2.0])
    np.testing.assert_allclose(rbd.passive_torques(state), [-(0.5 * 2 + 0.2)], rtol=1e-3)
    damped = rbd.forward_dynamics(state)
    mechanism.joint("hinge").damping = mechanism.joint("hinge").friction = 0
    assert rbd.passive_torques(state).tolist() == [0]
    assert damped[0] < rbd.forward_dynamics(state)[0] == 0


@pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning")
def test_limits_of_continuous_joints_are_ignored_and_listed() -> None:
    report = UrdfReport()
    mechanism = rbd.parse_urdf(URDF.format(kind="continuous", friction=0), report=report)
    assert mechanism.joint("hinge").position_bounds == ((-np.inf, np.inf),)
    assert [entry.line for entry in report.ignored] == [6, 6]  # lower and upper
    held = rbd.parse_urdf(URDF.format(kind="revolute", friction=0))
    assert held.joint("hinge").position_bounds == ((-0.1, 0.1),)


def test_negative_moments_of_files_are_kept_unless_strict() -> None:
    text = URDF.format(kind="revolute", friction=0).replace('izz="0.1"', 'izz="-0.1"')
    with pytest.warns(UrdfWarning, match="the smallest is negative"):
        mechanism = rbd.parse_urdf(text)
    inertia = mechanism.bodies[1].inertia
    assert inertia is not None
    assert inertia.moment[2, 2] == -0.1  # the centre of mass is on this axis
    with pytest.raises(UrdfValueError, match="the smallest is negative"):
        rbd.parse_urdf(text, strict=True)


def test_a_joint_cannot_connect_a_body_with_itself() -> None:
    mechanism = rbd.robots.double_pendulum()
    body = mechanism.bodies[1]
    with pytest.raises(TopologyError, match="cannot be attached to itself"):
        mechanism.attach(body, body, rbd.Joint("loop", rbd.Fixed()))


def test_contact_states_begin_at_zero_in_every_simulation() -> None:
    def slid() -> rbd.MechanismState:
        mechanism = rbd.Mechanism("world")
        inertia = rbd.SpatialInertia(rbd.Frame("block"), mass=1.0, moment_about_com=np.eye(3))
        block = rbd.RigidBody("block", inertia)
        mechanism.attach("world", block, rbd.Joint("free", rbd.QuaternionFloating()))
        model = rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.5, 20e3, 100.0))
        block.add_contact_point(rbd.Point(block.default_frame, (0, 0, 0)), model)
        floor = rbd.contact.HalfSpace(
            rbd.Point(mechanism.root_frame, (0, 0, 0)), rbd.FreeVector(mechanism.root_frame, (0, 0, 1))
        )
        mechanism.add_half_space(floor)
        return rbd.MechanismState(mechanism, q=[1, 0, 0, 0, 0, 0, -0.003], v=[0, 0, 0, 0.1, 0, 0])

    whole, continued, anew = slid(), slid(), slid()
    all_at_once = rbd.simulate(whole, 0.1, dt=1e-3)
    half = rbd.simulate(continued, 0.05, dt=1e-3)
    rbd.simulate(anew, 0.05, dt=1e-3)
    assert abs(half.s[-1]).max() > 1e-6
    assert rbd.simulate(anew, 0.05, dt=1e-3).s[0].tolist() == [0, 0, 0]
    found = rbd.simulate(continued, 0.05, dt=1e-3, contact_states=half.s[-1])
    np.testing.assert_allclose(found.s[-1], all_at_once.s[-1], rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(continued.q, whole.q, rtol=1e-12)
