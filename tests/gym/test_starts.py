"""Starts that tasks draw: their shapes, and functions that fail or keep an array."""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, NotFiniteError, ShapeError
from rbd.gym import Environment, Task, VectorEnvironment


def task(start: Callable[[np.random.Generator], Any]) -> Task:
    return attrs.evolve(rbd.gym.acrobot_swing_up(), start=start)


def test_functions_may_draw_into_one_array() -> None:
    drawn = np.zeros(2)

    def start(rng: np.random.Generator) -> dict[str, Any]:
        drawn[:] = rng.uniform(-1, 1, 2)
        return {"q": drawn}

    vector = VectorEnvironment(task(start), 3)
    vector.reset(seed=5)
    for row in range(3):
        single = Environment(vector.task)
        single.reset(seed=5 + row)
        np.testing.assert_array_equal(vector.worlds.q[row], single.worlds.q[0])


@pytest.mark.parametrize("wrong", [[0.5], 0.5, [[0.0, 0.0]], [0.0, 0.0, 0.0]], ids=str)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_start_needs_the_shape_of_a_world(wrong: Any, count: int) -> None:
    """A scalar for each of two worlds is no row of two coordinates for both."""
    environments = VectorEnvironment(task(lambda rng: {"q": wrong}), count)
    with pytest.raises(ShapeError, match=r"q has shape .*, needs \(2,\)"):
        environments.reset(seed=0)


def test_starts_of_different_shapes_are_named() -> None:
    lengths = iter([2, 2, 2, 2, 3])
    environments = VectorEnvironment(task(lambda rng: {"q": np.zeros(next(lengths))}), 3)
    with pytest.raises(ShapeError, match=r"q has shape \(3,\), needs \(2,\)"):
        environments.reset(seed=0)


def test_starts_are_mappings() -> None:
    for wrong in (None, 5, [0.0, 0.0]):
        with pytest.raises(ArgumentError, match=r"start returns .*, must return a mapping") as caught:
            Environment(task(lambda rng, wrong=wrong: wrong))
        assert caught.value.argument == "start"
    draws = iter([{"q": np.zeros(2)}, {"q": np.zeros(2)}, None])
    with pytest.raises(ArgumentError, match="start returns None"):
        Environment(task(lambda rng: next(draws))).reset(seed=0)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_impossible_starts_are_not_kept(mode: str) -> None:
    """The call after one that was refused draws again, from the same random numbers."""
    scale = [1.0]
    environments = VectorEnvironment(
        task(lambda rng: {"q": scale[0] * rng.uniform(-1, 1, 2)}), 2, 1, autoreset_mode=mode
    )
    environments.reset(seed=0)
    if mode == "NextStep":
        environments.step(np.zeros((2, 1)))
    scale[0] = np.nan
    with pytest.raises(NotFiniteError, match="q"):
        environments.step(np.zeros((2, 1)))
    with pytest.raises(NotFiniteError, match="q"):
        environments.reset()
    scale[0] = 1.0
    environments.step(np.zeros((2, 1)))
    generators = [np.random.default_rng(k) for k in range(2)]
    second = [[rng.uniform(-1, 1, 2) for _ in range(2)][1] for rng in generators]
    np.testing.assert_array_equal(environments.worlds.q, second)
