"""Conversions of velocities, principal values, random states within bounds, arrays by joint, accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError
from rbd.testing import random_tree

from ..algorithms.helpers import JOINT_TYPES


def many_joints() -> rbd.MechanismState:
    """Return a state of a tree with a joint of every type."""
    mechanism = random_tree(JOINT_TYPES.values(), np.random.default_rng(4))
    state = rbd.MechanismState(mechanism)
    state.randomize(3)
    return state


def test_velocities_and_derivatives_of_configurations() -> None:
    state, rng = many_joints(), np.random.default_rng(1)
    qd = state.configuration_derivative()
    np.testing.assert_allclose(state.velocity_to_configuration_derivative(state.v), qd, rtol=0, atol=1e-15)
    np.testing.assert_allclose(state.configuration_derivative_to_velocity(qd), state.v, rtol=0, atol=1e-12)
    v, rates = rng.standard_normal(len(state.v)), rng.standard_normal(len(state.q))
    force, torque = rng.standard_normal(len(state.q)), rng.standard_normal(len(state.v))
    power = state.velocity_to_configuration_derivative_adjoint(force) @ v
    assert abs(power - force @ state.velocity_to_configuration_derivative(v)) < 1e-10
    power = state.configuration_derivative_to_velocity_adjoint(torque) @ rates
    assert abs(power - torque @ state.configuration_derivative_to_velocity(rates)) < 1e-10


def test_conversion_of_gradients_by_q_to_gradients_along_v() -> None:
    """The potential energy's gradient by q, carried over, are the torques of gravity."""
    state = many_joints()
    step = 1e-30
    slopes = []
    for k in range(len(state.q)):
        moved = np.array(state.q, dtype=complex)
        moved[k] += step * 1j
        slopes.append(rbd.gravitational_potential_energy(state.with_scalars(moved)).imag / step)
    found = state.velocity_to_configuration_derivative_adjoint(slopes)
    np.testing.assert_allclose(found, rbd.gravity_torques(state), rtol=0, atol=1e-9)


def test_principal_values_keep_the_poses() -> None:
    mechanism = rbd.robots.humanoid()
    state = rbd.MechanismState(mechanism)
    state.randomize(2)
    base = mechanism.joint("floating_base")
    q = state.configuration(base)
    q[:4] *= -np.sign(q[0])
    state.set_configuration(base, q)
    before = state.transform_to_root(mechanism.bodies[-1])
    state.to_principal_values()
    assert state.configuration(base)[0] > 0
    assert state.transform_to_root(mechanism.bodies[-1]).isclose(before, atol=1e-14)


def test_configuration_and_velocity_are_reset_and_randomized_separately() -> None:
    state = many_joints()
    q, v = state.q.copy(), state.v.copy()
    state.zero_velocity()
    assert not state.v.any()
    np.testing.assert_array_equal(state.q, q)
    state.randomize_velocity(5)
    v = state.v.copy()
    state.zero_configuration()
    np.testing.assert_array_equal(state.v, v)
    np.testing.assert_array_equal(state.q, rbd.MechanismState(state.mechanism).q)
    state.randomize_configuration(5)
    np.testing.assert_array_equal(state.v, v)
    assert state.q.any()


def test_random_states_within_bounds() -> None:
    mechanism = rbd.robots.humanoid()
    lone = next(joint for joint in mechanism.tree_joints if joint.nv == 1)
    lone.position_bounds = (0.25, np.inf)
    for joint in mechanism.tree_joints:
        joint.velocity_bounds = [(-0.5, 0.5)] * joint.nv
    state = rbd.MechanismState(mechanism)
    for seed in range(20):
        state.randomize(seed, within_bounds=True)
        for joint in mechanism.tree_joints:
            if joint.nq == joint.nv:
                for x, (lower, upper) in zip(state.configuration(joint), joint.position_bounds, strict=True):
                    assert lower <= x <= upper
        assert np.abs(state.v).max() <= 0.5
    with pytest.raises(ArgumentError, match="within_bounds"):
        state.randomize(1, within_bounds=1)  # type: ignore[arg-type]  # on purpose


def test_bounds_have_effect_on_joints_with_as_many_coordinates_as_velocities() -> None:
    """Those of modified Rodrigues parameters, whose rates are not velocities, but not those of sine and cosine."""
    mechanism = rbd.Mechanism()
    mechanism.attach("world", rbd.RigidBody("a"), rbd.Joint("mrp", rbd.MRPFloating(), position_bounds=[(0.1, 0.2)] * 6))
    turn = rbd.Joint("turn", rbd.SinCosRevolute((0, 0, 1)), position_bounds=[(0.1, 0.2)] * 2)
    mechanism.attach("a", rbd.RigidBody("b"), turn)
    state = rbd.MechanismState(mechanism)
    state.randomize(1, within_bounds=True)
    assert ((state.q[:6] >= 0.1) & (state.q[:6] <= 0.2)).all()
    np.testing.assert_allclose(np.linalg.norm(state.q[6:]), 1, rtol=0, atol=1e-15)


def test_accelerations_of_bodies() -> None:
    state, rng = many_joints(), np.random.default_rng(2)
    mechanism = state.mechanism
    result = rbd.dynamics(state, rng.standard_normal(mechanism.nv))
    one, two = mechanism.bodies[2], mechanism.bodies[-1]
    for asked in (state, state.with_scalars()):
        found = rbd.spatial_accelerations(asked, result.vd)
        for body in mechanism.bodies:
            assert found[body].isclose(result.acceleration(body), atol=1e-9)
        relative: Any = rbd.relative_acceleration(asked, result.vd, one, two.name, frame=two)
        assert relative.isclose(result.relative_acceleration(one.name, two, frame=two), atol=1e-9)
        assert (relative.body, relative.base, relative.frame) == (
            one.default_frame,
            two.default_frame,
            two.default_frame,
        )


def test_relative_accelerations_are_derivatives_of_relative_twists() -> None:
    state = many_joints()
    mechanism, step = state.mechanism, 1e-6
    one, two = mechanism.bodies[2], mechanism.bodies[-1]
    vd = np.random.default_rng(3).standard_normal(mechanism.nv)
    twists = []
    for sign in (-1, 1):
        moved = rbd.MechanismState(mechanism, state.q, state.v)
        moved.global_coordinates(state.q, sign * step * state.v)
        moved.set_velocity(state.v + sign * step * vd)
        twists.append(moved.relative_twist(one, two).vector)
    slope = (twists[1] - twists[0]) / (2 * step)
    found = rbd.relative_acceleration(state, vd, one, two)
    np.testing.assert_allclose(found.vector, slope, rtol=0, atol=1e-6 * max(1.0, np.abs(slope).max()))


def test_floating_joints_and_bodies_with_inertia() -> None:
    mechanism = rbd.robots.humanoid()
    floating = [joint.name for joint in mechanism.tree_joints if joint.is_floating]
    assert floating == ["floating_base"]
    assert [body.name for body in mechanism.bodies if not body.has_inertia] == [mechanism.root_body.name]
