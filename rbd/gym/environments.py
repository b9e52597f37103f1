"""Environments of gymnasium for tasks: a single one, and a vector of them on `Worlds`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from functools import partial
from typing import Any, Final, TypeAlias, cast, final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import require_choice, require_kind, sequence, whole_number
from rbd.atomic_calls import all_or_nothing
from rbd.errors import ArgumentError, ShapeError
from rbd.gym.acrobot import acrobot_swing_up
from rbd.gym.episodes import Episodes, undo_draws
from rbd.gym.quadruped import quadruped_stand, quadruped_walk
from rbd.gym.task import Task
from rbd.rollout.rows import array_of
from rbd.rollout.worlds import Worlds
from rbd.scalars.arrays import Array
from rbd.scalars.entries import any_array

TASKS: Final = {
    "acrobot-swing-up": acrobot_swing_up,
    "quadruped-stand": quadruped_stand,
    "quadruped-walk": quadruped_walk,
}
_MAX_EPISODE_STEPS: Final = 250
"""Actions of an episode of an environment that `gymnasium.make` makes."""
_NO_ROWS: Final = np.zeros(0, np.intp)
Infos: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[Array, NDArray[Any], NDArray[Any], NDArray[Any], Infos]


def _task(task: Task | str) -> Task:
    if isinstance(task, Task):
        return task
    require_choice(task, tuple(TASKS), "task", "task")
    return TASKS[task]()


@final
class VectorEnvironment(VectorEnv[Array, Array, NDArray[Any]]):
    """Vector environment of a task: `num_envs` worlds, which machine code moves together.

    `task` is a `Task`, or one of "acrobot-swing-up", "quadruped-stand" and "quadruped-walk". Episodes are truncated
    after `max_episode_steps` actions. Episodes that have ended are reset in the next step, or in the same one with
    `autoreset_mode` "SameStep", which then has "final_obs" in its infos. A world whose simulation fails terminates with
    a reward of 0, and infos have its "status"; so does one whose outcome is not finite, with observations of zeros.

    A step or a reset that raises or is interrupted changes nothing.

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
        render_mode: str | None = None,
    ) -> None:
        """Record the step of the worlds; it is compiled in the first call of `step`. There is no `render_mode`."""
        _require_no_rendering(render_mode)
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        require_choice(mode, ("NextStep", "SameStep"), "autoreset_mode", "mode of autoreset")
        self._same_step = mode == "SameStep"
        self.metadata = {"autoreset_mode": AutoresetMode(mode), "render_modes": []}
        self.num_envs = whole_number(num_envs, "num_envs", 1)
        limit = sys.maxsize if max_episode_steps is None else max_episode_steps
        self._max_episode_steps = whole_number(limit, "max_episode_steps", 1)
        self._episodes = Episodes(_task(task), _generators(self.num_envs), threads)
        observations, actions = spaces_of(self.task)
        self.single_observation_space, self.single_action_space = observations, actions
        self.observation_space = batch_space(observations, self.num_envs)
        self.action_space = batch_space(actions, self.num_envs)
        self._needs_restart = np.zeros(self.num_envs, np.bool_)
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._last = np.zeros((self.num_envs, self.task.observation_size))

    @property
    def task(self) -> Task:
        """The task."""
        return self._episodes.task

    @property
    def worlds(self) -> Worlds:
        """The worlds of the environment, such as to show their states in a viewer."""
        return self._episodes.worlds

    @override
    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, Infos]:
        """Begin new episodes and return the observations; option "reset_mask" chooses the sub-environments."""
        seeds, mask = _seeds(seed, self.num_envs), _mask(options, self.num_envs)
        seeded = {k: seeding.np_random(each)[0] for k, each in enumerate(seeds) if each is not None}
        rows = np.flatnonzero(mask)
        return all_or_nothing(partial(self._reset, seeded, rows), self._undo(rows))

    @override
    def step(self, actions: Array) -> Step:
        """Hold the actions for one step of the environment."""
        clipped, restarts = self._episodes.clipped(actions), self._needs_restart.copy()
        begin = np.arange(self.num_envs) if self._same_step else np.flatnonzero(restarts)
        drawn = self._episodes.without_start(begin)
        return all_or_nothing(partial(self._step, clipped, restarts, drawn), self._undo(drawn))

    def _reset(self, seeded: Mapping[int, np.random.Generator], rows: NDArray[np.intp]) -> tuple[Array, Infos]:
        self._episodes.seed(seeded, rows)
        self._begin(rows)
        self._last = self._with_first_observations(self._last, rows)
        return self._last.copy(), {}

    def _step(self, actions: Array, restarts: NDArray[np.bool_], drawn: NDArray[np.intp]) -> Step:
        self._episodes.draw(drawn)
        self._episodes.step(actions)
        if restarts.any():
            self._begin(np.flatnonzero(restarts))
            actions = np.where(restarts[:, None], 0.0, actions)
        found = self._episodes.outcomes(actions)
        self._elapsed[~restarts] += 1
        terminated = found.terminated & ~restarts
        truncated = ~terminated & ~restarts & (self._elapsed >= self._max_episode_steps)
        infos: Infos = {"status": found.status, "_status": found.status != 0} if found.status.any() else {}
        self._needs_restart = terminated | truncated
        observations = self._with_first_observations(found.observations, np.flatnonzero(restarts))
        self._last = self._autoreset(observations, infos)
        return self._last.copy(), np.where(restarts, 0.0, found.rewards), terminated, truncated, infos

    def __copy__(self) -> VectorEnvironment:
        """Return an environment of the same task and machine code, with worlds, generators and spaces of its own."""
        return deepcopy(self, _shared_by_copies(self._episodes))

    def _undo(self, rows: NDArray[np.intp]) -> list[Callable[[], object]]:
        """Return calls that restore the environment as it is now; the generators of `rows` may draw."""
        saved = {name: getattr(self, name).copy() for name in ("_needs_restart", "_elapsed", "_last")}
        return [*self._episodes.undo(rows), *(partial(setattr, self, name, value) for name, value in saved.items())]

    def _begin(self, rows: NDArray[np.intp]) -> None:
        """Begin new episodes with the starts drawn for them."""
        self._episodes.begin(rows)
        self._needs_restart[rows], self._elapsed[rows] = False, 0

    def _autoreset(self, last: Array, infos: Infos) -> Array:
        """Return the observations, of new episodes where old ones end in the same step; infos get the last ones."""
        if not (self._same_step and self._needs_restart.any()):
            return last
        ended = self._needs_restart.copy()
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row in np.flatnonzero(ended):
            final_obs[row] = last[row]
        infos |= {"final_obs": final_obs, "_final_obs": ended}
        rows = np.flatnonzero(ended)
        self._begin(rows)
        return self._with_first_observations(last, rows)

    def _with_first_observations(self, last: Array, rows: NDArray[np.intp]) -> Array:
        """Return observations with those of the episodes that begin in `rows`.

        Raises NotFiniteError if an outcome there is not finite: no episode begins with the zeros of those that end.
        """
        if not rows.size:
            return last
        observations = last.copy()
        observations[rows] = self._episodes.observations(rows)
        return observations


@final
class Environment(gymnasium.Env[Array, Array]):
    """Environment of a task: one world, with the bits of one in a `VectorEnvironment`.

    A step or a reset that raises or is interrupted changes nothing.

    `gymnasium.make` makes it, too, and limits the length of episodes:

    >>> import gymnasium, rbd.gym
    >>> environment = gymnasium.make("rbd/QuadrupedStand-v0")
    >>> observation, info = environment.reset(seed=0)
    >>> observation.shape, environment.action_space.shape
    ((36,), (12,))
    """

    def __init__(self, task: Task | str, *, render_mode: str | None = None) -> None:
        """Record the step of the world. There is no `render_mode`."""
        _require_no_rendering(render_mode)
        self.metadata = {"render_modes": []}
        self._episodes = Episodes(_task(task), _generators(1), threads=1)
        self.observation_space, self.action_space = spaces_of(self.task)

    @property
    def task(self) -> Task:
        """The task."""
        return self._episodes.task

    @property
    def worlds(self) -> Worlds:
        """The worlds of the environment, of which there is one, such as to show its state in a viewer."""
        return self._episodes.worlds

    @override
    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Array, Infos]:
        """Begin a new episode; return its first observation. There are no options."""
        _require_options(options)
        return all_or_nothing(partial(self._reset, _seeds(seed, 1)[0]), self._undo_reset())

    @override
    def step(self, action: Array) -> tuple[Array, float, bool, bool, Infos]:
        """Hold the action for one step of the environment; also after the end of an episode."""
        actions = self._episodes.clipped(array_of(action, (self.task.action_size,), "action"))
        return all_or_nothing(partial(self._step, actions), self._episodes.undo(_NO_ROWS))

    def _reset(self, seed: int | None) -> tuple[Array, Infos]:
        super().reset(seed=seed)
        row = np.zeros(1, np.intp)
        self._episodes.seed({0: self.np_random}, row)
        self._episodes.begin(row)
        return self._episodes.observations(row)[0], {}

    def _undo_reset(self) -> list[Callable[[], object]]:
        """Return calls that restore the environment and its generator as they are now."""
        saved = {"_np_random": self.np_random, "_np_random_seed": self.np_random_seed}
        writes = [partial(setattr, self, name, value) for name, value in saved.items()]
        return [*self._episodes.undo(_NO_ROWS), *undo_draws([self.np_random]), *writes]

    def _step(self, actions: Array) -> tuple[Array, float, bool, bool, Infos]:
        self._episodes.step(actions)
        found = self._episodes.outcomes(actions)
        info = {"status": int(found.status[0])} if found.status[0] else {}
        return found.observations[0], float(found.rewards[0]), bool(found.terminated[0]), False, info

    def __copy__(self) -> Environment:
        """Return an environment of the same task and machine code, with a world, generator and spaces of its own."""
        return deepcopy(self, _shared_by_copies(self._episodes))


def _generators(count: int) -> list[np.random.Generator]:
    return [seeding.np_random()[0] for _ in range(count)]


def _shared_by_copies(episodes: Episodes) -> dict[int, Any]:
    """Return the memo of a deep copy that shares the task and the machine code with the original."""
    return {id(episodes.task): episodes.task, id(episodes.worlds): copy(episodes.worlds)}


def _seeds(seed: object, count: int) -> list[int | None]:
    """Return a seed per sub-environment: consecutive ones from a number on, those of a sequence, or none."""
    if seed is None:
        return [None] * count
    if isinstance(seed, (int, np.integer)):
        first = whole_number(cast("int", seed), "seed", 0)
        return [first + k for k in range(count)]
    seeds = sequence(seed, "seed", "whole numbers")
    if len(seeds) != count:
        message = f"seed has {len(seeds)} entries, needs one per sub-environment, {count}"
        raise ShapeError(message, argument="seed", expected=count, actual=len(seeds))
    return [None if each is None else whole_number(each, "seed", 0) for each in seeds]


def _mask(options: object, count: int) -> NDArray[np.bool_]:
    """Return the mask of sub-environments in the options of a reset: all without a mask."""
    if options is None:
        return np.ones(count, np.bool_)
    _require_options(options, "reset_mask")
    mask = any_array(cast("Mapping[str, object]", options).get("reset_mask", True), "reset_mask")
    if mask.dtype != np.bool_ or mask.shape not in ((), (count,)):
        allowed = f"{count} truth values"
        message = f"options: reset_mask must be {allowed}"
        raise ArgumentError(message, argument="options", value=options, allowed=allowed)
    return np.broadcast_to(mask, (count,))


def _require_options(options: object, *names: str) -> None:
    """Raise ArgumentError for options of a reset with other names."""
    if options is None:
        return
    require_kind(options, Mapping, operation="reset", argument="options")
    others = [name for name in cast("Mapping[object, object]", options) if name not in names]
    if others:
        allowed = ", ".join(names) or "none"
        message = (
            f"options: there is no {others[0]!r}; there are {allowed}; the `start` of a Task draws how episodes begin"
        )
        raise ArgumentError(message, argument="options", value=options, allowed=names)


def _require_no_rendering(render_mode: object) -> None:
    """Raise ArgumentError for a mode of rendering; `gymnasium.make` passes None on."""
    if render_mode is not None:
        message = "render_mode must be None: environments do not render; show the states of `worlds` in a viewer"
        raise ArgumentError(message, argument="render_mode", value=render_mode, allowed=None)


def spaces_of(task: Task) -> tuple[spaces.Space[Array], spaces.Space[Array]]:
    """Return the spaces of observations and actions of a task."""
    observations: Any = spaces.Box(-np.inf, np.inf, (task.observation_size,), np.float64)
    actions: Any = spaces.Box(-1.0, 1.0, (task.action_size,), np.float64)
    return observations, actions


def register() -> None:
    """Register the tasks of rbd with gymnasium, once."""
    known = cast("dict[str, object]", gymnasium.registry)
    new: Any = cast("Any", gymnasium).register  # its arguments are partly untyped
    for task in TASKS:
        name = f"rbd/{task.title().replace('-', '')}-v0"
        if name not in known:
            new(
                id=name,
                entry_point="rbd.gym.environments:Environment",
                vector_entry_point="rbd.gym.environments:VectorEnvironment",
                max_episode_steps=_MAX_EPISODE_STEPS,
                kwargs={"task": task},
            )
