"""`rbd view`: a page on this computer, until Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import rbd
from rbd import cli
from rbd.viz import Viewer
from rbd.viz.browser import find_browser

pytest.importorskip("viser", reason="the viewer is of the extra viz")
QUICK = ("--no-browser", "--port", "0", "--duration", "0.1")


def test_the_page_is_served_until_ctrl_c(robot: Path) -> None:
    command = [sys.executable, "-m", "rbd", "view", str(robot), "--no-browser", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        url = line.strip().rpartition(": ")[2]
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(url) as page:
            assert b"<html" in page.read()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""
    assert process.returncode == 0


def test_poses_layers_and_trajectories(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    motion = robot.with_suffix(".npz")
    assert cli.main(["simulate", str(robot), "--time", "0.1", "--out", str(motion)]) == 0
    options = ["--set", "shoulder=0.5", "--layers", "shapes", "frames", "--trajectory", str(motion)]
    assert cli.main(["view", str(robot), *QUICK, *options, "--playback-speed", "2"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("opened", [False, True])
def test_trajectories_play_once_a_page_is_open(opened: bool, urdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = list[float]()

    def wait_for_page(viewer: Viewer, timeout: float | None = None) -> bool:
        played.clear()
        assert viewer.q.tolist() == [0.5]  # the beginning
        return opened

    def animate(viewer: Viewer, motion: rbd.Trajectory, *, speed: float) -> None:
        played.append(speed)

    monkeypatch.setattr(Viewer, "wait_for_page", wait_for_page)
    monkeypatch.setattr(Viewer, "animate", animate)
    motion = urdf.with_suffix(".npz")
    assert cli.main(["simulate", str(urdf), "--time", "0.1", "--set", "shoulder=0.5", "--out", str(motion)]) == 0
    assert cli.main(["view", str(urdf), *QUICK, "--trajectory", str(motion), "--rate", "2"]) == 0
    assert played == [2.0] * opened


@pytest.mark.skipif(find_browser() is None, reason="Chromium draws pictures")
def test_pictures_and_films(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    is_film = robot.suffix == ".xml"
    motion, drawn = robot.with_suffix(".npz"), robot.with_suffix(".gif" if is_film else ".png")
    assert cli.main(["simulate", str(robot), "--time", "0.08", "--out", str(motion)]) == 0
    capsys.readouterr()
    options = ["--trajectory", str(motion), "--record" if is_film else "--screenshot", str(drawn)]
    assert cli.main(["view", str(robot), "--port", "0", *options]) == 0
    assert capsys.readouterr().out == f"Wrote {drawn}\n"
    assert drawn.read_bytes().startswith(b"GIF8" if is_film else b"\x89PNG")


def test_meshes_that_are_not_there_are_named(urdf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh = '<visual><geometry><mesh filename="package://nowhere/arm.stl"/></geometry></visual></link>'
    urdf.write_text(urdf.read_text().replace("</link>", mesh, 1))
    assert cli.main(["view", str(urdf), *QUICK]) == 0
    error = capsys.readouterr().err
    assert error.startswith("rbd: 1 mesh is not shown; the first: mesh 'package://nowhere/arm.stl': ")
    assert error.endswith("; add --package nowhere=FOLDER\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--layers", "wings"], "no layer is called 'wings'"),
        (["--trajectory", "missing.npz"], "missing.npz: No such file"),
        (["--screenshot", "arm.txt"], "'.txt'; there are .png, .jpg"),
        (["--record", "arm.gif"], "--record needs the motion: add --trajectory FILE"),
        (["--set", "elbow=1"], "no joint is named 'elbow'"),
    ],
)
def test_what_does_not_fit_is_one_line(
    options: list[str], message: str, robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["view", str(robot), *QUICK, *options]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_trajectories_of_other_robots_are_refused(urdf: Path, mjcf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["simulate", str(mjcf), "--time", "0.01", "--out", str(mjcf.with_suffix(".npz"))]) == 0
    assert cli.main(["view", str(urdf), *QUICK, "--trajectory", str(mjcf.with_suffix(".npz"))]) == 1
    assert "ball.npz has 8 coordinates, the robot has 1" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--port", "70000"], ["--port", "x"], ["--duration", "0"], ["--rate", "-1"]])
def test_invalid_options_are_refused_by_the_parser(options: list[str], urdf: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["view", str(urdf), *options])
    assert caught.value.code == 2
