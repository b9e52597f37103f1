"""Passive torques: their formulas, and the balance of power."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import DynamicsResult, Joint, Mechanism, MechanismState, Prismatic, Revolute
from rbd.algorithms.passive import spring_energy

from .helpers import JOINT_TYPES, Case, case, cases, close, examples, in_root, rate


def one_joint(q: float, v: float, **parameters: object) -> np.ndarray:
    mechanism = Mechanism(gravity=(0, 0, 0))
    body = rbd.RigidBody("bob", rbd.SpatialInertia(rbd.Frame("bob"), mass=2.0, moment_about_com=np.eye(3)))
    mechanism.attach("world", body, Joint("slide", Prismatic((0, 0, 1)), **parameters))
    return rbd.passive_torques(MechanismState(mechanism, [q], [v]))


@pytest.mark.parametrize(
    ("q", "v", "parameters", "expected"),
    [
        (0.4, 2.0, {"damping": 0.5}, -1.0),
        (0.4, -2.0, {"damping": 0.5}, 1.0),
        (0.4, 2.0, {"friction": 0.7}, -0.7),
        (0.4, -2.0, {"friction": 0.7}, 0.7),
        (0.4, 0.0, {"friction": 0.7}, 0.0),
        (0.4, 0.1, {"friction": 0.7, "friction_velocity": 0.1}, -0.7 * np.tanh(1)),
        (0.4, 2.0, {"bound_stiffness": 10.0}, 0.0),  # no bounds
        (0.4, 2.0, {"bound_stiffness": 10.0, "position_bounds": (-1, 1)}, 0.0),
        (1.5, 0.0, {"bound_stiffness": 10.0, "position_bounds": (-1, 1)}, -5.0),
        (-1.5, 0.0, {"bound_stiffness": 10.0, "position_bounds": (-1, 1)}, 5.0),
        (-1.5, 0.0, {"bound_stiffness": 10.0, "position_bounds": (-np.inf, 1)}, 0.0),
        (1.5, 2.0, {"bound_damping": 3.0, "position_bounds": (-1, 1)}, -6.0),
        (0.5, 2.0, {"bound_damping": 3.0, "position_bounds": (-1, 1)}, 0.0),
        (1.5, 2.0, {"bound_stiffness": 10.0, "bound_damping": 3.0, "damping": 1.0, "position_bounds": (-1, 1)}, -13.0),
        (0.4, 2.0, {"armature": 3.0}, 0.0),
    ],
)
def test_formulas(q: float, v: float, parameters: dict[str, object], expected: float) -> None:
    close(one_joint(q, v, **parameters), [expected], 1e-12, scale=1e-3)


def test_armature_slows_a_slide_down() -> None:
    mechanism = Mechanism(gravity=(0, 0, -10))
    body = rbd.RigidBody("bob", rbd.SpatialInertia(rbd.Frame("bob"), mass=2.0, moment_about_com=np.eye(3)))
    mechanism.attach("world", body, Joint("slide", Prismatic((0, 0, 1)), armature=3.0))
    state = MechanismState(mechanism)
    close(rbd.forward_dynamics(state, [5.0]), [(5 - 20) / 5], 1e-14)
    close(rbd.inverse_dynamics(state, [1.0]), [25.0], 1e-14)
    close(rbd.articulated_inertia(state, body).matrix, body.inertia.matrix, 1e-14)


def power(a_case: Case, tau: np.ndarray, wrenches: dict) -> float:
    """Return what torques, passive ones included, and external wrenches feed in."""
    state = a_case.state
    total = (tau + rbd.passive_torques(state)) @ state.v
    return total + sum(in_root(state, w) @ state.twist(body).vector for body, w in wrenches.items())


@examples(1)
@given(cases(passive=True))
def test_balance_of_power(a_case: Case) -> None:
    """d/dt (T + U) = power of torques, passive torques and external wrenches; T includes the rotors, as M does."""
    state, tau, wrenches = a_case.state, a_case.velocity(), a_case.wrenches()
    vd = rbd.forward_dynamics(state, tau, wrenches)
    energy = rate(state, rbd.kinetic_energy, vd) + rate(state, rbd.gravitational_potential_energy, vd)
    size = np.abs(state.v) @ np.abs(rbd.mass_matrix(state)) @ np.abs(vd)
    close(energy, power(a_case, tau, wrenches), scale=size)


@examples(1)
@given(cases(passive=True))
def test_springs_at_the_bounds_conserve_energy(a_case: Case) -> None:
    state = a_case.state
    for joint in a_case.mechanism.tree_joints:
        joint.damping = joint.friction = joint.bound_damping = 0.0
    close(rate(state, spring_energy), -rbd.passive_torques(state) @ state.v, scale=1e-3)
    assert spring_energy(state) >= 0
    for joint in a_case.mechanism.tree_joints:
        joint.position_bounds = None
    assert spring_energy(state) == 0


@examples(1)
@given(cases(passive=True))
def test_damping_and_friction_dissipate_energy(a_case: Case) -> None:
    for joint in a_case.mechanism.tree_joints:
        joint.bound_stiffness = 0.0
    torques = rbd.passive_torques(a_case.state)
    assert np.all(torques * a_case.state.v <= 0)
    assert torques @ a_case.state.v < 0 or not a_case.mechanism.nv


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_damping_per_velocity_of_every_joint_type(kind: str) -> None:
    a_case = case(kind, seed=53)
    state = a_case.state
    for joint in a_case.mechanism.tree_joints:
        joint.damping = list(a_case.rng.uniform(0, 1, joint.nv))
    expected = [-d * v for joint in a_case.mechanism.tree_joints for d, v in zip(joint.damping, state.velocity(joint))]  # noqa: B905
    close(rbd.passive_torques(state), expected, 1e-15)


def test_springs_of_a_joint_with_rates_that_are_not_velocities() -> None:
    """The spring acts on a coordinate; its torque does the same work."""
    mechanism = Mechanism(gravity=(0, 0, 0))
    body = rbd.RigidBody("disc", rbd.SpatialInertia(rbd.Frame("disc"), mass=2.0, moment_about_com=np.eye(3)))
    joint = Joint("table", rbd.Planar((1, 0, 0), (0, 1, 0)), bound_stiffness=[7.0, 8.0, 9.0])
    joint.position_bounds = [(-1, 1), (-1, 1), (-1, 1)]
    mechanism.attach("world", body, joint)
    state = MechanismState(mechanism, [1.5, -1.25, 0.7], [0.3, -0.4, 0.5])
    qd = state.configuration_derivative()
    close(rbd.passive_torques(state) @ state.v, -7 * 0.5 * qd[0] + 8 * 0.25 * qd[1], 1e-14)


def test_springs_of_a_floating_joint_push_along_their_own_axes() -> None:
    """Seven coordinates, six numbers: those of the position are the last three of both."""
    mechanism = Mechanism(gravity=(0, 0, 0))
    body = rbd.RigidBody("ship", rbd.SpatialInertia(rbd.Frame("ship"), mass=2.0, moment_about_com=np.eye(3)))
    joint = Joint("sea", rbd.QuaternionFloating(), bound_stiffness=[1.0, 2.0, 3.0, 10.0, 20.0, 30.0])
    joint.position_bounds = [(-1, 1)] * 4 + [(-0.5, 0.5)] * 3
    mechanism.attach("world", body, joint)
    state = MechanismState(mechanism, [1, 0, 0, 0, 1.5, -2.5, 3.5])
    close(rbd.passive_torques(state), [0, 0, 0, -10, 40, -90], 1e-14)


def test_passive_torques_enter_all_three_equations() -> None:
    a_case = case("tree", seed=59, passive=True)
    state, tau = a_case.state, a_case.velocity()
    passive = rbd.passive_torques(state)
    result = rbd.dynamics(DynamicsResult(a_case.mechanism), state, tau)
    for joint in a_case.mechanism.tree_joints:
        joint.damping = joint.friction = joint.bound_stiffness = joint.bound_damping = 0.0
    assert not rbd.passive_torques(state).any()
    close(rbd.forward_dynamics(state, tau + passive), result.vd, 1e-10)
    close(rbd.inverse_dynamics(state, result.vd), tau + passive, 1e-10)
    close(result.passive_torques, passive, 1e-15)


def test_one_revolute_swings_at_the_right_rate() -> None:
    """A compound pendulum: (I + m l² + armature) qdd = tau - m g l sin q - d v."""
    mechanism = Mechanism(gravity=(0, 0, -9.81))
    moment = np.diag([0.1, 0.2, 0.15])
    inertia = rbd.SpatialInertia(rbd.Frame("bob"), mass=2.0, com=(0, 0, -0.5), moment_about_com=moment)
    joint = Joint("hinge", Revolute((0, 1, 0)), damping=0.3, armature=0.05)
    mechanism.attach("world", rbd.RigidBody("bob", inertia), joint)
    state = MechanismState(mechanism, [0.7], [1.1])
    expected = (0.9 - 2 * 9.81 * 0.5 * np.sin(0.7) - 0.3 * 1.1) / (0.2 + 2 * 0.25 + 0.05)
    close(rbd.forward_dynamics(state, [0.9]), [expected], 1e-13)
