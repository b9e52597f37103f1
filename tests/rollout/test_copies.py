"""Copies of worlds: they go on with the same bits, and leave the original alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from tests.rollout.samples import LEGS, quadrupeds, starts

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
NAMES = ("q", "v", "t", "status", "stopped", "contact_forces")


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_copies_go_on_with_the_same_bits(copied: Callable[[Any], Any]) -> None:
    worlds = rbd.rollout.Worlds(rbd.robots.arm7(), count=4, dt=1e-3, parameters=["damping"], threads=1)
    rng = np.random.default_rng(0)
    q, v, tau = rng.standard_normal((3, 4, 7))
    v[2] = 1e200
    worlds.reset(q=q, v=v, damping=rng.uniform(0, 1, (4, 7)))
    worlds.step(tau, 5)
    twin = copied(worlds)
    assert twin.explain(2) == worlds.explain(2) != "no error"
    at = twin.q.copy()
    worlds.step(steps=5)
    np.testing.assert_array_equal(twin.q, at)  # the original does not move its copy
    twin.step(steps=5)  # with the actions of the original
    for name in NAMES:
        np.testing.assert_array_equal(getattr(twin, name), getattr(worlds, name), name)
    np.testing.assert_array_equal(twin.parameters["damping"], worlds.parameters["damping"])
    assert np.isfinite(twin.t).all()
    assert not np.array_equal(twin.q, at)


def test_worlds_with_contact_can_be_pickled() -> None:
    worlds = quadrupeds(2)
    worlds.reset(None, *starts(2))
    worlds.step(LEGS, 60)
    twin = pickle.loads(pickle.dumps(worlds))
    for each in (worlds, twin):
        each.step(steps=10)
    assert worlds.contact_forces.any()
    for name in NAMES:
        np.testing.assert_array_equal(getattr(twin, name), getattr(worlds, name), name)
