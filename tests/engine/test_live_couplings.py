"""Couplings of joints in machine code: live states, compiled robots, batches, rollouts and simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState

from ..algorithms.helpers import close
from ..algorithms.loops.test_couplings import curved, gripper

pytestmark = pytest.mark.optimised


def test_machine_code_agrees_in_bits_alone_in_batches_and_with_threads() -> None:
    state = curved()
    robot, rng, nv = rbd.compile(state.mechanism), np.random.default_rng(3), state.mechanism.nv
    count, free = 19, state.mechanism.tree_joints[0].type
    rows = [(*free.random(rng), *rng.standard_normal(4)) for _ in range(count)]
    q = np.array([MechanismState(state.mechanism, row).q for row in rows])  # quaternions of length one to the last bit
    v, tau = rng.standard_normal((count, nv)), rng.standard_normal((count, nv))
    batch, threaded = robot.forward_dynamics(q, v, tau), robot.forward_dynamics(q, v, tau, threads=2)
    assert np.array_equal(batch, threaded)
    after, rolled = robot.step(q, v, tau, 1e-3), robot.rollout(q, v, tau, 1e-3, 3)
    for k in range(count):
        assert np.array_equal(robot.forward_dynamics(q[k], v[k], tau[k]), batch[k])
        alone = MechanismState(state.mechanism, q[k], v[k])
        assert np.array_equal(rbd.forward_dynamics(alone, tau[k]), batch[k])
        with rbd.interpreted():
            close(rbd.forward_dynamics(alone, tau[k]), batch[k], 1e-10)
        for each, row in zip(robot.step(q[k], v[k], tau[k], 1e-3), after, strict=True):
            assert np.array_equal(each, row[k])
        for each, row in zip(robot.rollout(q[k], v[k], tau[k], 1e-3, 3), rolled, strict=True):
            assert np.array_equal(each, row[k])


def test_the_interpreter_and_machine_code_agree_in_bits() -> None:
    state = curved()
    recorded = rbd.record(lambda s, tau: rbd.forward_dynamics(s, tau), state.mechanism, tau=state.mechanism.nv)
    tau = np.linspace(-1, 1, state.mechanism.nv)
    assert np.array_equal(recorded.interpret(state.q, state.v, tau), recorded(state.q, state.v, tau))


@pytest.mark.parametrize("integrator", ["munthe-kaas-rk4", "semi-implicit-euler"])
def test_machine_code_of_rollouts_and_simulations_keeps_couplings(integrator: Any) -> None:
    state = curved()
    robot, still = rbd.compile(state.mechanism), np.zeros(state.mechanism.nv)
    q, _ = robot.rollout(state.q, state.v, still, 1e-3, 400, integrator=integrator)
    gaps = [float(rbd.loop_gap(MechanismState(state.mechanism, row))) for row in q[::40]]
    assert max(gaps) < (1e-10 if integrator == "munthe-kaas-rk4" else 1e-3)
    rbd.simulate(state, 0.4, dt=1e-3, integrator=integrator)
    close(state.q, q[-1], 1e-12)


def test_live_states_follow_new_couplings() -> None:
    mechanism = rbd.robots.double_pendulum()
    before = rbd.forward_dynamics(MechanismState(mechanism, [0.25, 0.0]))
    coupling = mechanism.couple("elbow", "shoulder", ratio=-2.0, offset=0.5)
    held = rbd.forward_dynamics(MechanismState(mechanism, [0.25, 0.0]))
    assert held[1] == pytest.approx(-2 * held[0])
    mechanism.uncouple(coupling)
    assert np.array_equal(rbd.forward_dynamics(MechanismState(mechanism, [0.25, 0.0])), before)


def test_couplings_have_fingerprints() -> None:
    from rbd.recorder.fingerprint import fingerprint

    plain, one, other, again = rbd.robots.double_pendulum(), gripper(), gripper(), gripper()
    other.uncouple("belt")
    other.couple("elbow", "shoulder", ratio=-2.0, offset=0.25, name="belt")
    assert fingerprint(one) == fingerprint(again)
    assert len({fingerprint(each) for each in (plain, one, other)}) == 3


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("stabilization", [None, {"belt": rbd.Baumgarte(0.02)}])
def test_machine_code_of_simulations_stabilises_couplings(stabilization: Any, driven: bool) -> None:
    mechanism, tau = gripper(), np.array([0.3, -0.1])
    q, v, h = np.array([0.3, 0.2]), np.array([1.0, 1.0]), 1e-3
    state = MechanismState(mechanism, q, v)
    rbd.simulate(state, 400 * h, (lambda t, s: tau) if driven else None, dt=h, stabilization=stabilization)
    robot = rbd.compile(mechanism)
    rolled = robot.rollout(q, v, tau if driven else None, h, 400, stabilization=stabilization)
    usual = robot.rollout(q, v, tau if driven else None, h, 400)
    close(state.q, rolled[0][-1], 1e-12)
    close(state.v, rolled[1][-1], 1e-12)
    assert abs(usual[1][-1] - rolled[1][-1]).max() > 1e-3
