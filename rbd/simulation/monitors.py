"""Monitors: numbers that tell whether a simulation can be trusted, taken at every sample."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import final

import numpy as np
from typing_extensions import override

from rbd.algorithms import gravitational_potential_energy, kinetic_energy, loop_gap
from rbd.algorithms.soft_contact import contact_energy_kernel
from rbd.arguments import described, several
from rbd.errors import ArgumentError, SolverError
from rbd.scalars import is_float, to_float
from rbd.scalars.arrays import Array
from rbd.simulation.forces import ForceElement
from rbd.spatial.values import require_kind
from rbd.state import MechanismState


class Monitor(ABC):
    """Looks at every sample of a simulation. Derive from it for numbers of your own."""

    def begin(self) -> None:  # noqa: B027 - not every monitor remembers
        """Start a run: forget the one before."""

    @abstractmethod
    def look(self, t: float, state: MechanismState, s: Array) -> None:
        """Look at one sample; the state must be left as it is."""


def _limit(value: float) -> float:
    """Return a limit as a float; raise ArgumentError for what is no number of 0 or more."""
    if not is_float(value) or not value >= 0:
        message = f"limit must be a number of 0 or more, not {described(value)}"
        raise ArgumentError(message, argument="limit", value=value, allowed="a number >= 0")
    return to_float(value)


@final
class EnergyMonitor(Monitor):
    """Records the energy: kinetic, of gravity, of springs, and what contacts hold in their normal direction.

    `forces` are the force elements whose springs count. With `limit`, SolverError is raised as soon as the total has
    moved by more than that (J) from where it began; leave it out where controllers or dampers do work.

    >>> import rbd
    >>> from rbd.simulation import EnergyMonitor
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[1.0, 0.0])
    >>> monitor = EnergyMonitor(limit=1e-6)
    >>> _ = rbd.simulate(state, 0.1, monitors=[monitor])
    >>> monitor.t.shape, monitor.drift < 1e-6
    ((101,), True)
    """

    def __init__(self, forces: Sequence[ForceElement] = (), *, limit: float = math.inf) -> None:
        self._forces: tuple[ForceElement, ...] = several(forces, "forces", "force elements")
        for element in self._forces:
            require_kind(element, ForceElement, operation="EnergyMonitor", argument="forces")
        self._limit = _limit(limit)
        self._rows: list[tuple[float, float, float, float]] = []

    @override
    def begin(self) -> None:
        self._rows = []

    @override
    def look(self, t: float, state: MechanismState, s: Array) -> None:
        elastic = sum(to_float(element.energy(state)) for element in self._forces)
        elastic += to_float(contact_energy_kernel(state))
        potential = to_float(gravitational_potential_energy(state))
        self._rows.append((t, to_float(kinetic_energy(state)), potential, elastic))
        drift = sum(self._rows[-1][1:]) - sum(self._rows[0][1:])
        if not abs(drift) <= self._limit:
            message = f"the energy has moved by {drift:.3g} J at t = {t!r}, more than {self._limit:.3g} J"
            raise SolverError(message, reason="energy", time=t)

    @property
    def t(self) -> Array:
        """The times of the samples."""
        return self._column(0)

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
        """Energy of springs and of what contacts compress (J)."""
        return self._column(3)

    @property
    def total(self) -> Array:
        """The sum (J)."""
        return self.kinetic + self.potential + self.elastic

    @property
    def drift(self) -> float:
        """How far the total ever was from where it began (J)."""
        total = self.total
        return float(np.abs(total - total[0]).max()) if total.size else 0.0

    def _column(self, k: int) -> Array:
        return np.array([row[k] for row in self._rows], dtype=np.float64)


@final
class LoopGapMonitor(Monitor):
    """Records how far loops are open: the largest error of any loop joint, in metres or radians.

    With `limit`, SolverError is raised as soon as the gap is wider.
    """

    def __init__(self, *, limit: float = math.inf) -> None:
        self._limit = _limit(limit)
        self._rows: list[tuple[float, float]] = []

    @override
    def begin(self) -> None:
        self._rows = []

    @override
    def look(self, t: float, state: MechanismState, s: Array) -> None:
        gap = to_float(loop_gap(state))
        self._rows.append((t, gap))
        if not gap <= self._limit:
            message = f"loops are open by {gap:.3g} at t = {t!r}, more than {self._limit:.3g}"
            raise SolverError(message, reason="loop gap", time=t)

    @property
    def t(self) -> Array:
        """The times of the samples."""
        return np.array([row[0] for row in self._rows], dtype=np.float64)

    @property
    def gap(self) -> Array:
        """The gap at every sample."""
        return np.array([row[1] for row in self._rows], dtype=np.float64)
