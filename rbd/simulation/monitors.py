"""Monitors: accuracy measures of a simulation, taken at every sample."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import final

import numpy as np
from typing_extensions import override

from rbd.algorithms import gravitational_potential_energy, kinetic_energy, loop_gap
from rbd.errors import SolverError
from rbd.scalars import to_float
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import at_least_zero_or_infinite
from rbd.simulation.forces import ForceElement, elastic_energy, force_elements
from rbd.state import MechanismState


class Monitor(ABC):
    """Called at every sample of a simulation; abstract. Derive from it for custom measures.

    >>> import rbd
    >>> class Fastest(Monitor):
    ...     def begin(self):
    ...         self.speed = 0.0
    ...     def observe(self, t, state, s):
    ...         self.speed = max(self.speed, abs(state.v).max())
    >>> fastest, state = Fastest(), rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> trajectory = rbd.simulate(state, 1.0, dt=0.01, monitors=[fastest])
    >>> bool(fastest.speed == abs(trajectory.v).max())
    True
    """

    def begin(self) -> None:  # noqa: B027 - not every monitor remembers
        """Start a run; discard the values of the previous one."""

    @abstractmethod
    def observe(self, t: float, state: MechanismState, s: Array) -> None:
        """Record one sample; a monitor that changes the state ends the simulation with ArgumentError."""


class _Recorder(Monitor):
    """Rows of numbers, one per sample: the time, then the measured values."""

    def __init__(self, limit: float) -> None:
        self._limit = at_least_zero_or_infinite(limit, "limit")
        self._rows: list[tuple[float, ...]] = []

    @override
    def begin(self) -> None:
        self._rows = []

    @property
    def t(self) -> Array:
        """The times of the samples."""
        return self._column(0)

    def _column(self, k: int) -> Array:
        return np.array([row[k] for row in self._rows], dtype=np.float64)


@final
class EnergyMonitor(_Recorder):
    """Record the mechanical energy at every sample: kinetic, of gravity, and elastic.

    Elastic energy is that of springs at joint bounds, of compliant contacts (normal direction and friction), and of the
    force elements `forces`. With `limit` (J), SolverError is raised as soon as the total differs by more than that from
    its first value; leave it out where controllers or dampers do work.

    >>> import rbd
    >>> from rbd.simulation import EnergyMonitor
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[1.0, 0.0])
    >>> monitor = EnergyMonitor(limit=1e-6)
    >>> _ = rbd.simulate(state, 0.1, monitors=[monitor])
    >>> monitor.t.shape, monitor.drift < 1e-6
    ((101,), True)
    """

    def __init__(self, forces: Sequence[ForceElement] = (), *, limit: float = math.inf) -> None:
        super().__init__(limit)
        self._forces = force_elements(forces, "EnergyMonitor")

    @override
    def observe(self, t: float, state: MechanismState, s: Array) -> None:
        kinetic, potential = to_float(kinetic_energy(state)), to_float(gravitational_potential_energy(state))
        self._rows.append((t, kinetic, potential, elastic_energy(state, s, self._forces)))
        drift = sum(self._rows[-1][1:]) - sum(self._rows[0][1:])
        if not abs(drift) <= self._limit:
            message = f"the energy has drifted by {drift:.3g} J at t = {t!r}, more than {self._limit:.3g} J"
            raise SolverError(message, status="energy", time=t)

    @property
    def kinetic(self) -> Array:
        """Kinetic energy (J)."""
        return self._column(1)

    @property
    def potential(self) -> Array:
        """Potential energy of gravity (J), zero at the root's origin."""
        return self._column(2)

    @property
    def elastic(self) -> Array:
        """Elastic energy of springs and contacts (J)."""
        return self._column(3)

    @property
    def total(self) -> Array:
        """Total energy (J)."""
        return self.kinetic + self.potential + self.elastic

    @property
    def drift(self) -> float:
        """The largest difference of the total from its first value (J)."""
        total = self.total
        return float(np.abs(total - total[0]).max()) if total.size else 0.0


@final
class LoopGapMonitor(_Recorder):
    """Record the loop gap: the largest error of any loop joint, in metres or radians.

    With `limit`, SolverError is raised as soon as the gap exceeds it.

    >>> import rbd
    >>> linkage, monitor = rbd.MechanismState(rbd.robots.four_bar()), LoopGapMonitor(limit=1e-3)
    >>> closed = rbd.close_loops(linkage)
    >>> trajectory = rbd.simulate(linkage, 0.5, dt=0.01, monitors=[monitor])
    >>> bool(monitor.gap.max() < 1e-6)
    True
    """

    def __init__(self, *, limit: float = math.inf) -> None:
        super().__init__(limit)

    @override
    def observe(self, t: float, state: MechanismState, s: Array) -> None:
        gap = to_float(loop_gap(state))
        self._rows.append((t, gap))
        if not gap <= self._limit:
            message = f"loops are open by {gap:.3g} at t = {t!r}, more than {self._limit:.3g}"
            raise SolverError(message, status="loop gap", time=t)

    @property
    def gap(self) -> Array:
        """The gap at every sample."""
        return self._column(1)
