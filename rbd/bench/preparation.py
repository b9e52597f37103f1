"""How long it takes to get ready: recording, compiling, loading from disk.

Room: bench. What is prepared is inverse dynamics, mass matrix and forward dynamics for one state.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import numpy as np

import rbd
from rbd.bench.clock import PROCESSOR
from rbd.bench.contender import Quantity
from rbd.bench.ours import program
from rbd.bench.report import Preparation
from rbd.bench.samples import Samples
from rbd.mechanism import Mechanism
from rbd.native import available

COLD, RECORDING, CACHED = "record and compile", "record only", "from the disk cache"
_THREE: Final = (Quantity.INVERSE, Quantity.MASS, Quantity.FORWARD)


def preparations(name: str, mechanism: Mechanism, samples: Samples, repeats: int) -> list[Preparation]:
    """Measure, with all imports done."""

    def ready() -> None:
        robot = rbd.compile(mechanism)
        robot.inverse_dynamics(samples.q[0], samples.v[0], samples.vd[0])
        robot.mass_matrix(samples.q[0])
        robot.forward_dynamics(samples.q[0], samples.v[0], samples.tau[0])

    def recorded() -> None:
        for quantity in _THREE:
            program(mechanism, quantity)

    found = [_timed(name, RECORDING, recorded, repeats)]
    if not available():
        return found
    with _cache(None):
        found.append(_timed(name, COLD, ready, repeats))
    with tempfile.TemporaryDirectory() as folder, _cache(folder):
        found.append(_timed(name, CACHED, ready, repeats))
    return found


def _timed(robot: str, what: str, action: Callable[[], None], repeats: int) -> Preparation:
    action()  # the first time fills the cache, or imports and initializes
    times: list[float] = []
    for _ in range(repeats):
        start = PROCESSOR()
        action()
        times.append(PROCESSOR() - start)
    return Preparation(robot, what, float(np.median(times)), min(times))


@contextmanager
def _cache(folder: str | None) -> Generator[None]:
    """Keep machine code in a folder, or nowhere."""
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
