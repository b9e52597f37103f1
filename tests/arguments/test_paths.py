"""What is no path, in every argument that takes one: errors of rbd that name the argument, and nothing written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import rbd
from rbd.cli import main
from rbd.errors import ArgumentError, FileError
from rbd.export import write_c_library, write_wasm
from rbd.mjcf import load_mjcf, parse_mjcf
from rbd.simulation import NpzFile
from rbd.urdf import load_urdf, parse_urdf, resolve_mesh
from rbd.viz.arguments import checked_path

from .making import world


class _BytesPath:
    def __fspath__(self) -> bytes:
        return b"x"


class _BrokenPath:
    def __fspath__(self) -> str:
        raise KeyError("of the path's own")


_URDF: Final = "<robot name='r'><link name='a'/></robot>"
_KINDS: Final[dict[str, object]] = {
    "number": 3,
    "array": np.zeros(2),
    "path of bytes": _BytesPath(),
    "broken path": _BrokenPath(),
    "class": Path,
}
_CHARACTERS: Final = {"null": "a\0b", "surrogate": "\ud800", "path with a null": Path("a\0b"), "folder": "\0/b.npz"}
WRONG: Final[dict[str, object]] = _KINDS | {"bytes": b"x"} | _CHARACTERS
Call = Callable[[Any], object]


def _calls() -> dict[tuple[str, str], Call]:
    """Return calls by function and argument; all but readers and writers of robot files refuse all of `WRONG`."""
    w = world()
    functions, run = w.robot.functions("mass_matrix"), rbd.simulate(w.state, 0.002)
    start = {"q": np.zeros((1, 2))}
    return {
        ("write_c_library", "directory"): lambda path: write_c_library(functions, path),
        ("write_wasm", "directory"): lambda path: write_wasm(functions, path),
        ("parse_mjcf", "directory"): lambda path: parse_mjcf("<mujoco/>", directory=path),
        ("parse_mjcf", "root"): lambda path: parse_mjcf("<mujoco/>", root=path),
        ("parse_urdf", "packages"): lambda path: parse_urdf(_URDF, packages={"a": path}),
        ("resolve_mesh", "directory"): lambda path: resolve_mesh("a.stl", directory=path),
        ("resolve_mesh", "packages"): lambda path: resolve_mesh("a", packages={"a": path}),
        ("Trajectory.save", "path"): lambda path: run.save(path),
        ("Trajectory.load", "path"): lambda path: rbd.Trajectory.load(path),
        ("NpzFile", "path"): lambda path: NpzFile(path),
        ("Viewer.screenshot", "path"): checked_path,
        ("rollout", "folder"): lambda path: rbd.rollout.rollout(
            w.m, start, None, 0.01, dt=0.01, seed=1, folder=path, progress=False
        ),
    }  # fmt: skip


_OF_ROBOT_FILES: Final[dict[str, Call]] = {
    "load_urdf": load_urdf,
    "load_mjcf": load_mjcf,
    "write_urdf": lambda path: rbd.write_urdf(rbd.robots.chain(2), path),
    "write_mjcf": lambda path: rbd.write_mjcf(rbd.robots.chain(2), path),
}


@pytest.mark.parametrize("kind", WRONG)
def test_no_path(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for (_, argument), call in _calls().items():
        with pytest.raises(ArgumentError) as caught:
            call(WRONG[kind])
        assert caught.value.argument == argument
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", _OF_ROBOT_FILES)
def test_no_path_of_a_robot_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that no file can have are those of files that cannot be read or written."""
    monkeypatch.chdir(tmp_path)
    for value in _KINDS.values():
        with pytest.raises(ArgumentError, match="path must be a") as caught:
            _OF_ROBOT_FILES[name](value)
        assert caught.value.argument == "path"
    for text in _CHARACTERS.values():
        with pytest.raises(FileError, match="cannot"):
            _OF_ROBOT_FILES[name](text)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
@pytest.mark.parametrize(
    "command",
    [
        ("bench", "--json"),
        ("bench", "--markdown"),
        ("compile", "a.urdf", "--out"),
        ("convert", "a.urdf"),
        ("demo", "--picture"),
        ("simulate", "a.urdf", "--out"),
        ("simulate", "a.urdf", "--picture"),
        ("view", "a.urdf", "--screenshot"),
        ("view", "a.urdf", "--record"),
        ("view", "a.urdf", "--trajectory"),
    ],
)
def test_options_that_are_no_paths(command: tuple[str, ...], path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are invalid command lines, before anything is read or computed."""
    with pytest.raises(SystemExit) as caught:
        main([*command, path])
    assert caught.value.code == 2
    assert "must be a path" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [3, b"x", np.zeros(2)])
def test_root_of_a_file(wrong: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.xml"
    file.write_text("<mujoco/>", encoding="utf-8")
    with pytest.raises(ArgumentError, match="root must be a str or PathLike") as caught:
        load_mjcf(file, root=wrong)
    assert caught.value.argument == "root"


@pytest.mark.parametrize("name", [3, None])
def test_names_of_packages(name: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_urdf(_URDF, packages={name: "."})
    assert caught.value.argument == "packages"


def test_a_file_without_a_name_is_refused_before_the_run() -> None:
    with pytest.raises(ArgumentError, match="path must name a file, not ''"):
        NpzFile("")
