"""Overflow raises its own error, not that of a check that it affects."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
import pytest

import rbd
from rbd.compiled import CompiledRobot
from rbd.errors import DivergedError, NotFiniteError, SingularError
from rbd.scalars.arrays import Array
from rbd.simulation import SemiImplicitEuler

HUGE = (1e200, 1.7e308)
ROBOTS: dict[str, Callable[[], rbd.Mechanism]] = {
    "double_pendulum": rbd.robots.double_pendulum,
    "arm7": rbd.robots.arm7,
    "four_bar": rbd.robots.four_bar,
}
Step = Callable[[CompiledRobot, Array, Array, Array], object]
STEPS: dict[str, Step] = {
    "step": lambda robot, q, v, tau: robot.step(q, v, tau, 0.01),
    "batch": lambda robot, q, v, tau: robot.step(
        np.stack([q, q]), np.stack([0 * v, v]), np.stack([0 * tau, tau]), 0.01
    ),
    "rollout": lambda robot, q, v, tau: robot.rollout(q, v, tau, 0.01, 3),
    "rollouts": lambda robot, q, v, tau: robot.rollout(q, np.stack([0 * v, v]), np.stack([0 * tau, tau]), 0.01, 3),
}


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> CompiledRobot:
    return rbd.compile(ROBOTS[request.param]())


@pytest.mark.parametrize("big", HUGE)
@pytest.mark.parametrize("what", ["v", "tau"])
@pytest.mark.parametrize("call", STEPS)
def test_steps(robot: CompiledRobot, call: str, what: str, big: float) -> None:
    nv = robot.mechanism.nv
    q, still, pushed = np.full(robot.mechanism.nq, 0.3), np.zeros(nv), np.full(nv, big)
    v, tau = (pushed, still) if what == "v" else (still, pushed)
    with pytest.raises(NotFiniteError, match="left the range of float64") as caught:
        STEPS[call](robot, q, v, tau)
    if call in ("batch", "rollouts"):
        assert caught.value.row == 1


@pytest.mark.parametrize("big", HUGE)
@pytest.mark.parametrize("readable", [False, True])
def test_live_states(robot: CompiledRobot, big: float, readable: bool) -> None:
    mechanism = robot.mechanism
    state = rbd.MechanismState(mechanism, np.full(mechanism.nq, 0.3), np.full(mechanism.nv, big))
    tip = mechanism.bodies[-1]
    push = {tip: rbd.Wrench(tip.default_frame, (1.7e308,) * 3, (1.7e308,) * 3)}
    calls: list[Callable[[], object]] = [
        lambda: rbd.dynamics(rbd.DynamicsResult(mechanism), state),
        lambda: rbd.forward_dynamics(state, np.zeros(mechanism.nv)),
        lambda: rbd.inverse_dynamics(state, np.zeros(mechanism.nv), push),
        lambda: rbd.dynamics_bias(state),
    ]
    for call in calls:
        with rbd.interpreted() if readable else nullcontext(), pytest.raises(NotFiniteError, match="left the range"):
            call()


def test_a_diverging_simulation_raises() -> None:
    state = rbd.MechanismState(rbd.robots.arm7(), np.full(7, 0.3))
    with pytest.raises(DivergedError, match="diverged at joint"):
        rbd.simulate(state, 0.1, lambda t, state: np.full(7, 1e200), dt=0.01, integrator=SemiImplicitEuler())


def test_interpreted_programs_raise_the_same_errors(robot: CompiledRobot) -> None:
    nq, nv = robot.mechanism.nq, robot.mechanism.nv

    def inverse(state: rbd.ScalarState, x: Array) -> object:
        square = x[0] * x[0]
        return rbd.scalars.positive(square - x[0] * (x[0] + 1), "the difference")

    recorded = rbd.record(inverse, robot.mechanism, x=1)
    for call in (recorded, recorded.interpret):
        with pytest.raises(NotFiniteError, match="inverse left the range of float64"):
            call(np.zeros(nq), np.zeros(nv), [1e200])
        with pytest.raises(SingularError, match="the difference must be positive"):
            call(np.zeros(nq), np.zeros(nv), [1.0])
