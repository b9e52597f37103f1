"""Folders of rollouts that are damaged: errors name the file, and say what to do."""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError
from rbd.rollout import Rollouts, rollout

h5py: Any = pytest.importorskip("h5py")
START = np.random.default_rng(0).uniform(-1, 1, (5, 2))


def study(folder: Path) -> Rollouts:
    mechanism = rbd.robots.double_pendulum()
    return rollout(mechanism, {"q": START}, None, 0.02, dt=0.01, seed=0, folder=folder, chunk=2, progress=False)


def edited(name: str, value: Any) -> Callable[[Path], None]:
    def edit(file: Path) -> None:
        with h5py.File(file, "a") as h5:
            del h5[name]
            if value is not None:
                h5[name] = value

    return edit


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "half": lambda file: file.write_bytes(file.read_bytes()[:3000]),
    "noise": lambda file: file.write_bytes(b"noise" * 1000),
    "no q": edited("q", None),
    "another q": edited("q", np.zeros((2, 2))),
    "fewer rows": edited("q", np.zeros((1, 2, 2))),
    "no messages": edited("messages", None),
    "other messages": edited("messages", "{"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_results_are_named_and_computed_again(damage: str, tmp_path: Path) -> None:
    found = study(tmp_path)
    expected, file = found.q, tmp_path / "cases-000001.h5"
    DAMAGES[damage](file)
    for call in (lambda: found.q, lambda: study(tmp_path).q):
        with pytest.raises(ArgumentError, match=r"cases-000001.h5 is damaged: .*; remove it") as caught:
            call()
        assert caught.value.argument == "folder"
    file.unlink()
    np.testing.assert_array_equal(study(tmp_path).q, expected)


@pytest.mark.parametrize("error", [BlockingIOError(11, "unable to lock file"), OSError(24, "too many"), MemoryError()])
def test_files_that_cannot_be_read_now_are_not_called_damaged(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever follows the advice to remove a damaged file loses results."""

    def opened(*arguments: object) -> None:
        raise error

    found = study(tmp_path)
    monkeypatch.setattr(h5py, "File", opened)
    for call in (lambda: found.q, lambda: study(tmp_path)):
        with pytest.raises(type(error)) as caught:
            call()
        assert caught.value is error


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"null", b"\xff\xfe"])
def test_damaged_descriptions_are_named(content: bytes, tmp_path: Path) -> None:
    study(tmp_path)
    (tmp_path / "study.json").write_bytes(content)
    with pytest.raises(ArgumentError, match=r"study.json is damaged: .*; remove it"):
        study(tmp_path)
