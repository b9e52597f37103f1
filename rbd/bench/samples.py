"""Random states, the same for all contenders."""

from __future__ import annotations

from typing import final

import attrs
import numpy as np

from rbd.algorithms import close_loops
from rbd.bench.contender import Quantity
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array
from rbd.state import MechanismState

COUNT = 128
"""Number of different states: too many for branch prediction to learn, few enough for the first-level cache."""


@final
@attrs.frozen(eq=False)
class Samples:
    """States, accelerations and torques, one row per state."""

    q: Array
    v: Array
    vd: Array
    tau: Array

    def arguments(self, quantity: Quantity) -> tuple[Array, ...]:
        """Return the arguments of a quantity."""
        return {
            Quantity.POSES: (self.q,),
            Quantity.INVERSE: (self.q, self.v, self.vd),
            Quantity.MASS: (self.q,),
            Quantity.FORWARD: (self.q, self.v, self.tau),
            Quantity.INVERSE_DERIVATIVES: (self.q, self.v, self.vd),
            Quantity.FORWARD_DERIVATIVES: (self.q, self.v, self.tau),
        }[quantity]

    def rows(self, quantity: Quantity) -> list[tuple[Array, ...]]:
        """Return the arguments of a quantity, state by state."""
        return rows(self.arguments(quantity))

    def repeated(self, count: int) -> Samples:
        """Return `count` states: cyclic repetitions of these."""
        return Samples(*(np.resize(x, (count, x.shape[1])) for x in (self.q, self.v, self.vd, self.tau)))


def rows(arrays: tuple[Array, ...]) -> list[tuple[Array, ...]]:
    """Return arrays of rows as a list of tuples of rows, each an array of its own."""
    return [tuple(row.copy() for row in each) for each in zip(*arrays, strict=True)]


def random_samples(mechanism: Mechanism, count: int = COUNT, seed: int = 1) -> Samples:
    """Return random states of a mechanism, with closed loops."""
    rng = np.random.default_rng(seed)
    types = [joint.type for joint in mechanism.tree_joints]
    q = [np.concatenate([np.asarray(t.random(rng), dtype=np.float64) for t in types]) for _ in range(count)]
    v, vd, tau = (rng.standard_normal((count, mechanism.nv)) for _ in range(3))
    samples = Samples(np.array(q), v, vd, 10.0 * tau)
    if mechanism.loop_joints:
        _close(mechanism, samples)
    return samples


def _close(mechanism: Mechanism, samples: Samples) -> None:
    """Close the loops of every state, in configuration and velocity."""
    state = MechanismState(mechanism)
    for q, v in zip(samples.q, samples.v, strict=True):
        state.set_configuration(q)
        state.set_velocity(v)
        close_loops(state)
        q[:], v[:] = state.q, state.v
