"""Solutions that machine code writes, interrupted at every line: all of a result belongs to one solution."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain, count
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import DynamicsResult
from tests.marks import needs_builtins
from tests.mechanism.interrupts import count_lines, raise_at

from ..algorithms.helpers import case, raised
from ..algorithms.loops.mechanisms import looped
from .derivatives import pushes
from .test_live_solutions import agree, everything

pytestmark = [needs_builtins, pytest.mark.usefixtures("at_once")]
Call = Callable[[], object]


class Solved:
    """A result with fast paths, whose state has one of two velocities, and what it holds with each."""

    def __init__(self, kind: str, pushed: tuple[bool, bool]) -> None:
        self.state = (looped("revolute oblique", 3) if kind == "loops" else case("tree", 1157, 6, passive=True)).state
        self.result, self.push = DynamicsResult(self.state.mechanism), pushes(self.state)
        rng, n = np.random.default_rng(1), self.state.mechanism.nv
        self.velocities, self.tau, self.pushed = rng.standard_normal((2, n)), rng.standard_normal(n), pushed
        for _ in range(4):
            for which in (0, 1):
                self.solve(which)
        assert len(self.result.writer.builtins) == len(set(pushed))
        self.expected = [self.whole(which) for which in (0, 1)]

    def solve(self, which: int) -> None:
        self.prepared(which)()

    def prepared(self, which: int) -> Call:
        """Set the state, and return the call that solves."""
        self.state.set_velocity(self.velocities[which])
        push = self.push if self.pushed[which] else None
        return lambda: rbd.dynamics(self.result, self.state, self.tau, push)

    def other_scalars(self) -> Call:
        """Return a call that stores a solution in other scalars."""
        state = self.state.with_scalars(self.state.q + 0j)
        return lambda: rbd.dynamics(self.result, state, self.tau, self.push)

    def whole(self, which: int) -> list[np.ndarray]:
        self.solve(which)
        return everything(self.result)

    def holds(self) -> int:
        """Return which of the two solutions the result holds."""
        which = int(np.array_equal(self.result.v, self.velocities[1]))
        agree(everything(self.result), self.expected[which])
        return which


solutions = pytest.mark.parametrize("pushed", [(True, True), (True, False), (False, True), (False, False)])
kinds = pytest.mark.parametrize("kind", ["tree", "loops"])


@kinds
@solutions
def test_interrupted_solutions_are_whole(kind: str, pushed: tuple[bool, bool]) -> None:
    solved, found = Solved(kind, pushed), set[int]()
    for line in count(1):
        solved.solve(0)
        if line % 2:  # read before the next one is written, or not
            everything(solved.result)
        if not raise_at(line, KeyboardInterrupt, solved.prepared(1)):
            break
        found.add(solved.holds())
    assert 0 in found
    assert solved.holds() == 1


@kinds
@solutions
@pytest.mark.parametrize("read", ["joint_wrench", "acceleration"])
def test_interrupted_reading_takes_nothing(kind: str, pushed: tuple[bool, bool], read: str) -> None:
    solved = Solved(kind, pushed)
    mechanism = solved.state.mechanism
    target: Any = mechanism.tree_joints[-1] if read == "joint_wrench" else mechanism.bodies[-1]
    everything(solved.result)
    for line in chain(range(1, 60), count(60, 201)):  # every line of the result's own, some of the algorithm's
        solved.solve(line % 2)
        if not raise_at(line, KeyboardInterrupt, partial(getattr(solved.result, read), target)):
            break
        assert solved.holds() == line % 2
    assert line > 20


def test_failing_wrenches_are_forgotten() -> None:
    """Numbers of a call that failed do not become those of the next solution."""
    solved = Solved("tree", (True, False))
    solved.solve(0)
    huge = rbd.Wrench(solved.state.mechanism.root_frame, (1e308, 1e308, 1e308), (1e308, 1e308, 1e308))
    push = dict.fromkeys(solved.push, huge)
    assert isinstance(raised(lambda: rbd.dynamics(solved.result, solved.state, solved.tau, push)), rbd.errors.RbdError)
    assert solved.holds() == 0
    solved.solve(1)
    assert solved.holds() == 1


def test_other_scalars_replace_a_solution_or_leave_it() -> None:
    """Arrays of another kind close the fast paths, one of which has written a solution that nobody has read."""
    solved = Solved("tree", (False, False))
    kinds = set[type]()
    for line in range(count_lines(solved.other_scalars()) - 40, 10**9):
        for _ in range(4):
            solved.solve(line % 2)
        assert solved.result.writer.builtins
        ended = not raise_at(line, KeyboardInterrupt, solved.other_scalars())
        kinds.add(solved.result.vd.dtype.type)
        if ended:
            break
        assert solved.result.vd.dtype == complex or solved.holds() == line % 2
    assert kinds == {np.float64, np.complex128}
