"""Run of the benchmarks: all robots, sections and contenders."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Event
from typing import Final, TypeAlias, final

import attrs

from rbd.bench import legged, robots, worlds
from rbd.bench.clock import PROCESSOR, WALL, Pace, alternate
from rbd.bench.contender import Contender, Quantity, difference
from rbd.bench.groups import (
    Group,
    ground_groups,
    hand_groups,
    quadruped_groups,
    robot_groups,
    value_groups,
    world_groups,
)
from rbd.bench.machine import machine
from rbd.bench.preparation import preparations
from rbd.bench.rbd_engine import RbdEngine
from rbd.bench.report import Report, ReportRow, Robot
from rbd.bench.samples import random_samples
from rbd.bench.settings import BenchSettings
from rbd.bench.startup import startup_times
from rbd.mechanism import Mechanism
from rbd.native import available
from rbd.native.runtime.thread_pool import compiler_thread

TextListener: TypeAlias = Callable[[str], object]
"""A callback with messages of progress."""
_COUNTED_WITH_LOOPS: Final = (Quantity.INVERSE, Quantity.MASS, Quantity.FORWARD)
"""Quantities with operation counts for mechanisms with loops."""


def run(settings: BenchSettings, report_progress: TextListener = lambda text: None) -> Report:
    """Run the benchmarks; `report_progress` receives messages. Raises SolverError if results of contenders differ.

    >>> from rbd.bench import BenchSettings, run
    >>> report = run(BenchSettings(robots=("double_pendulum",), quick=True))    # doctest: +SKIP
    >>> run(BenchSettings(robots=("double_pendlum",)))
    Traceback (most recent call last):
        ...
    rbd.errors.UnknownNameError: no robot is named 'double_pendlum'; did you mean 'double_pendulum'?; known robots: ...
    """
    benchmarks = _Run(settings, Report(machine(), settings.quick), report_progress)
    legged_cases, mechanisms = benchmarks.legged_cases(), benchmarks.mechanisms()
    benchmarks.measure("", value_groups(settings))
    for name, mechanism in mechanisms.items():
        benchmarks.measure_robot(name, mechanism)
    for case in legged_cases:
        benchmarks.measure_ground(case)
    if worlds.QUADRUPED in benchmarks.names:
        benchmarks.measure_worlds()
    benchmarks.measure_startup()
    return benchmarks.report


@final
@attrs.frozen(eq=False)
class _Run:
    """Run of the benchmarks: measurements are added to the report."""

    settings: BenchSettings
    report: Report
    report_progress: TextListener

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the robots."""
        return self.settings.robots or tuple(robots.default_names())

    def mechanisms(self) -> dict[str, Mechanism]:
        """Return the robots that do not stand on the ground, by name. Raises UnknownNameError."""
        on_ground = (*legged.ROBOTS, worlds.QUADRUPED)
        return {name: robots.robot(name) for name in self.names if name not in on_ground}

    def legged_cases(self) -> list[legged.LeggedCase]:
        """Return the legged robots; report which are left out because their package is not installed."""
        for name in () if self.settings.robots else legged.ROBOTS:
            if name not in self.names:
                self.report_progress(f"{name}: left out, {legged.PACKAGE} is not installed")
        chosen = [legged.ROBOTS[name] for name in self.names if name in legged.ROBOTS]
        return [legged.legged_case(robot, self.settings.world_count) for robot in chosen]

    def measure_robot(self, name: str, mechanism: Mechanism) -> None:
        """Measure the algorithms of a robot, the hand's contacts, and the preparation of the algorithms."""
        engine = RbdEngine(mechanism, random_samples(mechanism))
        quantities = _COUNTED_WITH_LOOPS if mechanism.loop_joints else tuple(Quantity)
        operations = {quantity.value: engine.program(quantity).count().total for quantity in quantities}
        self.report.robots.append(Robot.of(name, mechanism, operations))
        self.measure(name, robot_groups(engine, self.settings))
        if name == robots.HAND:
            self.measure(name, hand_groups(self.settings))
        self.report_progress(f"{name}: recording and compiling")
        times = preparations(name, mechanism, engine.samples, self.settings.preparation_repeats)
        self.report.preparations.extend(times)

    def measure_ground(self, case: legged.LeggedCase) -> None:
        """Measure a legged robot on the ground."""
        self.measure(case.robot.name, ground_groups(case, self.settings))
        self.report.robots.append(Robot.of(case.robot.name, case.mechanism))

    def measure_worlds(self) -> None:
        """Measure a quadruped with compliant feet, and many worlds in one call against single ones in sequence."""
        if not available():
            self.report_progress(f"{worlds.QUADRUPED}: left out, there is no compiler")
            return
        case = worlds.quadruped_case(self.settings.world_count)
        self.measure(worlds.QUADRUPED, quadruped_groups())
        self.measure(worlds.QUADRUPED, world_groups(case))
        self.report.robots.append(Robot.of(worlds.QUADRUPED, case.mechanism))

    def measure_startup(self) -> None:
        """Measure new processes."""
        self.report_progress("new processes: import and first calls")
        self.report.startup.extend(startup_times(self.settings.process_repeats))

    def measure(self, robot: str, groups: Iterable[Group]) -> None:
        """Measure groups of contenders for a robot; its name is empty for values."""
        for group in groups:
            self.report_progress(": ".join(filter(None, (robot, group.section, group.quantity))))
            self.report.rows.extend(measured_rows(robot, group, self.settings.pace))


def warm_up(contender: Contender) -> None:
    """Run a contender until machine code is there: other threads compile the first programs of live states."""
    for _ in range(3):
        contender.run(1)
        compiled = Event()
        if compiler_thread.has_threads and compiler_thread.submit(compiled.set):
            compiled.wait()


def measured_rows(robot: str, group: Group, pace: Pace) -> list[ReportRow]:
    """Compare the results of the contenders of a group, then measure them."""
    contenders = group.contenders
    for contender in contenders:
        warm_up(contender)
    states = sorted({0, 1, 7, contenders[0].states - 1})
    differences = [difference(contender, contenders[0], states) for contender in contenders]
    timings = alternate(contenders, pace, WALL if group.threads > 1 else PROCESSOR)
    measured = list(zip(contenders, timings, differences, strict=True))
    reference = next((timing for c, timing, _ in measured if c.name.startswith(group.reference)), None)
    return [
        ReportRow(
            robot=robot, section=group.section, quantity=group.quantity, contender=contender.name, states=group.states,
            threads=group.threads, seconds=timing.median, best=timing.best,
            speedup=None if reference is None else timing.speedup(reference), difference=error,
        )
        for contender, timing, error in measured
    ]  # fmt: skip
