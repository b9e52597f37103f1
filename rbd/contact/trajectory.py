"""What a simulation with contacts went through."""

from __future__ import annotations

from typing import final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.scalars.arrays import Array
from rbd.state import MechanismState


@final
@attrs.frozen
class ContactEvent:
    """Pairs that met at one step: touching now, and not the step before.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> still = rbd.contact.ContactSimulator(mechanism, model, None, 1e-3, threshold=0.05)
    >>> trajectory = still.run(rbd.MechanismState(mechanism), 0.002)    # one is nearer than that from the beginning
    >>> trajectory.events
    (ContactEvent(step=0, time=0.0, pairs=(3,)),)
    """

    step: int
    time: float
    pairs: tuple[int, ...]


@final
@attrs.frozen(eq=False)
class ContactTrajectory:
    """What a simulation with contacts went through: `t` (n,), `q` (n, nq), `v` (n, nv), `distances` (n - 1, pairs).

    The distances are those at the beginning of each step.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> simulator = rbd.contact.ContactSimulator(mechanism, model, None, 1e-3)
    >>> trajectory = simulator.run(rbd.MechanismState(mechanism), 0.01)
    >>> trajectory.q.shape, trajectory.distances.shape
    ((11, 13), (10, 4))
    >>> trajectory.smallest_distance > 0
    True
    """

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    distances: NDArray[np.float64]
    events: tuple[ContactEvent, ...]

    @property
    def smallest_distance(self) -> float:
        """The smallest distance of any pair at any step; infinite when there was none."""
        return float(self.distances.min(initial=np.inf))


class Record:
    """The arrays of a trajectory while it grows."""

    def __init__(self, dt: float, state: MechanismState, steps: int, pairs: int) -> None:
        self._dt = dt
        self.q, self.v = np.empty((steps + 1, state.q.size)), np.empty((steps + 1, state.v.size))
        self.q[0], self.v[0] = state.q, state.v
        self._distances = np.empty((steps, pairs))
        self._events: list[ContactEvent] = []
        self.touching: Array = np.zeros(pairs)

    def note(self, k: int, q: Array, v: Array, distances: Array, touching: Array) -> None:
        """Keep what step k gave."""
        self.q[k + 1], self.v[k + 1], self._distances[k] = q, v, distances
        if touching.tobytes() != self.touching.tobytes():
            met = np.flatnonzero((touching > 0) & (self.touching == 0))
            if met.size:
                self._events.append(ContactEvent(k, k * self._dt, tuple(int(i) for i in met)))
            self.touching = touching

    def trajectory(self) -> ContactTrajectory:
        """Return all that was kept."""
        times = np.array([k * self._dt for k in range(len(self.q))], dtype=np.float64)
        return ContactTrajectory(times, self.q, self.v, self._distances, tuple(self._events))
