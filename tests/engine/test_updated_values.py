"""Framed values in machine code: the last one is written again, but only where nobody can see that."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from rbd.engine import query_counts
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array
from tests.marks import needs_builtins

from ..algorithms.catalog import flat

pytestmark = [needs_builtins, pytest.mark.usefixtures("at_once")]
Ask = Callable[[MechanismState], Any]
ASKS: dict[str, Ask] = {
    "pose": lambda s: s.transform_to_root("link7"),
    "relative pose": lambda s: s.relative_transform("link2", "link7"),
    "twist": lambda s: s.twist("link7"),
    "relative twist": lambda s: s.relative_twist("link7", "link2"),
    "bias": lambda s: s.bias_acceleration("link7"),
    "Jacobian": lambda s: rbd.geometric_jacobian(s, "link7"),
    "centre of mass": rbd.center_of_mass,
    "momentum": rbd.momentum,
}


@pytest.fixture(autouse=True)
def without_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make builtins at the first call."""
    monkeypatch.setattr(query_counts, "_CALLS_BEFORE_BUILTIN", 1)


@pytest.fixture
def state(at_once: None) -> MechanismState:
    return MechanismState(rbd.robots.arm7(), np.linspace(0.1, 0.7, 7), np.linspace(-1, 1, 7))


def move(state: MechanismState) -> None:
    state.set_configuration(state.q + 0.1)
    state.set_velocity(state.v + 0.1)


def warm(state: MechanismState, ask: Ask) -> None:
    for _ in range(5):
        move(state)
        ask(state)


@pytest.mark.skipif(abi.TUPLE_ITEMS != 24, reason="tuples keep their hash")
@pytest.mark.parametrize("name", ASKS)
def test_a_value_that_nobody_has_is_written_again(name: str, state: MechanismState) -> None:
    ask = ASKS[name]
    warm(state, ask)
    for _ in range(3):
        before, identity = numbers(ask(state)), id(ask(state))
        move(state)
        assert id(ask(state)) == identity
        assert not np.array_equal(numbers(ask(state)), before)


def numbers(value: Any) -> Array:
    """Return the numbers of a value as an array, which holds nothing of it."""
    name = next(name for name in ("matrix", "vector", "xyz") if hasattr(value, name))
    return getattr(value, name).copy()  # type: ignore[no-any-return] # of any class


def parts(value: Any) -> list[Any]:
    """Return a value and everything in it that may be held."""
    names = ("rotation_components", "translation_components", "angular_components", "xyz_components", "columns")
    found = [value, *(getattr(value, name) for name in names if hasattr(value, name))]
    rows = [row for part in found[1:] for row in part]
    return [*found, *rows, *(x for row in rows if isinstance(row, tuple) for x in row)]


@pytest.mark.parametrize("name", ASKS)
def test_what_somebody_has_never_changes(name: str, state: MechanismState) -> None:
    ask = ASKS[name]
    warm(state, ask)
    for k in range(len(parts(ask(state)))):
        move(state)
        held = parts(ask(state))[k]
        before = repr(flat(held) if hasattr(held, "_frames") else held)
        for _ in range(3):
            move(state)
            expected = flat(ask(MechanismState(state.mechanism, state.q, state.v)))
            assert flat(ask(state)) == expected
            assert repr(flat(held) if hasattr(held, "_frames") else held) == before


@pytest.mark.parametrize("name", ASKS)
def test_a_weak_reference_sees_one_value(name: str, state: MechanismState) -> None:
    ask = ASKS[name]
    warm(state, ask)
    move(state)
    reference = weakref.ref(ask(state))
    before = flat(reference())
    move(state)
    ask(state)
    assert reference() is None or flat(reference()) == before


def test_matrices_that_were_read_are_independent(state: MechanismState) -> None:
    warm(state, ASKS["Jacobian"])
    matrix = rbd.geometric_jacobian(state, "link7").matrix
    before = matrix.copy()
    matrix[0, 0] = 7.0
    move(state)
    assert rbd.geometric_jacobian(state, "link7").matrix[0, 0] != 7.0
    np.testing.assert_array_equal(matrix[1:], before[1:])
