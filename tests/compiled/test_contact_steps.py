"""Time steps and rollouts with contact states and with loops."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, ShapeError
from rbd.simulation import EnergyMonitor
from tests.simulation.contacts import ball, block, floor, slope

RUBBER = rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.5, 20e3, 200.0))
Q, V = np.array([1, 0, 0, 0, 0, 0, -1e-3]), np.array([0, 0, 0, 0.1, 0, 0])


@pytest.fixture(scope="module")
def mechanism() -> rbd.Mechanism:
    mechanism = block(RUBBER, 8)
    floor(mechanism, slope(0.6))
    return mechanism


@pytest.mark.parametrize("integrator", ["munthe-kaas-rk4", "semi-implicit-euler"])
def test_rollouts_equal_simulations(mechanism: rbd.Mechanism, integrator: str) -> None:
    robot = rbd.compile(mechanism)
    monitor = EnergyMonitor()  # somebody looks at every sample: every step is taken in Python
    trajectory = rbd.simulate(
        rbd.MechanismState(mechanism, Q, V), 0.05, dt=1e-3, integrator=integrator, monitors=[monitor]
    )
    q, v, s = robot.rollout(Q, V, np.zeros(6), 1e-3, 50, s=np.zeros(24), integrator=integrator)
    assert np.allclose(q, trajectory.q, rtol=0, atol=1e-12)
    assert np.allclose(v, trajectory.v, rtol=0, atol=1e-10)
    assert np.allclose(s, trajectory.s, rtol=0, atol=1e-12)
    assert np.abs(s).max() > 1e-5
    step = robot.step(Q, V, np.zeros(6), 1e-3, s=np.zeros(24), integrator=integrator)
    assert all(np.array_equal(a, b[1]) for a, b in zip(step, (q, v, s), strict=True))


def test_batches_and_torques_per_step(mechanism: rbd.Mechanism) -> None:
    robot, rng = rbd.compile(mechanism), np.random.default_rng(0)
    tau, starts = rng.standard_normal((3, 20, 6)), 1e-5 * rng.standard_normal((3, 24))
    q, v, s = robot.rollout(np.tile(Q, (3, 1)), V, tau, 1e-3, 20, s=starts)
    assert (q.shape, v.shape, s.shape) == ((3, 21, 7), (3, 21, 6), (3, 21, 24))
    for k in range(3):
        alone = robot.rollout(Q, V, tau[k], 1e-3, 20, s=starts[k])
        assert all(np.array_equal(a, b[k]) for a, b in zip(alone, (q, v, s), strict=True))


def test_displacements_are_reset_in_machine_code() -> None:
    mechanism = block(RUBBER, 1)
    floor(mechanism)
    up = np.array([0, 0, 0, 0.3, 0, 3.0])
    q, _, s = rbd.compile(mechanism).rollout(Q, up, np.zeros(6), 1e-3, 10, s=[1e-4, 0, 0])
    assert (q[2:, 6] > 0).all()
    assert not s[2:].any()


def test_long_simulations_with_contact_step_in_machine_code(mechanism: rbd.Mechanism) -> None:
    fast, slow = rbd.MechanismState(mechanism, Q, V), rbd.MechanismState(mechanism, Q, V)
    quick = rbd.simulate(fast, 0.6, dt=1e-3)
    steady = rbd.simulate(slow, 0.6, dt=1e-3, monitors=[EnergyMonitor()])
    assert np.allclose(quick.q, steady.q, rtol=0, atol=1e-9)
    assert np.allclose(quick.s, steady.s, rtol=0, atol=1e-9)
    assert np.array_equal(quick.q[-1], fast.q)


def test_contact_without_states() -> None:
    mechanism = ball(rbd.SoftContact(rbd.HuntCrossley(5e3, 50e3)))
    q, _ = rbd.compile(mechanism).rollout([0.01], [0.0], [0.0], 1e-3, 3000)
    assert -q[-1, 0] == pytest.approx((9.81 / 5e3) ** (2 / 3), rel=1e-6)


def test_contact_states_are_required(mechanism: rbd.Mechanism) -> None:
    robot = rbd.compile(mechanism)
    for attempt in (
        lambda: robot.step(Q, V, np.zeros(6), 1e-3),
        lambda: robot.rollout(Q, V, np.zeros(6), 1e-3, 3),
    ):
        with pytest.raises(ArgumentError, match="24 contact states"):
            attempt()
    assert not robot._table.functions, "nothing was recorded"
    with pytest.raises(ShapeError, match=r"\bs\b"):
        robot.step(Q, V, np.zeros(6), 1e-3, s=np.zeros(3))
    with pytest.raises(ArgumentError, match="left out"):
        rbd.compile(rbd.robots.double_pendulum()).step([0, 0], [0, 0], [0, 0], 1e-3, s=[0.0])


def test_rollouts_with_loops_equal_simulations() -> None:
    linkage = rbd.robots.four_bar()
    q0 = rbd.robots.four_bar_configuration(0.3)
    trajectory = rbd.simulate(rbd.MechanismState(linkage, q0), 0.3, dt=2e-3, monitors=[EnergyMonitor()])
    q, v = rbd.compile(linkage).rollout(q0, np.zeros(3), np.zeros(3), 2e-3, 150)
    assert np.allclose(q, trajectory.q, rtol=0, atol=1e-9)
    assert np.allclose(v, trajectory.v, rtol=0, atol=1e-8)
    assert rbd.algorithms.loop_gap(rbd.MechanismState(linkage, q[-1])) < 1e-8
