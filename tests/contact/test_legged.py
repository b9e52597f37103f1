"""A robot on four feet: the motion of the active-set method, bits alone and in batches."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import CollisionModel, ContactSimulator
from rbd.contact.dynamics.gauss_principle import nearest_motion_by_active_set
from rbd.contact.model.evaluation import as_tuple
from rbd.contact.stepping.options import MARGIN, ContactStepOptions
from rbd.contact.stepping.solution import Method, solved_step, step_results
from rbd.scalars import ScalarArray
from rbd.scalars.arrays import Array

pytestmark = pytest.mark.optimised

DT, MU = 2e-3, 0.7
STANDING = rbd.robots.quadruped_configuration()


def legged() -> CollisionModel:
    return rbd.robots.quadruped_collision_model(rbd.robots.quadruped())


def trot(t: float, q: Array, v: Array) -> Array:
    """Return the torques of a PD control towards feet that go up and down in turn."""
    swing = 0.25 * np.sin(12 * t + np.repeat([0, np.pi, np.pi, 0], 3)) * np.tile([0.2, 1, -2], 4)
    return np.concatenate([np.zeros(6), 60 * (STANDING[7:] + swing - q[7:]) - 1.0 * v[6:]])


def step_of(model: CollisionModel, method: Method | None = None) -> RecordedFunction:
    """Return the step as a function of q, v and torques."""

    def step(state: rbd.ScalarState, torques: ScalarArray) -> dict[str, object]:
        mu, dt, margin = (state.lifted(x) for x in (MU, DT, MARGIN))
        solved = solved_step(model.pairs, state, tuple(torques), dt, ContactStepOptions(mu, margin), method)
        found = step_results(solved, len(model.pairs))
        return {name: found[name] for name in ("q", "v", "kkt_residual", "impulses")}

    return rbd.record(step, model.mechanism, torques=model.mechanism.nv)


@pytest.mark.parametrize("speed", [0.0, 0.6])
def test_a_second_of_trotting_is_that_of_the_active_set_method(speed: float) -> None:
    model, q, v = legged(), STANDING + 0.01 * np.eye(19)[6], np.zeros(18)
    v[3] = speed
    state = rbd.MechanismState(model.mechanism, q, v)

    def control(t: float, now: rbd.MechanismState) -> Array:
        return trot(t, np.array(now.q), np.array(now.v))

    found = ContactSimulator(model.mechanism, model, control, DT, friction=MU).run(state, 1.0)
    exact, touching = step_of(model, nearest_motion_by_active_set), 0
    for k in range(500):
        q, v, residual, impulses = (np.array(x) for x in as_tuple(exact(q, v, trot(k * DT, q, v))))
        touching += int((impulses > 0).sum())
        assert residual < 1e-9
        np.testing.assert_allclose(found.q[k + 1], q, rtol=0, atol=1e-6)
        np.testing.assert_allclose(found.v[k + 1], v, rtol=0, atol=1e-6)
    assert 200 < touching < 1900  # feet are lifted, and come down again


def states(count: int) -> tuple[Array, Array, Array]:
    """Return robots above, on and in the floor, sliding and at rest, with their torques."""
    rng = np.random.default_rng(0)
    q = np.tile(STANDING, (count, 1))
    q[:, 6] -= rng.uniform(-0.012, 0.002, count)
    q[:, 7:] += rng.normal(size=(count, 12)) * rng.choice([0, 0.05], (count, 1))
    v = rng.normal(size=(count, 18)) * rng.choice([0, 0.1, 1.0], (count, 1))
    return q, v, np.array([trot(0.1 * k, q[k], v[k]) for k in range(count)])


def test_steps_alone_in_batches_and_on_threads_have_the_same_bits() -> None:
    step = step_of(legged())
    given = states(45)
    outputs = [np.array(x) for x in as_tuple(step(*given))]
    assert (outputs[2] < 1e-9).all()
    assert len(np.unique((outputs[3] > 0).sum(axis=1))) > 2
    for a, b in zip(outputs, as_tuple(step(*given, threads=2)), strict=True):
        assert np.array_equal(a, b)
    for a, b in zip(outputs, as_tuple(step(*(x[::-1].copy() for x in given))), strict=True):
        assert np.array_equal(a, np.array(b)[::-1])
    for k in range(45):
        for a, b in zip(outputs, as_tuple(step(*(x[k] for x in given))), strict=True):
            assert np.array_equal(a[k], np.array(b))


def test_the_interpreter_has_these_bits_too() -> None:
    step = step_of(legged())
    given = states(3)
    outputs = [np.array(x) for x in as_tuple(step(*given))]
    for k in range(3):
        flat, status = step.program.interpret_flat([float(x) for array in given for x in array[k]])
        assert status == 0
        assert flat == [float(x) for array in outputs for x in np.atleast_1d(array[k])]
