"""Parameters of mechanisms that are symbols or complex numbers: errors of rbd where floats are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import rbd
from rbd.errors import ScalarError


@pytest.mark.parametrize("mass", [1 + 1j, sympy.Symbol("m")])
@pytest.mark.parametrize("energy", [rbd.kinetic_energy, rbd.gravitational_potential_energy])
def test_energies_that_are_no_floats_are_refused(energy: Callable[[rbd.MechanismState], float], mass: object) -> None:
    mechanism = rbd.Mechanism()
    body = rbd.RigidBody("body")
    inertia: Any = {"mass": mass, "com": (0, 0, 1), "moment_about_com": np.eye(3)}
    body.set_inertia(rbd.SpatialInertia(body.default_frame, **inertia))
    mechanism.attach("world", body, rbd.Joint("joint", rbd.Revolute((0, 1, 0))))
    with pytest.raises(ScalarError):
        energy(rbd.MechanismState(mechanism, [0.1], [1.0]))


def test_bounds_that_are_complex_are_refused_by_recordings() -> None:
    mechanism = rbd.robots.chain(1)
    mechanism.tree_joints[0].position_bounds = [(-1 - 1j, 1 + 1j)]
    with pytest.raises(ScalarError):
        rbd.compile(mechanism).inverse_dynamics_second_derivatives([0.0], [0.0], [0.0])
