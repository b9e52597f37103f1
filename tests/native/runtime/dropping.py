"""A process that makes robots and drops them: run as a script, it prints how far each hundred of them grew its memory.

Arguments: how many robots, how many of them differ, and what is done with each: "live", "compile" or "library".
"""

from __future__ import annotations

import gc
import resource
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rbd
from rbd.native.runtime.jit import Library, assemble
from rbd.native.runtime.thread_pool import compiler_thread

WARM = 100
"""Robots after which everything that is kept for good is there; memory is read after as many again."""
CALLS = 40
"""Calls on a live state: enough for it to be compiled."""
IR = "define double @f(double %x) {\n  %y = fadd double %x, 1.0\n  ret double %y\n}\n"


def resident() -> int:
    """Return the bytes of this process that are in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def robot(number: int) -> rbd.Mechanism:
    """Return a robot; no two numbers give the same machine code."""
    return rbd.robots.chain(2, mass=0.1 + 0.001 * number)


def live(number: int) -> None:
    """Use a state until its mass matrix is machine code."""
    state = rbd.MechanismState(robot(number))
    for k in range(CALLS):
        state.set_configuration(np.array([0.1, 0.01 * k]))
        rbd.mass_matrix(state)


def compiled(number: int) -> None:
    """Compile a robot, and use it for one state and for a batch."""
    methods = rbd.compile(robot(number))
    methods.mass_matrix(np.zeros(2))
    methods.mass_matrix(np.zeros((3, 2)))


def library(number: int, code: bytes = assemble(IR)) -> None:
    """Load machine code that was made before."""
    del number
    Library(code, ("f",))


WAYS: dict[str, Callable[[int], None]] = {"live": live, "compile": compiled, "library": library}


def finish_compiling() -> None:
    """Wait for machine code that is being made in the background."""
    done = threading.Event()
    compiler_thread.submit(done.set)
    assert done.wait(300)


def main(count: int, distinct: int, way: str) -> None:
    """Make and drop `count` robots, and print the bytes that each hundred but the first added to resident memory."""
    samples: list[int] = []
    for number in range(count + 1):
        if number % WARM == 0 and number > 0:  # garbage in cycles waits for Python's collector, however much there is
            finish_compiling()
            samples.append(resident())
        if number < count:
            WAYS[way](number % distinct)
    print(*np.diff(samples))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
