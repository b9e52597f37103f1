"""Controls of ContactSimulator are guarded as those of `simulate`."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import ContactSimulator
from rbd.errors import ArgumentError, ShapeError

HAND, MODEL = rbd.robots.hand()


def test_a_control_may_not_change_the_state() -> None:
    state = rbd.MechanismState(HAND)
    simulator = ContactSimulator(HAND, MODEL, lambda t, s: s.set_velocity(np.ones(HAND.nv)), 1e-3)
    with pytest.raises(ArgumentError, match="control changed the state") as caught:
        simulator.run(state, 0.01)
    assert caught.value.__notes__ == ["raised by control(t, state) at t = 0.0"]
    assert not state.v.any()


def test_errors_of_a_control_are_annotated_with_the_time() -> None:
    def fail(t: float, state: rbd.MechanismState) -> None:
        if t > 0.0015:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        ContactSimulator(HAND, MODEL, fail, 1e-3).run(rbd.MechanismState(HAND), 0.01)
    assert caught.value.__notes__ == ["raised by control(t, state) at t = 0.002"]
    with pytest.raises(ShapeError) as wrong:
        ContactSimulator(HAND, MODEL, lambda t, s: np.zeros(2), 1e-3).run(rbd.MechanismState(HAND), 0.01)
    assert "at t = 0.0" in wrong.value.__notes__[0]
