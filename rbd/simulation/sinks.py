"""Sinks: receivers of the samples of a simulation, and those that keep all or the last in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.arguments import whole_number
from rbd.scalars.arrays import Array
from rbd.simulation.trajectory import Trajectory, trusted_trajectory

_MAX_SAMPLES = 10**10  # of a ring buffer


class Sizes(NamedTuple):
    """Numbers of coordinates, velocities and contact states of a sample.

    >>> Sizes(q=7, v=6, s=0)
    Sizes(q=7, v=6, s=0)
    """

    q: int
    v: int
    s: int


class Sink(ABC):
    """Receives the samples of one run after the other; abstract. Derive from it to send them elsewhere.

    >>> import rbd
    >>> class Printer(Sink):
    ...     def begin(self, sizes):
    ...         self.samples = 0
    ...     def store(self, t, q, v, s):
    ...         self.samples += 1
    ...         self.last = Trajectory(np.array([t]), q[None].copy(), v[None].copy(), s[None].copy())
    ...     def finish(self):
    ...         print(f"{self.samples} samples until {self.last.t[0]:g} s")
    ...         return self.last
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> trajectory = rbd.simulate(state, 0.5, dt=0.01, sink=Printer())
    51 samples until 0.5 s
    """

    @abstractmethod
    def begin(self, sizes: Sizes) -> None:
        """Start a run; discard the samples of the previous one."""

    @abstractmethod
    def store(self, t: float, q: Array, v: Array, s: Array) -> None:
        """Store one sample; copy the arrays to keep them. A sink may not change the state."""

    def store_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        """Store samples, one row of `q`, `v` and `s` for each of `times`."""
        for t, *sample in zip(times, q, v, s, strict=True):
            self.store(t, *sample)

    @abstractmethod
    def finish(self) -> Trajectory:
        """End a run that succeeded; return the kept samples, at least the last."""

    def abandon(self) -> None:  # noqa: B027 - most sinks have nothing to clean up
        """End a run that failed."""


@final
class _SampleRows:
    """Samples as rows [t, q, v, s] of one array."""

    def __init__(self, count: int, sizes: Sizes) -> None:
        self._ends = (1, 1 + sizes.q, 1 + sizes.q + sizes.v, 1 + sum(sizes))
        self._set(np.empty((count, 1 + sum(sizes))))

    def _set(self, array: Array) -> None:
        self._array, self._columns = array, self._parts(array)

    def __len__(self) -> int:
        return len(self._array)

    def extend_to(self, count: int) -> None:
        """Make room for at least `count` rows; the size at least doubles, so that the total time is linear."""
        size, width = self._array.shape
        if count > size:
            self._set(np.concatenate((self._array, np.empty((max(count - size, size), width)))))

    def put(self, index: int | slice, t: ArrayLike, q: Array, v: Array, s: Array) -> None:
        """Write one row, or several consecutive ones."""
        times, configurations, velocities, contacts = self._columns
        times[index], configurations[index], velocities[index] = t, q, v
        if contacts.shape[1]:
            contacts[index] = s

    def trajectory(self, count: int, shift: int = 0) -> Trajectory:
        """Return the first `count` rows, of an array rotated by `shift` rows."""
        array = np.roll(self._array, -shift, axis=0) if shift else self._array
        rows = array[:count]
        parts = self._parts(rows)
        times = parts[0]
        is_trusted = count > 0 and np.isfinite(rows).all() and not (times[1:] < times[:-1]).any()
        return trusted_trajectory(*parts) if is_trusted else Trajectory(*parts)

    def _parts(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        i, j, k, end = self._ends
        return rows[..., 0], rows[..., i:j], rows[..., j:k], rows[..., k:end]


@final
class InMemory(Sink):
    """Keeps every sample in memory; the default of `simulate`.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> rbd.simulate(state, 1.0, dt=0.01, sink=InMemory())
    Trajectory(101 samples, t = 0 ... 1 s)
    """

    def __init__(self) -> None:
        self._rows, self._count = _SampleRows(0, Sizes(0, 0, 0)), 0

    @override
    def begin(self, sizes: Sizes) -> None:
        self._rows, self._count = _SampleRows(64, sizes), 0

    @override
    def store(self, t: float, q: Array, v: Array, s: Array) -> None:
        self._rows.extend_to(self._count + 1)
        self._rows.put(self._count, t, q, v, s)
        self._count += 1

    @override
    def store_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        start, self._count = self._count, self._count + len(times)
        self._rows.extend_to(self._count)
        self._rows.put(slice(start, self._count), times, q, v, s)

    @override
    def finish(self) -> Trajectory:
        return self._rows.trajectory(self._count)


@final
class RingBuffer(Sink):
    """Keeps the last `size` samples. Raises ArgumentError unless that is 1 or more.

    >>> import rbd
    >>> from rbd.simulation import RingBuffer
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> rbd.simulate(state, 1.0, dt=0.01, sink=RingBuffer(5))
    Trajectory(5 samples, t = 0.96 ... 1 s)
    """

    def __init__(self, size: int) -> None:
        self._rows, self._count = _SampleRows(whole_number(size, "size", 1, _MAX_SAMPLES), Sizes(0, 0, 0)), 0

    @override
    def begin(self, sizes: Sizes) -> None:
        self._rows, self._count = _SampleRows(len(self._rows), sizes), 0

    @override
    def store(self, t: float, q: Array, v: Array, s: Array) -> None:
        self._rows.put(self._count % len(self._rows), t, q, v, s)
        self._count += 1

    @override
    def finish(self) -> Trajectory:
        return self.trajectory()

    def trajectory(self) -> Trajectory:
        """Return the trajectory in the buffer now, also while a simulation runs or after it failed."""
        size = len(self._rows)
        return self._rows.trajectory(min(self._count, size), self._count % size if self._count > size else 0)
