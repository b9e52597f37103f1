"""Benchmarks (`rbd bench`): rbd and other installed engines on the same robots.

A *contender* is one way to compute a quantity for a list of states: `run(passes)`, and `value(state)` for comparison. A
*group* has the contenders for one quantity. A run compares the results of each group, times its contenders in
alternation, and adds a row per contender to the report.

run.py            `run`: all groups of all robots
settings.py       `BenchSettings`
groups.py         which contenders belong to a group
contender.py      contenders, and the comparison of their results
clock.py          times of contenders, measured in alternation
report.py         rows of results, as plain data for JSON
tables.py         the report as text; page_text.py: as a Markdown page
goals.py          performance goals, and their lines in a report
machine.py        processor, load, versions

robots.py         mechanisms; samples.py: random states of them
rbd_engine.py     contenders of rbd: kernels, calls, batches, live states
native_repeat.py  kernels in a loop without Python
peak.py           the peak of the processor
queries.py        frame queries of live states
values.py         operations on poses and twists
contacts.py       distances and simulation of a hand
legged.py         legged robots on the ground
worlds.py         many quadrupeds in one call, or one after the other
simulations.py    `simulate` with a control in Python
rollouts.py       short rollouts in one call, or step by step
preparation.py    recording, compilation, loading from disk
startup.py        import and first calls of a new process

tree.py           mechanisms as plain numbers, for models of other engines
peers/            contenders of other engines, imported when they are measured
    casadi.py           C code of rbd's programs
    pinocchio.py        Pinocchio; pinocchio_loops.py: with loop joints
    pinocchio_queries.py, pinocchio_values.py  its frame queries; its poses and twists
    coal.py             simulation of a hand with Pinocchio, coal and quadprog
    mujoco.py           MuJoCo without contacts; mujoco_legged.py: on the ground
"""

from __future__ import annotations

from rbd.bench.report import Report
from rbd.bench.run import run
from rbd.bench.settings import BenchSettings
from rbd.bench.tables import as_markdown, as_text

__all__ = ["BenchSettings", "Report", "as_markdown", "as_text", "run"]
