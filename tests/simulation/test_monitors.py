"""Monitors: the energy of springs takes the fast path of live states."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.algorithms.energy import spring_energy_of_joints
from rbd.native import live_executable
from rbd.native.runtime.thread_pool import compiler_thread
from tests.background import run_here


def test_energies_of_springs_take_the_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nothing is elastic: the program has no operation, and is compiled nevertheless."""
    for name in ("OPERATIONS_BEFORE_COMPILING", "OPERATIONS_BEFORE_SEARCH"):
        monkeypatch.setattr(live_executable, name, 4)
    monkeypatch.setattr(compiler_thread, "submit", run_here)
    state = rbd.MechanismState(rbd.robots.arm7())
    for k in range(4):
        state.set_configuration(np.full(7, k / 4))
        assert spring_energy_of_joints(state) == 0
    assert len(state.engine.builtins) == 1
