"""Loops over time steps: when the callback is called."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

import rbd
from rbd.compiled.specs import step_spec
from rbd.native.builtins.step_loop import RunningLoop
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array
from rbd.simulation.programs.recorded_steps import recorded_step
from rbd.simulation.programs.stage_loop import StageLoop, stage_loop

pytestmark = pytest.mark.skipif(not abi.is_supported(), reason="there is no machine code of loops for this interpreter")


class NoFallback:
    """A fallback of loops that never need one."""

    def convert(self, answer: object, vector: Array) -> None:
        raise AssertionError(answer)

    def changed_state_error(self) -> Exception:
        raise AssertionError

    def failed(self, error: BaseException, t: float) -> None:
        raise AssertionError(t) from error

    def take_step(self, loop: RunningLoop) -> bool:
        raise AssertionError


def made(times: list[float]) -> StageLoop:
    """Return a loop whose callback appends its time to `times`."""
    state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.2])
    program = recorded_step(state.mechanism, "step munthe-kaas-rk4", lambda: step_spec("munthe-kaas-rk4"), None)
    assert program is not None
    assert program.compile() is not None

    def torques(t: float, state: rbd.MechanismState) -> Array:
        times.append(t)
        return np.zeros(2)

    return stage_loop(state, [(program, 0.0)], torques, {"s": 0.0, "error": 0.0}, 8)


def test_a_run_that_does_not_say_when_calls_the_callback_in_all_steps() -> None:
    times, points = list[float](), array("d", (0.0, 0.125, 0.25, 0.375))
    loop = made(times)
    assert loop.run(points, NoFallback(), is_called=b"\1\0\0")
    assert times == [0.0]
    assert loop.run(points, NoFallback())
    assert times == [0.0, 0.0, 0.125, 0.25]
