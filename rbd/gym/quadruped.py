"""A quadruped that stands or walks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from rbd.array_functions.record import record
from rbd.gym.task import Task
from rbd.robots import quadruped, quadruped_collision_model, quadruped_configuration
from rbd.rollout.cases import Start
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars.arrays import Array

_HEIGHT: Final = 0.3
"""Height of the trunk (m)."""
_SPEED: Final = 0.5
"""Speed of the walk (m/s)."""
_STRIDE_FREQUENCY: Final = 2.0
"""Frequency of the clock in observations (Hz)."""
_STIFFNESS, _DAMPING = 60.0, 2.0
_MAX_DEFLECTION: Final = 0.4
"""Maximum difference of the target of a leg angle from the stance (rad)."""


def quadruped_stand() -> Task:
    """Return the task of standing after a fall from up to 5 cm in a random posture.

    Actions move the targets of the twelve leg angles by up to 0.4 rad from the stance; a proportional-derivative
    control follows them. Observations: direction of gravity and velocity in the trunk's frame, height, angles and
    velocities of the legs, and a clock. The reward is 1 for standing still at 0.3 m. Episodes terminate when the trunk
    is below 0.15 m or tilted by more than 60 degrees. Each one has a coefficient of friction of its own.

    >>> import rbd
    >>> rbd.gym.quadruped_stand().observation_size
    36
    """
    return _task(_standing)


def quadruped_walk() -> Task:
    """Return the task of walking forward at 0.5 m/s. All but the reward is as for `quadruped_stand`.

    >>> import rbd
    >>> rbd.gym.quadruped_walk().action_size
    12
    """
    return _task(_walking)


def _task(reward: Callable[[ScalarState, Any, Any], Any]) -> Task:
    mechanism, stance = quadruped(), quadruped_configuration(_HEIGHT)
    return Task(
        mechanism=mechanism,
        control=record(partial(_control, stance[7:]), mechanism, action=12),
        outcome=record(partial(_outcome, stance[7:], reward), mechanism, t=(), action=12),
        start=partial(_start, stance),
        dt=2e-3,
        steps=10,
        collision_model=quadruped_collision_model(mechanism),
        friction=0.8,
    )


def _start(stance: Array, rng: np.random.Generator) -> Start:
    q = stance.copy()
    q[6] += rng.uniform(0.0, 0.05)
    q[7:] += rng.uniform(-0.1, 0.1, 12)
    return {"q": q, "v": rng.uniform(-0.1, 0.1, 18), "contact_friction": rng.uniform(0.6, 1.0)}


def _control(stance: Array, state: ScalarState, action: Any) -> list[Any]:
    legs = zip(stance + _MAX_DEFLECTION * np.asarray(action), state.q[7:], state.v[6:], strict=True)
    return [0] * 6 + [_STIFFNESS * (target - angle) - _DAMPING * rate for target, angle, rate in legs]


def _outcome(
    stance: Array, reward: Callable[[ScalarState, Any, Any], Any], state: ScalarState, t: Any, action: Any
) -> dict[str, Any]:
    q, v = np.asarray(state.q), np.asarray(state.v)
    up, phase = _vertical_in_trunk(state), 2 * np.pi * _STRIDE_FREQUENCY * t
    observation = [
        *(-x for x in up),
        *(0.3 * v[:3]),
        *v[3:6],
        q[6] - _HEIGHT,
        *(q[7:] - stance),
        *(0.1 * v[6:]),
        np.sin(phase),
        np.cos(phase),
    ]
    fallen = np.maximum(0.15 - q[6], 0.5 - up[2])
    return {"observation": observation, "reward": reward(state, up, action), "terminated": fallen}


def _vertical_in_trunk(state: ScalarState) -> tuple[Any, Any, Any]:
    """Return the vertical in the trunk's frame."""
    w, x, y, z = np.asarray(state.q)[:4]
    return 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


def _standing(state: ScalarState, up: Any, action: Any) -> Any:
    q, v = np.asarray(state.q), np.asarray(state.v)
    error = 50 * (q[6] - _HEIGHT) ** 2 + 2 * (1 - up[2]) + 0.5 * (v[:6] @ v[:6])
    return np.exp(-error) - 0.005 * (action @ action)


def _walking(state: ScalarState, up: Any, action: Any) -> Any:
    q, v = np.asarray(state.q), np.asarray(state.v)
    error = 8 * (v[3] - _SPEED) ** 2 + 4 * v[4] * v[4] + 0.3 * (v[2] * v[2])
    posture = 20 * (q[6] - _HEIGHT) ** 2 + 2 * (1 - up[2])
    return np.exp(-error - posture) - 0.005 * (action @ action)
