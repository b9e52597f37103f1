"""Torques of None are zero: for live states, other scalars, recorded and compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

import rbd
from rbd.engine.live_engine import LiveEngine
from rbd.errors import ArgumentError
from tests.marks import needs_builtins

from ..algorithms.catalog import flat

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "forward_dynamics": lambda s, tau: rbd.forward_dynamics(s, tau),
    "forward_dynamics into an array": lambda s, tau: rbd.forward_dynamics(s, tau, out=np.zeros(7)),
    "forward_dynamics_derivatives": lambda s, tau: rbd.forward_dynamics_derivatives(s, tau),
    "step_derivatives": lambda s, tau: rbd.step_derivatives(s, tau, 1e-3),
    "articulated_bodies": lambda s, tau: rbd.articulated_bodies(s, tau).vd,
    "dynamics": lambda s, tau: rbd.dynamics(s, tau).vd,
}
MISSING: dict[str, Callable[[Any], Any]] = {
    "forward_dynamics": rbd.forward_dynamics,
    "forward_dynamics_derivatives": rbd.forward_dynamics_derivatives,
    "articulated_bodies": lambda s: rbd.articulated_bodies(s).vd,
    "dynamics": lambda s: rbd.dynamics(s).vd,
}


def numbers(value: Any) -> list[float]:
    """Return the numbers of arrays, tuples of arrays and classes of arrays."""
    if isinstance(value, tuple):
        return [x for part in value for x in numbers(part)]
    if attrs.has(type(value)):
        return numbers(attrs.astuple(value, recurse=False))
    return flat(value)


def arm() -> rbd.MechanismState:
    state = rbd.MechanismState(rbd.robots.arm7())
    state.randomize(5)
    return state


@pytest.mark.parametrize("name", CALLS)
def test_none_means_zero(name: str) -> None:
    state, zero = arm(), np.zeros(7)
    for asked in (state, state.with_scalars()):
        wanted = numbers(CALLS[name](asked, zero))
        assert numbers(CALLS[name](asked, None)) == wanted
        if name in MISSING:
            assert numbers(MISSING[name](asked)) == wanted


@needs_builtins
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", ["forward_dynamics", "forward_dynamics into an array", "forward_dynamics_derivatives"])
def test_none_has_a_fast_path(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state, zero = arm(), np.zeros(7)
    for _ in range(4):
        CALLS[name](state, zero)
    wanted = numbers(CALLS[name](state, zero))
    monkeypatch.setattr(LiveEngine, "run", lambda *_: pytest.fail("the algorithm ran"))
    assert numbers(CALLS[name](state, None)) == wanted
    if name in MISSING:
        assert numbers(MISSING[name](state)) == wanted


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_none_has_a_fast_path_with_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    state = rbd.MechanismState(rbd.robots.four_bar())
    derivatives, zero = rbd.algorithms.constrained_dynamics_derivatives, np.zeros(state.mechanism.nv)
    for _ in range(4):
        derivatives(state, zero)
    wanted = numbers(derivatives(state, zero))
    monkeypatch.setattr(LiveEngine, "run", lambda *_: pytest.fail("the algorithm ran"))
    assert numbers(derivatives(state, None)) == numbers(derivatives(state)) == wanted


def test_wrenches_without_torques() -> None:
    state, zero = arm(), np.zeros(7)
    wrenches = {"link7": rbd.Wrench(state.mechanism.root_frame, (1, 2, 3), (4, 5, 6))}
    for _ in range(3):
        found = rbd.forward_dynamics(state, external_wrenches=wrenches)
        np.testing.assert_array_equal(found, rbd.forward_dynamics(state, zero, wrenches))


def test_compiled_robots_accept_none() -> None:
    state, zero = arm(), np.zeros(7)
    robot = rbd.compile(state.mechanism)
    q, v = state.q, state.v
    for _ in range(15):  # beyond the first calls a builtin takes the method's place
        np.testing.assert_array_equal(robot.forward_dynamics(q, v), robot.forward_dynamics(q, v, zero))
        np.testing.assert_array_equal(robot.forward_dynamics(q, v, None), robot.forward_dynamics(q, v, zero))
    assert numbers(robot.forward_dynamics_derivatives(q, v)) == numbers(robot.forward_dynamics_derivatives(q, v, zero))
    assert numbers(robot.step(q, v, None, 1e-3)) == numbers(robot.step(q, v, zero, 1e-3))
    assert numbers(robot.rollout(q, v, None, 1e-3, 3)) == numbers(robot.rollout(q, v, zero, 1e-3, 3))
    batch = np.stack([q, q])
    np.testing.assert_array_equal(robot.forward_dynamics(batch, v), robot.forward_dynamics(batch, v, zero))


def test_dynamics_of_a_state_makes_its_result() -> None:
    state = arm()
    tau = np.arange(7.0)
    wanted = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state, tau)
    first, second = rbd.dynamics(state, tau), rbd.dynamics(state=state, torques=tau)
    assert first is not second
    for found in (first, second):
        np.testing.assert_array_equal(found.vd, wanted.vd)
        assert found.joint_wrench("joint3").isclose(wanted.joint_wrench("joint3"), atol=0.0)


def test_wrong_first_arguments_are_named() -> None:
    wrong: Any = [1.0, 2.0]
    for call in (lambda: rbd.dynamics(wrong, wrong), lambda: rbd.dynamics(wrong)):
        with pytest.raises(ArgumentError, match="dynamics: "):
            call()
    mechanism: Any = rbd.robots.arm7()
    with pytest.raises(ArgumentError, match=r"mass_matrix: state must be a MechanismState, not a Mechanism"):
        rbd.mass_matrix(mechanism)
