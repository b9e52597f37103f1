"""Outcomes: those that are not finite, those of worlds that a mask leaves out; actions and rendering."""

# pyright: basic
from __future__ import annotations

import copy
from typing import Any

import attrs
import gymnasium
import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, NotFiniteError, ShapeError
from rbd.gym import Environment, Task, VectorEnvironment


def task(start_speed: float = 0.0) -> Task:
    """Return a task whose reward is the square of a velocity, and whose observations include the action."""
    mechanism = rbd.robots.double_pendulum()

    def outcome(state: Any, action: Any) -> dict[str, Any]:
        return {"observation": [*state.q, *action], "reward": state.v[0] * state.v[0], "terminated": 0 * state.q[0]}

    return Task(
        mechanism=mechanism,
        control=rbd.record(lambda state, action: 3 * action, mechanism, action=2),
        outcome=rbd.record(outcome, mechanism, action=2),
        start=lambda rng: {"q": rng.uniform(-1, 1, 2), "v": [start_speed, 0.0]},
        dt=0.01,
    )


@pytest.mark.parametrize("speed", [1e160, 1e200])
def test_outcomes_that_are_not_finite_end_the_episodes_of_their_worlds_only(speed: float) -> None:
    environments, others = VectorEnvironment(task(), 3), VectorEnvironment(task(), 3)
    actions = np.full((3, 2), 0.5)
    for each in (environments, others):
        each.reset(seed=0)
    environments.worlds.reset([1], v=[speed, 0.0])
    observations, rewards, terminated, truncated, infos = environments.step(actions)
    expected, expected_rewards, *_ = others.step(actions)
    np.testing.assert_array_equal(observations, np.where([[False], [True], [False]], 0.0, expected))
    np.testing.assert_array_equal(rewards, expected_rewards * [1, 0, 1])
    assert terminated.tolist() == infos["_status"].tolist() == [False, True, False]
    assert (infos["status"] != 0).tolist() == [False, True, False]
    assert not truncated.any()
    assert environments.step(actions)[4] == {}
    single = Environment(task())
    single.reset(seed=0)
    single.worlds.reset(v=[speed, 0.0])
    observation, reward, terminates, _, info = single.step(actions[0])
    assert (observation.tolist(), reward, terminates, info["status"] != 0) == ([0.0] * 4, 0.0, True, True)


def test_first_outcomes_that_are_not_finite_are_errors() -> None:
    for each in (VectorEnvironment(task(1e160), 2), Environment(task(1e160))):
        with pytest.raises(NotFiniteError, match="left the range"):
            each.reset(seed=0)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_later_episodes_do_not_begin_with_outcomes_that_are_not_finite(mode: str) -> None:
    speed = [0.0]
    changing = attrs.evolve(task(), start=lambda rng: {"q": rng.uniform(-1, 1, 2), "v": [speed[0], 0.0]})
    environments = VectorEnvironment(changing, 2, 1, autoreset_mode=mode)
    environments.reset(seed=0)
    if mode == "NextStep":
        environments.step(np.zeros((2, 2)))
    before, speed[0] = environments.worlds.q.copy(), 1e160
    with pytest.raises(NotFiniteError, match="left the range"):
        environments.step(np.zeros((2, 2)))
    np.testing.assert_array_equal(environments.worlds.q, before)
    speed[0] = 0.0
    assert environments.step(np.zeros((2, 2)))[4].keys() <= {"final_obs", "_final_obs"}


def test_a_mask_leaves_the_observations_of_the_other_worlds_as_they_are() -> None:
    environments = VectorEnvironment(task(), 3)
    environments.reset(seed=0)
    before = environments.step(np.full((3, 2), 0.5))[0]
    mask = np.array([True, False, False])
    twin = copy.copy(environments)
    after, _ = environments.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(after[~mask], before[~mask])
    np.testing.assert_array_equal(after[0], [*environments.worlds.q[0], 0.0, 0.0])
    np.testing.assert_array_equal(twin.reset(options={"reset_mask": mask})[0], after)
    after[:] = np.nan  # no array of the environment
    np.testing.assert_array_equal(environments.reset(options={"reset_mask": ~mask & mask})[0][1:], before[1:])


def test_an_action_has_an_entry_for_each_coordinate() -> None:
    """One number is not taken for all of them, nor one row per world with a single entry."""
    environments, single = VectorEnvironment(task(), 3), Environment(task())
    for wrong in (0.5, [0.5], [[0.5]], np.zeros((3, 1)), np.zeros(3), np.zeros((3, 2, 1))):
        with pytest.raises(ShapeError, match=r"actions has shape .*, needs \(3, 2\) or \(2,\)"):
            environments.step(wrong)
    for wrong in (0.5, [0.5], np.zeros((1, 2)), np.zeros(3)):
        with pytest.raises(ShapeError, match=r"action has shape .*, needs \(2,\)"):
            single.step(wrong)


def test_environments_do_not_render() -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        assert make("rbd/AcrobotSwingUp-v0", render_mode=None).render_mode is None
    for kind in (Environment, VectorEnvironment):
        with pytest.raises(ArgumentError, match="environments do not render") as caught:
            kind("acrobot-swing-up", render_mode="human")
        assert caught.value.argument == "render_mode"


def test_controls_of_tasks_fit_their_mechanism() -> None:
    arm, fitting = rbd.robots.arm7(), task()
    other = rbd.record(lambda state, action: list(action), arm, action=7)
    with pytest.raises(ArgumentError, match=r"control maps q \(7,\)"):
        attrs.evolve(fitting, control=other)
    matrix = rbd.record(lambda state, action: [action[0, 0], action[1, 0]], fitting.mechanism, action=(2, 1))
    with pytest.raises(ArgumentError, match=r"control takes an action of shape \(2, 1\)"):
        attrs.evolve(fitting, control=matrix)


def test_a_control_may_take_no_action() -> None:
    fitting = task()
    mechanism = fitting.mechanism
    passive = attrs.evolve(
        fitting,
        control=rbd.record(lambda state: [-x for x in state.v], mechanism),
        outcome=rbd.record(
            lambda state: {"observation": state.q, "reward": state.q[0], "terminated": 0 * state.q[0]}, mechanism
        ),
    )
    environment = Environment(passive)
    assert environment.action_space.shape == (0,)
    environment.reset(seed=0)
    environment.step(environment.action_space.sample())
    assert environment.worlds.t[0] == passive.dt
