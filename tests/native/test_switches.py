"""The environment variables, each in a process of its own: the same numbers, by other ways."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys, warnings
{before}
import numpy as np
import rbd
from rbd.compiled import compile
robot = compile(rbd.robots.double_pendulum())
q, v = np.array([0.3, -0.4]), np.array([1.0, 2.0])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(15):
        tau = robot.inverse_dynamics(q, v, v)
        M = robot.mass_matrix(np.stack([q, v, q]))
try:
    robot.inverse_dynamics(q, np.array([1.0, np.nan]), v)
except rbd.errors.NotFiniteError as error:
    print(error)
print([(w.category.__name__, str(w.message)) for w in caught])
print(type(robot.inverse_dynamics).__name__, "llvmlite.binding" in sys.modules)
print(tau.tobytes().hex(), M.tobytes().hex())
"""
NO_LLVMLITE = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "llvmlite" else found(name, package)
"""


def run(before: str = "", **variables: str) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-W", "error", "-c", SCRIPT.format(before=before)]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


@pytest.fixture(scope="module")
def usual() -> list[str]:
    return run(RBD_CACHE="0")


def test_usually(usual: list[str]) -> None:
    assert usual[0] == "v[1] is not finite"
    assert usual[1] == "[]"
    assert usual[2] in ("builtin_function_or_method True", "method True")


def test_without_builtins(usual: list[str]) -> None:
    found = run(RBD_NATIVE_ENTRY="0")
    assert found[2] == "method True"
    assert found[:2] + found[3:] == usual[:2] + usual[3:]


@pytest.mark.parametrize(
    ("before", "variables", "reason"),
    [("", {"RBD_NATIVE": "0"}, "RBD_NATIVE is 0"), (NO_LLVMLITE, {}, "llvmlite is not installed")],
)
def test_without_machine_code(usual: list[str], before: str, variables: dict[str, str], reason: str) -> None:
    found = run(before, **variables)
    assert found[1].count("InterpretedWarning") == 1
    assert reason in found[1]
    assert found[2] == "method False"
    assert found[0] == usual[0]
    assert found[3] == usual[3]


def machine_code(folder: Path) -> int:
    """Return how many entries hold machine code; outlines are kept beside them, but not of sources just edited."""
    contents = [entry.read_bytes()[88:] for entry in (folder / "objects").iterdir()]
    outlines = [content for content in contents if content.startswith(b"[")]
    assert len(outlines) <= 2
    return len(contents) - len(outlines)


def test_without_a_cache_or_a_home(usual: list[str], cache_directory: Path) -> None:
    assert run(RBD_CACHE_DIR="", HOME="", XDG_CACHE_HOME="") == usual
    assert not cache_directory.exists()
    assert run(RBD_CACHE_DIR=str(cache_directory)) == usual
    assert machine_code(cache_directory) == 2
    assert run(RBD_CACHE_DIR=str(cache_directory)) == usual
    assert machine_code(cache_directory) == 2
