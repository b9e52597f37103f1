"""A process that makes, edits, compiles, simulates and drops robots, and prints what it holds every few seconds.

    python -m tests.mixed_calls SECONDS

Each line has the calls so far, and bytes of resident memory, open files and threads after a garbage collection.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rbd
from rbd.mjcf import format_mjcf

_PAGE = os.sysconf("SC_PAGE_SIZE")
Rng = np.random.Generator
SAMPLES = 30


def some_robot(rng: Rng) -> rbd.Mechanism:
    """Return a random tree; there are so many of them that hardly any is made twice."""
    kinds: list[rbd.JointType] = [
        rbd.Revolute((0, 0, 1)),
        rbd.Prismatic((1, 0, 0)),
        rbd.QuaternionSpherical(),
        rbd.Fixed(),
    ]
    types: list[rbd.JointType] = [kinds[k] for k in rng.integers(0, len(kinds), size=rng.integers(1, 5))]
    return rbd.testing.random_tree([kinds[0], *types], rng)


def live(rng: Rng) -> None:
    """Compute with a state, and edit a parameter."""
    state = rbd.MechanismState(some_robot(rng))
    result = rbd.DynamicsResult(state.mechanism)
    for _ in range(20):
        state.randomize(rng)
        rbd.dynamics(result, state)
    state.mechanism.bodies[1].set_inertia(
        rbd.SpatialInertia.sphere(state.mechanism.bodies[1].default_frame, mass=1.0, radius=1.0)
    )
    rbd.dynamics(result, state)


def compiled(rng: Rng) -> None:
    """Compile a robot, and call it on a batch with threads."""
    mechanism = some_robot(rng)
    robot, state = rbd.compile(mechanism), rbd.MechanismState(mechanism)
    q = np.tile(state.q, (200, 1))
    v = rng.normal(size=(200, mechanism.nv))
    robot.inverse_dynamics(q, v, v)
    robot.mass_matrix(q, threads=2)


def edited(rng: Rng) -> None:
    """Edit a structure, with a state before and after."""
    mechanism = some_robot(rng)
    old = rbd.MechanismState(mechanism)
    rbd.mass_matrix(old)
    mechanism.attach(
        "world",
        rbd.RigidBody("new", rbd.SpatialInertia.sphere(rbd.Frame("new"), mass=1.0, radius=1.0)),
        rbd.Joint("new", rbd.Revolute((1, 0, 0))),
    )
    rbd.mass_matrix(rbd.MechanismState(mechanism))
    mechanism.remove_subtree("new")
    rbd.mass_matrix(rbd.MechanismState(mechanism))


def simulated(rng: Rng) -> None:
    """Simulate a robot."""
    state = rbd.MechanismState(some_robot(rng))
    state.randomize(rng)
    rbd.simulate(state, 0.02, dt=0.01)


def written(rng: Rng) -> None:
    """Write a robot as a file, and read it."""
    rbd.parse_mjcf(format_mjcf(some_robot(rng), strict=False))


def failing(rng: Rng) -> None:
    """Raise errors of several kinds."""
    mechanism = some_robot(rng)
    state = rbd.MechanismState(mechanism)
    for call in (lambda: state.transform_to_root("nothing"), lambda: mechanism.remove_joint("nothing")):
        try:
            call()
        except rbd.errors.RbdError:
            continue


CALLS: tuple[Callable[[Rng], None], ...] = (live, compiled, edited, simulated, written, failing)


def held() -> tuple[int, int, int]:
    """Return bytes of resident memory, open files and threads."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    return resident, len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def main(seconds: float) -> None:
    """Call at random until the time is over."""
    rng, start, count, next_sample = np.random.default_rng(0), time.monotonic(), 0, 0
    while next_sample <= SAMPLES:
        CALLS[rng.integers(len(CALLS))](rng)
        count += 1
        if time.monotonic() - start >= next_sample * seconds / SAMPLES:
            print(count, *held(), flush=True)
            next_sample += 1


if __name__ == "__main__":
    main(float(sys.argv[1]))
