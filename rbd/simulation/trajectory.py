"""Trajectories: times, configurations and velocities of a simulation, in memory or in a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import described, file_path, require_kind, sequence
from rbd.atomic_files import replaced_file
from rbd.errors import ArgumentError, ShapeError, quoted
from rbd.mechanism import Mechanism
from rbd.scalars import is_float, to_float
from rbd.scalars.arrays import Array
from rbd.scalars.entries import as_float64, check_finite
from rbd.simulation.events import Occurrence
from rbd.simulation.forces import ForceElement
from rbd.simulation.monitors import EnergyMonitor
from rbd.state import MechanismState
from rbd.state.saved_state import restored_on_failure

if TYPE_CHECKING:
    from rbd.contact.model.collision_model import CollisionModel

_FIELDS = ("t", "q", "v", "s")
_TABLES = (".csv", ".txt", ".dat", ".tsv")
_OTHER_FORMATS = (*_TABLES, ".json", ".mat", ".h5", ".hdf5", ".npy", ".pkl", ".pickle")


def _frozen(values: ArrayLike, name: str) -> Array:
    array = as_float64(values, (None,) if name == "t" else (None, None), name)
    check_finite(array, name)
    array.flags.writeable = False
    return array


# The attrs plugin of mypy accepts named functions only.
def _t(values: ArrayLike) -> Array:
    return _frozen(values, "t")


def _q(values: ArrayLike) -> Array:
    return _frozen(values, "q")


def _v(values: ArrayLike) -> Array:
    return _frozen(values, "v")


def _s(values: ArrayLike) -> Array:
    return _frozen(values, "s")


def trusted_trajectory(t: Array, q: Array, v: Array, s: Array) -> Trajectory:
    """Make a trajectory of finite floats with a row per time, which does not decrease; copies them, unchecked.

    >>> t, rows = np.array([0.0, 0.1]), np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> trusted_trajectory(t, rows, rows, rows[:, :0])
    Trajectory(2 samples, t = 0 ... 0.1 s)
    """
    trajectory = object.__new__(Trajectory)
    for name, values in zip(_FIELDS, (t, q, v, s), strict=True):
        array = values.copy(order="C")
        array.flags.writeable = False
        object.__setattr__(trajectory, name, array)
    object.__setattr__(trajectory, "events", ())
    return trajectory


def _no_states(trajectory: Trajectory) -> Array:
    return np.empty((trajectory.t.size, 0))


def _occurrences(values: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
    events = sequence(values, "events", "occurrences")
    for event in events:
        require_kind(event, Occurrence, operation="Trajectory", argument="events")
    return events


class Energies(NamedTuple):
    """Energies at every sample (J).

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> energies = rbd.simulate(state, 1.0, dt=0.01).energies(state.mechanism)
    >>> bool(abs(energies.total - energies.total[0]).max() < 1e-6)
    True
    """

    kinetic: Array
    potential: Array
    elastic: Array
    total: Array


@final
@attrs.frozen(eq=False)
class Trajectory:
    """Samples of a motion: times `t` (n,), configurations `q` (n, nq), velocities `v` (n, nv), additional states `s`.

    The arrays are read-only copies; `s` (n, ns) holds the states of contacts, of which there may be none, `events` the
    events that occurred. A motion from elsewhere needs `t`, `q` and `v` only. Raises ShapeError when the arrays do not
    have the same number of rows, NotFiniteError for NaN and infinities, ArgumentError for times that decrease.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.1, 0.2])
    >>> trajectory = rbd.simulate(state, 0.01)
    >>> len(trajectory), trajectory.q.shape, float(trajectory.t[-1])
    (11, (11, 2), 0.01)
    """

    t: Array = attrs.field(converter=_t)
    q: Array = attrs.field(converter=_q)
    v: Array = attrs.field(converter=_v)
    s: Array = attrs.field(default=attrs.Factory(_no_states, takes_self=True), converter=_s)
    events: tuple[Occurrence, ...] = attrs.field(default=(), converter=_occurrences)

    def __attrs_post_init__(self) -> None:
        if self.t.ndim != 1 or not len(self.t):
            message = f"t has shape {self.t.shape}, needs one dimension and at least one time"
            raise ShapeError(message, argument="t", expected=(-1,), actual=self.t.shape)
        back = np.flatnonzero(self.t[1:] < self.t[:-1])
        if len(back):
            k = int(back[0])
            message = f"t decreases from t[{k}] = {self.t[k]} to t[{k + 1}] = {self.t[k + 1]}"
            raise ArgumentError(message, argument="t", value=self.t, allowed="times that do not decrease")
        for name, array in (("q", self.q), ("v", self.v), ("s", self.s)):
            if array.ndim != 2 or len(array) != len(self.t):
                message = f"{name} has shape {array.shape}, needs {len(self.t)} rows, one per time"
                raise ShapeError(message, argument=name, expected=(len(self.t), -1), actual=array.shape)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"Trajectory({len(self)} samples, t = {self.t[0]:g} ... {self.t[-1]:g} s)"

    def __reduce__(self) -> tuple[object, ...]:
        return Trajectory, (self.t, self.q, self.v, self.s, self.events)

    def show_on(self, state: MechanismState, t: float) -> None:
        """Set `state` to the trajectory at time `t`, interpolated between samples in local coordinates of the joints.

        Raises ArgumentError when `t` lies outside the motion, ShapeError when `state` is of another mechanism's size.
        """
        require_kind(state, MechanismState, operation="show_on", argument="state")
        if not is_float(t) or not self.t[0] <= to_float(t) <= self.t[-1]:
            span = (float(self.t[0]), float(self.t[-1]))
            message = f"t = {described(t)} is outside the motion, {span}"
            raise ArgumentError(message, argument="t", value=t, allowed=span)
        before = max(int(np.searchsorted(self.t, t, side="right")) - 1, 0)
        with restored_on_failure(state):
            state.set_configuration(self.q[before])
            state.set_velocity(self.v[before])
            if t > self.t[before]:
                self._interpolate(state, before, (t - self.t[before]) / (self.t[before + 1] - self.t[before]))

    def _interpolate(self, state: MechanismState, before: int, fraction: float) -> None:
        """Move `state` from sample `before` towards the next one by `fraction` of the way."""
        state.set_configuration(self.q[before + 1])
        phi, _ = state.local_coordinates(self.q[before])
        state.global_coordinates(self.q[before], fraction * phi)
        state.set_velocity((1 - fraction) * self.v[before] + fraction * self.v[before + 1])

    def energies(
        self,
        mechanism: Mechanism,
        forces: Sequence[ForceElement] = (),
        *,
        collision_model: CollisionModel | None = None,
    ) -> Energies:
        """Return the mechanical energy of `mechanism` at every sample: kinetic, of gravity, elastic, total.

        Elastic energy is that of springs at joint bounds, of compliant contacts, of the force elements `forces`, and of
        the pairs of `collision_model` with a `Compliance`. Raises ArgumentError for a model of another mechanism.
        """
        state, monitor = MechanismState(mechanism), EnergyMonitor(forces)
        for t, q, v, s in zip(self.t.tolist(), self.q, self.v, self.s, strict=True):
            state.set_configuration(q)
            state.set_velocity(v)
            monitor.observe(t, state, s)
        springs = 0.0 if collision_model is None else _pair_energy(collision_model, mechanism, self.q)
        return Energies(monitor.kinetic, monitor.potential, monitor.elastic + springs, monitor.total + springs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the arrays, without the events, to an NPZ file at `path`.

        An existing file is replaced when the new one is complete. Raises ArgumentError for what names no file or one of
        another format, such as "swing.csv", OSError when it cannot be written.
        """
        with replaced_file(npz_path(path, "Trajectory.save")) as temporary, temporary.open("wb") as file:
            np.savez(file, t=self.t, q=self.q, v=self.v, s=self.s)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectory:
        """Read a file that `save` wrote; no code in it is executed.

        Raises ArgumentError for damaged files, directories and pipes, OSError when there is no file at `path`.
        """
        saved = file_path(path, operation="Trajectory.load", argument="path")
        if saved.exists() and not saved.is_file():  # opening a pipe would block
            kind = "a directory" if saved.is_dir() else "no regular file"
            message = f"{str(saved)!r} is {kind}, not a saved trajectory"
            raise ArgumentError(message, argument="path", value=os.fspath(path), allowed="files of save")
        with saved.open("rb") as file:  # here: NumPy does not close files that are not NPZ files
            return cls._read(file, path)

    @classmethod
    def _read(cls, file: BinaryIO, path: str | os.PathLike[str]) -> Trajectory:
        try:
            with np.load(file, allow_pickle=False) as arrays:
                t, q, v, s = (_require_float64(arrays[name]) for name in _FIELDS)
                return cls(t, q, v, s)
        except Exception as error:  # readers of damaged files raise errors of many kinds
            message = f"{os.fspath(path)!r} is not a saved trajectory: {error}"
            raise ArgumentError(message, argument="path", value=os.fspath(path), allowed="files of save") from error


def _pair_energy(model: CollisionModel, mechanism: Mechanism, q: Array) -> Array:
    """Return the elastic energy of the pairs of a collision model for every row of q."""
    from rbd.contact.model.collision_model import CollisionModel

    require_kind(model, CollisionModel, operation="Trajectory.energies", argument="collision_model")
    if model.mechanism is not mechanism:
        message = "collision_model is of another mechanism than `mechanism`"
        raise ArgumentError(message, argument="collision_model", value=model)
    energies: Array = np.asarray(model.recorded("elastic_energies")(q, np.zeros(mechanism.nv))).sum(axis=1)
    return energies


def _require_float64(values: Array) -> Array:
    """Return `values` when they are a float64 array; raise TypeError otherwise."""
    if values.dtype != np.float64:
        raise TypeError("the arrays are not float64")
    return values


def npz_path(path: str | os.PathLike[str], operation: str) -> Path:
    """Return the path of a file to write; raise ArgumentError for what names none, or one of another format."""
    file = file_path(path, operation=operation, argument="path")
    if not file.name:
        message = f"path must name a file, not {quoted(os.fspath(path))}"
        raise ArgumentError(message, argument="path", value=path, allowed="paths of files")
    _refuse_other_formats(file)
    return file


def _refuse_other_formats(path: Path) -> None:
    """Raise ArgumentError for a name that belongs to a file of another format."""
    if path.suffix.lower() in _OTHER_FORMATS:
        table = "numpy.savetxt(path, numpy.column_stack([trajectory.t, trajectory.q, trajectory.v]), delimiter=',')"
        advice = f"{table} writes a table" if path.suffix.lower() in _TABLES else "write the arrays t, q and v yourself"
        message = f"path: trajectories are saved as .npz, not {path.suffix}; {advice}"
        raise ArgumentError(message, argument="path", value=path, allowed=".npz")
