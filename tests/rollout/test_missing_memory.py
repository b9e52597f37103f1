"""Worlds whose machine code gets no memory for its workspace: an error, and whole steps."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from rbd.errors import WorkspaceError
from rbd.native.runtime import jit
from rbd.rollout import Worlds
from tests.rollout.samples import sliding_worlds

Allow = Callable[[int], None]
MANY = 1000


@pytest.fixture
def allow(monkeypatch: pytest.MonkeyPatch) -> Allow:
    """Return a function that sets how many workspaces there is memory for, at first many."""
    libc, left = ctypes.CDLL(None), [None] * MANY
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]

    def malloc(size: int) -> int | None:
        try:
            left.pop()  # threads share the list
        except IndexError:
            return None
        return int(libc.malloc(size))

    wrapped = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(malloc)
    addresses = jit.c_function_addresses() | {"malloc": ctypes.cast(wrapped, ctypes.c_void_p).value or 0}
    monkeypatch.setattr(jit, "c_function_addresses", lambda: addresses)
    monkeypatch.setattr("rbd.native.codegen.entry_points.STACK_LIMIT", 100)
    monkeypatch.setenv("RBD_CACHE", "0")

    def allow(count: int) -> None:
        left[:] = [None] * count

    allow.malloc = wrapped  # type: ignore[attr-defined]  # machine code calls it
    return allow


def times_without_memory(worlds: Worlds, allow: Allow, count: int) -> set[float]:
    """Return the times of worlds at 1 m/s that got memory for so many integration steps, and go on afterwards."""
    allow(MANY)
    worlds.step()
    worlds.reset(v=[1.0])
    allow(count)
    with pytest.raises(WorkspaceError, match="no memory for the workspace of world_step"):
        worlds.step(steps=10)
    allow(MANY)
    times = worlds.t
    np.testing.assert_array_equal(worlds.q[:, 0], times)
    assert not worlds.status.any()
    worlds.step(steps=2)
    np.testing.assert_array_equal(worlds.t, times + 1.0)
    np.testing.assert_array_equal(worlds.q[:, 0], worlds.t)
    return set(times.tolist())


@pytest.mark.parametrize("count", [0, 1, 3])
def test_worlds_end_whole_steps(allow: Allow, count: int) -> None:
    assert times_without_memory(sliding_worlds(dt=0.5), allow, count) == {0.5 * count}


def test_worlds_of_threads_may_take_different_numbers_of_steps(allow: Allow) -> None:
    assert len(times_without_memory(sliding_worlds(dt=0.5, threads=2), allow, 5)) == 2


def test_resets_end_steps_that_memory_ended(allow: Allow) -> None:
    worlds = sliding_worlds(dt=0.75, substeps=3)
    worlds.step()
    allow(4)
    with pytest.raises(WorkspaceError):
        worlds.step(steps=2)
    allow(MANY)
    worlds.reset(v=[1.0])
    worlds.step(steps=2)
    np.testing.assert_array_equal(worlds.q[:, 0], [1.5] * 20)
    np.testing.assert_array_equal(worlds.t, [1.5] * 20)


def test_a_world_that_failed_before_memory_ended_fails_again(allow: Allow) -> None:
    worlds = sliding_worlds(dt=0.5)
    worlds.step()
    allow(2)
    with pytest.raises(WorkspaceError):
        worlds.step([[np.nan if k == 7 else 0.0] for k in range(20)], steps=5)
    allow(MANY)
    worlds.step()
    assert worlds.explain(7) == "in step 1: action[0] is not finite"
    assert (worlds.t[7], worlds.t[8]) == (0.5, 2.0)
