"""Robot files of installed Python packages, as PACKAGE:NAME."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rbd import cli
from rbd.cli.robot_file import find_file
from tests.cli.conftest import MJCF, URDF


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a Python package with robots, two of which have the same name."""
    names = ["robots/arm.urdf", "robots/old/ball.xml", "robots/new/ball.xml", "robots/package.xml"]
    record = [f"{name},," for name in names] + ["robots-1.0.dist-info/METADATA,,", "robots-1.0.dist-info/RECORD,,"]
    texts = dict(zip(names, [URDF, MJCF, MJCF, "<package/>"], strict=True))
    texts["robots-1.0.dist-info/METADATA"] = "Metadata-Version: 2.1\nName: robots\nVersion: 1.0\n"
    texts["robots-1.0.dist-info/RECORD"] = "\n".join(record)
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def test_files_are_found_by_the_end_of_their_path(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", "robots:arm.urdf"]) == 0
    assert f"arm ({package / 'robots' / 'arm.urdf'})" in capsys.readouterr().out
    assert cli.main(["check", "robots:old/ball.xml"]) == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("robots:ball.xml", "package robots has 2 files 'ball.xml': write robots:new/ball.xml or robots:old/ball.xml"),
        ("robots:arms.urdf", "package robots has no file 'arms.urdf'; files of that kind are arm.urdf"),
        ("robots:arm.txt", "package robots has no file 'arm.txt'"),
        ("robot-zoo:arm.urdf", "'robot-zoo:arm.urdf' is no file, and no Python package 'robot-zoo' is installed"),
    ],
)
def test_what_is_not_found_is_named(package: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", name]) == 1
    assert capsys.readouterr().err == f"rbd: {message}\n"


def test_folders_with_a_package_file_are_packages_of_meshes(package: Path) -> None:
    path, packages = find_file("robots:arm.urdf")
    assert packages == {"robots": path.parent}


def test_a_file_with_a_colon_in_its_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("robots:arm.urdf").write_text(URDF, encoding="utf-8")
    assert cli.main(["check", "robots:arm.urdf"]) == 0
