"""Measure where the time of batches goes: dynamics of two robots, of long chains, and of chains of loop joints.

    python docs/measure_batches.py

Contenders take turns; each time is the shortest of all turns, in processor time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rbd
from rbd.bench.peak import PEAK, peak
from rbd.bench.robots import robot
from rbd.compiled import CompiledRobot
from rbd.native.codegen.plan import make_plan

ROWS: Final = 4096
TURNS: Final = 100
LANES: Final = 8
CHAIN_ROWS: Final = 512
CHAINS: Final = (100, 800, 1000)
LOOPED_ROWS: Final = 64
LOOPED_CHAINS: Final = (10, 30, 60)
LOOPED_TURNS: Final = 20


def main() -> None:
    """Print the three tables."""
    for name in ("panda", "talos"):
        for function in ("inverse_dynamics", "forward_dynamics"):
            print(name, function, layouts(rbd.compile(robot(name)), function))
    for bodies in CHAINS:
        for function in ("inverse_dynamics", "forward_dynamics"):
            print(f"chain of {bodies}", function, chain(bodies, function))
    for bodies in LOOPED_CHAINS:
        print(f"chain of {bodies} in maximal coordinates", looped_chain(bodies))


def layouts(compiled: CompiledRobot, function: str) -> Mapping[str, str]:
    """Return nanoseconds per state of one row that is read again and again, of rows, of columns, and at the peak."""
    rows = states(compiled, ROWS)
    inputs = {
        "the same row": [np.broadcast_to(x[:1], x.shape) for x in rows],
        "row order": rows,
        "column order": [np.asfortranarray(x) for x in rows],
    }
    run = peak(compiled.function(function).program.count().total, ROWS).run
    calls: dict[str, Callable[[], object]] = {name: caller(compiled, function, x) for name, x in inputs.items()}
    best = shortest({**calls, PEAK: lambda: run(1)})
    return {name: f"{1e9 * seconds / ROWS:.1f}" for name, seconds in best.items()}


def caller(compiled: CompiledRobot, function: str, arrays: Sequence[Any]) -> Callable[[], object]:
    """Return a call that looks the method up: after some calls it is a builtin."""
    return lambda: getattr(compiled, function)(*arrays)


def chain(bodies: int, function: str) -> str:
    """Return nanoseconds per body and state of an algorithm, in batches and single calls, and memory of batches."""
    compiled = rbd.compile(rbd.robots.chain(bodies))
    rows = states(compiled, CHAIN_ROWS)
    single = [x[0].copy() for x in rows]
    call = caller(compiled, function, single)
    best = shortest({"batch": caller(compiled, function, rows), "single": lambda: [call() for _ in range(100)]})
    program = compiled.function(function).program
    memory = 8 * LANES * make_plan(program, width=LANES).slot_count // 1000
    each = best["batch"] / CHAIN_ROWS / bodies, best["single"] / 100 / bodies
    return f"{len(program.code)} instructions; batch {1e9 * each[0]:.1f}, single {1e9 * each[1]:.1f} ns; {memory} kB"


def looped_chain(bodies: int) -> str:
    """Return microseconds per state of forward dynamics in maximal coordinates, in batches and single calls."""
    mechanism, _ = rbd.robots.chain(bodies).maximal_coordinates()
    compiled, state = rbd.compile(mechanism), rbd.MechanismState(mechanism)
    tau = np.random.default_rng(0).uniform(-1.0, 1.0, (LOOPED_ROWS, mechanism.nv))
    rows = [np.tile(state.q, (LOOPED_ROWS, 1)), np.zeros_like(tau), tau]
    single = caller(compiled, "forward_dynamics", [x[0].copy() for x in rows])
    best = shortest({"batch": caller(compiled, "forward_dynamics", rows), "single": single}, LOOPED_TURNS)
    sizes = f"{mechanism.nv} velocities, {mechanism.nc} constraints"
    instructions = len(compiled.function("forward_dynamics").program.code)
    each = best["batch"] / LOOPED_ROWS, best["single"]
    return f"{sizes}, {instructions} instructions; batch {1e6 * each[0]:.3g}, single {1e6 * each[1]:.3g} µs"


def states(compiled: CompiledRobot, count: int) -> list[Any]:
    """Return configurations, velocities, and accelerations or torques."""
    rng, state = np.random.default_rng(0), rbd.MechanismState(compiled.mechanism)
    rows: list[list[Any]] = [[], [], []]
    for _ in range(count):
        state.randomize(rng)
        for values, new in zip(rows, (state.q, state.v, rng.uniform(-1.0, 1.0, len(state.v))), strict=True):
            values.append(new.copy())
    return [np.array(values) for values in rows]


def shortest(calls: Mapping[str, Callable[[], object]], turns: int = TURNS) -> dict[str, float]:
    """Return the shortest processor time of each call (s)."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(turns):
        for name, call in calls.items():
            start = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - start)
    return best


if __name__ == "__main__":
    main()
