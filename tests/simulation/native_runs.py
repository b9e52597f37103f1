"""Runs with controllers in Python between native stages, shared by tests."""

from __future__ import annotations

import numpy as np

import rbd
from rbd.scalars.arrays import Array
from rbd.testing import random_floating_tree

INTEGRATORS = ("munthe-kaas-rk4", "semi-implicit-euler")
DT, STEPS = 2e-3, 12


def tree() -> rbd.Mechanism:
    kinds: list[rbd.JointType] = [
        rbd.QuaternionSpherical(),
        rbd.Planar((1, 0, 0), (0, 1, 0)),
        rbd.SinCosRevolute((0, 0, 1)),
    ]
    return random_floating_tree(kinds, np.random.default_rng(3))


def started(mechanism: rbd.Mechanism) -> rbd.MechanismState:
    state = rbd.MechanismState(mechanism)
    state.randomize(np.random.default_rng(5))
    return state


def damping(t: float, state: rbd.MechanismState) -> Array:
    return np.cos(3 * t) - 0.2 * state.v + 0.1 * rbd.gravity_torques(state)


def run(control: object, mechanism: rbd.Mechanism, **options: object) -> rbd.Trajectory:
    return rbd.simulate(started(mechanism), DT * STEPS, control, dt=DT, **options)  # type: ignore[arg-type] # any kind


def both(control: object, mechanism: rbd.Mechanism, **options: object) -> tuple[rbd.Trajectory, rbd.Trajectory]:
    """Run with native stages and in Python."""
    found = run(control, mechanism, **options)
    with rbd.interpreted():
        return found, run(control, mechanism, **options)


def close(pair: tuple[rbd.Trajectory, rbd.Trajectory], compiled: list[object]) -> None:
    assert compiled
    found, expected = pair
    np.testing.assert_array_equal(found.t, expected.t)
    for x, y in ((found.q, expected.q), (found.v, expected.v), (found.s, expected.s)):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-10)
