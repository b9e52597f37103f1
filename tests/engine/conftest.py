"""Fixtures: live states with open fast paths."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from rbd.native import live_executable
from rbd.native.runtime.thread_pool import compiler_thread
from tests.background import run_here


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs be compiled in the first run, in this thread, and coordinates be written by machine code at once."""
    for name in ("OPERATIONS_BEFORE_COMPILING", "OPERATIONS_BEFORE_SEARCH"):
        monkeypatch.setattr(live_executable, name, -1)
    monkeypatch.setattr(compiler_thread, "submit", run_here)
    monkeypatch.setattr("rbd.engine.coordinate_writer.WRITES_BEFORE_BUILTIN", 1)


@pytest.fixture
def warm(at_once: None) -> tuple[MechanismState, rbd.DynamicsResult]:
    """A state and a result with all their fast paths."""
    state = MechanismState(rbd.robots.humanoid())
    result = rbd.DynamicsResult(state.mechanism)
    zero = np.zeros(state.mechanism.nv)
    for _ in range(4):
        state.set_configuration(state.q.copy())
        state.set_velocity(zero)
        rbd.mass_matrix(state)
        rbd.inverse_dynamics(state, zero)
        rbd.forward_dynamics(state, zero)
        rbd.dynamics(result, state, zero)
    assert len(state.engine.builtins) == 3
    assert result.writer.builtins
    return state, result
