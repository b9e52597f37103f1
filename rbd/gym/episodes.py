"""Episodes of a task in many worlds: their starts, and observations and rewards of their actions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbd.errors import ArgumentError
from rbd.gym.task import Task, drawn_start, first_observations, possible_outcome
from rbd.rollout.rows import array_of, rows_of
from rbd.rollout.worlds import Worlds, undo_of
from rbd.scalars.arrays import Array


class EpisodeOutcomes(NamedTuple):
    """Outcomes of the last actions, with a row per world.

    A world whose simulation failed terminates without reward, and so does one whose outcome is not finite, with
    observations of zeros.
    """

    observations: Array
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    status: NDArray[np.int64]
    """Codes of the worlds; where they are 0, those of the outcome."""


@final
class Episodes:
    """The worlds of a task, with a random generator for each, from which its next episodes begin."""

    def __init__(self, task: Task, generators: Iterable[np.random.Generator], threads: int | None) -> None:
        """Record the step of the worlds, one for each generator; it is compiled in the first step."""
        self.task, self.generators = task, list(generators)
        self.worlds: Worlds = task.worlds(len(self.generators), threads)
        self._start_names = task.start_names()
        arrays = {"q": self.worlds.q, "v": self.worlds.v, **self.worlds.parameters}
        self._start_shapes = {name: arrays[name].shape[1:] for name in self._start_names}
        self._drawn: dict[int, dict[str, Array]] = {}

    def seed(self, generators: Mapping[int, np.random.Generator], rows: NDArray[np.intp]) -> None:
        """Replace the generators of some worlds, and draw the starts of the next episodes of `rows`, or do nothing."""
        replaced = [generators.get(k, generator) for k, generator in enumerate(self.generators)]
        kept = {k: start for k, start in self._drawn.items() if k not in generators}
        self._drawn, self.generators = kept | self._starts(rows, replaced, kept), replaced

    def without_start(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of `rows` for whose next episodes no start is drawn."""
        return np.array([row for row in rows.tolist() if row not in self._drawn], np.intp)

    def draw(self, rows: NDArray[np.intp]) -> None:
        """Draw the starts of the next episodes of `rows` that have none."""
        self._drawn |= self._starts(rows, self.generators, self._drawn)

    def undo(self, rows: NDArray[np.intp]) -> list[Callable[[], object]]:
        """Return calls that restore worlds, starts and generators as they are now; the generators of `rows` may draw.

        It copies all that a step changes, since any call may be interrupted.
        """
        saved = {"_drawn": dict(self._drawn), "generators": self.generators}
        draws = undo_draws(self.generators[row] for row in map(int, rows) if row not in self._drawn)
        writes = (partial(setattr, self, name, value) for name, value in saved.items())
        return [*undo_of(self.worlds), *draws, *writes]

    def begin(self, rows: NDArray[np.intp]) -> None:
        """Begin new episodes with the starts drawn for them."""
        starts = [self._drawn.pop(row) for row in rows.tolist()]
        if starts:
            self.worlds.reset(rows, **{name: np.array([start[name] for start in starts]) for name in starts[0]})

    def clipped(self, actions: ArrayLike) -> Array:
        """Return actions within the bounds of the action space, one row per world."""
        return np.clip(rows_of(actions, (self.worlds.count, self.task.action_size), "actions"), -1.0, 1.0)

    def step(self, actions: Array) -> None:
        """Take one step of the environment: all its steps of `dt` with these actions."""
        self.worlds.step(actions if self.task.action_size else None, self.task.steps)

    def outcomes(self, actions: Array) -> EpisodeOutcomes:
        """Return the outcomes of the worlds as they are, after these actions; for failed ones, after none."""
        failed = self.worlds.status
        taken = np.where((failed != 0)[:, None], 0.0, actions) if failed.any() else actions
        found, codes = possible_outcome(self.task, self.worlds, taken)
        status = np.where(failed != 0, failed, codes)
        if not status.any():  # the usual case
            return EpisodeOutcomes(found["observation"], found["reward"], found["terminated"] > 0, status)
        observations = np.where((codes != 0)[:, None], 0.0, found["observation"])
        rewards = np.where(status != 0, 0.0, found["reward"])
        return EpisodeOutcomes(observations, rewards, (found["terminated"] > 0) | (status != 0), status)

    def observations(self, rows: NDArray[np.intp]) -> Array:
        """Return the observations of episodes that begin, one for each of `rows`."""
        return first_observations(self.task, self.worlds, rows)

    def _starts(
        self, rows: NDArray[np.intp], generators: Sequence[np.random.Generator], drawn: Container[int]
    ) -> dict[int, dict[str, Array]]:
        """Return starts of the next episodes of `rows`, of those that have no start drawn."""
        return {row: self._start(generators[row]) for row in map(int, rows) if row not in drawn}

    def _start(self, generator: np.random.Generator) -> dict[str, Array]:
        """Return the start of an episode; raise ArgumentError for other names than those of the first draw."""
        start, first = drawn_start(self.task, generator), self._start_names
        if set(start) != set(first):
            shown = [", ".join(names) or "nothing" for names in (start, first)]
            message = f"start draws {shown[0]}, and drew {shown[1]} at first; draw the same names each time"
            raise ArgumentError(message, argument="start", value=tuple(start), allowed=first)
        return {name: array_of(start[name], shape, name) for name, shape in self._start_shapes.items()}


def undo_draws(generators: Iterable[np.random.Generator]) -> list[Callable[[], object]]:
    """Return calls that restore the states of generators as they are now."""
    return [partial(setattr, each.bit_generator, "state", each.bit_generator.state) for each in generators]
