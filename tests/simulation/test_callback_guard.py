"""What a simulation calls may not change the state: event functions, monitors, sinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError
from rbd.simulation import Event, InMemory, Monitor, Sink, Trajectory
from rbd.simulation.simulate import IntegratorName

INTEGRATORS: list[IntegratorName] = ["munthe-kaas-rk4", "semi-implicit-euler", "dormand-prince", "variational-midpoint"]
Change = Callable[[], None]


class Meddling(Monitor, Sink):
    """A monitor and a sink that changes the state in one of its methods."""

    def __init__(self, method: str, change: Change) -> None:
        self._method, self._change, self._kept = method, change, InMemory()

    def _called(self, method: str) -> None:
        if method == self._method:
            self._change()

    def begin(self, sizes: Any = None) -> None:
        if sizes is not None:
            self._kept.begin(sizes)
        self._called("begin")

    def observe(self, t: float, state: rbd.MechanismState, s: np.ndarray) -> None:
        self._called("observe")

    def store(self, t: float, q: np.ndarray, v: np.ndarray, s: np.ndarray) -> None:
        self._kept.store(t, q, v, s)
        self._called("store")

    def finish(self) -> Trajectory:
        return self._kept.finish()


def event(change: Change) -> dict[str, Any]:
    def function(t: float, state: rbd.MechanismState) -> float:
        if t > 0.025:
            change()
        return 1.0

    return {"events": [Event(function)]}


OUTPUTS: dict[str, tuple[Callable[[Change], dict[str, Any]], str]] = {
    "event function": (event, "event function(t, state) at t = 0.03"),
    "monitor.begin": (lambda change: {"monitors": [Meddling("begin", change)]}, "monitor.begin() at t = 0.0"),
    "monitor.observe": (
        lambda change: {"monitors": [Meddling("observe", change)]},
        "monitor.observe(t, state, s) at t = 0.0",
    ),
    "sink.begin": (lambda change: {"sink": Meddling("begin", change)}, "sink.begin(sizes) at t = 0.0"),
    "sink.store": (lambda change: {"sink": Meddling("store", change)}, "sink.store(t, q, v, s) at t = 0.0"),
}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("called", OUTPUTS)
def test_what_a_simulation_calls_may_not_change_the_state(called: str, integrator: IntegratorName) -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0], v=[0.1, 0.0])
    options, where = OUTPUTS[called]
    arguments = options(lambda: state.set_velocity([1.0, 1.0]))
    with pytest.raises(ArgumentError, match=rf"^{called} changed the state") as caught:
        rbd.simulate(state, 0.1, dt=0.01, integrator=integrator, **arguments)
    assert [caught.value.argument] == list(arguments)
    assert caught.value.__notes__ == [f"raised by {where}"]
    assert state.q.tolist() == [0.3, 0.0]
    assert state.v.tolist() == [0.1, 0.0]
