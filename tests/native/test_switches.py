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


EVERYTHING = """
import sys, warnings
{before}
import numpy as np
import rbd
from rbd import MechanismState, contact, robots
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    arm, linkage = MechanismState(robots.arm7()), MechanismState(robots.four_bar())
    rbd.close_loops(linkage)
    results = [rbd.DynamicsResult(arm.mechanism), rbd.DynamicsResult(linkage.mechanism)]
    for k in range(25):
        arm.set_configuration(np.full(7, 0.01 * k))
        arm.set_velocity(np.full(7, 0.3))
        found = [rbd.mass_matrix(arm), *(rbd.dynamics(r, s).vd for r, s in zip(results, (arm, linkage)))]
    robot = rbd.compile(robots.double_pendulum())
    found += robot.rollout([0.3, 0.4], [0, 0], [0, 0], 1e-3, 30)
    swing = rbd.simulate(MechanismState(robot.mechanism, [0.3, 0.4]), 0.03, dt=1e-3)
    found += [swing.q, swing.v]
    mechanism, model = robots.hand()
    hand = MechanismState(mechanism)
    found += [model.jacobian(hand), contact.solve_contact(hand, model, np.zeros(mechanism.nv)).vd]
nan = np.full(7, np.nan)
for call in (lambda: arm.set_configuration(nan), lambda: rbd.dynamics(results[0], arm, nan)):
    try:
        call()
    except rbd.errors.NotFiniteError as error:
        print(error)
print([(w.category.__name__, str(w.message)) for w in caught])
print("llvmlite.binding" in sys.modules)
print(*(np.asarray(x).tobytes().hex() for x in found))
"""
WITHOUT_MACHINE_CODE = [("", {"RBD_NATIVE": "0"}, "RBD_NATIVE is 0"), (NO_LLVMLITE, {}, "llvmlite is not installed")]


def started(script: str = SCRIPT, before: str = "", **variables: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-W", "error", "-c", script.format(before=before)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines(process: subprocess.Popen[str]) -> list[str]:
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return output.splitlines()


def run(before: str = "", **variables: str) -> list[str]:
    return lines(started(before=before, **variables))


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


@pytest.mark.parametrize(("before", "variables", "reason"), WITHOUT_MACHINE_CODE)
def test_without_machine_code(usual: list[str], before: str, variables: dict[str, str], reason: str) -> None:
    found = run(before, **variables)
    assert found[1].count("InterpretedWarning") == 1
    assert reason in found[1]
    assert found[2] == "method False"
    assert found[0] == usual[0]
    assert found[3] == usual[3]


MODULES = 4
"""Those of two programs, and of what they share: sines, and the access to rows."""


def machine_code(folder: Path) -> int:
    """Return how many entries hold machine code; outlines are kept beside them, but not of sources just edited."""
    contents = [entry.read_bytes()[88:] for entry in (folder / "objects").iterdir()]
    contents = [content for content in contents if len(content) != 64]  # those of 64 are digests of sources
    outlines = [content for content in contents if content.startswith(b"[")]
    assert len(outlines) <= 2
    return len(contents) - len(outlines)


def test_without_a_cache_or_a_home(usual: list[str], cache_directory: Path) -> None:
    assert run(RBD_CACHE_DIR="", HOME="", XDG_CACHE_HOME="") == usual
    assert not cache_directory.exists()
    assert run(RBD_CACHE_DIR=str(cache_directory)) == usual
    assert machine_code(cache_directory) == MODULES
    assert run(RBD_CACHE_DIR=str(cache_directory)) == usual


def test_live_states_loops_simulations_and_contact() -> None:
    """All ways at once: what rbd says is the same, and it warns once where it interprets."""
    ways = [("", {}), ("", {"RBD_NATIVE_ENTRY": "0"}), *((before, names) for before, names, _ in WITHOUT_MACHINE_CODE)]
    usual, plain, *interpreted = [
        lines(started(EVERYTHING, before, RBD_CACHE="0", **variables)) for before, variables in ways
    ]
    assert usual == plain
    assert usual[0].startswith("q[0] is nan")
    assert usual[1].startswith("torques[0] is nan")
    assert usual[2:4] == ["[]", "True"]
    for found, (_, _, reason) in zip(interpreted, WITHOUT_MACHINE_CODE, strict=True):
        assert found[2].count("InterpretedWarning") == 1
        assert reason in found[2]
        assert found[:2] + found[3:] == [*usual[:2], "False", *usual[4:]]


def test_processes_that_compile_the_same_at_once(usual: list[str], cache_directory: Path) -> None:
    processes = [started(RBD_CACHE_DIR=str(cache_directory)) for _ in range(3)]
    assert [lines(process) for process in processes] == [usual] * 3
    assert machine_code(cache_directory) == MODULES


def test_damaged_entries_are_made_again(usual: list[str], cache_directory: Path) -> None:
    run(RBD_CACHE_DIR=str(cache_directory))
    sizes = {}
    for entry in (cache_directory / "objects").iterdir():
        content = entry.read_bytes()
        sizes[entry] = len(content)
        entry.write_bytes(content[: len(content) // 2])
    assert run(RBD_CACHE_DIR=str(cache_directory)) == usual
    repaired = [entry for entry, size in sizes.items() if entry.stat().st_size == size]
    assert len(repaired) >= 2


def test_a_home_that_cannot_be_written_costs_time_only(usual: list[str]) -> None:
    assert run(RBD_CACHE_DIR="", HOME="/proc/nobody", XDG_CACHE_HOME="") == usual
