"""A report as text: aligned for a terminal, or as a page of documentation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rbd.bench.goals import outcomes
from rbd.bench.report import Machine, Preparation, Report, Row

_HEAD = ("what", "who", "time per state", "best", "× Pinocchio", "difference")
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))

Table = list[tuple[str, ...]]


def as_text(report: Report) -> str:
    """Return a report for a terminal."""
    lines = [*_machine(report.machine), ""]
    for title, table in _tables(report):
        lines += [title, *_aligned(table), ""]
    return "\n".join(lines)


def as_markdown(report: Report) -> str:
    """Return a report as a page of documentation."""
    lines = ["# Benchmarks", "", _INTRODUCTION]
    lines += ["## The machine", "", *(f"* {line}" for line in _machine(report.machine)), "", *_shared(report), ""]
    for title, table in _tables(report):
        lines += [f"## {title[0].upper()}{title[1:]}", "", *_piped(table), ""]
    return "\n".join(lines).rstrip() + "\n"


_INTRODUCTION = """\
This page is the output of `rbd bench --markdown FILE`: the numbers of one run on one machine, none chosen by hand.
The same command shows yours; other engines take part where they are installed.

All contenders of a table compute the same 128 random states of the same robot, whose numbers are handed over in
memory, without friction, damping and armature. Results are compared before anything is timed: *difference* is the
largest one from rbd's, relative to the largest entry of the result. Contenders take turns in windows of about a
millisecond. *Time per state* is the median of all windows, *best* the least: processor time for one thread, which
stands still while other programs have the processor, and time on the wall for two threads, whose windows begin after a
rest, when the threads of the contender before have stopped waiting actively. *× Pinocchio* is how many
times as fast as Pinocchio a contender is: the median over neighbouring windows.

* `rbd kernel`: the machine code for one state in a native loop, no Python in between; it writes into new results, as
  in calls that return new arrays.
* `rbd`: a method of `rbd.compile(mechanism)` called from Python. It returns a new array; with two threads, it fills
  one that is there.
* `rbd state`: `set_configuration`, `set_velocity`, `mass_matrix` and `dynamics` of a `MechanismState`.
  For a mechanism with loops, `set_configuration`, `set_velocity` and `dynamics`.
* `Pinocchio`: its functions called from Python; for many states, in a loop that keeps no result. *Its threads* are
  `rneaInParallel` and `abaInParallel`, which fill an array that is there.
  With loops, `constraintDynamics`, solved to 1e-12; states have closed loops then.
* The hand's loop is the contact exercise's: PD control, distances of four pairs, an impact where a pair meets, a
  quadratic program, integration. *Control recorded* has the control in machine code, too; everybody else's is a Python
  function. `Pinocchio, coal and quadprog` is the same loop written with these. Distances of capsules with their rows
  are two calls for all configurations, and a Python loop with the others.
* `MuJoCo`: `mj_kinematics`, `mj_inverse`, `mj_forward` and the like called from Python, contacts and constraints
  switched off. They compute more than what is compared.
* `CasADi kernel`: C code which CasADi writes for rbd's own graph, compiled with `-O3 -march=native`, in the same
  native loop. It is left out where the graph calls solves, which CasADi's expressions cannot say, and beyond 20 000
  operations, for which a C compiler takes minutes.
* *Operations* are those on one state; a fused multiply-add counts as two. A humanoid's derivatives of forward
  dynamics call one solve for all columns. It takes zeros and filled-up columns for full, half of what is counted here,
  and is still the faster way.
"""


_BUSY = """\
The machine was shared with other programs: a load of {:g} on {} cores. Caches and memory were shared, too; times come
out longer than on a machine of one's own. Two threads do not get two cores then: what is said of them is the least
certain."""


def _machine(machine: Machine) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    load = ", ".join(f"{x:g}" for x in machine["load"])
    return [
        f"{machine['processor']}, {machine['cores']} cores, {machine['lanes']} lanes; {machine['system']}",
        f"load when the run began (1, 5, 15 minutes): {load or 'unknown'}",
        versions,
    ]


def _shared(report: Report) -> list[str]:
    """Return a warning when other programs were at work, too."""
    load = report.machine["load"]
    lines = ["This was a quick run: it shows that things work, not how fast they are."] if report.quick else []
    if load and load[0] > report.machine["cores"] / 2:
        lines += [_BUSY.format(load[0], report.machine["cores"])]
    return lines


def _tables(report: Report) -> list[tuple[str, Table]]:
    """Return all tables with their titles."""
    found: list[tuple[str, Table]] = []
    for robot in report.robots:
        title = f"{robot.name}: {robot.bodies} bodies, nq = {robot.nq}, nv = {robot.nv}"
        counts: Table = [(what, str(count)) for what, count in robot.operations.items()]
        found.append((f"{title}: operations", [("what", "operations"), *counts]))
        mine = [row for row in report.rows if row.robot == robot.name]
        for section, rows in groupby(mine, key=lambda row: (row.section, row.states)):
            many = f" ({section[1]} states)" if section[1] > 1 else ""
            found.append((f"{robot.name}: {section[0]}{many}", [_HEAD, *map(_cells, rows)]))
        prepared = [p for p in report.preparations if p.robot == robot.name]
        found.append(
            (f"{robot.name}: until inverse dynamics, mass matrix and forward dynamics are ready", _ready(prepared))
        )
    reached: Table = [("goal for", "what", "goal", "found", "reached")]
    reached += [(o.robot, o.what, o.goal, o.found, "yes" if o.reached else "**no**") for o in outcomes(report)]
    return [*found, ("What rbd aims at", reached)] if len(reached) > 1 and not report.quick else found


def _cells(row: Row) -> tuple[str, ...]:
    speedup = "" if row.speedup is None else f"{row.speedup:.0f}" if row.speedup >= 100 else f"{row.speedup:.3g}"
    return (
        row.what,
        row.who,
        _time(row.seconds),
        _time(row.best),
        speedup,
        f"{row.difference:.0e}" if row.difference else "0",
    )


def _ready(rows: Sequence[Preparation]) -> Table:
    return [("what", "median", "best"), *((row.what, _time(row.seconds), _time(row.best)) for row in rows)]


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
