"""`ContactTrajectory`: the result of a simulation with contacts.

`rbd.Trajectory`, which has energies and interpolation, is of a layer above, `rbd.simulation`: `ContactSimulator.run`
says how to make one of `t`, `q` and `v`.
"""

from __future__ import annotations

from typing import final

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.contact.simulation.impact_step import StepResults
from rbd.scalars.arrays import Array
from rbd.state import MechanismState


@final
@attrs.frozen
class ContactEvent:
    """Pairs that met in one step: they touch, and did not in the step before.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> simulator = rbd.contact.ContactSimulator(mechanism, model, None, 1e-3, threshold=0.05)
    >>> trajectory = simulator.run(rbd.MechanismState(mechanism), 0.002)    # one pair is nearer from the beginning
    >>> trajectory.events
    (ContactEvent(step=0, time=0.0, pairs=(3,)),)
    """

    step: int
    time: float
    pairs: tuple[int, ...]


@final
@attrs.frozen(eq=False, repr=False)
class ContactTrajectory:
    """Trajectory of a simulation: `t` (n,), `q` (n, nq), `v` (n, nv), `distances` (n - 1, pairs), and events.

    The distances are those at the beginning of each step.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> simulator = rbd.contact.ContactSimulator(mechanism, model, None, 1e-3)
    >>> trajectory = simulator.run(rbd.MechanismState(mechanism), 0.01)
    >>> trajectory
    <contact trajectory: 10 steps to t = 0.01, 4 pairs, 0 events>
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
        """The smallest distance of any pair in any step; infinite when there are none."""
        return float(self.distances.min(initial=np.inf))

    @override
    def __repr__(self) -> str:
        steps, pairs = self.distances.shape
        return f"<contact trajectory: {steps} steps to t = {self.t[-1]:g}, {pairs} pairs, {len(self.events)} events>"


@final
class TrajectoryBuffers:
    """Arrays of a trajectory that is being computed."""

    def __init__(self, dt: float, state: MechanismState, steps: int, pairs: int) -> None:
        self._dt = dt
        self.q, self.v = np.empty((steps + 1, state.q.size)), np.empty((steps + 1, state.v.size))
        self.q[0], self.v[0] = state.q, state.v
        self.distances = np.empty((steps + 1, pairs))
        """Those at the beginning of step k in row k + 1."""
        self._events: list[ContactEvent] = []
        self.touching: Array = np.zeros(pairs)

    def store(self, k: int, results: StepResults) -> None:
        """Store the results of step k."""
        self.q[k + 1], self.v[k + 1], self.distances[k + 1] = results.q_next, results.v_next, results.distances
        self.store_touching(k, results.touching)

    def store_touching(self, k: int, touching: Array) -> None:
        """Store the pairs that touched in step k, and the event if some met."""
        if touching.tobytes() != self.touching.tobytes():
            met = np.flatnonzero((touching > 0) & (self.touching == 0))
            if met.size:
                self._events.append(ContactEvent(k, k * self._dt, tuple(int(i) for i in met)))
            self.touching = touching.copy()

    def trajectory(self) -> ContactTrajectory:
        """Return the trajectory."""
        times = np.array([k * self._dt for k in range(len(self.q))], dtype=np.float64)
        return ContactTrajectory(times, self.q, self.v, self.distances[1:], tuple(self._events))
