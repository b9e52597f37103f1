# pyright: basic
from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import rbd
from rbd.errors import ArgumentError
from rbd.gym import Environment, Task, VectorEnvironment

NAMES = ["rbd/AcrobotSwingUp-v0", "rbd/QuadrupedStand-v0", "rbd/QuadrupedWalk-v0"]
each_name = pytest.mark.parametrize("name", NAMES)


@each_name
def test_gymnasium_accepts_the_environments(name: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*minimum value is -infinity|.*maximum value is infinity")
        warnings.filterwarnings("ignore", message=".*Box.*infinity|.*limit.*")
        check_env(gymnasium.make(name).unwrapped)


@each_name
def test_vectors_follow_the_interface(name: str) -> None:
    environments = gymnasium.make_vec(name, num_envs=3)
    assert environments.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert environments.spec is not None
    assert environments.spec.id == name
    observations, infos = environments.reset(seed=3)
    assert environments.observation_space.contains(observations)
    assert infos == {}
    environments.action_space.seed(0)
    for _ in range(5):
        actions = environments.action_space.sample()
        observations, rewards, terminated, truncated, infos = environments.step(actions)
        assert environments.observation_space.contains(observations)
        assert (rewards.shape, rewards.dtype) == ((3,), np.float64)
        assert (terminated.shape, terminated.dtype) == ((3,), np.bool_)
        assert (truncated.shape, truncated.dtype) == ((3,), np.bool_)
    environments.close()


@pytest.mark.optimised
@each_name
def test_rows_have_the_bits_of_single_environments(name: str) -> None:
    vector, rng = gymnasium.make_vec(name, num_envs=9), np.random.default_rng(1)
    single = gymnasium.make(name)
    row = 6
    observations, _ = vector.reset(seed=11)
    alone, _ = single.reset(seed=11 + row)
    assert np.array_equal(observations[row], alone)
    for _ in range(6):
        actions = rng.uniform(-1.2, 1.2, vector.action_space.shape)
        observations, rewards, *_ = vector.step(actions)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the checker of actions outside the space
            alone, reward, *_ = single.step(actions[row])
        assert np.array_equal(observations[row], alone)
        assert rewards[row] == reward


def test_seeds_determine_everything() -> None:
    def run(threads: int) -> list[Any]:
        environments = VectorEnvironment("quadruped-walk", 5, 4, threads=threads)
        seen: list[Any] = [environments.reset(seed=2)[0]]
        rng = np.random.default_rng(0)
        for _ in range(12):
            seen += environments.step(rng.uniform(-1, 1, (5, 12)))[:4]
        return seen

    assert all(np.array_equal(a, b) for a, b in zip(run(1), run(2), strict=True))


def test_episodes_are_truncated_and_reset_in_the_next_step() -> None:
    environments = VectorEnvironment("acrobot-swing-up", 2, 3)
    environments.reset(seed=0)
    flags, rewards = [], []
    for _ in range(8):
        _, reward, terminated, truncated, _ = environments.step(np.zeros((2, 1)))
        flags.append(truncated.tolist())
        rewards.append(reward[0] != 0)
        assert not terminated.any()
    assert [both for both, _ in flags] == [False, False, True, False, False, False, True, False]
    assert rewards == [True, True, True, False, True, True, True, False]


def test_episodes_are_reset_in_the_same_step() -> None:
    environments = VectorEnvironment("acrobot-swing-up", 2, 3, autoreset_mode="SameStep")
    assert environments.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    first, _ = environments.reset(seed=0)
    for _ in range(2):
        _, _, _, truncated, infos = environments.step(np.ones((2, 1)))
        assert not truncated.any()
        assert infos == {}
    fresh, _, _, truncated, infos = environments.step(np.ones((2, 1)))
    assert truncated.all()
    assert infos["_final_obs"].all()
    assert (np.abs(infos["final_obs"][0][4:]) > np.abs(fresh[0][4:])).all()
    assert np.abs(fresh).max() <= np.abs(first).max() + 0.1
    assert environments.worlds.t.tolist() == [0.0, 0.0]


def test_falls_terminate_and_failures_too() -> None:
    environments = VectorEnvironment("quadruped-stand", 3)
    environments.reset(seed=0)
    upside_down = np.array([0, 1, 0, 0, 0, 0, 0.4, *[0] * 12])
    environments.worlds.reset([1], q=upside_down)
    environments.worlds.reset([2], q=upside_down, v=np.array([0, 0, 0, 1e200, *[0] * 14]))
    observations, rewards, terminated, truncated, infos = environments.step(np.zeros((3, 12)))
    assert terminated.tolist() == [False, True, True]
    assert not truncated.any()
    assert infos["_status"].tolist() == [False, False, True]
    assert infos["status"][2] != 0
    assert np.isfinite(observations).all()
    assert rewards[2] == 0
    _, rewards, terminated, _, infos = environments.step(np.zeros((3, 12)))
    assert not terminated.any()
    assert infos == {}
    assert rewards[1] == rewards[2] == 0 != rewards[0]


def test_actions_that_are_not_finite_end_the_episodes_of_their_worlds_only() -> None:
    environments = VectorEnvironment("acrobot-swing-up", 2)
    environments.reset(seed=0)
    observations, rewards, terminated, _, infos = environments.step(np.array([[np.nan], [0.5]]))
    assert terminated.tolist() == infos["_status"].tolist() == [True, False]
    assert infos["status"][0] != 0
    assert rewards[0] == 0 != rewards[1]
    assert np.isfinite(observations).all()
    _, _, terminated, _, infos = environments.step(np.full((2, 1), 0.5))
    assert not terminated.any()
    assert infos == {}
    single = Environment("acrobot-swing-up")
    single.reset(seed=0)
    observation, reward, terminates, _, info = single.step(np.array([np.nan]))
    assert terminates
    assert (reward, info["status"] != 0, bool(np.isfinite(observation).all())) == (0, True, True)


def test_a_mask_chooses_what_is_reset() -> None:
    environments = VectorEnvironment("acrobot-swing-up", 3)
    environments.reset(seed=0)
    environments.step(np.ones((3, 1)))
    environments.reset(options={"reset_mask": np.array([False, True, False])})
    assert (environments.worlds.t > 0).tolist() == [True, False, True]


def test_standing_still_is_worth_the_most() -> None:
    environments = VectorEnvironment("quadruped-stand", 4)
    environments.reset(seed=0)
    rewards: Any = None
    for _ in range(100):
        _, rewards, terminated, _, _ = environments.step(np.zeros((4, 12)))
        assert not terminated.any()
    assert (rewards > 0.9).all()
    assert (rewards <= 1).all()


def test_tasks_of_users() -> None:
    mechanism = rbd.robots.double_pendulum()

    def outcome(state: Any, t: Any) -> dict[str, Any]:
        return {"observation": [*state.q, t], "reward": -state.q[0] * state.q[0], "terminated": t - 0.045}

    task = Task(
        mechanism=mechanism,
        control=rbd.record(lambda state, action: 3 * action, mechanism, action=2),
        outcome=rbd.record(outcome, mechanism, t=()),
        start=lambda rng: {"q": rng.uniform(-1, 1, 2)},
        dt=0.01,
    )
    environments = VectorEnvironment(task, 2)
    environments.reset(seed=0)
    ends = [environments.step(np.zeros((2, 2)))[2].tolist() for _ in range(6)]
    assert [x for x, _ in ends] == [False] * 4 + [True, False]
    assert Environment(task).task is task
    for wrong in (rbd.record(lambda state: {"observation": state.q}, mechanism), task.control):
        with pytest.raises(ArgumentError, match="outcome must be"):
            Task(mechanism=mechanism, control=task.control, outcome=wrong, start=task.start, dt=0.01)
    for name, value in {"dt": -1.0, "friction": -0.5, "mechanism": None, "collision_model": mechanism}.items():
        with pytest.raises(ArgumentError) as caught:
            attrs.evolve(task, **{name: value})
        assert caught.value.argument == name


def test_starts_have_the_same_names_each_time_and_no_action() -> None:
    acrobot = rbd.gym.acrobot_swing_up()
    with pytest.raises(ArgumentError, match="start draws an action"):
        Environment(attrs.evolve(acrobot, start=lambda rng: {"action": [0.0]}))
    draws = iter([{"q": np.zeros(2)}, {"q": np.zeros(2)}, {"v": np.zeros(2)}])
    environment = Environment(attrs.evolve(acrobot, start=lambda rng: next(draws)))
    with pytest.raises(ArgumentError, match="start draws v, and drew q at first"):
        environment.reset()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_failing_draws_change_nothing(mode: str) -> None:
    drawn = {"q": np.zeros(2)}
    task = attrs.evolve(rbd.gym.acrobot_swing_up(), start=lambda rng: dict(drawn))
    environments = VectorEnvironment(task, 2, 1, autoreset_mode=mode)
    environments.reset(seed=3)
    if mode == "NextStep":
        environments.step(np.ones((2, 1)))  # ends the episodes: the next step begins new ones
    before = environments.worlds.q.copy(), environments.worlds.t.copy()
    drawn["v"] = np.zeros(2)
    for call in (partial(environments.step, np.ones((2, 1))), partial(environments.reset, seed=4)):
        generators = list(environments._episodes.generators)
        with pytest.raises(ArgumentError, match="start draws q, v, and drew q at first"):
            call()
        np.testing.assert_array_equal(environments.worlds.q, before[0])
        np.testing.assert_array_equal(environments.worlds.t, before[1])
        assert environments._episodes.generators == generators
    del drawn["v"]
    _, _, terminated, truncated, _ = environments.step(np.ones((2, 1)))
    assert not terminated.any()
    assert truncated.all() == (mode == "SameStep")


def test_arguments_are_checked() -> None:
    with pytest.raises(ArgumentError, match="task"):
        VectorEnvironment("walk")
    with pytest.raises(ArgumentError, match="num_envs"):
        VectorEnvironment("acrobot-swing-up", 0)
    with pytest.raises(ArgumentError, match="autoreset"):
        VectorEnvironment("acrobot-swing-up", autoreset_mode="Disabled")


def test_without_gymnasium_the_extra_is_named() -> None:
    code = """
import sys
sys.modules["gymnasium"] = None
import rbd
try:
    rbd.gym
except rbd.errors.MissingPackageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "environments need gymnasium: pip install 'rbd[gym]'", done.stderr


COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
each_copy = pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])


@each_copy
def test_copies_in_the_middle_of_an_episode_go_on_with_the_same_bits(copied: Any) -> None:
    environment = rbd.gym.Environment("acrobot-swing-up")
    environment.reset(seed=3)
    environment.step(np.array([0.5]))
    twin = copied(environment)
    np.testing.assert_array_equal(twin.worlds.q, environment.worlds.q)
    steps = [each.step(np.array([-0.5]))[0] for each in (environment, twin)]
    np.testing.assert_array_equal(*steps)
    np.testing.assert_array_equal(*(each.reset()[0] for each in (environment, twin)))  # the generator is copied, too
    assert twin.worlds is not environment.worlds


@each_copy
def test_steps_of_a_copy_leave_the_original_alone(copied: Callable[[Any], Any]) -> None:
    """Episodes end and begin in the copy: its generators, clocks and ends are its own."""
    original, alone = (VectorEnvironment("acrobot-swing-up", 3, max_episode_steps=4) for _ in range(2))
    actions = np.full((3, 1), 0.5)
    for each in (original, alone):
        each.reset(seed=5)
        each.step(actions)
        each.action_space.seed(1)
    twin = copied(original)
    for _ in range(6):
        twin.step(-actions)
    twin.action_space.sample()
    for _ in range(6):
        for x, y in zip(original.step(actions)[:4], alone.step(actions)[:4], strict=True):
            np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(original.action_space.sample(), alone.action_space.sample())


def test_shallow_copies_share_the_task_and_the_machine_code() -> None:
    environment = VectorEnvironment("acrobot-swing-up", 2)
    twin = copy.copy(environment)
    assert twin.task is environment.task
    assert twin.worlds.mechanism is environment.worlds.mechanism
    assert copy.copy(rbd.gym.Environment(environment.task)).task is environment.task
