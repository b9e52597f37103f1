"""Derivatives of recorded functions agree with analytical ones, along velocities and by coordinates."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from rbd.errors import ArgumentError
from rbd.testing import random_floating_tree


def robot_state() -> MechanismState:
    rng = np.random.default_rng(5)
    types = [rbd.Universal((1, 0, 0), (0, 1, 1)), rbd.QuaternionSpherical(), rbd.Planar((1, 0, 0), (0, 1, 0))]
    mechanism = random_floating_tree([*types, rbd.SinCosRevolute((0, 0, 1))], rng)
    for joint in mechanism.tree_joints:
        joint.damping, joint.armature = 0.3, 0.1
    state = MechanismState(mechanism)
    state.randomize(rng)
    return state


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_inverse_dynamics_agrees_with_analytical_derivatives(mode: Any) -> None:
    state = robot_state()
    nv = state.mechanism.nv
    vd = np.linspace(-1.0, 1.0, nv)
    recorded = rbd.record(lambda s, vd: rbd.inverse_dynamics(s, vd), state.mechanism, vd=nv)
    for space in ("tangent", "coordinates"):
        expected = rbd.inverse_dynamics_derivatives(state, vd, space=space)  # type: ignore[arg-type]  # a literal
        for wrt, by_hand in zip(("q", "v", "vd"), expected, strict=True):
            slope = recorded.derivative("result", wrt, mode=mode, space=space)  # type: ignore[arg-type]  # a literal
            found = slope.interpret(state.q, state.v, vd)
            np.testing.assert_allclose(found, by_hand, rtol=0, atol=1e-11 * np.abs(by_hand).max())


def test_forward_dynamics_agrees_with_analytical_derivatives() -> None:
    state = robot_state()
    nv = state.mechanism.nv
    tau = np.linspace(-1.0, 1.0, nv)
    recorded = rbd.record(lambda s, tau: rbd.forward_dynamics(s, tau), state.mechanism, tau=nv)
    for wrt, by_hand in zip(("q", "v", "tau"), rbd.forward_dynamics_derivatives(state, tau), strict=True):
        found = recorded.derivative("result", wrt).interpret(state.q, state.v, tau)
        np.testing.assert_allclose(found, by_hand, rtol=0, atol=1e-10 * np.abs(by_hand).max())


def test_loops_agree_with_analytical_derivatives() -> None:
    mechanism = rbd.robots.four_bar()
    state, tau = MechanismState(mechanism), np.array([0.3, -0.2, 0.1])
    recorded = rbd.record(lambda s, tau: rbd.forward_dynamics(s, tau), mechanism, tau=3)
    for wrt, by_hand in zip(("q", "v", "tau"), rbd.forward_dynamics_derivatives(state, tau), strict=True):
        found = recorded.derivative("result", wrt)(state.q, state.v, tau)
        np.testing.assert_allclose(found, by_hand, rtol=0, atol=1e-9 * np.abs(by_hand).max() + 1e-12)


def test_several_outputs_framed_values_and_batches() -> None:
    state = robot_state()
    mechanism = state.mechanism

    def outputs(s: Any) -> dict[str, Any]:
        return {"com": rbd.center_of_mass(s), "energy": rbd.kinetic_energy(s)}

    recorded = rbd.record(outputs, mechanism)
    jacobian = recorded.derivative("com", "q")
    q, v = np.array([state.q] * 3), np.array([state.v] * 3)
    found = jacobian(q, v)
    assert isinstance(found, np.ndarray)
    assert found.shape == (3, 3, mechanism.nv)
    np.testing.assert_allclose(found[1], rbd.algorithms.center_of_mass_jacobian(state).matrix, rtol=0, atol=1e-12)
    momentum = recorded.derivative("energy", "v").compile()(state.q, state.v)
    np.testing.assert_allclose(momentum, rbd.mass_matrix(state) @ state.v, rtol=0, atol=1e-12)
    pattern = recorded.sparsity("com", "q")
    assert pattern.shape == (3, mechanism.nv)
    assert pattern[:, 3:].all()
    sparse = recorded.derivative("com", "q", sparse=True)(state.q, state.v)
    np.testing.assert_allclose(sparse, found[0][pattern], rtol=0, atol=1e-12)
    again = pickle.loads(pickle.dumps(jacobian))
    np.testing.assert_array_equal(again(state.q, state.v), found[0])


def test_second_derivatives_of_the_potential_are_symmetric() -> None:
    mechanism = rbd.robots.arm7()
    energy = rbd.record(rbd.gravitational_potential_energy, mechanism)
    hessian = energy.derivative("result", "q").derivative("d_result_d_q", "q")
    q = np.linspace(-1.0, 1.0, 7)
    found = hessian(q, np.zeros(7))
    np.testing.assert_allclose(found, np.transpose(found), rtol=0, atol=1e-12)
    slopes = rbd.bias_derivatives(MechanismState(mechanism, q))[0]
    np.testing.assert_allclose(found, slopes, rtol=0, atol=1e-11)


def test_invalid_arguments() -> None:
    recorded = rbd.record(rbd.kinetic_energy, rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="result"):
        recorded.derivative("energy", "q")
    with pytest.raises(ArgumentError, match="q, v"):
        recorded.derivative("result", "tau")
    with pytest.raises(ArgumentError, match="space"):
        recorded.derivative("result", "q", space="world")  # type: ignore[arg-type]  # the error


@pytest.mark.parametrize("space", ["tangent", "coordinates"])
def test_functions_made_of_a_program_have_derivatives_by_the_entries_of_q(space: Any) -> None:
    recorded = rbd.record(rbd.kinetic_energy, robot_state().mechanism)
    nq, nv = recorded.program.inputs[0].shape[0], recorded.program.inputs[1].shape[0]
    assert recorded.derivative("result", "q").program.outputs[0].shape == (nv,) != (nq,)
    slope = rbd.compiled.RecordedFunction(recorded.program).derivative("result", "q", space=space)
    assert slope.program.outputs[0].shape == (nq,)
