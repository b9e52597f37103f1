"""`NpzFile`: a sink that writes samples to a file."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, final

import numpy as np
from typing_extensions import override

from rbd.atomic_files import replaced_file
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array
from rbd.simulation.sinks import Sink, Sizes
from rbd.simulation.trajectory import Trajectory, npz_path


@final
class NpzFile(Sink):
    """Writes every sample to a file that `Trajectory.load` reads; memory does not grow with the run.

    The file appears, and replaces one of that name, when the run has ended well. `simulate` returns the last sample
    only.

    >>> import rbd, tempfile
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     last = rbd.simulate(state, 1.0, dt=0.01, sink=NpzFile(f"{folder}/run.npz"))
    ...     print(len(last), len(rbd.Trajectory.load(f"{folder}/run.npz")))
    1 101
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = npz_path(path, "NpzFile")
        self._files: dict[str, IO[bytes]] = {}
        self._sizes, self._taken = Sizes(0, 0, 0), 0
        self._last: tuple[Array, Array, Array, Array] | None = None

    @override
    def begin(self, sizes: Sizes) -> None:
        self.abandon()
        self._sizes, self._taken, self._last = sizes, 0, None
        # Beside the file: a run too long for the disk fails there, not where temporary files live.
        self._files = {name: _scratch_file(self._path.parent) for name in "tqvs"}

    @override
    def store(self, t: float, q: Array, v: Array, s: Array) -> None:
        self.store_rows((t,), q[None], v[None], s[None])

    @override
    def store_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        for name, values in zip("tqvs", (times, q, v, s), strict=True):
            self._files[name].write(np.ascontiguousarray(values, dtype="<f8").tobytes())
        self._taken += len(times)
        self._last = np.array(times[-1:]), q[-1:].copy(), v[-1:].copy(), s[-1:].copy()

    @override
    def finish(self) -> Trajectory:
        last, self._last = self._last, None
        if last is None:
            self.abandon()
            raise ArgumentError("the sink was given no samples", argument="sink", value=self)
        try:
            with replaced_file(self._path) as partial, zipfile.ZipFile(partial, "w", allowZip64=True) as archive:
                for name, file in self._files.items():
                    self._pack(archive, name, file)
        finally:
            self.abandon()
        return Trajectory(*last)

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
    """Return a new open file without a name."""
    return tempfile.TemporaryFile(dir=folder)
