"""What rbd aims at, and whether a run got there.

The goals are for a processor with eight lanes; with fewer, half of the goals for batches will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

import attrs

from rbd.bench import contacts, robots
from rbd.bench.contender import Quantity
from rbd.bench.ours import CALL, KERNEL, LIVE
from rbd.bench.preparation import CACHED, COLD
from rbd.bench.report import LOOPED, SOLUTION, Report, Section

OPERATIONS: Final = {
    "panda": {
        Quantity.INVERSE: 750,
        Quantity.MASS: 450,
        Quantity.FORWARD: 1600,
        Quantity.INVERSE_DERIVATIVES: 3400,
        Quantity.FORWARD_DERIVATIVES: 6400,
    },
    "talos": {
        Quantity.INVERSE: 4200,
        Quantity.MASS: 3600,
        Quantity.FORWARD: 9600,
        Quantity.INVERSE_DERIVATIVES: 26000,
    },
}
"""At most so many operations, by robot and quantity."""

_SPEEDUPS: Final = {
    "panda": {"kernel": 8, "derivatives": 6, "call": 4, "live": 2, "batch": 40, "threads": 25},
    "talos": {"kernel": 7, "derivatives": 3, "call": 7, "live": 3, "batch": 30, "threads": 20},
}
_LOOPS: Final = (
    (Section.ONE, Quantity.FORWARD.value, KERNEL, 2.0),
    (Section.ONE, Quantity.FORWARD.value, CALL, 2.0),
    (Section.LIVE, LOOPED, LIVE, 2.0),
)
_SECONDS: Final = {"panda": {COLD: 0.5, CACHED: 0.020}, "talos": {COLD: 2.0, CACHED: 0.030}}


@final
@attrs.frozen
class Outcome:
    """A goal, and what was found."""

    robot: str
    what: str
    goal: str
    found: str
    reached: bool


def outcomes(report: Report) -> list[Outcome]:
    """Return all goals a report says something about."""
    return [each for find in (_operations, _speedups, _contacts, _preparations) for each in find(report)]


def _operations(report: Report) -> Iterator[Outcome]:
    for robot in report.robots:
        for quantity, most in OPERATIONS.get(robot.name, {}).items():
            found = robot.operations[quantity.value]
            yield Outcome(robot.name, f"operations: {quantity}", f"≤ {most}", str(found), found <= most)


def _speedups(report: Report) -> Iterator[Outcome]:
    half = 1 if report.machine["lanes"] >= 8 else 2
    for robot, goals in _SPEEDUPS.items():
        wanted: list[tuple[str, str, str, float]] = []
        wanted += [(Section.ONE, quantity.value, KERNEL, goals[_kernel(quantity)]) for quantity in Quantity]
        wanted += [(Section.ONE, Quantity.INVERSE.value, CALL, goals["call"])]
        wanted += [(Section.LIVE, SOLUTION, LIVE, goals["live"])]
        for quantity in (Quantity.INVERSE, Quantity.FORWARD):
            wanted += [(Section.BATCH, quantity.value, CALL, goals["batch"] / half)]
            wanted += [(Section.THREADS, quantity.value, CALL, goals["threads"] / half)]
        yield from _reached(report, robot, wanted)
    yield from _reached(report, "four_bar", _LOOPS)


def _reached(report: Report, robot: str, wanted: Sequence[tuple[str, str, str, float]]) -> Iterator[Outcome]:
    """Return what was found of the speeds aimed at."""
    for section, what, who, least in wanted:
        row = report.row(robot, section, what, who)
        if row is not None and row.speedup is not None:
            title = f"{section}: {what}: {who}, times as fast as Pinocchio"
            yield Outcome(robot, title, f"≥ {least:g}", f"{row.speedup:.3g}", row.speedup >= least)


def _contacts(report: Report) -> Iterator[Outcome]:
    row = report.row(robots.HAND, Section.LOOP, contacts.LOOP, contacts.RECORDED)
    if row is not None and row.speedup is not None:
        title = f"{contacts.LOOP}: {contacts.RECORDED}, times as fast as Pinocchio, coal and quadprog"
        yield Outcome(robots.HAND, title, "≥ 10", f"{row.speedup:.3g}", row.speedup >= 10)


def _kernel(quantity: Quantity) -> str:
    return "derivatives" if quantity.is_derivative else "kernel"


def _preparations(report: Report) -> Iterator[Outcome]:
    for found in report.preparations:
        most = _SECONDS.get(found.robot, {}).get(found.what)
        if most is not None:
            title = f"{found.what}: inverse dynamics, mass matrix, forward dynamics"
            text = f"{1e3 * found.seconds:.0f} ms"
            yield Outcome(found.robot, title, f"≤ {1e3 * most:.0f} ms", text, found.seconds <= most)
