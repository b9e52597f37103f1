"""Gradients in one sweep, without any other library: the products of weights with Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.bridges.pullback import pullback

ALGORITHMS: dict[str, Any] = {
    "inverse dynamics": (rbd.inverse_dynamics, {"vd": True}),
    "inverse mass matrix": (rbd.inverse_mass_matrix, {}),
}


def moving_state(mechanism: rbd.Mechanism) -> rbd.MechanismState:
    """Return a state near the first one, moving."""
    rng, start = np.random.default_rng(2), rbd.MechanismState(mechanism)
    return rbd.MechanismState(mechanism, start.q + rng.uniform(0.1, 0.3, mechanism.nq), rng.normal(size=mechanism.nv))


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("robot", ["arm7", "four_bar"])
def test_weights_times_jacobians(name: str, robot: str) -> None:
    mechanism = getattr(rbd.robots, robot)()
    algorithm, takes = ALGORITHMS[name]
    recorded = rbd.record(algorithm, mechanism, **({"vd": mechanism.nv} if takes else {}))
    state = moving_state(mechanism)
    arguments = [state.q, state.v, *([np.linspace(-1, 1, mechanism.nv)] if takes else [])]
    (port,) = recorded.program.outputs
    weights = np.random.default_rng(3).normal(size=port.shape)
    gradients = pullback(recorded.program)(*arguments, weights)
    for source, gradient in zip(recorded.program.inputs, gradients, strict=True):
        jacobian = np.asarray(recorded.derivative(port.name, source.name)(*arguments))
        expected = np.tensordot(weights, jacobian, axes=weights.ndim)
        np.testing.assert_allclose(gradient, expected, atol=1e-11 * max(1, float(np.abs(expected).max())), rtol=0)


def test_through_loops_that_are_solved_for() -> None:
    mechanism = rbd.robots.four_bar()
    recorded = rbd.record(rbd.forward_dynamics, mechanism, torques=mechanism.nv)
    assert recorded.program.calls
    state = moving_state(mechanism)
    torques = np.linspace(-1, 1, mechanism.nv)
    d_dq, d_dv, d_dtau = rbd.forward_dynamics_derivatives(state, torques)
    weights = np.array([1.0, -2.0, 0.5])[: mechanism.nv]
    found = pullback(recorded.program)(state.q, state.v, torques, weights)
    for gradient, jacobian in zip(found, (d_dq, d_dv, d_dtau), strict=True):
        assert np.abs(gradient).max() > 1e-3
        np.testing.assert_allclose(gradient, weights @ jacobian, atol=1e-9 * np.abs(jacobian).max(), rtol=0)
