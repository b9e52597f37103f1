"""Valid calls of environments, which need gymnasium."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Final

import attrs
import numpy as np

from rbd.gym import Environment, Task, VectorEnvironment, acrobot_swing_up

from .making import Good, Probe, World


@cache
def task() -> Task:
    """Return a task; environments do not change it."""
    return acrobot_swing_up()


def _vector() -> VectorEnvironment:
    made = VectorEnvironment(task(), 2, threads=1)
    made.reset(seed=0)
    return made


def _reset_by_mask() -> Callable[..., object]:
    made = _vector()
    return lambda mask: made.reset(options={"reset_mask": mask})


def _single() -> Environment:
    made = Environment(task())
    made.reset(seed=0)
    return made


_CALLS: dict[str, Callable[[], tuple[Callable[..., object], Good]]] = {
    "VectorEnvironment": lambda: (
        VectorEnvironment,
        {
            "task": task(),
            "num_envs": 2,
            "max_episode_steps": 5,
            "autoreset_mode": "SameStep",
            "threads": 1,
            "render_mode": None,
        },
    ),
    "VectorEnvironment.reset": lambda: (
        _vector().reset,
        {"seed": [1, 2], "options": {"reset_mask": np.array([True, False])}},
    ),
    "VectorEnvironment.reset, mask": lambda: (_reset_by_mask(), {"mask": [True, False]}),
    "VectorEnvironment.step": lambda: (_vector().step, {"actions": np.zeros((2, 1))}),
    "Environment": lambda: (Environment, {"task": task(), "render_mode": None}),
    "Environment.reset": lambda: (_single().reset, {"seed": 1, "options": {}}),
    "Environment.step": lambda: (_single().step, {"action": np.zeros(1)}),
    "Task": lambda: (Task, attrs.asdict(task(), recurse=False)),
}


def _probe(name: str, _: World) -> tuple[Callable[..., object], Good]:
    return _CALLS[name]()


ENVIRONMENTS: Final[dict[str, Probe]] = {name: partial(_probe, name) for name in _CALLS}
