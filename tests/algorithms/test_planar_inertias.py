"""Moments of inertia about one axis only, of bodies that turn about no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd.errors import ArgumentError, InertiaError, SingularError
from rbd.joints import JointType

AXIS = np.array([0.0, 1.0, 0.0])
PLANE = np.outer(AXIS, AXIS)
ACROSS = np.diag([0.0, 1.0, 1.0])
"""Like PLANE about the axis, and a possible moment of inertia: that of a rod along x."""


def double_pendulum(
    planar: bool, first: JointType | None = None, i1: float = 0.333, i2: float = 1.33, about: str = "moment"
) -> rbd.Mechanism:
    """Return the double pendulum of the tutorials of RigidBodyDynamics.jl, or one with possible moments."""
    mechanism, predecessor = rbd.Mechanism("world"), "world"
    for k, (name, moment, com) in enumerate((("upper", i1, -0.5), ("lower", i2, -1.0))):
        given = {about: moment * PLANE}
        if not planar:
            central = moment - com**2 if about == "moment" else moment  # of a mass of 1
            given = {"moment_about_com": central * ACROSS}
        inertia = rbd.SpatialInertia(rbd.Frame(name), mass=1.0, com=(0, 0, com), **given)
        joint = rbd.Joint(f"joint{k}", first if first is not None and k == 0 else rbd.Revolute(AXIS))
        frame = mechanism.body(predecessor).default_frame
        place = rbd.Transform(joint.frame_before, frame, translation=(0, 0, -float(k)))
        mechanism.attach(predecessor, rbd.RigidBody(name, inertia), joint, joint_pose=place)
        predecessor = name
    return mechanism


def test_the_mass_matrix_is_that_of_textbooks() -> None:
    state = rbd.MechanismState(double_pendulum(planar=True), q=[0.3, 0.4], v=[1.0, 2.0])
    c, s = np.cos(0.4), np.sin(0.4)
    mass_matrix = [[0.333 + 1.33 + 1 + 2 * c, 1.33 + c], [1.33 + c, 1.33]]
    np.testing.assert_allclose(rbd.mass_matrix(state), mass_matrix, rtol=1e-14)
    g = 9.81
    upper = 0.5 * g * np.sin(0.3) + g * np.sin(0.3) + g * np.sin(0.7)
    bias = [-s * (2 * 1 * 2 + 2 * 2) + upper, s * 1 * 1 + g * np.sin(0.7)]
    np.testing.assert_allclose(rbd.dynamics_bias(state), bias, rtol=1e-13)


JOINTS: dict[str, JointType] = {
    "revolute": rbd.Revolute(AXIS),
    "backwards": rbd.Revolute(-AXIS),
    "prismatic": rbd.Prismatic((1, 0, 0)),
    "screw": rbd.Screw(AXIS, pitch=0.1),
    "planar": rbd.Planar((1, 0, 0), (0, 0, 1)),
    "sine and cosine": rbd.SinCosRevolute(AXIS),
}


@pytest.mark.parametrize("about", ["moment", "moment_about_com"])
@pytest.mark.parametrize("name", JOINTS)
@given(seed=st.integers(0, 2**32 - 1))
def test_motion_about_the_axis_is_that_of_possible_bodies(name: str, about: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    moments = {"i1": float(rng.uniform(0.26, 2)), "i2": float(rng.uniform(1.01, 3))}
    planar, possible = (
        rbd.MechanismState(double_pendulum(kind, JOINTS[name], about=about, **moments)) for kind in (True, False)
    )
    planar.randomize(rng)
    possible.set_configuration(planar.q)
    possible.set_velocity(planar.v)
    for compute in (rbd.mass_matrix, rbd.dynamics_bias, rbd.forward_dynamics, rbd.kinetic_energy, articulated):
        np.testing.assert_allclose(compute(planar), compute(possible), rtol=1e-9, atol=1e-9)


def articulated(state: rbd.MechanismState) -> float:
    """Return the mobility of the last body about the axis."""
    return float(rbd.articulated_mobility(state, "lower").matrix[1, 1])


def test_simulations_keep_energy() -> None:
    state = rbd.MechanismState(double_pendulum(planar=True), q=[0.3, 0.4])
    before = rbd.gravitational_potential_energy(state)
    rbd.simulate(state, 1.0, dt=1e-3)
    assert rbd.kinetic_energy(state) + rbd.gravitational_potential_energy(state) == pytest.approx(before, abs=1e-8)


def test_compiled_robots_take_them() -> None:
    mechanism = double_pendulum(planar=True)
    state = rbd.MechanismState(mechanism, q=[0.3, 0.4], v=[1.0, 2.0])
    found = rbd.compile(mechanism).forward_dynamics(state.q, state.v, np.zeros(2))
    np.testing.assert_allclose(found, rbd.forward_dynamics(state), rtol=1e-13)


@pytest.mark.parametrize("joint", [rbd.QuaternionFloating(), rbd.QuaternionSpherical()], ids=["free", "ball"])
def test_bodies_that_turn_otherwise_need_the_whole_moment(joint: JointType) -> None:
    state = rbd.MechanismState(double_pendulum(planar=True, first=joint))
    with pytest.raises(SingularError, match="the inertia that joint 'joint0' moves must be positive"):
        rbd.forward_dynamics(state)
    assert np.isfinite(rbd.mass_matrix(state)).all()
    assert np.isfinite(rbd.inverse_dynamics(state, np.ones(state.mechanism.nv))).all()


@pytest.mark.parametrize("write", [rbd.write_urdf, rbd.write_mjcf], ids=["URDF", "MJCF"])
def test_files_cannot_say_negative_moments(write: Callable[[rbd.Mechanism, Path], object], tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    with pytest.raises(ArgumentError, match="cannot express this mechanism"):
        write(double_pendulum(planar=True), path)
    assert not path.exists()


def test_moments_smaller_than_that_of_the_mass_are_refused() -> None:
    with pytest.raises(InertiaError, match="the smallest is negative"):
        rbd.SpatialInertia(rbd.Frame("link"), mass=1.0, com=(0, 0, -1), moment=0.999 * PLANE)
    with pytest.raises(InertiaError, match="the smallest is negative"):
        rbd.SpatialInertia(rbd.Frame("link"), mass=1.0, moment_about_com=-PLANE)
    with pytest.raises(InertiaError, match="less than the largest"):
        rbd.SpatialInertia(rbd.Frame("link"), mass=1.0, moment_about_com=PLANE + np.diag([1e-3, 0, 0]))
