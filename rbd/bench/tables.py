"""Reports as text: aligned tables for a terminal, or a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rbd.bench.goals import outcomes
from rbd.bench.page_text import BUSY, INTRODUCTION
from rbd.bench.report import (
    GROUND_SECTIONS,
    PYTHON_LOOP_SECTIONS,
    Machine,
    Preparation,
    Report,
    ReportRow,
    Robot,
    Section,
)

_HEAD = ("quantity", "contender", "time per state", "best", "× Pinocchio", "difference")
_ON_GROUND = tuple(head.replace("Pinocchio", "MuJoCo").replace("state", "step") for head in _HEAD)
_LOOPED = tuple(head.replace("Pinocchio", "loop").replace("state", "step") for head in _HEAD)
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))

Table = list[tuple[str, ...]]


def as_text(report: Report) -> str:
    """Return a report for a terminal."""
    lines = [*_machine(report.machine), ""]
    for title, table in _tables(report):
        lines += [title, *_aligned(table), ""]
    return "\n".join(lines)


def as_markdown(report: Report) -> str:
    """Return a report as a Markdown page."""
    lines = ["# Benchmarks", "", INTRODUCTION]
    lines += ["## The machine", "", *(f"* {line}" for line in _machine(report.machine)), "", *_shared(report), ""]
    for title, table in _tables(report):
        lines += [f"## {title[0].upper()}{title[1:]}", "", *_piped(table), ""]
    return "\n".join(lines).rstrip() + "\n"


def _machine(machine: Machine) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    load = ", ".join(f"{x:g}" for x in machine["load"])
    return [
        f"{machine['processor']}, {machine['cores']} cores, {machine['lanes']} lanes; {machine['system']}",
        f"load when the run began (1, 5, 15 minutes): {load or 'unknown'}",
        versions,
    ]


def _shared(report: Report) -> list[str]:
    """Return a warning if other programs were running."""
    load = report.machine["load"]
    lines = ["This was a quick run: its numbers are not reliable."] if report.quick else []
    if load and load[0] > report.machine["cores"] / 2:
        lines += [BUSY.format(load[0], report.machine["cores"])]
    return lines


def _tables(report: Report) -> list[tuple[str, Table]]:
    """Return all tables with their titles; those without rows are left out."""
    values = [row for row in report.rows if row.section == Section.VALUES]
    tables: list[tuple[str, Table]] = [(str(Section.VALUES), [_HEAD, *map(_cells, values)])]
    for robot in report.robots:
        tables += _robot_tables(report, robot)
    tables.append(("in a new process", _startup(report.startup)))
    if not report.quick:
        tables.append(("What rbd aims at", _goals(report)))
    return [(title, table) for title, table in tables if len(table) > 1]


def _robot_tables(report: Report, robot: Robot) -> list[tuple[str, Table]]:
    """Return the tables of a robot: operations, times by section, preparation."""
    title = f"{robot.name}: {robot.bodies} bodies, nq = {robot.nq}, nv = {robot.nv}: operations"
    counts: Table = [(quantity, str(count)) for quantity, count in robot.operations.items()]
    tables: list[tuple[str, Table]] = [(title, [("quantity", "operations"), *counts])]
    rows_of_robot = [row for row in report.rows if row.robot == robot.name]
    for (section, states), rows in groupby(rows_of_robot, key=lambda row: (row.section, row.states)):
        suffix = f" ({states} states)" if states > 1 else ""
        tables.append((f"{robot.name}: {section}{suffix}", [_head(section), *map(_cells, rows)]))
    prepared = [preparation for preparation in report.preparations if preparation.robot == robot.name]
    title = f"{robot.name}: until inverse dynamics, mass matrix and forward dynamics are ready"
    return [*tables, (title, _ready(prepared))]


def _goals(report: Report) -> Table:
    """Return the goals, and whether they are reached."""
    rows = [(o.robot, o.quantity, o.goal, o.measured, "yes" if o.reached else "**no**") for o in outcomes(report)]
    return [("goal for", "quantity", "goal", "measured", "reached"), *rows]


def _head(section: str) -> tuple[str, ...]:
    if section in GROUND_SECTIONS:
        return _ON_GROUND
    return _LOOPED if section in PYTHON_LOOP_SECTIONS else _HEAD


def _cells(row: ReportRow) -> tuple[str, ...]:
    speedup = "" if row.speedup is None else f"{row.speedup:.0f}" if row.speedup >= 100 else f"{row.speedup:.3g}"
    return (
        row.quantity,
        row.contender,
        _time(row.seconds),
        _time(row.best),
        speedup,
        "-" if row.difference is None else f"{row.difference:.0e}" if row.difference else "0",
    )


def _ready(rows: Sequence[Preparation]) -> Table:
    return [("task", "median", "best"), *((row.task, _time(row.seconds), _time(row.best)) for row in rows)]


def _startup(rows: Sequence[Preparation]) -> Table:
    times = ((row.robot, row.task, _time(row.seconds), _time(row.best)) for row in rows)
    return [("robot", "task", "median", "best"), *times]


def _time(seconds: float) -> str:
    size, unit = next((entry for entry in _UNITS if seconds >= entry[0]), _UNITS[-1])
    return f"{seconds / size:.3g} {unit}" if seconds / size < 1000 else f"{seconds / size:.0f} {unit}"


def _aligned(table: Table) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
    return [f"  {line.rstrip()}" for line in (lines[0], "-" * len(lines[0].rstrip()), *lines[1:])]


def _piped(table: Table) -> list[str]:
    rule = ("---",) * len(table[0])
    return [f"| {' | '.join(row)} |" for row in (table[0], rule, *table[1:])]
