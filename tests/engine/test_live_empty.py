"""Empty results keep their shape for any number of calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd

OFTEN = 12  # calls until machine code, and the fast path to it, has long been taken
MATRICES: list[Callable[..., Any]] = [
    *(rbd.mass_matrix, rbd.coriolis_matrix, rbd.inverse_mass_matrix, rbd.constraint_jacobian)
]
VECTORS: list[Callable[..., Any]] = [rbd.dynamics_bias, rbd.gravity_torques, rbd.passive_torques, rbd.constraint_bias]


@pytest.mark.parametrize("function", [*MATRICES, *VECTORS])
def test_a_mechanism_without_joints(function: Callable[..., Any]) -> None:
    state = rbd.MechanismState(rbd.Mechanism())
    wanted = (0, 0) if function in MATRICES else (0,)
    for _ in range(OFTEN):
        assert function(state).shape == wanted
        state.set_configuration([])


def test_forces_of_a_mechanism_without_joints() -> None:
    state = rbd.MechanismState(rbd.Mechanism())
    result = rbd.DynamicsResult(state.mechanism)
    for _ in range(OFTEN):
        assert rbd.forward_dynamics(state, []).shape == (0,)
        assert rbd.inverse_dynamics(state, []).shape == (0,)
        assert rbd.dynamics(result, state, np.zeros(0)).mass_matrix.shape == (0, 0)


def test_the_loops_of_a_tree() -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum())
    for _ in range(OFTEN):
        assert rbd.constraint_jacobian(state).shape == (0, 2)
        state.set_configuration([0.1, 0.2])
