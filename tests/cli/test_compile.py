"""`rbd compile`: C source and header, with the bits of the interpreter."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd import cli
from tests.export.building import built, call

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def loaded(robot: Path) -> rbd.Mechanism:
    return (rbd.load_mjcf if robot.suffix == ".xml" else rbd.load_urdf)(robot)


@needs_compiler
def test_the_functions_have_the_bits_of_the_interpreter(robot: Path, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    names = ["inverse_dynamics", "forward_dynamics"]
    options = ["--functions", *names, "--prefix", "robot", "--out", str(folder)]
    assert cli.main(["compile", str(robot), *options]) == 0
    library = built("gcc", [folder / f"robot_{name}.c" for name in names], folder)
    mechanism = loaded(robot)
    compiled, rng = rbd.compile(mechanism), np.random.default_rng(0)
    state = rbd.MechanismState(mechanism)
    state.randomize(rng)
    rates, found, workspace = rng.normal(size=mechanism.nv), np.zeros(mechanism.nv), np.zeros(10_000)
    for name in names:
        arrays = state.q.copy(), state.v.copy(), rates
        assert call(library, f"robot_{name}", *arrays, found, workspace) == 0
        np.testing.assert_array_equal(found, compiled.function(name).interpret(*arrays))


def test_files_and_build_line_are_printed(robot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    functions = ["mass_matrix", "geometric_jacobian:arm"]
    assert cli.main(["compile", str(robot), "--out", str(tmp_path), "--functions", *functions]) == 0
    lines = capsys.readouterr().out.splitlines()
    name = "arm" if robot.suffix == ".urdf" else "ball_and_arm"
    files = [f"{name}.h", f"{name}_mass_matrix.c", f"{name}_geometric_jacobian_arm.c", "Makefile"]
    assert lines[:4] == [f"Wrote {tmp_path / file}" for file in files]
    assert lines[-1].strip().startswith("cc -std=c11")
    if shutil.which("cc"):
        subprocess.run(lines[-1].strip(), shell=True, cwd=tmp_path, check=True)
        assert (tmp_path / f"{name}_mass_matrix.o").exists()


def test_single_precision(urdf: Path, tmp_path: Path) -> None:
    assert cli.main(["compile", str(urdf), "--dtype", "float32", "--out", str(tmp_path)]) == 0
    header = (tmp_path / "arm.h").read_text()
    assert "const float in_q[1]" in header
    assert "double" not in header


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--functions", "nothing"], "no function of a compiled robot is called 'nothing'"),
        (["--functions", "geometric_jacobian"], "write geometric_jacobian:BODY"),
        (["--functions", "mass_matrix:arm"], "write geometric_jacobian:BODY"),
        (["--functions", "geometric_jacobian:leg"], "no body is named 'leg'"),
        (["--prefix", "2"], "'2"),
    ],
)
def test_what_does_not_fit_is_one_line(
    options: list[str], message: str, robot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "c"
    assert cli.main(["compile", str(robot), *options, "--out", str(folder)]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not folder.exists()


@pytest.mark.parametrize("options", [["--functions"], ["--dtype", "float16"]])
def test_invalid_options_are_refused_by_the_parser(options: list[str], urdf: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["compile", str(urdf), *options])
    assert caught.value.code == 2
