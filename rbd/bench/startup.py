"""Benchmarks of a new process: the import, and the first calls of a live state.

Byte code is present. Each process has an empty cache of machine code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Final

import numpy as np

from rbd.bench.report import Preparation

HUMANOID: Final = "humanoid"
"""The robot whose first calls are measured."""
IMPORT, DEPENDENCIES = "import rbd", "import the packages that it imports"
FIRST, LONGEST = "first dynamics, mass matrix and inverse dynamics", "longest later call while machine code is made"
_IMPORT: Final = (
    "import json, time; start = time.thread_time(); import {}; print(json.dumps([time.thread_time() - start]))"
)
_CALLS: Final = """
import json, time
import numpy, rbd
state = rbd.MechanismState(rbd.robots.humanoid(), v=numpy.full(36, 0.1))
result, vd, lengths = rbd.DynamicsResult(state.mechanism), numpy.zeros(36), []
for _ in range(300):
    for call in (
        lambda: rbd.dynamics(result, state), lambda: rbd.mass_matrix(state), lambda: rbd.inverse_dynamics(state, vd)
    ):
        start = time.perf_counter()
        call()
        lengths.append(time.perf_counter() - start)
print(json.dumps([sum(lengths[:3]), max(lengths[3:])]))
"""


def startup_times(repeats: int) -> list[Preparation]:
    """Measure the imports of rbd and of what it imports in processor time, and the first calls in wall time."""
    scripts = [_IMPORT.format(packages) for packages in ("rbd", "attrs, networkx, numpy, typing_extensions")]
    for script in scripts:
        run_script(script)  # writes byte code
    imports = [[*run_script(scripts[0]), *run_script(scripts[1])] for _ in range(repeats)]
    calls = [run_script(_CALLS) for _ in range(repeats)]
    return [*_medians("", (IMPORT, DEPENDENCIES), imports), *_medians(HUMANOID, (FIRST, LONGEST), calls)]


def _medians(robot: str, names: Sequence[str], rows: Sequence[Sequence[float]]) -> list[Preparation]:
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return [Preparation(robot, name, float(np.median(column)), min(column)) for name, column in columns]


def run_script(script: str) -> list[float]:
    """Return the numbers printed by a script in a new process, which keeps byte code and has no machine code."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "RBD_CACHE")
    inherited = {name: value for name, value in os.environ.items() if name not in unwanted}
    with tempfile.TemporaryDirectory() as folder:
        command, environment = [sys.executable, "-c", script], {**inherited, "RBD_CACHE_DIR": folder}
        process = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    numbers: list[float] = json.loads(process.stdout)
    return numbers
