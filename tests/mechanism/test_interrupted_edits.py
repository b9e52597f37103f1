"""Edits are all or nothing: interrupted, or out of memory, at any line, a mechanism is as before or as after."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest

import rbd
from rbd.mechanism import transaction
from rbd.mechanism.mechanism import in_one_transaction
from rbd.mechanism.structure import Structure
from rbd.mechanism.tree import Edge
from tests.deep import share
from tests.mechanism import interrupts

COUNT = share(20_000)
ERRORS = (KeyboardInterrupt, MemoryError)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", interrupts.EDITS)
def test_interrupted_edits_leave_mechanisms_as_before_or_as_after(name: str, error: type[BaseException]) -> None:
    edit = interrupts.EDITS[name]
    count = interrupts.lines_of(edit)
    lines = sorted({*range(count - 3, count + 1), *np.linspace(1, count, 12, dtype=int).tolist()})
    found = [interrupts.interrupt(edit, line, error) for line in lines]
    assert "before" in found


def test_many_edits_at_once_copy_tables_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They happen as one: a failure undoes all of them, and attaching is linear work."""
    saved: list[object] = []
    save = transaction._undo
    monkeypatch.setattr(transaction, "_undo", lambda *args: saved.append(args) or save(*args))
    mechanism = interrupts.mechanism()
    before = interrupts.invariants.content(mechanism)

    def attach(*names: str) -> None:
        for name in names:
            mechanism.attach("body1", rbd.RigidBody(name), rbd.Joint(name, rbd.Revolute((0, 0, 1))))

    saved.clear()
    with pytest.raises(rbd.errors.TopologyError, match="already has a joint"):
        in_one_transaction(mechanism, lambda: attach("a", "b", "a"))
    assert interrupts.invariants.content(mechanism) == before
    in_one_transaction(mechanism, lambda: attach("a", "b"))
    assert [body.name for body in mechanism.bodies[-2:]] == ["a", "b"]
    assert len(saved) == 2
    attach("c", "d")
    assert len(saved) == 4
    interrupts.invariants.check(mechanism)


def test_failures_within_an_edit_that_catches_them_undo_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = interrupts.mechanism()
    before = interrupts.invariants.content(mechanism)
    append, names = Structure.append, iter("ab")

    def failing(self: Structure, edge: Edge) -> None:
        append(self, edge)
        if next(names) == "b":
            raise MemoryError("no more")

    def attach_both() -> None:
        for name in "ab":
            with suppress(MemoryError):
                mechanism.attach("body1", rbd.RigidBody(name), rbd.Joint(name, rbd.Revolute((0, 0, 1))))

    with monkeypatch.context() as patch:
        patch.setattr(Structure, "append", failing)
        with pytest.raises(MemoryError, match="no more"):
            in_one_transaction(mechanism, attach_both)
    assert interrupts.invariants.content(mechanism) == before
    in_one_transaction(mechanism, attach_both)
    assert [body.name for body in mechanism.bodies[-2:]] == ["a", "b"]


@pytest.mark.deep
@pytest.mark.parametrize("error", ERRORS)
def test_interrupts_at_random_lines_of_edits(
    error: type[BaseException], record_property: Callable[[str, object], None]
) -> None:
    rng, names = np.random.default_rng(), list(interrupts.EDITS)
    counts = {name: interrupts.lines_of(edit) for name, edit in interrupts.EDITS.items()}
    found = {"before": 0, "after": 0}
    for number in range(COUNT):
        name = names[number % len(names)]
        found[interrupts.interrupt(interrupts.EDITS[name], int(rng.integers(1, counts[name] + 1)), error)] += 1
    assert sum(found.values()) == COUNT
    record_property("what", f"`{error.__name__}` in edits of mechanisms, {len(names)} kinds")
    record_property("count", f"{COUNT:,}: {found['before']:,} as before, {found['after']:,} as after")
