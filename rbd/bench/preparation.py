"""Benchmarks of preparation: recording, compilation, loading from disk.

The algorithms are inverse dynamics, mass matrix and forward dynamics of one state.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Final

import numpy as np

import rbd
from rbd.bench.clock import PROCESSOR
from rbd.bench.contender import Quantity
from rbd.bench.rbd_engine import program
from rbd.bench.report import Preparation
from rbd.bench.robots import robot
from rbd.bench.samples import Samples
from rbd.mechanism import Mechanism
from rbd.native import available
from rbd.scalars.arrays import Array

COLD, RECORDING, CACHED = "record and compile", "record only", "from the disk cache"
_QUANTITIES: Final = (Quantity.INVERSE, Quantity.MASS, Quantity.FORWARD)


def preparations(name: str, mechanism: Mechanism, samples: Samples, repeats: int) -> list[Preparation]:
    """Measure preparation times, without imports."""

    def ready() -> None:
        make_ready(mechanism, samples.q[0], samples.v[0])

    def recorded() -> None:
        for quantity in _QUANTITIES:
            program(mechanism, quantity)

    with _machine_code_cache(None):
        recording = _timed(name, RECORDING, recorded, repeats)
        if not available():
            return [recording]
        cold = _timed(name, COLD, ready, repeats)
    return [recording, cold, _from_cache(name, repeats)]


def _from_cache(name: str, repeats: int) -> Preparation:
    """Measure preparation times of new processes that find machine code on the disk."""
    with tempfile.TemporaryDirectory() as folder, _machine_code_cache(folder):
        _seconds_in_new_process(name)  # fills the cache
        times = [_seconds_in_new_process(name) for _ in range(repeats)]
    return Preparation(name, CACHED, float(np.median(times)), min(times))


def make_ready(mechanism: Mechanism, q: Array, v: Array) -> None:
    """Call all three algorithms for the first time."""
    compiled = rbd.compile(mechanism)
    compiled.inverse_dynamics(q, v, v)
    compiled.mass_matrix(q)
    compiled.forward_dynamics(q, v, v)


def write_seconds(name: str) -> None:
    """Write the preparation time to standard output; this process must not have prepared anything before."""
    mechanism = robot(name)
    q, v = np.array(rbd.MechanismState(mechanism).q), np.zeros(mechanism.nv)
    import_module("rbd.native.compiled_program")  # and with it llvmlite
    start = PROCESSOR()
    make_ready(mechanism, q, v)
    sys.stdout.write(str(PROCESSOR() - start))


def _seconds_in_new_process(name: str) -> float:
    """Return the preparation time in a new process, without caches in memory."""
    script = f"from rbd.bench.preparation import write_seconds; write_seconds({name!r})"
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def _timed(name: str, task: str, action: Callable[[], None], repeats: int) -> Preparation:
    action()  # the first call imports and initialises
    times: list[float] = []
    for _ in range(repeats):
        start = PROCESSOR()
        action()
        times.append(PROCESSOR() - start)
    return Preparation(name, task, float(np.median(times)), min(times))


@contextmanager
def _machine_code_cache(folder: str | None) -> Generator[None]:
    """Set the directory of the cache of machine code, or disable the cache."""
    names = ("RBD_CACHE", "RBD_CACHE_DIR")
    before = {name: os.environ.pop(name, None) for name in names}
    os.environ.update({"RBD_CACHE": "0"} if folder is None else {"RBD_CACHE_DIR": folder})
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
            old = before[name]
            if old is not None:
                os.environ[name] = old
