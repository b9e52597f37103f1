"""What nature keeps, a simulation keeps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.testing import random_floating_tree

Build = Callable[..., Mechanism]
StateOf = Callable[..., rbd.MechanismState]
WEIGHTLESS = (0.0, 0.0, 0.0)


def test_double_pendulum_keeps_its_energy(pendulum: rbd.MechanismState) -> None:
    trajectory = rbd.simulate(pendulum, 0.5, dt=1e-2)
    total = trajectory.energies(pendulum.mechanism).total
    assert np.ptp(total) < 1e-5


def test_energy_drift_shrinks_with_the_fifth_power_at_least(pendulum: rbd.MechanismState) -> None:
    q, v = pendulum.q.copy(), pendulum.v.copy()

    def drift(dt: float) -> float:
        state = rbd.MechanismState(pendulum.mechanism, q, v)
        total = rbd.simulate(state, 0.32, dt=dt).energies(state.mechanism).total
        return abs(total[-1] - total[0])

    assert drift(0.01) < drift(0.02) / 14


def test_free_body_keeps_energy_and_angular_momentum(single_body: Build, moving_state: StateOf) -> None:
    mechanism = single_body(rbd.QuaternionFloating(), gravity=WEIGHTLESS)
    state = moving_state(mechanism)
    momentum, energy = rbd.momentum(state).vector, rbd.kinetic_energy(state)
    rbd.simulate(state, 0.5, dt=1e-3)
    assert np.linalg.norm(rbd.momentum(state).vector - momentum) < 1e-12 * np.linalg.norm(momentum)
    assert rbd.kinetic_energy(state) == pytest.approx(energy, rel=1e-12)


def test_free_top_turns_as_euler_says() -> None:
    """A symmetric top: the body turns about its axis while the axis turns about the angular momentum, both evenly."""
    omega, time = (1.0, 0.5, 2.0), 0.5
    state = top_on(rbd.QuaternionSpherical(), omega)
    momentum = np.array([0.4, 0.4, 0.6]) * omega
    rbd.simulate(state, time, dt=2e-3)
    precession = rotation(momentum / 0.4 * time)
    own = rotation(np.array([0, 0, (1 - 0.6 / 0.4) * omega[2] * time]))
    turned = state.transform_to_root(state.mechanism.body("top")).rotation
    assert np.allclose(turned, precession @ own, rtol=0, atol=1e-11)


def rotation(phi: np.ndarray) -> np.ndarray:
    """Rodrigues' formula, from the textbook."""
    angle = np.linalg.norm(phi)
    x, y, z = phi / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


@pytest.mark.parametrize("joint_type", [rbd.QuaternionSpherical(), rbd.RotationVectorSpherical()])
def test_ball_joint_from_rest_stays_finite(joint_type: JointType, single_body: Build) -> None:
    mechanism = single_body(joint_type)
    state = rbd.MechanismState(mechanism)
    trajectory = rbd.simulate(state, 0.1)
    assert np.isfinite(trajectory.q).all()
    assert np.isfinite(trajectory.v).all()
    assert np.linalg.norm(trajectory.v[-1]) > 0.1
    total = trajectory.energies(mechanism).total
    assert np.ptp(total) < 1e-10


@pytest.mark.parametrize("dt", [1e-5, 1e-9, 1e-14])
def test_ball_joint_takes_the_smallest_steps(dt: float, single_body: Build) -> None:
    """The coordinates around the start of such a step are tiny: the logarithm of a rotation must not divide by them."""
    mechanism = single_body(rbd.QuaternionSpherical())
    state = rbd.MechanismState(mechanism)
    rbd.simulate(state, 5 * dt, dt=dt)
    start = rbd.MechanismState(mechanism)
    expected = 5 * dt * rbd.dynamics(rbd.DynamicsResult(mechanism), start).vd
    assert np.allclose(state.v, expected, rtol=1e-3 * dt / 1e-5 + 1e-9, atol=0)


def test_free_fall_on_every_floating_joint(single_body: Build) -> None:
    for joint_type in (rbd.QuaternionFloating(), rbd.MRPFloating(), rbd.RotationVectorFloating()):
        mechanism = single_body(joint_type)
        state = rbd.MechanismState(mechanism)
        com = rbd.center_of_mass(state).xyz
        rbd.simulate(state, 0.2, dt=1e-2)
        fallen = rbd.center_of_mass(state).xyz - com
        assert np.allclose(fallen, [0, 0, -9.81 * 0.2**2 / 2], rtol=0, atol=1e-12)


def test_semi_implicit_euler_does_not_drift(pendulum: rbd.MechanismState) -> None:
    trajectory = rbd.simulate(pendulum, 2.0, dt=1e-2, integrator="semi-implicit-euler")
    total = trajectory.energies(pendulum.mechanism).total
    assert np.ptp(total) < 0.5
    assert abs(total[-100:].mean() - total[:100].mean()) < 0.1


def top_on(joint_type: JointType, omega: tuple[float, float, float]) -> rbd.MechanismState:
    """Return a symmetric top that spins in weightlessness."""
    mechanism = Mechanism(gravity=WEIGHTLESS)
    inertia = rbd.SpatialInertia(rbd.Frame("top"), mass=1.0, moment_about_com=np.diag([0.4, 0.4, 0.6]))
    mechanism.attach(mechanism.root_body, rbd.RigidBody("top", inertia), rbd.Joint("spin", joint_type))
    return rbd.MechanismState(mechanism, v=[*omega, *[0.0] * (joint_type.nv - 3)])


def test_all_coordinates_of_rotations_agree_over_three_turns() -> None:
    kinds = (
        rbd.QuaternionSpherical(),
        rbd.RotationVectorSpherical(),
        rbd.QuaternionFloating(),
        rbd.RotationVectorFloating(),
        rbd.MRPFloating(),
    )
    ends: list[np.ndarray] = []
    for kind in kinds:
        state = top_on(kind, (3.0, 1.0, 19.0))
        rbd.simulate(state, 1.0, dt=1 / 256)
        ends.append(state.transform_to_root(state.mechanism.body("top")).rotation)
    for end in ends[1:]:
        assert np.allclose(end, ends[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("joint_type", [rbd.RotationVectorFloating(), rbd.MRPFloating()])
def test_a_step_may_end_where_the_coordinates_are_singular(joint_type: JointType) -> None:
    """At exactly one turn the parameters are infinite or their rates are; the motion goes on all the same."""
    state = top_on(joint_type, (0.0, 0.0, 2 * np.pi))
    rbd.simulate(state, 1.25, dt=1 / 64)
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert np.allclose(state.transform_to_root(state.mechanism.body("top")).rotation, quarter, rtol=0, atol=1e-12)


def test_quaternions_stay_on_the_sphere() -> None:
    trajectory = rbd.simulate(top_on(rbd.QuaternionSpherical(), (3.0, 1.0, 19.0)), 1.0, dt=2e-3)
    assert np.abs(np.linalg.norm(trajectory.q, axis=1) - 1).max() < 1e-15


def test_a_tree_of_all_joints_keeps_its_energy(joint_types: list[JointType]) -> None:
    mechanism = random_floating_tree(joint_types, np.random.default_rng(4))
    state = rbd.MechanismState(mechanism)
    state.randomize(np.random.default_rng(5))
    trajectory = rbd.simulate(state, 0.02, dt=1e-3)
    total = trajectory.energies(mechanism).total
    assert np.ptp(total) < 1e-9 * np.ptp(trajectory.energies(mechanism).kinetic)
