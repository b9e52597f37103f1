"""Reports as text: aligned tables for a terminal, or a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rbd.bench.goals import outcomes
from rbd.bench.report import GROUND_SECTIONS, WORLDS_SECTIONS, Machine, Preparation, Report, ReportRow, Section

_HEAD = ("what", "who", "time per state", "best", "× Pinocchio", "difference")
_ON_GROUND = tuple(head.replace("Pinocchio", "MuJoCo").replace("state", "step") for head in _HEAD)
_IN_WORLDS = tuple(head.replace("Pinocchio", "loop").replace("state", "step") for head in _HEAD)
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
    lines = ["# Benchmarks", "", _INTRODUCTION]
    lines += ["## The machine", "", *(f"* {line}" for line in _machine(report.machine)), "", *_shared(report), ""]
    for title, table in _tables(report):
        lines += [f"## {title[0].upper()}{title[1:]}", "", *_piped(table), ""]
    return "\n".join(lines).rstrip() + "\n"


_INTRODUCTION = """\
This page is the output of `rbd bench --markdown FILE`: the results of one run on one machine, without selection.
Other engines are measured if they are installed.

All contenders of a table compute the same 128 random states of the same robot, without friction, damping and armature;
its parameters are passed in memory. Results are compared before they are timed: *difference* is the largest difference
from rbd's result, relative to its largest entry. Contenders take turns in windows of about a millisecond.
*Time per state* is the median of all windows, *best* the shortest. For one thread it is processor time, which excludes
other programs. For two threads it is wall time, and a pause before each window lets the previous contender's threads
stop waiting actively. *× Pinocchio* is the speedup over Pinocchio: the median over neighbouring windows.

* `rbd kernel`: the machine code for one state in a native loop, without Python; it writes every result to new memory,
  as calls that return new arrays do.
* `rbd`: a method of `rbd.compile(mechanism)` called from Python. It returns a new array; with two threads, it writes to
  an existing one.
* *Column order*: arrays from `numpy.asfortranarray`, into existing arrays of the same order; `rbd, row order` is the
  same call with contiguous rows. *Fused multiply-adds at the peak* are as many operations per state as the algorithm
  has, on full vectors without loads and stores; their time as a share of rbd's is the share of the processor's peak.
* *Values with frames*: `Transform(from_frame, to_frame, rotation, translation)`, `@`, `inverse()`, `log()`, `exp()`,
  `.matrix`, all checked; in Pinocchio `SE3`, `*`, `inverse()`, `log6`, `exp6`, `.homogeneous`, which have no frames.
* `rbd state`: `set_configuration`, `set_velocity`, `mass_matrix` and `dynamics` of a `MechanismState`.
  For a mechanism with loops, `set_configuration`, `set_velocity` and `dynamics`. Frame queries: `transform_to_root` and
  `geometric_jacobian` in a frame fixed to the last body, `twist` and `bias_acceleration` of that body, `relative_twist`
  of the frame and the body in the middle, `point_jacobian`, `center_of_mass`; *as a matrix* reads `.matrix` of the
  result. A *step of operational-space control* asks for Jacobian, twist, pose, `mass_matrix` and `dynamics_bias`, and
  solves with numpy.
* `Pinocchio`: its functions called from Python; for many states, in a loop that discards results. *Its threads* are
  `rneaInParallel` and `abaInParallel`, which write to an existing array.
  With loops, `constraintDynamics`, solved to 1e-12, at states with closed loops.
* The hand's loop is that of the contact exercise: PD control, distances of four pairs, impacts, a quadratic program,
  integration. *Control recorded* has the control in machine code; in all other contenders it is a Python function.
  `Pinocchio, coal and quadprog` is the same loop with these libraries. Distances of capsules with their Jacobian rows
  are two calls for all configurations in rbd, and a Python loop in the other contenders.
* *Robots on the ground* are those of `mjlab`, if it is installed. Both engines read the same file, put the feet on the
  same plane, and step from the same states with the same proportional control, armature, implicit joint damping and
  joint limits. One row has rbd's steps with Coulomb friction, one its compliant contact; MuJoCo has one model, at its
  default accuracy. As contact models differ, motions differ by millimetres. Many robots: `rbd.rollout.Worlds` with the
  control recorded, and `mujoco.rollout` with position actuators. One robot: `ContactSimulator` and `mj_step`, with the
  same control as a Python function.
* *Worlds* are quadrupeds of rbd on the ground, with the control recorded: `rbd.rollout.Worlds` steps all of them in one
  call. *One robot after the other* takes all steps of one robot in one call, on one thread, in a loop over robots.
* `MuJoCo` elsewhere: `mj_kinematics`, `mj_inverse`, `mj_forward` and similar functions called from Python, without
  contacts and constraints. They compute more than the compared quantities.
* `CasADi kernel`: C code that CasADi generates from rbd's expression graph, compiled with `-O3 -march=native`, in the
  same native loop. It is omitted for graphs that call solvers, which CasADi's expressions do not have, and above 20 000
  operations, for which a C compiler takes minutes.
* *In a new process*: the import of rbd and of its dependencies with byte code present, in processor time; then, with an
  empty disk cache, the total of the first calls of a live state of rbd's humanoid, and the longest later call, both in
  wall time, which includes waiting for the compiler thread.
* *Operations* are those for one state; a fused multiply-add counts as two. The derivatives of a humanoid's forward
  dynamics call one solver for all columns. It treats zeros and padded columns as dense; they are half of this count.
"""


_BUSY = """\
The machine was shared with other programs: a load of {:g} on {} cores. They also shared caches and memory, so times are
longer than on an idle machine. Two threads did not have two cores, so times of two threads are the least reliable."""


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
        lines += [_BUSY.format(load[0], report.machine["cores"])]
    return lines


def _tables(report: Report) -> list[tuple[str, Table]]:
    """Return all tables with their titles."""
    found: list[tuple[str, Table]] = []
    values = [row for row in report.rows if row.section == Section.VALUES]
    found += [(str(Section.VALUES), [_HEAD, *map(_cells, values)])] if values else []
    for robot in report.robots:
        title = f"{robot.name}: {robot.bodies} bodies, nq = {robot.nq}, nv = {robot.nv}"
        counts: Table = [(what, str(count)) for what, count in robot.operations.items()]
        found += [(f"{title}: operations", [("what", "operations"), *counts])] if counts else []
        mine = [row for row in report.rows if row.robot == robot.name]
        for section, rows in groupby(mine, key=lambda row: (row.section, row.states)):
            many = f" ({section[1]} states)" if section[1] > 1 else ""
            head = _head(section[0])
            found.append((f"{robot.name}: {section[0]}{many}", [head, *map(_cells, rows)]))
        prepared = [p for p in report.preparations if p.robot == robot.name]
        title = f"{robot.name}: until inverse dynamics, mass matrix and forward dynamics are ready"
        found += [(title, _ready(prepared))] if prepared else []
    found.append(("in a new process", _startup(report.startup)))
    reached: Table = [("goal for", "what", "goal", "found", "reached")]
    reached += [(o.robot, o.what, o.goal, o.found, "yes" if o.reached else "**no**") for o in outcomes(report)]
    return [*found, ("What rbd aims at", reached)] if len(reached) > 1 and not report.quick else found


def _head(section: str) -> tuple[str, ...]:
    if section in GROUND_SECTIONS:
        return _ON_GROUND
    return _IN_WORLDS if section in WORLDS_SECTIONS else _HEAD


def _cells(row: ReportRow) -> tuple[str, ...]:
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


def _startup(rows: Sequence[Preparation]) -> Table:
    times = ((row.robot, row.what, _time(row.seconds), _time(row.best)) for row in rows)
    return [("robot", "what", "median", "best"), *times]


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
