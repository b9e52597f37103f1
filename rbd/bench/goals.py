"""Performance goals, and their results in a report.

The goals are for a processor with eight SIMD lanes; with fewer lanes, the goals for batches are halved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

import attrs

from rbd.bench import contacts, legged, robots, simulations, worlds
from rbd.bench.contender import RBD, Quantity
from rbd.bench.peak import PEAK
from rbd.bench.preparation import CACHED, COLD
from rbd.bench.queries import Query
from rbd.bench.rbd_engine import CALL, KERNEL, LIVE, ROW_ORDER
from rbd.bench.report import LOOP_DYNAMICS, SOLUTION, Report, ReportRow, Section
from rbd.bench.startup import DEPENDENCIES, FIRST, HUMANOID, IMPORT, LONGEST

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
"""Maximum numbers of operations, by robot and quantity."""

_SPEEDUPS: Final = {
    "panda": {"kernel": 8, "derivatives": 6, "call": 4, "live": 2, "batch": 40, "threads": 25},
    "talos": {"kernel": 7, "derivatives": 3, "call": 7, "live": 3, "batch": 30, "threads": 20},
}
_LOOP_SPEEDUPS: Final = (
    (Section.SINGLE, Quantity.FORWARD.value, KERNEL, 2.0),
    (Section.SINGLE, Quantity.FORWARD.value, CALL, 2.0),
    (Section.LIVE, LOOP_DYNAMICS, LIVE, 2.0),
)
_QUERY_SECONDS: Final = {Query.LOCAL_TWIST: 5e-6, Query.TASK: 60e-6}
_QUERIES: Final = (
    *(Query.POSE, Query.POSE_MATRIX, Query.TWIST, Query.RELATIVE_TWIST),
    *(Query.BIAS, Query.JACOBIAN, Query.JACOBIAN_MATRIX, Query.CENTER),
)
_QUERY_SPEEDUP: Final = 2 / 3
"""Of these frame queries: at most 1.5 times Pinocchio's time."""
_SIMULATED_ROBOTS: Final = ("double_pendulum", "arm7", "panda", "humanoid", "talos")
"""Robots with goals for simulations with a control in Python."""
_SPEEDUP_OVER_LOOP: Final = 2 / 3
"""At most 1.5 times the time of the loop."""
_SPEEDUP_OVER_REAL_TIME: Final = 10
"""Of the quadruped, in processor time."""
_PREPARATION_SECONDS: Final = {"panda": {COLD: 0.5, CACHED: 0.020}, "talos": {COLD: 2.0, CACHED: 0.030}}
_SMALL_BATCH_SECONDS: Final = 1.5e-6
"""Maximum time of a call for eight states."""
_MIN_NV: Final = 7
"""Velocities of the smallest robot with goals for column order."""
_SPEEDUP_OVER_ROW_ORDER: Final = 1.5
_SHARE_OF_PEAK: Final = 0.35
"""Minimum share of the processor's peak: operations per time, with those of fused multiply-adds alone as the peak."""
_STARTUP_SECONDS: Final = {FIRST: 0.150, LONGEST: 0.010}
_IMPORT_RATIO: Final = 1.25
"""Maximum time of the import, relative to importing the dependencies."""


@final
@attrs.frozen
class Outcome:
    """A goal and its result."""

    robot: str
    what: str
    goal: str
    measured: str
    reached: bool


def outcomes(report: Report) -> list[Outcome]:
    """Return the outcomes of all goals that a report covers."""
    algorithms = (_operations, _speedups, _queries, _small_batch, _columns)
    simulated = (_simulations, _quadruped, _contacts, _grounds)
    checks = (*algorithms, *simulated, _preparations, _startup)
    return [outcome for check in checks for outcome in check(report)]


def _operations(report: Report) -> Iterator[Outcome]:
    for robot in report.robots:
        for quantity, limit in OPERATIONS.get(robot.name, {}).items():
            measured = robot.operations[quantity.value]
            yield Outcome(robot.name, f"operations: {quantity}", f"≤ {limit}", str(measured), measured <= limit)


def _speedups(report: Report) -> Iterator[Outcome]:
    half = 1 if report.machine["lanes"] >= 8 else 2
    for robot, goals in _SPEEDUPS.items():
        goals_of_rows: list[tuple[str, str, str, float]] = []
        goals_of_rows += [(Section.SINGLE, quantity.value, KERNEL, goals[_kernel(quantity)]) for quantity in Quantity]
        goals_of_rows += [(Section.SINGLE, Quantity.INVERSE.value, CALL, goals["call"])]
        goals_of_rows += [(Section.LIVE, SOLUTION, LIVE, goals["live"])]
        for quantity in (Quantity.INVERSE, Quantity.FORWARD):
            goals_of_rows += [(Section.BATCH, quantity.value, CALL, goals["batch"] / half)]
            goals_of_rows += [(Section.THREADS, quantity.value, CALL, goals["threads"] / half)]
        yield from _over_pinocchio(report, robot, goals_of_rows)
    for robot in ("arm7", "panda"):
        goals_of_queries = [(Section.LIVE, query.value, LIVE, _QUERY_SPEEDUP) for query in _QUERIES]
        yield from _over_pinocchio(report, robot, goals_of_queries)
    yield from _over_pinocchio(report, "four_bar", _LOOP_SPEEDUPS)


def _small_batch(report: Report) -> Iterator[Outcome]:
    row = report.row("panda", Section.SMALL_BATCH, Quantity.INVERSE.value, CALL)
    if row is not None:
        seconds = row.states * row.seconds
        title, goal = f"{Section.SMALL_BATCH}: {row.what}: {CALL}, in all", f"≤ {1e6 * _SMALL_BATCH_SECONDS:g} µs"
        yield Outcome(row.robot, title, goal, f"{1e6 * seconds:.3g} µs", seconds <= _SMALL_BATCH_SECONDS)


def _columns(report: Report) -> Iterator[Outcome]:
    for robot in report.robots:
        for quantity in (Quantity.INVERSE, Quantity.FORWARD):
            row, row_order, peak_row = (
                report.row(robot.name, Section.COLUMNS, quantity.value, who) for who in (CALL, ROW_ORDER, PEAK)
            )
            if robot.nv < _MIN_NV or row is None or row_order is None or peak_row is None:
                continue
            title = f"{Section.COLUMNS}: {quantity}"
            if quantity is Quantity.INVERSE:
                yield _against_row_order(robot.name, title, row_order.seconds / row.seconds)
            else:
                yield _share_of_peak(robot.name, title, peak_row.seconds / row.seconds)


def _against_row_order(robot: str, title: str, ratio: float) -> Outcome:
    goal, is_reached = f"≥ {_SPEEDUP_OVER_ROW_ORDER:g}", ratio >= _SPEEDUP_OVER_ROW_ORDER
    return Outcome(robot, f"{title}, times as fast as in row order", goal, f"{ratio:.3g}", is_reached)


def _share_of_peak(robot: str, title: str, share: float) -> Outcome:
    goal, is_reached = f"≥ {100 * _SHARE_OF_PEAK:g} %", share >= _SHARE_OF_PEAK
    return Outcome(robot, f"{title}, share of the processor's peak", goal, f"{100 * share:.0f} %", is_reached)


def _over_pinocchio(
    report: Report, robot: str, goals_of_rows: Sequence[tuple[str, str, str, float]]
) -> Iterator[Outcome]:
    """Yield the outcomes of the goals for speedups over Pinocchio."""
    for section, what, who, minimum in goals_of_rows:
        title = f"{section}: {what}: {who}, times as fast as Pinocchio"
        yield from _speedup(report.row(robot, section, what, who), title, minimum)


def _speedup(row: ReportRow | None, title: str, minimum: float) -> Iterator[Outcome]:
    """Yield the outcome of the goal for the speedup of a row, if it was measured."""
    if row is not None and row.speedup is not None:
        yield Outcome(row.robot, title, f"≥ {minimum:.3g}", f"{row.speedup:.3g}", row.speedup >= minimum)


def _queries(report: Report) -> Iterator[Outcome]:
    for robot in ("arm7", "panda"):
        for query, limit in _QUERY_SECONDS.items():
            row = report.row(robot, Section.LIVE, query.value, LIVE)
            if row is not None:
                measured, goal = f"{1e6 * row.seconds:.3g} µs", f"≤ {1e6 * limit:g} µs"
                yield Outcome(robot, query.value, goal, measured, row.seconds <= limit)


def _simulations(report: Report) -> Iterator[Outcome]:
    for robot in _SIMULATED_ROBOTS:
        for rule in simulations.Rule:
            row = report.row(robot, Section.CONTROLLED, rule.value, simulations.SIMULATE)
            yield from _speedup(row, f"{Section.CONTROLLED}: {rule}, times as fast as the loop", _SPEEDUP_OVER_LOOP)


def _quadruped(report: Report) -> Iterator[Outcome]:
    row = report.row(worlds.QUADRUPED, Section.CONTROLLED, simulations.QUADRUPED_PD, simulations.SIMULATE)
    if row is not None:
        title = f"{Section.CONTROLLED}: {row.what}, times as fast as real time"
        ratio = simulations.QUADRUPED_DT / row.seconds
        goal, is_reached = f"≥ {_SPEEDUP_OVER_REAL_TIME}", ratio >= _SPEEDUP_OVER_REAL_TIME
        yield Outcome(row.robot, title, goal, f"{ratio:.3g}", is_reached)


def _contacts(report: Report) -> Iterator[Outcome]:
    row = report.row(robots.HAND, Section.SIMULATION, contacts.HAND_STEP, contacts.RECORDED)
    title = f"{contacts.HAND_STEP}: {contacts.RECORDED}, times as fast as Pinocchio, coal and quadprog"
    yield from _speedup(row, title, 10)


def _grounds(report: Report) -> Iterator[Outcome]:
    speedups: list[tuple[Section, str, int]] = [(Section.GROUND_SINGLE, legged.SINGLE, 1)]
    for section in (Section.GROUND, Section.GROUND_THREADS):
        speedups += [(section, legged.HARD, 10), (section, legged.SOFT, 30)]
    for robot in legged.ROBOTS:
        for section, what, minimum in speedups:
            row = report.row(robot, section, what, RBD)
            yield from _speedup(row, f"{section}: {what}, times as fast as MuJoCo", minimum)


def _kernel(quantity: Quantity) -> str:
    return "derivatives" if quantity.is_derivative else "kernel"


def _preparations(report: Report) -> Iterator[Outcome]:
    for measured in report.preparations:
        limit = _PREPARATION_SECONDS.get(measured.robot, {}).get(measured.what)
        if limit is not None:
            title = f"{measured.what}: inverse dynamics, mass matrix, forward dynamics"
            text = f"{1e3 * measured.seconds:.0f} ms"
            yield Outcome(measured.robot, title, f"≤ {1e3 * limit:.0f} ms", text, measured.seconds <= limit)


def _startup(report: Report) -> Iterator[Outcome]:
    seconds = {measured.what: measured.seconds for measured in report.startup}
    if IMPORT in seconds:
        ratio = seconds[IMPORT] / seconds[DEPENDENCIES]
        title = f"{IMPORT}, times as long as the packages that it imports"
        yield Outcome("", title, f"≤ {_IMPORT_RATIO}", f"{ratio:.3g}", ratio <= _IMPORT_RATIO)
    for what in filter(seconds.__contains__, _STARTUP_SECONDS):
        limit, text = _STARTUP_SECONDS[what], f"{1e3 * seconds[what]:.3g} ms"
        yield Outcome(HUMANOID, what, f"≤ {1e3 * limit:.0f} ms", text, seconds[what] <= limit)
