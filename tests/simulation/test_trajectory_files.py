"""Trajectories from files: damaged ones, directories, times and numbers that no simulation gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, NotFiniteError


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "run.npz"
    rbd.simulate(rbd.MechanismState(rbd.robots.double_pendulum(), [0.1, 0.2]), 0.01).save(path)
    return path.read_bytes()


def test_damaged_files_are_refused_or_read(saved: bytes, tmp_path: Path) -> None:
    rng, path, refused = np.random.default_rng(1), tmp_path / "damaged.npz", 0
    for _ in range(1500):
        content = bytearray(saved)
        for _ in range(rng.integers(1, 4)):
            content[rng.integers(len(content))] = rng.integers(256)
        path.write_bytes(content[: rng.integers(len(content))] if rng.random() < 0.2 else content)
        try:
            found = rbd.Trajectory.load(path)
        except ArgumentError:
            refused += 1
        else:
            assert np.isfinite(found.q).all()
            assert (np.diff(found.t) >= 0).all()
    assert refused > 300


def test_directories_and_missing_files_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="is a directory"):
        rbd.Trajectory.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        rbd.Trajectory.load(tmp_path / "missing.npz")
    with pytest.raises(ArgumentError, match="null"):
        rbd.Trajectory.load("a\0b")
    run = rbd.simulate(rbd.MechanismState(rbd.robots.double_pendulum()), 0.01)
    for wrong in ("", "a\0b"):
        with pytest.raises(ArgumentError, match="path must name a file"):
            run.save(wrong)


def test_times_do_not_decrease_and_all_is_finite() -> None:
    rows = np.zeros((3, 2))
    with pytest.raises(ArgumentError, match=r"t decreases from t\[1\] = 2.0 to t\[2\] = 1.0"):
        rbd.Trajectory([0.0, 2.0, 1.0], rows, rows, rows)
    with pytest.raises(NotFiniteError, match=r"t\[1\] is nan"):
        rbd.Trajectory([0.0, np.nan, 1.0], rows, rows, rows)
    with pytest.raises(NotFiniteError, match=r"v\[0, 0\] is inf"):
        rbd.Trajectory([0.0, 1.0, 1.0], rows, rows + np.inf, rows)
