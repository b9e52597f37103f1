"""The examples of `--help` of all commands, run in a folder that has the files they name."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import webbrowser
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

import rbd
from rbd import bench, cli
from rbd.bench.machine import machine
from rbd.cli.command_line import COMMANDS
from rbd.viz import Viewer
from rbd.viz.browser import find_browser
from tests.cli.conftest import MJCF, URDF

EXAMPLES: Final = [
    pytest.param(line, id=line) for command in COMMANDS for line in command.examples.splitlines() if line.strip()
]
INERTIAL: Final = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
FLOATS: Final = re.sub("<collision>.*</collision>", "", URDF).replace(
    '<link name="base"/>', f'<link name="base">{INERTIAL}</link>'
)
"""A robot whose base may float, and of which no conversion loses anything."""
WORLD: Final = r'<link name="world"/>|<joint name="floating_base".*?</joint>'
WRITE: Final = ("--out", "--picture", "--screenshot", "--record", "--json")
"""Options that name files to write."""
NEEDED: Final = {"gymnasium:": "gymnasium", "rbd view": "viser", "rbd demo": "matplotlib"}
"""Packages that examples need, by a part of them."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, feet: str) -> Path:
    """Return the current folder, with robot files."""
    monkeypatch.chdir(tmp_path)
    Path("robot.urdf").write_text(FLOATS, encoding="utf-8")
    Path("robot.xml").write_text(MJCF, encoding="utf-8")
    rbd.write_urdf(rbd.robots.double_pendulum(), "arm.urdf", strict=False)
    Path("quadruped.urdf").write_text(re.sub(WORLD, "", feet, flags=re.DOTALL), encoding="utf-8")
    return tmp_path


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let pages and benchmarks end at once; return what was opened."""
    opened = list[str]()

    def measured(settings: bench.BenchSettings, say: object) -> bench.Report:
        opened.append(f"benchmarks of {settings.robots}")
        return bench.Report(machine(), settings.quick)

    def open_page(url: str) -> bool:
        opened.append(url)
        return True

    def wait(viewer: Viewer) -> Viewer:
        return viewer

    def wait_for_page(viewer: Viewer, timeout: float | None) -> bool:
        return True

    monkeypatch.setattr(bench, "run", measured)
    monkeypatch.setattr(webbrowser, "open", open_page)
    monkeypatch.setattr(Viewer, "wait", wait)
    monkeypatch.setattr(Viewer, "wait_for_page", wait_for_page)
    return opened


def parts(line: str) -> Iterator[list[str]]:
    """Yield the commands of a line, as words."""
    for part in line.split(" && "):
        yield shlex.split(part)


def new_files(words: list[str]) -> list[Path]:
    """Return the files that a command must have written."""
    wanted = [Path(after) for word, after in pairwise(words) if word in WRITE]
    return (
        [*wanted, Path([word for word in words if not word.startswith("-")][-1])] if words[1] == "convert" else wanted
    )


@pytest.mark.parametrize("line", EXAMPLES)
def test_examples_run(line: str, folder: Path, waits: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for part, package in NEEDED.items():
        if part in line and find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    if "--screenshot" in line and find_browser() is None:
        pytest.skip("Chromium draws pictures")
    for words in parts(line):
        if words[0] == "rbd":
            assert cli.main(words[1:]) == 0, capsys.readouterr().err
            assert capsys.readouterr().out
            assert all(path.exists() for path in new_files(words))
        elif shutil.which("cc") and shutil.which(words[0]):
            subprocess.run(words, check=True, capture_output=True, timeout=300)
    is_page = "rbd view" in line and "--no-browser" not in line
    assert len(waits) == (is_page or "rbd bench" in line)


def test_every_command_has_examples_of_its_own() -> None:
    for command in COMMANDS:
        lines = command.examples.strip().splitlines()
        assert lines
        assert all(f"rbd {command.name}" in line for line in lines)
        assert not any("/tmp" in line or "\\" in line for line in lines)  # they write to the current folder
