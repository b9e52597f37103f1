"""The command line on terminals without letters, with file names of control characters, with unknown formats."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rbd.cli import main
from rbd.cli.streams import print_note

_ROBOT = "<robot name='ré'><link name='bé'/></robot>"


def test_letters_that_the_terminal_lacks_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(_ROBOT, encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from rbd.cli import main; sys.exit(main())", "info", str(path)]
    found = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)
    assert (found.returncode, found.stderr) == (0, b"")
    assert found.stdout.startswith(b"r\\xe9 (")


@pytest.mark.parametrize("command", ["info", "check"])
def test_control_characters_of_names_are_escaped(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in (("a\x1b[31m\nb.urdf", _ROBOT), ("c\x1b[31m\nd.urdf", "<robot><link")):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        main([command, str(path)])
        main([command, str(path) + "\x07missing"])
        shown = "".join(capsys.readouterr())
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert r"\x1b[31m\n" in shown


def test_lines_of_trees_are_drawn_in_ascii(robot: Path) -> None:
    command = [sys.executable, "-m", "rbd", "info", str(robot)]
    found = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=True)
    assert b"`- arm  (shoulder: Revolute)" in found.stdout
    assert b"\\u2" not in found.stdout


@pytest.mark.parametrize("name", ["info", "check"])
def test_a_closed_pipe_ends_the_command_silently(name: str, robot: Path) -> None:
    command = [sys.executable, "-m", "rbd", name, str(robot)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_interrupts_are_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("rbd.cli.double_pendulum.run", interrupt)
    assert main(["demo"]) == 130
    assert capsys.readouterr().err == "rbd: interrupted\n"


def test_pictures_of_unknown_formats_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert main(["demo", "--time", "0.01", "--picture", str(tmp_path / "x.xyz")]) == 1
    assert "x.xyz has no suffix of a picture file; allowed are" in capsys.readouterr().err


def test_notes_on_standard_error_have_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_note("robot red\x1b[31m.urdf: inverse dynamics")
    assert capsys.readouterr().err == "rbd: robot red\\x1b[31m.urdf: inverse dynamics\n"
