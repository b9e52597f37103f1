"""Loop rerolling: the loops that a long program was unrolled from.

A loop is a section of code that repeats the same operations: `count` iterations of `period` instructions.
Operands are free: an iteration may use its own results, those of others, inputs and constants in any order. Signs are
free, too: sums and differences count as one operation, and so do the four fused ones, since a recording moves signs
into the operations that use a number, where that costs nothing. The program does not change; a compiler may emit one
iteration and repeat it. The loops depend on the operations alone.

>>> from rbd.program.graph import Graph
>>> from rbd.program.program import Program
>>> graph = Graph()
>>> x = graph.input("x", (300,))
>>> total = x[0]
>>> for entry in x[1:]:
...     total = total * entry + 1.0
>>> find_loops(Program.of(graph, "horner", {"y": total}), threshold=100)
(Loop(first=0, period=1, count=299),)
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.program.opcodes import WITHOUT_SIGNS, Op

if TYPE_CHECKING:
    from rbd.program.program import Program

ROLLING_THRESHOLD: Final = 50_000
"""Longer programs have loops. Shorter ones run faster as straight-line code, unless half of it repeats long sections:
programs from half as long on then have loops, too, which run as fast and are compiled in a sixth of the time."""

MIN_COUNT: Final = 4
MIN_SAVED: Final = 64
LONG_PERIOD: Final = 100
"""Instructions of an iteration that makes up for what passes through memory from one to the next."""
MAX_PERIOD: Final = 6000
_WINDOWS: Final = (8, 32, 160)
"""Lengths of equal sections whose distances are candidates for periods."""
_CANDIDATES: Final = 24
"""Number of candidates per window: the most frequent distances."""


@final
@attrs.frozen
class Loop:
    """`count` iterations of `period` instructions, from instruction `first` on."""

    first: int
    period: int
    count: int

    @property
    def stop(self) -> int:
        """The first instruction after the loop."""
        return self.first + self.period * self.count


def find_loops(program: Program, threshold: int = ROLLING_THRESHOLD) -> tuple[Loop, ...]:
    """Return the loops of a program of more than `threshold` instructions, in order; of overlapping ones the larger.

    Programs of more than half as many have loops if half of their instructions repeat long iterations.
    """
    size = len(program.code)
    if size <= threshold // 2:
        return ()
    loops = _loops(program)
    repeated = sum(loop.period * (loop.count - 1) for loop in loops if loop.period >= LONG_PERIOD)
    return loops if size > threshold or 2 * repeated > size else ()


def _loops(program: Program) -> tuple[Loop, ...]:
    """Return the loops of a program, in order; of overlapping ones the larger."""
    ops = np.array([instruction[0] for instruction in program.code], dtype=np.int64)
    for op, plain in WITHOUT_SIGNS.items():
        ops[ops == op] = plain
    single = np.isin(ops, (Op.CALL, Op.PICK))
    ops[single] = -1 - np.arange(int(single.sum()))  # equal to nothing
    runs = [run for period in _periods(ops) for run in _runs(ops, period)]
    runs.sort(key=lambda run: (-run.period * (run.count - 1), run.period, run.first))
    loops: list[Loop] = []
    for run in runs:
        for loop in _without_overlap(run, loops):
            insort(loops, loop, key=lambda known: known.first)
    return tuple(loops)


def _periods(ops: NDArray[Any]) -> list[int]:
    """Return the distances at which sections of code repeat most often."""
    candidate_periods: dict[int, None] = {}
    for window in _WINDOWS:
        distances = _distances(ops, window)
        lengths, times = np.unique(distances, return_counts=True)
        best = np.lexsort((lengths, -times))[:_CANDIDATES]
        candidate_periods.update(dict.fromkeys(int(x) for x in lengths[best]))
    return list(candidate_periods)


def _distances(ops: NDArray[Any], window: int) -> NDArray[Any]:
    """Return the distance to the next equal section, for every section of `window` operations that has one."""
    size = len(ops) - window + 1
    if size < 2:
        return np.empty(0, dtype=np.int64)
    keys = np.zeros(size, dtype=np.uint64)
    factor = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        for k in range(window):
            keys = keys * factor + ops[k : k + size].astype(np.uint64) + np.uint64(1)
    order = np.argsort(keys, kind="stable")
    follows = keys[order[1:]] == keys[order[:-1]]
    distances: NDArray[Any] = np.diff(order)[follows]
    return np.asarray(distances[distances <= MAX_PERIOD])


def _runs(ops: NDArray[Any], period: int) -> Iterator[Loop]:
    """Yield the maximal sections that repeat with this period."""
    equal = np.concatenate(([False], ops[:-period] == ops[period:], [False]))
    edges = np.flatnonzero(equal[1:] != equal[:-1])
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        loop = _loop_if_worthwhile(start, stop + period, period)
        if loop is not None:
            yield loop


def _loop_if_worthwhile(start: int, stop: int, period: int) -> Loop | None:
    """Return the loop from `start` that ends at `stop` or before, if it saves enough instructions."""
    count = (stop - start) // period
    return Loop(start, period, count) if count >= MIN_COUNT and (count - 1) * period >= MIN_SAVED else None


def _without_overlap(run: Loop, taken: list[Loop]) -> list[Loop]:
    """Return the parts of a run that do not overlap the loops already chosen."""
    parts, start = list[Loop | None](), run.first
    at = max(bisect_right(taken, start, key=lambda known: known.first) - 1, 0)
    for known in taken[at:]:
        if known.first >= run.stop:
            break
        if known.stop > start:
            parts.append(_loop_if_worthwhile(start, known.first, run.period))
            start = known.stop
    parts.append(_loop_if_worthwhile(start, run.stop, run.period))
    return [part for part in parts if part is not None]
