"""Swing-up of an acrobot: a double pendulum with a motor at the elbow."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rbd.array_functions.record import record
from rbd.gym.task import Task
from rbd.robots import double_pendulum
from rbd.rollout.cases import Start
from rbd.scalar_states.scalar_state import ScalarState

_MAX_TORQUE: Final = 10.0
"""Maximum torque of the motor (N m)."""


def acrobot_swing_up() -> Task:
    """Return the task of swinging an acrobot up and keeping it there.

    The action is the torque at the elbow, up to 10 N m. Observations are cosine and sine of both angles, and the
    velocities divided by 8 rad/s. The reward is the height of the tip, 0 for hanging and 1 for standing, less a cost of
    torque and speed. Episodes start hanging, nearly at rest, and do not terminate.

    >>> import rbd
    >>> rbd.gym.acrobot_swing_up().mechanism.nv
    2
    """
    mechanism = double_pendulum(damping=(0.05, 0.05))
    return Task(
        mechanism=mechanism,
        control=record(_control, mechanism, action=1),
        outcome=record(_outcome, mechanism, action=1),
        start=_start,
        dt=0.01,
        steps=4,
    )


def _start(rng: np.random.Generator) -> Start:
    return {"q": rng.uniform(-0.1, 0.1, 2), "v": rng.uniform(-0.1, 0.1, 2)}


def _control(state: ScalarState, action: Any) -> list[Any]:
    return [0, _MAX_TORQUE * action[0]]


def _outcome(state: ScalarState, action: Any) -> dict[str, Any]:
    angles, speeds = np.asarray(state.q), np.asarray(state.v)
    height: Any = -(np.cos(angles[0]) + np.cos(angles[0] + angles[1])) / 2
    cost = 0.01 * action[0] * action[0] + 0.0005 * (speeds @ speeds)
    pairs = [x for angle in angles for x in (np.cos(angle), np.sin(angle))]
    return {
        "observation": [*pairs, *(speeds / 8)],
        "reward": (1 + height) / 2 - cost,
        "terminated": 0 * height,
    }
