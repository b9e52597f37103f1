"""Wrong arguments of environments raise errors of rbd."""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from rbd.errors import RbdError
from rbd.gym import Environment, Task, VectorEnvironment, acrobot_swing_up

from ..arguments.making import Good, World
from ..arguments.wrong import complaints

CallAndArguments = tuple[Callable[..., object], Good]


@pytest.fixture(scope="module")
def task() -> Task:
    return acrobot_swing_up()


def _vector(task: Task) -> VectorEnvironment:
    made = VectorEnvironment(task, 2, threads=1)
    made.reset(seed=0)
    return made


def _reset_by_mask(task: Task) -> Callable[..., object]:
    made = _vector(task)
    return lambda mask: made.reset(options={"reset_mask": mask})


def _single(task: Task) -> Environment:
    made = Environment(task)
    made.reset(seed=0)
    return made


PROBES: dict[str, Callable[[Task], CallAndArguments]] = {
    "VectorEnvironment": lambda task: (
        VectorEnvironment,
        {"task": task, "num_envs": 2, "max_episode_steps": 5, "autoreset_mode": "SameStep", "threads": 1},
    ),
    "VectorEnvironment.reset": lambda task: (
        _vector(task).reset,
        {"seed": [1, 2], "options": {"reset_mask": np.array([True, False])}},
    ),
    "VectorEnvironment.reset, mask": lambda task: (
        _reset_by_mask(task),
        {"mask": [True, False]},
    ),
    "VectorEnvironment.step": lambda task: (_vector(task).step, {"actions": np.zeros((2, 1))}),
    "Environment": lambda task: (Environment, {"task": task}),
    "Environment.reset": lambda task: (_single(task).reset, {"options": {}}),
    "Environment.step": lambda task: (_single(task).step, {"action": np.zeros(1)}),
    "Task": lambda task: (Task, attrs.asdict(task, recurse=False)),
}


@pytest.mark.parametrize("name", PROBES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_wrong_kinds(name: str, task: Task) -> None:
    def probe(_: World) -> tuple[Callable[..., object], Good]:
        return PROBES[name](task)

    found = list(complaints(name, probe, World))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["dt", "steps", "mechanism", "collision_model", "friction", "start"])
def test_wrong_parts_of_tasks_are_named(name: str, task: Task) -> None:
    wrong: Any = {"start": 5}.get(name, "x")
    with pytest.raises(RbdError, match=name):
        VectorEnvironment(attrs.evolve(task, **{name: wrong}))
