"""Benchmarks of short rollouts: the same motion in both contenders, which run in builtins."""

from __future__ import annotations

from types import BuiltinFunctionType

import numpy as np
import pytest

from rbd.bench import robots, rollouts
from rbd.bench.contender import difference
from rbd.bench.rbd_engine import RbdEngine
from rbd.bench.samples import random_samples
from rbd.bench.simulations import IntegrationMethod
from tests.marks import needs_builtins


@pytest.mark.parametrize("method", IntegrationMethod)
def test_a_rollout_and_the_loop_compute_the_same(method: IntegrationMethod) -> None:
    mechanism = robots.robot("double_pendulum")
    engine = RbdEngine(mechanism, random_samples(mechanism, 1))
    mine, loop = rollouts.short_rollout(engine, method), rollouts.short_loop(engine, method)
    assert mine.states == loop.states == 10
    assert difference(mine, loop, [0]) == 0
    assert mine.value is not None
    assert np.abs(mine.value(0) - engine.samples.q[0]).max() > 1e-7  # it moves


@needs_builtins
def test_builtins_are_measured() -> None:
    mechanism = robots.robot("double_pendulum")
    engine = RbdEngine(mechanism, random_samples(mechanism, 1))
    for method in IntegrationMethod:
        rollouts.short_rollout(engine, method)
        rollouts.short_loop(engine, method)
    assert type(engine.robot.rollout) is BuiltinFunctionType
    assert type(engine.robot.step) is BuiltinFunctionType
