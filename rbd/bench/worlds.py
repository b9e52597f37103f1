"""Benchmark of many worlds: quadrupeds on the ground, together and one after the other.

All robots have the same control, recorded into the step, hard contact with friction, and the same bits either way.
"""

from __future__ import annotations

from typing import Any, Final, final

import attrs
import numpy as np

import rbd
from rbd.bench.contender import RBD, Contender, repeated
from rbd.rollout import Worlds
from rbd.scalars.arrays import Array

QUADRUPED: Final = "quadruped"
QUADRUPED_STEP: Final = "hard contact with friction, control recorded"
SEQUENTIAL: Final = "one robot after the other"
DT, FRICTION, STEPS = 2e-3, 0.8, 100
_STIFFNESS, _DAMPING = 60.0, 2.0


@final
@attrs.frozen(eq=False)
class QuadrupedCase:
    """Quadrupeds that begin near their stance."""

    mechanism: rbd.Mechanism
    q: Array
    v: Array

    def worlds(self, count: int, threads: int) -> Worlds:
        """Return worlds of the quadruped on the ground."""
        model = rbd.robots.quadruped_collision_model(self.mechanism)
        control = rbd.record(_torques, self.mechanism)
        return Worlds(self.mechanism, model, count=count, dt=DT, control=control, friction=FRICTION, threads=threads)


def quadruped_case(count: int) -> QuadrupedCase:
    """Return `count` quadrupeds with random differences."""
    rng, mechanism = np.random.default_rng(0), rbd.robots.quadruped()
    q = np.tile(rbd.robots.quadruped_configuration(), (count, 1))
    q[:, 6] += rng.uniform(0.0, 0.02, count)
    q[:, 7:] += 0.03 * rng.standard_normal((count, 12))
    return QuadrupedCase(mechanism, q, 0.1 * rng.standard_normal((count, mechanism.nv)))


def _torques(state: rbd.ScalarState) -> list[Any]:
    stance = rbd.robots.quadruped_configuration()[7:]
    legs = zip(stance, list(state.q)[7:], list(state.v)[6:], strict=True)
    return [0] * 6 + [_STIFFNESS * (goal - x) - _DAMPING * rate for goal, x, rate in legs]


def batched_worlds(case: QuadrupedCase, threads: int) -> Contender:
    """Return the contender that steps all robots in one call."""
    worlds, count = case.worlds(len(case.q), threads), len(case.q)

    def once() -> None:
        worlds.reset(None, q=case.q, v=case.v)
        worlds.step(steps=STEPS)

    def value(k: int) -> Array:
        once()
        return np.array(worlds.q[k % count], dtype=np.float64)

    return Contender(RBD, repeated(once), count * STEPS, value)


def sequential_worlds(case: QuadrupedCase) -> Contender:
    """Return the contender that steps one robot after the other, each in one call for all its steps."""
    worlds, count = case.worlds(1, 1), len(case.q)

    def one(k: int) -> Array:
        worlds.reset(None, q=case.q[k], v=case.v[k])
        worlds.step(steps=STEPS)
        return np.array(worlds.q[0], dtype=np.float64)

    def all_robots() -> None:
        for k in range(count):
            one(k)

    return Contender(SEQUENTIAL, repeated(all_robots), count * STEPS, lambda k: one(k % count))
