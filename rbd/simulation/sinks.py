"""Where the samples of a simulation go: memory, the last few only, or a file.

A sink is told the sizes first, then every sample; it gives back what it kept.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple, final

import numpy as np
from typing_extensions import override

from rbd.arguments import whole_number
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array
from rbd.simulation.trajectory import Trajectory
from rbd.spatial.values import require_kind

_MOST = 10**10
"""Samples a buffer may be asked to hold."""


class Sizes(NamedTuple):
    """How many numbers of each kind a sample has."""

    q: int
    v: int
    s: int


class Sink(ABC):
    """Takes the samples of one run after the other. Derive from it to send them elsewhere."""

    @abstractmethod
    def begin(self, sizes: Sizes) -> None:
        """Start a run: forget the one before."""

    @abstractmethod
    def take(self, t: float, q: Array, v: Array, s: Array) -> None:
        """Take one sample; the arrays are not the sink's to keep."""

    def take_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        """Take samples, one row of `q`, `v` and `s` for each of `times`."""
        for t, *sample in zip(times, q, v, s, strict=True):
            self.take(t, *sample)

    @abstractmethod
    def finish(self) -> Trajectory:
        """End a run that went well; return what was kept, at least the last sample."""

    def abandon(self) -> None:  # noqa: B027 - most sinks have nothing to clean up
        """End a run that failed."""


@final
class Growing(Sink):
    """Keeps every sample in memory; what `simulate` uses if it is given no sink."""

    def __init__(self) -> None:
        self._sizes = Sizes(0, 0, 0)
        self._rows: Array = np.zeros((0, 1))
        self._taken = 0

    @override
    def begin(self, sizes: Sizes) -> None:
        self._sizes, self._taken = sizes, 0
        self._rows = np.empty((64, 1 + sum(sizes)))

    @override
    def take(self, t: float, q: Array, v: Array, s: Array) -> None:
        if self._taken == len(self._rows):
            self._rows = np.concatenate((self._rows, np.empty_like(self._rows)))  # doubled: linear time in all
        _fill(self._rows[self._taken], t, q, v, s)
        self._taken += 1

    @override
    def take_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        end = self._taken + len(times)
        if end > len(self._rows):
            self._rows = np.concatenate((self._rows, np.empty((max(end, len(self._rows)), self._rows.shape[1]))))
        rows, nq, nv = self._rows[self._taken : end], self._sizes.q, self._sizes.v
        rows[:, 0], rows[:, 1 : 1 + nq], rows[:, 1 + nq : 1 + nq + nv] = times, q, v
        rows[:, 1 + nq + nv :] = s
        self._taken = end

    @override
    def finish(self) -> Trajectory:
        return _trajectory(self._rows[: self._taken], self._sizes)


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
        size = whole_number(size, "size", 1, _MOST)
        self._sizes = Sizes(0, 0, 0)
        self._rows: Array = np.zeros((size, 1))
        self._taken = 0

    @override
    def begin(self, sizes: Sizes) -> None:
        self._sizes, self._taken = sizes, 0
        self._rows = np.empty((len(self._rows), 1 + sum(sizes)))

    @override
    def take(self, t: float, q: Array, v: Array, s: Array) -> None:
        _fill(self._rows[self._taken % len(self._rows)], t, q, v, s)
        self._taken += 1

    @override
    def finish(self) -> Trajectory:
        return self.trajectory()

    def trajectory(self) -> Trajectory:
        """Return what is in the buffer now, also while a simulation runs or after it failed."""
        size = len(self._rows)
        rows = self._rows[: self._taken] if self._taken < size else np.roll(self._rows, -(self._taken % size), axis=0)
        return _trajectory(rows, self._sizes)


@final
class NpzFile(Sink):
    """Writes every sample to a file that `Trajectory.load` reads; memory does not grow with the run.

    The file appears, and replaces one of that name, when the run has ended well. `simulate` returns the last sample
    only.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        require_kind(path, str, os.PathLike, operation="NpzFile", argument="path")
        self._path = Path(path)
        self._files: dict[str, IO[bytes]] = {}
        self._sizes, self._taken = Sizes(0, 0, 0), 0
        self._last: Trajectory | None = None

    @override
    def begin(self, sizes: Sizes) -> None:
        self.abandon()
        self._sizes, self._taken = sizes, 0
        # Beside the file: a run too long for the disk fails there, not where temporary files live.
        self._files = {name: _scratch_file(self._path.parent) for name in "tqvs"}

    @override
    def take(self, t: float, q: Array, v: Array, s: Array) -> None:
        for name, values in zip("tqvs", (np.array([t]), q, v, s), strict=True):
            self._files[name].write(np.ascontiguousarray(values, dtype="<f8").tobytes())
        self._taken += 1
        self._last = Trajectory(np.array([t]), q[None], v[None], s[None])

    @override
    def finish(self) -> Trajectory:
        partial = self._path.with_name(self._path.name + f".{os.getpid()}.partial")
        try:
            with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
                for name, file in self._files.items():
                    self._pack(archive, name, file)
            partial.replace(self._path)
        finally:
            partial.unlink(missing_ok=True)
            self.abandon()
        if self._last is None:
            raise ArgumentError("the sink was given no samples", argument="sink", value=self)
        return self._last

    def _pack(self, archive: zipfile.ZipFile, name: str, file: IO[bytes]) -> None:
        """Copy one array into the archive."""
        shape = (self._taken,) if name == "t" else (self._taken, getattr(self._sizes, name))
        header = {"descr": "<f8", "fortran_order": False, "shape": shape}
        file.seek(0)
        with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, header)
            shutil.copyfileobj(file, member)

    @override
    def abandon(self) -> None:
        for file in self._files.values():
            file.close()
        self._files = {}


def _scratch_file(folder: Path) -> IO[bytes]:
    """Return a new file without a name; whoever has it closes it."""
    return tempfile.TemporaryFile(dir=folder)


def _fill(row: Array, t: float, q: Array, v: Array, s: Array) -> None:
    row[0] = t
    row[1 : 1 + len(q)] = q
    row[1 + len(q) : 1 + len(q) + len(v)] = v
    row[1 + len(q) + len(v) :] = s


def _trajectory(rows: Array, sizes: Sizes) -> Trajectory:
    nq, nv = sizes.q, sizes.v
    return Trajectory(rows[:, 0], rows[:, 1 : 1 + nq], rows[:, 1 + nq : 1 + nq + nv], rows[:, 1 + nq + nv :])
