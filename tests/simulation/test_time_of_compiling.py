"""The choice between the interpreter and machine code: before a run begins, so that no callback waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import native
from rbd.native.compiled_program import CompiledProgram
from rbd.native.executable import ArrayExecutable
from rbd.simulation import AdaptiveMuntheKaas, EnergyMonitor, Event, RingBuffer, Throttle, Trajectory
from rbd.simulation.programs import recorded_steps

STEPS = 60


def no_code(self: ArrayExecutable) -> bool:
    return False


def throttle() -> Throttle:
    """Return real-time pacing with a clock of its own."""
    slept = list[float]()
    return Throttle(clock=lambda: sum(slept), sleep=slept.append)


def no_progress(done: int, count: int) -> None:
    pass


def below_ground(t: float, state: rbd.MechanismState) -> float:
    return 1.0


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of compilations and calls of the control, with a cost that all runs of 60 steps exceed."""
    happened, original = list[str](), ArrayExecutable.compile

    def noted(self: ArrayExecutable, *, rows: bool = False) -> CompiledProgram | None:
        happened.append("compile")
        return original(self, rows=rows)

    monkeypatch.setattr(ArrayExecutable, "compile", noted)
    monkeypatch.setattr(ArrayExecutable, "load", no_code)  # as with an empty disk cache
    monkeypatch.setattr(recorded_steps, "COMPILING_COST", (6_000, 0))
    return happened


def run(order: list[str], steps: int = STEPS, hold: float | None = None, **options: Any) -> Trajectory:
    """Run a pendulum, whose control notes its calls."""

    def control(t: float, state: rbd.MechanismState) -> Any:
        order.append("control")
        return np.cos(3 * t) - 0.3 * state.v

    state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.2])
    law: Any = control if hold is None else rbd.ZeroOrderHold(control, hold)
    return rbd.simulate(state, steps * 1e-3, law, **options)


WATCHED: dict[str, Callable[[], dict[str, Any]]] = {
    "nobody": dict,
    "wall clock": lambda: {"realtime": throttle()},
    "monitor": lambda: {"monitors": [EnergyMonitor()]},
    "event": lambda: {"events": [Event(below_ground)]},
    "progress": lambda: {"progress": no_progress},
    "adaptive method": lambda: {"integrator": "dormand-prince"},
    "semi-implicit step": lambda: {"integrator": "semi-implicit-euler", "realtime": throttle()},
    "hold": lambda: {"hold": 0.002, "sink": RingBuffer(10)},
    "hold of blocks": lambda: {"hold": 0.01, "sink": RingBuffer(10)},
    "hold that splits steps": lambda: {"hold": 0.0003, "steps": 18, "realtime": throttle()},
}


@pytest.mark.parametrize("watched", WATCHED)
def test_programs_are_compiled_before_the_control_is_called(watched: str, order: list[str]) -> None:
    run(order, **WATCHED[watched]())
    assert order[0] == "compile"
    assert "compile" not in order[order.index("control") :]


def test_nothing_is_compiled_once_the_wall_clock_runs(order: list[str]) -> None:
    """Adaptive methods may take many steps between samples: they are interpreted. Without a clock they are compiled."""
    options: dict[str, Any] = {"integrator": AdaptiveMuntheKaas(rtol=1e-12, atol=1e-12), "dt": 1.0}
    paced = run(order, 1000, realtime=throttle(), **options)
    assert set(order) == {"control"}
    order.clear()
    free = run(order, 1000, **options)
    assert order[0] == "control"
    assert "compile" in order
    assert (paced.q == free.q).all()


@pytest.mark.parametrize("watched", ["nobody", "wall clock", "monitor", "hold"])
def test_the_disk_cache_is_searched_once_in_an_interpreted_run(watched: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a hold of few steps twice: for its blocks, and for the steps between close instants."""
    searched = list[ArrayExecutable]()

    def noted(self: ArrayExecutable) -> bool:
        searched.append(self)
        return False

    monkeypatch.setattr(ArrayExecutable, "load", noted)
    monkeypatch.setattr(native, "is_loaded", lambda: True)
    run([], 8, **WATCHED[watched]())
    assert len(searched) == (2 if watched == "hold" else 1)
