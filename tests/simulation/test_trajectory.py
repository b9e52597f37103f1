"""Trajectories: read-only samples, files, interpolation, energies."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, ShapeError
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.simulation import Trajectory


@pytest.fixture
def trajectory(pendulum: rbd.MechanismState) -> Trajectory:
    return rbd.simulate(pendulum, 0.05, dt=0.01)


def assert_same(a: Trajectory, b: Trajectory) -> None:
    for name in ("t", "q", "v", "s"):
        assert np.array_equal(getattr(a, name), getattr(b, name))
        assert getattr(a, name).shape == getattr(b, name).shape


def test_arrays_are_read_only(trajectory: Trajectory) -> None:
    for array in (trajectory.t, trajectory.q, trajectory.v, trajectory.s):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_trajectory_owns_its_arrays() -> None:
    t = np.zeros(2)
    trajectory = Trajectory(t, np.zeros((2, 1)), np.zeros((2, 1)))
    t[0] = 5
    assert trajectory.t[0] == 0


def test_a_motion_from_elsewhere_has_no_contact_states(tmp_path: Path) -> None:
    t = np.linspace(0.0, 1.0, 11)
    motion = Trajectory(t, np.column_stack([t, -t]), np.tile([1.0, -1.0], (11, 1)))
    assert motion.s.shape == (11, 0)
    motion.save(tmp_path / "measured.npz")
    assert_same(motion, Trajectory.load(tmp_path / "measured.npz"))
    state = rbd.MechanismState(rbd.robots.double_pendulum())
    motion.show_on(state, 0.25)
    np.testing.assert_allclose(state.q, [0.25, -0.25], rtol=1e-14)
    assert motion.energies(state.mechanism).total.shape == (11,)


def test_saved_and_loaded(trajectory: Trajectory, tmp_path: Path) -> None:
    trajectory.save(tmp_path / "run.npz")
    assert_same(trajectory, Trajectory.load(tmp_path / "run.npz"))
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_saving_replaces_a_file(trajectory: Trajectory, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(b"old")
    trajectory.save(str(path))
    assert_same(trajectory, Trajectory.load(path))


def test_saving_into_nowhere_leaves_nothing(trajectory: Trajectory, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        trajectory.save(tmp_path / "missing" / "run.npz")
    assert not list(tmp_path.iterdir())


class Boom:
    def __reduce__(self) -> tuple[object, ...]:
        return exec, ("raise SystemExit('executed')",)


def write_object_array(path: Path) -> None:
    boom = np.array([Boom()], dtype=object)
    np.savez(path, t=boom, q=boom, v=boom, s=boom, allow_pickle=True)


def write_pickle(path: Path) -> None:
    path.write_bytes(pickle.dumps(Boom()))


def write_other_names(path: Path) -> None:
    np.savez(path, t=np.zeros(2), q=np.zeros((2, 1)))


def write_other_types(path: Path) -> None:
    np.savez(path, t=np.zeros(2), q=np.full((2, 1), "x"), v=np.zeros((2, 1)), s=np.zeros((2, 0)))


def write_other_shapes(path: Path) -> None:
    np.savez(path, t=np.zeros(2), q=np.zeros((3, 1)), v=np.zeros((2, 1)), s=np.zeros((2, 0)))


def write_plain_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def write_cut_short(path: Path) -> None:
    Trajectory(np.zeros(2), np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 0))).save(path)
    path.write_bytes(path.read_bytes()[:300])


@pytest.mark.parametrize(
    "write",
    [
        write_object_array,
        write_pickle,
        write_other_names,
        write_other_types,
        write_other_shapes,
        write_plain_array,
        write_cut_short,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"not an archive at all"),
    ],
)
def test_other_files_are_refused_and_never_executed(write: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "odd.npz"
    write(path)
    with pytest.raises(ArgumentError, match="not a saved trajectory"):
        Trajectory.load(path)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Trajectory.load(tmp_path / "none.npz")


def test_pickled(trajectory: Trajectory) -> None:
    again = pickle.loads(pickle.dumps(trajectory))
    assert_same(trajectory, again)
    assert not again.q.flags.writeable


@pytest.mark.parametrize(
    ("t", "q"), [(np.zeros((2, 2)), np.zeros((2, 1))), (np.zeros(2), np.zeros((3, 1))), (np.zeros(0), np.zeros((0, 1)))]
)
def test_rows_must_match(t: np.ndarray, q: np.ndarray) -> None:
    with pytest.raises(ShapeError):
        Trajectory(t, q, np.zeros((2, 1)), np.zeros((2, 0)))


def test_show_on_a_sample_is_exact(trajectory: Trajectory, pendulum: rbd.MechanismState) -> None:
    for i in (0, 3, 5):
        trajectory.show_on(pendulum, float(trajectory.t[i]))
        assert np.array_equal(pendulum.q, trajectory.q[i])
        assert np.array_equal(pendulum.v, trajectory.v[i])


def test_show_on_between_samples_stays_on_the_motion(
    joint_type: JointType,
    two_bodies: Callable[[JointType], Mechanism],
    moving_state: Callable[[Mechanism], rbd.MechanismState],
) -> None:
    state = moving_state(two_bodies(joint_type))
    start = rbd.MechanismState(state.mechanism, state.q, state.v)
    trajectory = rbd.simulate(state, 0.004, dt=0.002)
    body = state.mechanism.bodies[-1]
    trajectory.show_on(state, 0.003)
    shown = state.transform_to_root(body).matrix
    rbd.simulate(start, 0.003, dt=0.001)
    assert np.allclose(shown, start.transform_to_root(body).matrix, rtol=0, atol=1e-4)


@pytest.mark.parametrize("t", [-0.001, 0.051, float("nan")])
def test_show_on_outside_the_motion(trajectory: Trajectory, pendulum: rbd.MechanismState, t: float) -> None:
    with pytest.raises(ArgumentError, match="outside the motion"):
        trajectory.show_on(pendulum, t)


def test_energies(trajectory: Trajectory, pendulum: rbd.MechanismState) -> None:
    energies = trajectory.energies(pendulum.mechanism)
    assert energies.kinetic[-1] == rbd.kinetic_energy(pendulum)
    assert energies.potential[-1] == rbd.gravitational_potential_energy(pendulum)
    assert not energies.elastic.any()
    assert np.array_equal(energies.total, energies.kinetic + energies.potential + energies.elastic)
    assert energies.total.shape == trajectory.t.shape


def test_repr_and_length(trajectory: Trajectory) -> None:
    assert repr(trajectory) == "Trajectory(6 samples, t = 0 ... 0.05 s)"
    assert len(trajectory) == 6


def test_a_motion_of_other_sizes_leaves_the_state_alone() -> None:
    state = rbd.MechanismState(rbd.robots.arm7())
    motion = Trajectory(np.array([0.0, 1.0]), np.ones((2, 7)), np.ones((2, 6)))
    with pytest.raises(ShapeError):
        motion.show_on(state, 0.5)
    assert not state.q.any()
