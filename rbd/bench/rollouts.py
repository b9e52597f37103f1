"""Benchmarks of short rollouts: one call of `rollout` against a loop over `step`, of compiled robots from Python."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from rbd.bench.contender import Contender, call_until_builtin, repeated
from rbd.bench.rbd_engine import RbdEngine
from rbd.bench.simulations import DT, INTEGRATORS, STEP_LOOP, IntegrationMethod
from rbd.scalars.arrays import Array

ROLLOUT: Final = "rbd rollout"
STEPS: Final = 10
"""Steps of a rollout."""


def short_rollout(engine: RbdEngine, method: IntegrationMethod) -> Contender:
    """Return the contender that takes all steps in one call."""
    return _contender(engine, partial(_last_of_rollout, engine, method), ROLLOUT)


def short_loop(engine: RbdEngine, method: IntegrationMethod) -> Contender:
    """Return the contender that calls `step` once per step, with the integrator as a keyword."""
    return _contender(engine, partial(_last_of_loop, engine, method), STEP_LOOP)


def _contender(engine: RbdEngine, last: partial[Array], name: str) -> Contender:
    start = engine.samples.q[0], np.zeros(engine.mechanism.nv), np.zeros(engine.mechanism.nv)
    run = partial(last, *start)
    call_until_builtin(run, [()])
    return Contender(name, repeated(run), STEPS, lambda k: run())


def _last_of_rollout(engine: RbdEngine, method: IntegrationMethod, q: Array, v: Array, tau: Array) -> Array:
    configurations, _ = engine.robot.rollout(q, v, tau, DT, STEPS, integrator=INTEGRATORS[method])
    last: Array = configurations[-1]
    return last


def _last_of_loop(engine: RbdEngine, method: IntegrationMethod, q: Array, v: Array, tau: Array) -> Array:
    step, integrator = engine.robot.step, INTEGRATORS[method]
    for _ in range(STEPS):
        q, v = step(q, v, tau, DT, integrator=integrator)
    return q
