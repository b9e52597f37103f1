"""Standard streams that are closed, full, or whose readers are gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rbd.cli import main

FULL = Path("/dev/full")


def shell(arguments: str, robot: Path) -> subprocess.CompletedProcess[bytes]:
    """Run `rbd` in a shell, which redirects its streams; output is buffered, as it is for users."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    command = f'exec "$PYTHON" -m rbd {arguments}'
    return subprocess.run(
        ["/bin/sh", "-c", command], env={**environment, "PYTHON": sys.executable}, cwd=robot.parent,
        capture_output=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments", ["check {} >&-", "check {} 2>&-", "simulate {} --time 0.01 >&- 2>&-", "simulate {} --time 0.01 2>&-"]
)
def test_closed_streams_get_nothing(arguments: str, robot: Path) -> None:
    found = shell(arguments.format(robot.name), robot)
    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.parametrize(("arguments", "code"), [("info missing.urdf 2>&-", 1), ("nonsense 2>&-", 2)])
def test_errors_do_not_go_to_standard_output(arguments: str, code: int, robot: Path) -> None:
    found = shell(arguments, robot)
    assert (found.returncode, found.stdout) == (code, b"")


@pytest.mark.skipif(not FULL.exists(), reason="Linux has such a device")
@pytest.mark.parametrize("arguments", ["--help", "info --help", "--version", "check {}"])
def test_a_full_standard_output_is_an_error_of_one_line(arguments: str, robot: Path) -> None:
    found = shell(f"{arguments.format(robot.name)} > {FULL}", robot)
    assert (found.returncode, found.stderr) == (1, b"rbd: No space left on device\n")


@pytest.mark.skipif(not FULL.exists(), reason="Linux has such a device")
@pytest.mark.parametrize(
    ("arguments", "code"), [("info missing.urdf", 1), ("nonsense", 2), ("simulate {} --time 0.01 --progress", 0)]
)
def test_a_full_standard_error_changes_no_exit_code(arguments: str, code: int, robot: Path) -> None:
    assert shell(f"{arguments.format(robot.name)} 2> {FULL}", robot).returncode == code


@pytest.mark.parametrize("arguments", [["--help"], ["info", "--help"], ["--version"]])
def test_help_for_a_closed_pipe_ends_silently(arguments: list[str]) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "rbd", *arguments]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_interrupts_while_options_are_read_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("rbd.cli.command_line.make_parser", interrupt)
    assert main(["--version"]) == 130
    assert capsys.readouterr().err == "rbd: interrupted\n"
