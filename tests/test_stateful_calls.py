"""Sequences of edits, simulations and compilations, each interrupted at a random line or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import rbd
from rbd.errors import RbdError
from tests.deep import share
from tests.mechanism import invariants
from tests.mechanism.interrupts import raise_at

EXAMPLES = share(300)
pick = st.floats(0, 1, exclude_max=True)
lines = st.none() | st.integers(1, 3000)
errors = st.sampled_from([KeyboardInterrupt, MemoryError])
tried: Counter[str] = Counter()
"""How many calls there were, and how many of them were interrupted."""
types = st.sampled_from([rbd.Revolute((0, 0, 1)), rbd.Prismatic((1, 0, 0)), rbd.QuaternionSpherical(), rbd.Fixed()])


def interrupted(call: Callable[[], object], line: int | None, error: type[BaseException]) -> bool:
    """Make a call, with an exception at one of its lines unless None; return whether it has come to its end."""
    tried["calls"] += 1
    ended = list[object]()
    with suppress(RbdError):
        tried["interrupts"] += raise_at(line or 0, error, lambda: ended.append(call()))
    return bool(ended)


class Calls(RuleBasedStateMachine):
    """Works on one mechanism; every answer is compared with that of a fresh copy."""

    @initialize(seed=st.integers(0, 2**32 - 1))
    def start(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.mechanism = rbd.testing.random_chain([rbd.Revolute((0, 1, 0)), rbd.Prismatic((0, 0, 1))], self.rng)
        self.made = 0

    def body(self, where: float) -> rbd.RigidBody:
        return self.mechanism.bodies[int(where * len(self.mechanism.bodies))]

    def joint(self, where: float) -> rbd.Joint:
        return self.mechanism.joints[int(where * len(self.mechanism.joints))]

    def edit(self, call: Callable[[], object], line: int | None, error: type[BaseException]) -> None:
        before = invariants.content(self.mechanism)
        if not interrupted(call, line, error) and line is None:
            assert invariants.content(self.mechanism) == before  # refused

    @precondition(lambda self: len(self.mechanism.bodies) < 6)
    @rule(where=pick, kind=types, line=lines, error=errors)
    def attach(self, where: float, kind: Any, line: int | None, error: type[BaseException]) -> None:
        self.made += 1
        inertia = rbd.SpatialInertia.sphere(rbd.Frame(f"body {self.made}"), mass=1.0, radius=0.5, com=(0.1, 0.2, 0.3))
        body, joint = rbd.RigidBody(f"body {self.made}", inertia), rbd.Joint(f"joint {self.made}", kind)
        self.edit(lambda: self.mechanism.attach(self.body(where), body, joint), line, error)

    @precondition(lambda self: len(self.mechanism.bodies) > 1)
    @rule(where=pick, kind=types, line=lines, error=errors)
    def replace(self, where: float, kind: Any, line: int | None, error: type[BaseException]) -> None:
        self.made += 1
        joint = rbd.Joint(f"joint {self.made}", kind)
        self.edit(lambda: self.mechanism.replace_joint(self.joint(where), joint), line, error)

    @precondition(lambda self: len(self.mechanism.bodies) > 2)
    @rule(where=pick, line=lines, error=errors)
    def remove(self, where: float, line: int | None, error: type[BaseException]) -> None:
        bodies = self.mechanism.bodies[1:]
        self.edit(lambda: self.mechanism.remove_subtree(bodies[int(where * len(bodies))]), line, error)

    @rule(line=lines, error=errors)
    def simulate(self, line: int | None, error: type[BaseException]) -> None:
        state = rbd.MechanismState(self.mechanism)
        state.randomize(self.rng)
        q, v = state.q.copy(), state.v.copy()
        if not interrupted(lambda: rbd.simulate(state, 0.02, dt=0.01), line, error):
            assert (state.q.tolist(), state.v.tolist()) == (q.tolist(), v.tolist())

    @rule(line=lines, error=errors)
    def compute(self, line: int | None, error: type[BaseException]) -> None:
        """Interrupt a recording; live, compiled and interpreted results are equal afterwards."""
        state = rbd.MechanismState(self.mechanism)
        state.randomize(self.rng)
        interrupted(lambda: rbd.compile(self.mechanism).mass_matrix(state.q), line, error)
        interrupted(lambda: rbd.mass_matrix(state), line, error)
        with rbd.interpreted():
            expected = rbd.mass_matrix(state)
        np.testing.assert_allclose(rbd.mass_matrix(state), expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(rbd.compile(self.mechanism).mass_matrix(state.q), expected, rtol=1e-9, atol=1e-9)

    @invariant()
    def promises_hold(self) -> None:
        if hasattr(self, "mechanism"):
            invariants.check(self.mechanism)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # a recording that failed for want of memory says so
def test_sequences_of_calls() -> None:
    run_state_machine_as_test(Calls, settings=settings(max_examples=5, stateful_step_count=10, deadline=None))


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # a recording that failed for want of memory says so
def test_long_sequences_of_calls(record_property: Callable[[str, object], None]) -> None:
    chosen = settings(max_examples=EXAMPLES, stateful_step_count=30, deadline=None, derandomize=False, database=None)
    tried.clear()
    run_state_machine_as_test(Calls, settings=chosen)
    record_property("what", "sequences of up to 30 edits, simulations and compilations, interrupted or not")
    record_property("count", f"{EXAMPLES}: {tried['calls']:,} calls, {tried['interrupts']:,} of them interrupted")
