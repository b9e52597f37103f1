"""The contact exercise's loop, against the same loop written with Pinocchio, coal and quadprog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.contact import ContactSimulator
from rbd.scalars import const, cos

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "hand.json").read_text(encoding="utf-8"))
SLOWER = {2: (1, 1), 3: (1, 1), 5: (3, 2), 6: (3, 2), 8: (5, 2), 9: (5, 2)}


def wanted(t: float) -> np.ndarray:
    q = np.zeros(13)
    q[2:4], q[5:7], q[8:10] = (1.5 * np.cos(t / slower) - 1 for slower in (1.0, 1.5, 2.5))
    return q


def control(t: float, state: rbd.MechanismState) -> np.ndarray:
    return -10 * (state.q - wanted(t)) - 2 * np.sqrt(10) * state.v


def test_ten_seconds_of_the_contact_exercise() -> None:
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism)
    simulator = ContactSimulator(mechanism, model, control, 1e-3, bias="tutorial", law="euclidean")
    trajectory = simulator.run(state, 10.0)
    found = [{"step": event.step, "pairs": list(event.pairs)} for event in trajectory.events]
    assert found == GOLDEN["loop"]["events"]
    assert [(event["step"], event["pairs"]) for event in found] == [(2927, [0]), (4131, [1]), (6213, [2]), (9206, [0])]
    np.testing.assert_allclose(trajectory.q[::1000], GOLDEN["loop"]["q"], rtol=0, atol=1e-8)
    assert trajectory.smallest_distance == pytest.approx(GOLDEN["loop"]["smallest_distance"], abs=1e-9)
    assert round(1000 * trajectory.smallest_distance, 2) == -0.85
    np.testing.assert_allclose(state.q, trajectory.q[-1])


def test_recorded_control_gives_the_same_simulation() -> None:
    mechanism, model = rbd.robots.hand()

    def torques(state: rbd.ScalarState, t: Any) -> list[Any]:
        kv = 2 * np.sqrt(10)
        target = [const(3, 2) * cos(t * const(p[1], p[0])) - 1 if (p := SLOWER.get(k)) else 0 for k in range(13)]
        return [-10 * (x - y) - kv * rate for x, y, rate in zip(state.q, target, state.v, strict=True)]

    recorded = rbd.record(torques, mechanism, t=())
    states = [rbd.MechanismState(mechanism) for _ in range(2)]
    runs = [
        ContactSimulator(mechanism, model, law, 1e-3, law="euclidean").run(state, 3.0)
        for law, state in zip((control, recorded), states, strict=True)
    ]
    np.testing.assert_allclose(runs[1].q, runs[0].q, rtol=0, atol=1e-10)
    assert runs[0].events == runs[1].events
    assert [event.step for event in runs[1].events] == [2927]


@pytest.mark.parametrize("number", range(len(GOLDEN["states"])))
def test_distances_and_jacobian_agree_with_other_engines(number: int) -> None:
    golden = GOLDEN["states"][number]
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism, golden["q"])
    np.testing.assert_allclose([d.value for d in model.distances(state)], golden["distances"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(model.jacobian(state), golden["rows"], rtol=0, atol=1e-13)
