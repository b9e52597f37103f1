"""A robot that stands on its feet: the ground carries its weight, at rest and, less its acceleration, in every step.

A robot under a soft control sinks for seconds: after two of them, the ground still carries 0.9 % less than the weight,
which is the mass times the acceleration of the centre of mass. So weights are compared once the robot is at rest, or
with the change of momentum.
"""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import ContactSimulator, contact_step
from rbd.contact.simulation.control import Control
from rbd.contact.stepping.transport import transport_accelerations
from rbd.scalars.arrays import Array

DT, MU = 2e-3, 0.7
STANDING = rbd.robots.quadruped_configuration()


def held(stiffness: float, damping: float) -> Control:
    """Return a control that holds the joints of the legs."""

    def torques(t: float, state: rbd.MechanismState) -> Array:
        return np.concatenate([np.zeros(6), stiffness * (STANDING[7:] - state.q[7:]) - damping * state.v[6:]])

    return torques


def test_the_ground_carries_the_weight_of_a_robot_at_rest() -> None:
    robot = rbd.robots.quadruped()
    model, weight = rbd.robots.quadruped_collision_model(robot), robot.mass * 9.81
    state, control = rbd.MechanismState(robot, STANDING), held(200.0, 8.0)
    ContactSimulator(robot, model, control, DT, friction=MU).run(state, 6.0)
    assert np.abs(state.v).max() < 1e-9

    loads = contact_step(state, model, np.asarray(control(0.0, state)), DT, friction=MU).impulses / DT
    assert loads.sum() == pytest.approx(weight, rel=1e-9)
    feet = np.array([near.witness_a.xyz[0] for near in model.distances(state)])
    assert loads @ feet == pytest.approx(weight * rbd.center_of_mass(state).xyz[0], rel=1e-8)  # no moment is left
    assert max(abs(near.value) for near in model.distances(state)) < 1e-12


def in_frames_before(state: rbd.MechanismState, q: Array, v: Array) -> Array:
    """Return velocities at q, of a robot that turns about a principal axis, in the frames of a state."""
    trunk = state.mechanism.bodies[1].default_frame
    root = state.mechanism.root_frame
    later = rbd.MechanismState(state.mechanism, q, v)
    turn = state.relative_transform(trunk, root).rotation.T @ later.relative_transform(trunk, root).rotation
    centre = state.transform(rbd.center_of_mass(state), trunk).xyz
    carried = turn @ (v[3:6] + np.cross(v[:3], centre)) - np.cross(v[:3], centre)
    return np.concatenate([v[:3], carried, v[6:]])


def test_while_a_robot_sinks_the_ground_carries_its_weight_and_what_changes_its_momentum() -> None:
    robot = rbd.robots.quadruped()
    model, weight = rbd.robots.quadruped_collision_model(robot), robot.mass * 9.81
    state, control = rbd.MechanismState(robot, STANDING), held(60.0, 1.0)
    after = ContactSimulator(robot, model, control, DT, friction=MU).run(state, 2.0)
    for k in (0, 40, 500, 999):
        state.set_configuration(after.q[k])
        state.set_velocity(after.v[k])
        impulse = contact_step(state, model, np.asarray(control(0.0, state)), DT, friction=MU).impulses.sum()
        before, bias = rbd.momentum(state).linear[2], rbd.momentum_rate_bias(state).linear[2]
        going_on = np.array(transport_accelerations(state.with_scalars()), dtype=float)
        state.set_velocity(in_frames_before(state, after.q[k + 1], after.v[k + 1]))
        gained = rbd.momentum(state).linear[2] - before + DT * bias
        state.set_velocity(going_on)
        gained += DT * rbd.momentum(state).linear[2]
        assert impulse == pytest.approx(weight * DT + gained, rel=1e-10)
    assert impulse / (weight * DT) - 1 == pytest.approx(-0.0087, abs=1e-4)
