"""Worlds of a quadruped on the ground, and of compliant contact."""

from __future__ import annotations

from typing import Any

import numpy as np

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import CollisionModel

MECHANISM = rbd.robots.quadruped()
STANCE = rbd.robots.quadruped_configuration()
LEGS = STANCE[7:]


def ground(mechanism: rbd.Mechanism = MECHANISM) -> CollisionModel:
    """Return the feet of the quadruped on the ground."""
    return rbd.robots.quadruped_collision_model(mechanism)


def servo(mechanism: rbd.Mechanism = MECHANISM) -> RecordedFunction:
    """Return proportional-derivative control of the legs; the action is the angles."""

    def control(state: Any, action: Any) -> list[Any]:
        return [0] * 6 + [60 * (a - x) - 2 * w for a, x, w in zip(action, state.q[7:], state.v[6:], strict=True)]

    return rbd.record(control, mechanism, action=12)


def starts(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return configurations near the stance, some of them in the air, and velocities."""
    rng = np.random.default_rng(seed)
    q = np.tile(STANCE, (count, 1))
    q[:, 6] += rng.uniform(0.0, 0.05, count)
    q[:, 7:] += 0.1 * rng.standard_normal((count, 12))
    return q, 0.2 * rng.standard_normal((count, MECHANISM.nv))


def quadrupeds(count: int, **settings: Any) -> rbd.rollout.Worlds:
    """Return worlds of the quadruped with feet on the ground."""
    defaults: dict[str, Any] = {"dt": 2e-3, "control": servo(), "friction": 0.7, "threads": 1}
    return rbd.rollout.Worlds(MECHANISM, ground(), count=count, **defaults | settings)


def sliding_worlds(**settings: Any) -> rbd.rollout.Worlds:
    """Return twenty worlds in which a body slides without forces."""
    mechanism = rbd.testing.random_chain([rbd.Prismatic((1, 0, 0))], np.random.default_rng(0))
    mechanism.gravity = (0, 0, 0)
    defaults: dict[str, Any] = {"count": 20, "threads": 1}
    return rbd.rollout.Worlds(mechanism, **defaults | settings)
