"""Derivatives of twelve real robots against Pinocchio's, along velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Mechanism, MechanismState, Revolute
from rbd.bench import peers
from rbd.bench.contender import Contender, Quantity, difference
from rbd.bench.ours import Ours
from rbd.bench.robots import without_passive_torques
from rbd.bench.samples import draw

from . import golden
from .golden import Numbers

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("robot", golden.ROBOTS)
def test_real_robots(robot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pinocchio")
    made = golden.joint_type

    def angles(row: dict[str, Any]) -> Any:
        return Revolute(row["axis"]) if row["kind"] == "continuous" else made(row)

    monkeypatch.setattr(golden, "joint_type", angles)
    mechanism = without_passive_torques(golden.from_description(robot))
    ours = Ours(mechanism, draw(mechanism, 3, seed=7))
    try:
        theirs = peers.load("Pinocchio", ours)
    except RuntimeError as error:
        pytest.skip(f"Pinocchio refuses an inertia that its own reader takes: {error}")
    assert theirs is not None
    for quantity in (Quantity.INVERSE_DERIVATIVES, Quantity.FORWARD_DERIVATIVES):
        contender = theirs.single(quantity)
        assert contender is not None
        assert difference(contender, interpreted(mechanism, quantity, ours.samples.rows(quantity)), range(3)) < 1e-10


def interpreted(mechanism: Mechanism, quantity: Quantity, rows: list[tuple[Numbers, ...]]) -> Contender:
    """Return rbd's Python source, run as it is."""
    function = getattr(rbd, quantity.value.replace("derivatives of ", "").replace(" ", "_") + "_derivatives")

    def value(k: int) -> Numbers:
        q, v, last = rows[k]
        found = function(MechanismState(mechanism).with_scalars(q, v), last)
        return np.concatenate([np.asarray(x, dtype=float).ravel() for x in found])

    return Contender("source", lambda times: None, len(rows), value)
