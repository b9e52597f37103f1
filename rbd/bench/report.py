"""What a run found, as plain data that goes to JSON."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TypedDict, final

import attrs

VERSION = 1
"""Of the form of the JSON file."""


class Section(StrEnum):
    """How something is asked for."""

    ONE = "one state per call"
    LIVE = "a live state"
    BATCH = "many states, one thread"
    THREADS = "many states, two threads"
    LOOP = "a simulation with contacts, step by step"


SOLUTION = "set q and v, mass matrix, accelerations"
"""What is asked of a live state."""
LOOPED = "dynamics with a loop"
MOVED = "set q and v, dynamics with a loop"
"""What is asked of a live state of a mechanism with loops: of one that is there already, and of one that is moved."""


class Machine(TypedDict):
    """Where a run took place."""

    processor: str
    cores: int
    load: list[float]
    lanes: int
    system: str
    versions: dict[str, str]


@final
@attrs.frozen
class Robot:
    """A robot that was measured."""

    name: str
    nq: int
    nv: int
    bodies: int
    operations: dict[str, int]
    """Of rbd's programs, by quantity: additions, products, divisions, square roots, sines ..."""


@final
@attrs.frozen
class Row:
    """One contender's time for one thing."""

    robot: str
    section: str
    what: str
    who: str
    states: int
    """Computed by one call."""
    threads: int
    seconds: float
    """Per state: the median over all windows."""
    best: float
    """Per state: the least of all windows."""
    speedup: float | None
    """How many times as fast as Pinocchio: the median over neighbouring windows."""
    difference: float
    """Of the results from rbd's, relative to the largest entry."""


@final
@attrs.frozen
class Preparation:
    """How long it takes until a robot's algorithms can be called."""

    robot: str
    what: str
    seconds: float
    """The median."""
    best: float


@final
@attrs.frozen
class Report:
    """Everything a run found."""

    machine: Machine
    quick: bool
    robots: list[Robot]
    rows: list[Row]
    preparations: list[Preparation]

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps({"version": VERSION, **attrs.asdict(self)}, indent=1) + "\n"

    def row(self, robot: str, section: str, what: str, who: str) -> Row | None:
        """Return a row, if it was measured."""
        wanted = (robot, section, what, who)
        return next((row for row in self.rows if (row.robot, row.section, row.what, row.who) == wanted), None)
