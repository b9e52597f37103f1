"""Environments of gymnasium for tasks: a single one, and a vector of them on `Worlds`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from typing import Any, Final, TypeAlias, cast, final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import require_choice, require_kind, several, whole_number
from rbd.compiled.arguments import as_numbers
from rbd.errors import ArgumentError, ShapeError
from rbd.gym.acrobot import acrobot_swing_up
from rbd.gym.quadruped import quadruped_stand, quadruped_walk
from rbd.gym.task import Outcome, Task
from rbd.rollout.cases import Start
from rbd.rollout.rows import rows_of
from rbd.rollout.worlds import Worlds
from rbd.scalars.arrays import Array
from rbd.scalars.entries import any_array

TASKS: Final = {
    "acrobot-swing-up": acrobot_swing_up,
    "quadruped-stand": quadruped_stand,
    "quadruped-walk": quadruped_walk,
}
Infos: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[Array, NDArray[Any], NDArray[Any], NDArray[Any], Infos]


def _task(task: Task | str) -> Task:
    if isinstance(task, Task):
        return task
    require_choice(task, tuple(TASKS), "task", "task")
    return TASKS[task]()


@final
class VectorEnvironment(VectorEnv[Array, Array, NDArray[Any]]):
    """Vector environment of a task: `num_envs` worlds, whose steps are one call of machine code.

    `task` is a `Task`, or one of "acrobot-swing-up", "quadruped-stand" and "quadruped-walk". Episodes are truncated
    after `max_episode_steps` actions. Episodes that have ended are reset in the next step, or in the same one with
    `autoreset_mode` "SameStep", which then has "final_obs" in its infos. A world whose simulation fails terminates with
    a reward of 0, and infos have its "status".

    Seed s gives sub-environment i the random numbers of a single environment with seed s + i, and its steps the same
    bits. Actions are clipped to the action space.

    >>> import numpy as np, rbd
    >>> environment = rbd.gym.VectorEnvironment("acrobot-swing-up", num_envs=4, max_episode_steps=250)
    >>> observations, infos = environment.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = environment.step(np.zeros((4, 1)))
    >>> observations.shape, rewards.shape
    ((4, 6), (4,))
    """

    def __init__(
        self,
        task: Task | str,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
    ) -> None:
        """Record the step of the worlds; it is compiled in the first call of `step`."""
        self.task = _task(task)
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        require_choice(mode, ("NextStep", "SameStep"), "autoreset_mode", "mode of autoreset")
        self._same_step = mode == "SameStep"
        self.metadata = {"autoreset_mode": AutoresetMode(mode), "render_modes": []}
        self.num_envs = whole_number(num_envs, "num_envs", 1)
        self._most = None if max_episode_steps is None else whole_number(max_episode_steps, "max_episode_steps", 1)
        observations, actions = spaces_of(self.task)
        self.single_observation_space, self.single_action_space = observations, actions
        self.observation_space = batch_space(observations, self.num_envs)
        self.action_space = batch_space(actions, self.num_envs)
        self.worlds: Worlds = self.task.worlds(self.num_envs, threads)
        self._start_names = self.task.start_names()
        self._generators = [seeding.np_random()[0] for _ in range(self.num_envs)]
        self._drawn: dict[int, Start] = {}  # before worlds change: what the user's function raises then changes nothing
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._elapsed = np.zeros(self.num_envs, np.int64)

    @override
    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, Infos]:
        """Begin new episodes and return the observations; option "reset_mask" chooses the sub-environments."""
        seeds, mask = _seeds(seed, self.num_envs), _mask(options, self.num_envs)
        seeded = {k: seeding.np_random(each)[0] for k, each in enumerate(seeds) if each is not None}
        generators = [seeded.get(k, generator) for k, generator in enumerate(self._generators)]
        drawn = {k: start for k, start in self._drawn.items() if k not in seeded}
        self._drawn = drawn | self._starts(np.flatnonzero(mask), generators, drawn)
        self._generators = generators
        self._reset_rows(mask)
        return self._evaluated(np.zeros(self._action_shape))["observation"], {}

    @override
    def step(self, actions: Array) -> Step:
        """Hold the actions for one step of the environment."""
        torques = np.clip(rows_of(actions, self._action_shape, "actions"), -1.0, 1.0)
        begins = self._ended.copy()
        rows = np.arange(self.num_envs) if self._same_step else np.flatnonzero(begins)
        self._drawn |= self._starts(rows, self._generators, self._drawn)
        self.worlds.step(torques, self.task.steps)
        if begins.any():
            self._reset_rows(begins)
            torques[begins] = 0.0
        results = self._evaluated(torques)
        failed = self.worlds.status != 0
        terminated = ((results["terminated"] > 0) | failed) & ~begins
        self._elapsed[~begins] += 1
        truncated = ~terminated & ~begins & (self._most is not None and self._elapsed >= (self._most or 0))
        rewards = np.where(begins | failed, 0.0, results["reward"])
        infos: Infos = {"status": self.worlds.status, "_status": failed} if failed.any() else {}
        self._ended = terminated | truncated
        observations = results["observation"]
        if self._same_step and self._ended.any():
            observations = self._restarted(observations, infos)
        return observations, rewards, terminated, truncated, infos

    def __copy__(self) -> VectorEnvironment:
        """Return an environment of the same task and machine code, with worlds, generators and spaces of its own."""
        return deepcopy(self, _shared_by_copies(self))

    @property
    def _action_shape(self) -> tuple[int, int]:
        return self.num_envs, self.task.action_size

    def _evaluated(self, actions: Array) -> Outcome:
        return self.task.evaluate(self.worlds, actions)

    def _reset_rows(self, mask: NDArray[np.bool_]) -> None:
        """Begin new episodes with the starts drawn for them, where `mask` is true."""
        rows = np.flatnonzero(mask)
        starts = [self._drawn.pop(row) for row in rows.tolist()]
        if starts:
            self.worlds.reset(rows, **{name: np.array([start[name] for start in starts]) for name in starts[0]})
        self._ended[rows], self._elapsed[rows] = False, 0

    def _starts(
        self, rows: NDArray[np.int64], generators: Sequence[np.random.Generator], drawn: Mapping[int, Start]
    ) -> dict[int, Start]:
        """Return what the next episodes of `rows` begin with, of those that have no start drawn."""
        return {row: self._start(generators[row]) for row in map(int, rows) if row not in drawn}

    def _start(self, generator: np.random.Generator) -> Start:
        """Return what an episode begins with; raise ArgumentError for other names than those of the first draw."""
        start, first = self.task.start(generator), self._start_names
        if set(start) != set(first):
            shown = [", ".join(names) or "nothing" for names in (start, first)]
            message = f"start draws {shown[0]}, and drew {shown[1]} at first; draw the same names each time"
            raise ArgumentError(message, argument="start", value=tuple(start), allowed=first)
        return start

    def _restarted(self, last: Array, infos: Infos) -> Array:
        """Return the observations, of new episodes where the old ones have ended; infos get the last ones."""
        ended = self._ended.copy()
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row in np.flatnonzero(ended):
            final_obs[row] = last[row]
        infos |= {"final_obs": final_obs, "_final_obs": ended}
        self._reset_rows(ended)
        fresh = self._evaluated(np.zeros(self._action_shape))["observation"]
        return np.where(ended[:, None], fresh, last)


@final
class Environment(gymnasium.Env[Array, Array]):
    """Environment of a task: one world of a `VectorEnvironment`, with the same bits.

    `gymnasium.make` makes it, too, and limits the length of episodes:

    >>> import gymnasium, rbd.gym
    >>> environment = gymnasium.make("rbd/QuadrupedStand-v0")
    >>> observation, info = environment.reset(seed=0)
    >>> observation.shape, environment.action_space.shape
    ((36,), (12,))
    """

    def __init__(self, task: Task | str) -> None:
        """Record the step of the world."""
        self.metadata = {"render_modes": []}
        self._vector = VectorEnvironment(task, 1, threads=1)
        self.observation_space, self.action_space = spaces_of(self._vector.task)

    @property
    def task(self) -> Task:
        """The task."""
        return self._vector.task

    @property
    def worlds(self) -> Worlds:
        """The worlds of the environment, of which there is one, such as to show its state in a viewer."""
        return self._vector.worlds

    @override
    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Array, Infos]:
        """Begin a new episode; return its first observation."""
        super().reset(seed=_seeds(seed, 1)[0])
        self._vector._generators[0] = self.np_random  # pyright: ignore[reportPrivateUsage]  # one generator for both
        observations, _ = self._vector.reset()
        return observations[0], {}

    @override
    def step(self, action: Array) -> tuple[Array, float, bool, bool, Infos]:
        """Hold the action for one step of the environment."""
        self._vector._ended[0] = False  # pyright: ignore[reportPrivateUsage]  # who steps on wants no reset
        observations, rewards, terminated, _, infos = self._vector.step(as_numbers(action, "action")[None])
        info = {"status": int(infos["status"][0])} if "status" in infos else {}
        return observations[0], float(rewards[0]), bool(terminated[0]), False, info

    def __copy__(self) -> Environment:
        """Return an environment of the same task and machine code, with a world, generator and spaces of its own."""
        return deepcopy(self, _shared_by_copies(self._vector))


def _shared_by_copies(environment: VectorEnvironment) -> dict[int, Any]:
    """Return what a deep copy takes for copies made before, so that it shares the task and the machine code."""
    task, worlds = environment.task, environment.worlds
    return {id(task): task, id(worlds): copy(worlds)}


def _seeds(seed: object, count: int) -> list[int | None]:
    """Return a seed per sub-environment: consecutive ones from a number on, those of a sequence, or none."""
    if seed is None:
        return [None] * count
    if isinstance(seed, (int, np.integer)):
        first = whole_number(cast("int", seed), "seed", 0)
        return [first + k for k in range(count)]
    seeds = several(seed, "seed", "whole numbers")
    if len(seeds) != count:
        message = f"seed has {len(seeds)} entries, needs one per sub-environment, {count}"
        raise ShapeError(message, argument="seed", expected=count, actual=len(seeds))
    return [None if each is None else whole_number(each, "seed", 0) for each in seeds]


def _mask(options: object, count: int) -> NDArray[np.bool_]:
    """Return which sub-environments the options of a reset choose: all without a mask."""
    if options is None:
        return np.ones(count, np.bool_)
    require_kind(options, Mapping, operation="reset", argument="options")
    mask = any_array(cast("Mapping[str, object]", options).get("reset_mask", True), "reset_mask")
    if mask.dtype != np.bool_ or mask.shape not in ((), (count,)):
        allowed = f"{count} truth values"
        message = f"options: reset_mask must be {allowed}"
        raise ArgumentError(message, argument="options", value=options, allowed=allowed)
    return np.broadcast_to(mask, (count,))


def spaces_of(task: Task) -> tuple[spaces.Space[Array], spaces.Space[Array]]:
    """Return the spaces of observations and actions of a task."""
    observations: Any = spaces.Box(-np.inf, np.inf, (task.observation_size,), np.float64)
    actions: Any = spaces.Box(-1.0, 1.0, (task.action_size,), np.float64)
    return observations, actions


def register() -> None:
    """Register the tasks of rbd with gymnasium, once."""
    known = cast("dict[str, object]", gymnasium.registry)
    new: Any = cast("Any", gymnasium).register  # its arguments are partly untyped
    for name, steps in (("AcrobotSwingUp", 250), ("QuadrupedStand", 250), ("QuadrupedWalk", 250)):
        task = "".join(f"-{c.lower()}" if c.isupper() else c for c in name)[1:]
        if f"rbd/{name}-v0" not in known:
            new(
                id=f"rbd/{name}-v0",
                entry_point="rbd.gym.environments:Environment",
                vector_entry_point="rbd.gym.environments:VectorEnvironment",
                max_episode_steps=steps,
                kwargs={"task": task},
            )
