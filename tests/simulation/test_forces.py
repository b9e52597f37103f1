"""Force elements conserve or dissipate energy; energy monitors account for all of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, FrameMismatchError, ShapeError, SolverError, UnknownNameError
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.simulation import Action, AdaptiveMuntheKaas, EnergyMonitor, ForceElement, JointSpring, LoopGapMonitor, Spring

Build = Callable[[JointType], Mechanism]
StateOf = Callable[[Mechanism], rbd.MechanismState]


def between(mechanism: Mechanism, **gains: float) -> Spring:
    """Return a spring from the world to the last body."""
    ends = (
        rbd.Point(mechanism.root_frame, (0.3, 0.2, 1.0)),
        rbd.Point(mechanism.bodies[-1].default_frame, (0.1, 0, 0.2)),
    )
    return Spring(*ends, **gains)


@pytest.mark.parametrize("rest", [0.0, 0.7])
def test_energy_is_kept_with_springs_on_every_joint_type(
    rest: float, joint_type: JointType, two_bodies: Build, moving_state: StateOf
) -> None:
    state = moving_state(two_bodies(joint_type))
    first = state.mechanism.tree_joints[0]
    rest_pose = state.configuration(first)  # the spring of a ball joint has a cusp at half a turn
    forces = [
        between(state.mechanism, stiffness=40.0, rest_length=rest),
        JointSpring(first, stiffness=3.0, rest=rest_pose),
    ]
    monitor = EnergyMonitor(forces, limit=1e-4)
    rbd.simulate(state, 0.2, dt=0.005, forces=forces, monitors=[monitor])
    assert np.ptp(monitor.elastic) > 0.01
    assert np.ptp(monitor.kinetic + monitor.potential) > 0.01


def test_energy_accounts_include_springs_at_joint_bounds() -> None:
    mechanism = rbd.robots.double_pendulum()
    for joint in mechanism.tree_joints:
        joint.position_bounds, joint.bound_stiffness = (-0.2, 0.2), 500.0
    state, monitor = rbd.MechanismState(mechanism, q=[0.1, 0.15], v=[1.0, -2.0]), EnergyMonitor(limit=1e-6)
    precise = AdaptiveMuntheKaas(rtol=1e-10, atol=1e-10)
    trajectory = rbd.simulate(state, 1.0, dt=0.01, integrator=precise, monitors=[monitor])
    assert monitor.elastic.max() > 0.1
    energies = trajectory.energies(mechanism)
    assert np.array_equal(energies.elastic, monitor.elastic)
    assert np.abs(energies.total - energies.total[0]).max() < 1e-6


def test_energies_of_trajectories_include_force_elements() -> None:
    mechanism = rbd.robots.double_pendulum()
    state, forces = rbd.MechanismState(mechanism, q=[0.5, 0.0]), [between(mechanism, stiffness=40.0)]
    trajectory = rbd.simulate(state, 0.2, dt=1e-3, forces=forces)
    assert np.ptp(trajectory.energies(mechanism).total) > 1.0
    assert np.ptp(trajectory.energies(mechanism, forces).total) < 1e-6


def test_dampers_take_energy_away(two_bodies: Build, moving_state: StateOf) -> None:
    state = moving_state(two_bodies(rbd.QuaternionSpherical()))
    first, second = state.mechanism.tree_joints
    forces = [
        between(state.mechanism, stiffness=10.0, damping=2.0),
        JointSpring(first, stiffness=5.0, damping=0.5),
        JointSpring(second, stiffness=0.0, damping=0.1),
    ]
    monitor = EnergyMonitor(forces)
    rbd.simulate(state, 1.0, dt=0.005, forces=forces, monitors=[monitor])
    assert (np.diff(monitor.total) < 0).all()


def test_springs_between_two_bodies_do_not_move_the_whole() -> None:
    mechanism = Mechanism(gravity=(0, 0, 0))
    bodies: list[rbd.RigidBody] = []
    for name in ("a", "b"):
        inertia = rbd.SpatialInertia(rbd.Frame(name), mass=1.0, moment_about_com=np.diag([0.1, 0.2, 0.3]))
        bodies.append(rbd.RigidBody(name, inertia))
        mechanism.attach("world", bodies[-1], rbd.Joint(name, rbd.QuaternionFloating()))
    state = rbd.MechanismState(mechanism, q=[1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0])
    ends = [rbd.Point(body.default_frame, (0.1, 0.2, 0.3)) for body in bodies]
    before = rbd.momentum(state).vector
    rbd.simulate(state, 0.5, dt=0.005, forces=[Spring(*ends, stiffness=20.0, damping=1.0, rest_length=0.2)])
    assert np.abs(state.v).max() > 0.1
    assert np.allclose(rbd.momentum(state).vector, before, atol=1e-6)


def test_springs_without_length_and_within_a_body_do_nothing(two_bodies: Build) -> None:
    mechanism = two_bodies(rbd.Revolute((0, 1, 0)))
    state = rbd.MechanismState(mechanism)
    place = rbd.Point(mechanism.bodies[1].default_frame, (0, 0, 0))
    loose = Spring(rbd.Point(mechanism.root_frame, (0, 0, 0)), place, stiffness=10.0, rest_length=0.1)
    pushes = loose.act(state).wrenches.values()
    assert all(not wrench.vector.any() for wrench in pushes)
    inner = Spring(place, rbd.Point(place.frame, (1, 0, 0)), stiffness=10.0)
    assert not inner.act(state).wrenches


def test_elements_of_ones_own(pendulum: rbd.MechanismState) -> None:
    with pytest.raises(ArgumentError, match="forces"):
        rbd.simulate(pendulum, 0.1, forces=["spring"])  # type: ignore[list-item]  # meant
    assert issubclass(Spring, ForceElement)


def test_joints_of_springs_by_name(pendulum: rbd.MechanismState) -> None:
    elbow, q = pendulum.mechanism.joint("elbow"), pendulum.q.copy()
    for options in ({}, {"rest": [0.3], "damping": 0.5}):
        runs = []
        for joint in (elbow, "elbow"):
            spring, state = JointSpring(joint, stiffness=3.0, **options), rbd.MechanismState(pendulum.mechanism, q)
            runs.append(rbd.simulate(state, 0.1, dt=0.01, forces=[spring]).q)
            assert spring.energy(state) == JointSpring(elbow, stiffness=3.0, **options).energy(state)
            assert list(spring.act(state).torques) == [elbow]
        assert np.array_equal(*runs)
    with pytest.raises(UnknownNameError, match="did you mean 'elbow'"):
        rbd.simulate(pendulum, 0.1, forces=[JointSpring("elbo", stiffness=1.0)])
    with pytest.raises(ShapeError, match="rest"):
        rbd.simulate(pendulum, 0.1, forces=[JointSpring("elbow", stiffness=1.0, rest=[0.0, 1.0])])
    with pytest.raises(ArgumentError, match="joint"):
        JointSpring(3, stiffness=1.0)  # type: ignore[arg-type]  # meant
    assert np.array_equal(pendulum.q, q)


def test_what_is_illegal_is_refused(pendulum: rbd.MechanismState) -> None:
    root, q = pendulum.mechanism.root_frame, pendulum.q.copy()
    here = rbd.Point(root, (0, 0, 0))
    with pytest.raises(ArgumentError, match="stiffness"):
        Spring(here, here, stiffness=-1.0)
    with pytest.raises(ArgumentError, match="second"):
        Spring(here, (0, 0, 0), stiffness=1.0)  # type: ignore[arg-type]  # meant
    with pytest.raises(ShapeError, match="rest"):
        JointSpring(pendulum.mechanism.joint("elbow"), stiffness=1.0, rest=[0.0, 1.0])
    with pytest.raises(FrameMismatchError):
        rbd.simulate(pendulum, 0.1, forces=[Spring(here, rbd.Point(rbd.Frame("x"), (0, 0, 0)), stiffness=1.0)])
    assert np.array_equal(pendulum.q, q)


def test_a_joint_spring_swings_at_its_frequency() -> None:
    mechanism = Mechanism(gravity=(0, 0, 0))
    body = rbd.RigidBody("disc", rbd.SpatialInertia(rbd.Frame("disc"), mass=1.0, moment_about_com=0.25 * np.eye(3)))
    mechanism.attach("world", body, rbd.Joint("axle", rbd.Revolute((0, 0, 1))))
    state = rbd.MechanismState(mechanism, q=[0.4])
    spring = JointSpring(mechanism.joint("axle"), stiffness=1.0, rest=[0.1])
    trajectory = rbd.simulate(state, 3.0, dt=0.01, forces=[spring])
    assert np.allclose(trajectory.q[:, 0], 0.1 + 0.3 * np.cos(2 * trajectory.t), atol=1e-7)


def test_monitors_stop_what_goes_wrong(pendulum: rbd.MechanismState) -> None:
    q = pendulum.q.copy()
    with pytest.raises(SolverError, match="energy has drifted"):
        rbd.simulate(pendulum, 1.0, lambda t, state: [1.0, 0.0], dt=0.01, monitors=[EnergyMonitor(limit=1e-3)])
    assert np.array_equal(pendulum.q, q)
    gaps = LoopGapMonitor()
    rbd.simulate(pendulum, 0.02, dt=0.01, monitors=[gaps])
    assert (gaps.gap.tolist(), gaps.t.tolist()) == ([0, 0, 0], [0, 0.01, 0.02])
    linkage = rbd.MechanismState(rbd.robots.four_bar(), np.array(rbd.robots.four_bar_configuration(0.3)) + 0.01)
    with pytest.raises(SolverError, match="loops are open"):
        rbd.simulate(linkage, 0.1, monitors=[LoopGapMonitor(limit=1e-6)])
    with pytest.raises(ArgumentError, match="monitors"):
        rbd.simulate(pendulum, 0.1, monitors=[3])  # type: ignore[list-item]  # meant


def test_a_linkage_is_drawn_together() -> None:
    """Upstream's four-bar linkage with a gap of more than 1e-2 is closed to 1e-5 by default stabilisation."""
    state = rbd.MechanismState(
        rbd.robots.four_bar(), np.array(rbd.robots.four_bar_configuration(0.3)) + [0.02, 0, -0.02]
    )
    gaps = LoopGapMonitor()
    rbd.simulate(state, 3.0, dt=5e-3, monitors=[gaps])
    assert gaps.gap[0] > 1e-2
    assert gaps.gap[-1] < 1e-5


class Motor(ForceElement):
    """Returns whatever it was given."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def act(self, state: Any) -> Any:
        return self.result

    def energy(self, state: Any) -> float:
        return 0.0


def test_torques_of_elements_have_one_number_per_velocity(two_bodies: Build) -> None:
    mechanism = two_bodies(rbd.QuaternionSpherical())
    joint = mechanism.tree_joints[0]
    for result, error in (
        (Action(torques={joint: (0.2,)}), f"torques of Motor at joint '{joint.name}'"),
        (Action(torques={joint: (0.2, 0.1, math.nan)}), f"torques of Motor at joint '{joint.name}'"),
        ({joint: (0.2, 0.1, 0.3)}, "Motor.act"),
    ):
        state = rbd.MechanismState(mechanism)
        with pytest.raises(rbd.errors.RbdError, match=error) as caught:
            rbd.simulate(state, 0.1, forces=[Motor(result)])
        assert caught.value.__notes__ == ["raised by force element(t, state) at t = 0.0"]
        assert not state.v.any()
