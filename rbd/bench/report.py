"""Results of a run, as plain data for JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import TypedDict, final

import attrs

from rbd.mechanism import Mechanism

VERSION = 4
"""Version of the JSON format."""


class Section(StrEnum):
    """Sections of the report: kinds of calls."""

    VALUES = "values with frames"
    SINGLE = "one state per call"
    LIVE = "a live state"
    SMALL_BATCH = "eight states per call"
    BATCH = "many states, one thread"
    COLUMNS = "many states in column order, one thread"
    THREADS = "many states, two threads"
    SIMULATION = "a simulation with contacts, step by step"
    GROUND = "many robots on the ground, one thread"
    GROUND_THREADS = "many robots on the ground, two threads"
    GROUND_SINGLE = "one robot on the ground"
    CONTROLLED = "a simulation with a control in Python"
    SHORT = "ten steps from Python"
    WORLDS = "worlds in one call, one thread"
    WORLDS_THREADS = "worlds in one call, two threads"


GROUND_SECTIONS = (Section.GROUND, Section.GROUND_THREADS, Section.GROUND_SINGLE)
PYTHON_LOOP_SECTIONS = (Section.CONTROLLED, Section.SHORT, Section.WORLDS, Section.WORLDS_THREADS)
"""Sections whose reference is a loop in Python."""
SOLUTION = "set q and v, mass matrix, accelerations"
"""Calls of a live state."""
LOOP_DYNAMICS = "dynamics with a loop"
LOOP_DYNAMICS_AFTER_SET = "set q and v, dynamics with a loop"
"""Calls of a live state of a mechanism with loops: at a fixed configuration, and after setting it."""


class Machine(TypedDict):
    """The machine of a run."""

    processor: str
    cores: int
    load: list[float]
    lanes: int
    system: str
    versions: dict[str, str]


@final
@attrs.frozen
class Robot:
    """A measured robot."""

    name: str
    nq: int
    nv: int
    bodies: int
    operations: dict[str, int] = attrs.field(factory=dict[str, int])
    """Numbers of operations of rbd's programs, by quantity: additions, products, divisions, square roots, sines ..."""

    @staticmethod
    def of(name: str, mechanism: Mechanism, operations: Mapping[str, int] | None = None) -> Robot:
        """Return the description of a mechanism; its root body is not counted."""
        return Robot(name, mechanism.nq, mechanism.nv, len(mechanism.bodies) - 1, dict(operations or {}))


@final
@attrs.frozen
class ReportRow:
    """The time of a contender for a quantity."""

    robot: str
    section: str
    quantity: str
    contender: str
    states: int
    """Number of states per call."""
    threads: int
    seconds: float
    """Time per state: the median over all windows."""
    best: float
    """Time per state: the shortest of all windows."""
    speedup: float | None
    """Speedup over the reference of the group, such as Pinocchio: the median over neighbouring windows."""
    difference: float | None
    """Difference from rbd's results, relative to the largest entry; None if results are not compared."""


@final
@attrs.frozen
class Preparation:
    """The time of preparing a robot's algorithms, or of another one-time operation of a process."""

    robot: str
    task: str
    seconds: float
    """The median time."""
    best: float


@final
@attrs.frozen
class Report:
    """All results of a run."""

    machine: Machine
    quick: bool
    robots: list[Robot] = attrs.field(factory=list[Robot])
    rows: list[ReportRow] = attrs.field(factory=list[ReportRow])
    preparations: list[Preparation] = attrs.field(factory=list[Preparation])
    startup: list[Preparation] = attrs.field(factory=list[Preparation])
    """Times in new processes."""

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps({"version": VERSION, **attrs.asdict(self)}, indent=1) + "\n"

    def row(self, robot: str, section: str, quantity: str, contender: str) -> ReportRow | None:
        """Return a row, or None if it was not measured."""
        wanted = (robot, section, quantity, contender)
        return next((row for row in self.rows if (row.robot, row.section, row.quantity, row.contender) == wanted), None)
