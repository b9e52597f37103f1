"""Humanoids that stand on boxes or on capsules: at rest the ground carries exactly their weight, without overlap."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import JointOptions
from rbd.rollout import Worlds
from tests.contact.humanoids import Foot, held, on_feet, standing

STIFFNESS, DAMPING = 2e4, 400.0


@pytest.mark.parametrize("kind", ["box", pytest.param("capsules", marks=pytest.mark.deep)])
def test_the_ground_carries_the_weight_of_a_humanoid_at_rest(kind: Foot) -> None:
    model = on_feet(kind)
    robot, start = model.mechanism, standing(model)
    gains = JointOptions(stiffness=STIFFNESS, damping=DAMPING)
    control = held(model, start, STIFFNESS, DAMPING)
    worlds = Worlds(robot, model, count=1, dt=2e-3, control=control, friction=0.7, joints=gains, threads=1)
    worlds.reset(None, start)
    worlds.step(steps=3000)
    state, weight = rbd.MechanismState(robot, worlds.q[0], worlds.v[0]), float(robot.mass) * 9.81
    assert np.abs(worlds.v).max() < 1e-9
    np.testing.assert_allclose(worlds.contact_forces[0].sum(axis=0), [0, 0, weight], rtol=0, atol=1e-9 * weight)
    assert max(abs(near.value) for near in model.distances(state)) < 1e-12
    assert 1e-3 < np.abs(worlds.q[0] - start).max() < 3e-3  # the joints give way under the weight, and it stands
