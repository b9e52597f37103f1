"""Performance goals, and their results in a report.

The goals are for a processor with eight SIMD lanes; with fewer lanes, the goals for batches are halved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, final

import attrs

from rbd.bench import contacts, legged, robots, simulations, worlds
from rbd.bench.contender import RBD, Quantity
from rbd.bench.peak import PEAK
from rbd.bench.preparation import CACHED, COLD
from rbd.bench.queries import Query
from rbd.bench.rbd_engine import KERNEL, LIVE, ROW_ORDER
from rbd.bench.report import LOOP_DYNAMICS, SOLUTION, Report, ReportRow, Section
from rbd.bench.startup import DEPENDENCIES, FIRST, HUMANOID, IMPORT, LONGEST


class SpeedupGoal(NamedTuple):
    """The minimum speedup of a row of the report over its reference."""

    section: str
    quantity: str
    contender: str
    minimum: float


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
    SpeedupGoal(Section.SINGLE, Quantity.FORWARD, KERNEL, 2.0),
    SpeedupGoal(Section.SINGLE, Quantity.FORWARD, RBD, 2.0),
    SpeedupGoal(Section.LIVE, LOOP_DYNAMICS, LIVE, 2.0),
)
"""Goals of a mechanism with loops."""
_QUERY_SECONDS: Final = {Query.LOCAL_TWIST: 5e-6, Query.TASK: 60e-6}
_QUERIES: Final = (
    *(Query.POSE, Query.POSE_MATRIX, Query.TWIST, Query.RELATIVE_TWIST),
    *(Query.BIAS, Query.JACOBIAN, Query.JACOBIAN_MATRIX, Query.CENTER),
)
_QUERY_SPEEDUP: Final = 2 / 3
"""Of these frame queries: at most 1.5 times Pinocchio's time."""
_SIMULATED_ROBOTS: Final = ("double_pendulum", "arm7", "panda", "humanoid", "talos")
"""Robots with goals for simulations with a control in Python."""
_SPEEDUP_OVER_STEP_LOOP: Final = 2 / 3
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
    quantity: str
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
    divisor = 1 if report.machine["lanes"] >= 8 else 2
    for robot, speedups in _SPEEDUPS.items():
        goals = [SpeedupGoal(Section.SINGLE, quantity, KERNEL, speedups[_goal_key(quantity)]) for quantity in Quantity]
        goals += [SpeedupGoal(Section.SINGLE, Quantity.INVERSE, RBD, speedups["call"])]
        goals += [SpeedupGoal(Section.LIVE, SOLUTION, LIVE, speedups["live"])]
        for quantity in (Quantity.INVERSE, Quantity.FORWARD):
            goals += [SpeedupGoal(Section.BATCH, quantity, RBD, speedups["batch"] / divisor)]
            goals += [SpeedupGoal(Section.THREADS, quantity, RBD, speedups["threads"] / divisor)]
        yield from _over_pinocchio(report, robot, goals)
    for robot in ("arm7", "panda"):
        goals = [SpeedupGoal(Section.LIVE, query, LIVE, _QUERY_SPEEDUP) for query in _QUERIES]
        yield from _over_pinocchio(report, robot, goals)
    yield from _over_pinocchio(report, "four_bar", _LOOP_SPEEDUPS)


def _small_batch(report: Report) -> Iterator[Outcome]:
    row = report.row("panda", Section.SMALL_BATCH, Quantity.INVERSE.value, RBD)
    if row is not None:
        seconds = row.states * row.seconds
        title, goal = f"{Section.SMALL_BATCH}: {row.quantity}: {RBD}, in all", f"≤ {1e6 * _SMALL_BATCH_SECONDS:g} µs"
        yield Outcome(row.robot, title, goal, f"{1e6 * seconds:.3g} µs", seconds <= _SMALL_BATCH_SECONDS)


def _columns(report: Report) -> Iterator[Outcome]:
    for robot in report.robots:
        for quantity in (Quantity.INVERSE, Quantity.FORWARD):
            row, row_order, peak_row = (
                report.row(robot.name, Section.COLUMNS, quantity.value, contender)
                for contender in (RBD, ROW_ORDER, PEAK)
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


def _over_pinocchio(report: Report, robot: str, goals: Sequence[SpeedupGoal]) -> Iterator[Outcome]:
    """Yield the outcomes of the goals for speedups over Pinocchio."""
    for section, quantity, contender, minimum in goals:
        title = f"{section}: {quantity}: {contender}, times as fast as Pinocchio"
        yield from _speedup(report.row(robot, section, quantity, contender), title, minimum)


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
        for method in simulations.IntegrationMethod:
            row = report.row(robot, Section.CONTROLLED, method.value, simulations.SIMULATE)
            yield from _speedup(
                row, f"{Section.CONTROLLED}: {method}, times as fast as the loop", _SPEEDUP_OVER_STEP_LOOP
            )


def _quadruped(report: Report) -> Iterator[Outcome]:
    row = report.row(worlds.QUADRUPED, Section.CONTROLLED, simulations.QUADRUPED_PD, simulations.SIMULATE)
    if row is not None:
        title = f"{Section.CONTROLLED}: {row.quantity}, times as fast as real time"
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
        for section, quantity, minimum in speedups:
            row = report.row(robot, section, quantity, RBD)
            yield from _speedup(row, f"{section}: {quantity}, times as fast as MuJoCo", minimum)


def _goal_key(quantity: Quantity) -> str:
    """Return the key of a quantity's goal in `_SPEEDUPS`."""
    return "derivatives" if quantity.is_derivative else "kernel"


def _preparations(report: Report) -> Iterator[Outcome]:
    for measured in report.preparations:
        limit = _PREPARATION_SECONDS.get(measured.robot, {}).get(measured.task)
        if limit is not None:
            title = f"{measured.task}: inverse dynamics, mass matrix, forward dynamics"
            text = f"{1e3 * measured.seconds:.0f} ms"
            yield Outcome(measured.robot, title, f"≤ {1e3 * limit:.0f} ms", text, measured.seconds <= limit)


def _startup(report: Report) -> Iterator[Outcome]:
    seconds = {measured.task: measured.seconds for measured in report.startup}
    if IMPORT in seconds:
        ratio = seconds[IMPORT] / seconds[DEPENDENCIES]
        title = f"{IMPORT}, times as long as the packages that it imports"
        yield Outcome("", title, f"≤ {_IMPORT_RATIO}", f"{ratio:.3g}", ratio <= _IMPORT_RATIO)
    for task in filter(seconds.__contains__, _STARTUP_SECONDS):
        limit, text = _STARTUP_SECONDS[task], f"{1e3 * seconds[task]:.3g} ms"
        yield Outcome(HUMANOID, task, f"≤ {1e3 * limit:.0f} ms", text, seconds[task] <= limit)
