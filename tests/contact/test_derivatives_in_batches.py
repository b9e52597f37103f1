"""Derivatives of steps with hard contact in batches: bits of single states, differences, statuses, switches per row."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rbd
from rbd.bridges.pullback import pullback
from rbd.compiled import RecordedFunction
from rbd.contact import CollisionModel, ContactStepDerivatives, contact_step, contact_step_derivatives
from rbd.errors import NotFiniteError, ScalarError, ShapeError, SingularError
from rbd.scalars.arrays import Array
from tests.contact.test_derivatives import TURNING, free_body, hand
from tests.plugins.optimisation import cached_by_level

pytestmark = pytest.mark.optimised

BLOCKS = [field.name for field in attrs.fields(ContactStepDerivatives)]
MARGIN = 0.2
Model = tuple[rbd.Mechanism, CollisionModel]


def thrown(rng: np.random.Generator, count: int) -> tuple[Array, Array, Array]:
    """Return states of a free body near the floor, and torques."""
    rotation = rng.standard_normal((count, 4)) * [0, 0.3, 0.3, 0.3] + [1, 0, 0, 0]
    q = np.concatenate([rotation, rng.uniform(-1, 1, (count, 2)), rng.uniform(0.08, 0.2, (count, 1))], axis=1)
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    v = rng.standard_normal((count, 6)) + [0, 0, 0, 0, 0, -1.0]
    return q, v, rng.standard_normal((count, 6))


def grasping(rng: np.random.Generator, count: int) -> tuple[Array, Array, Array]:
    """Return states of the hand with bent fingers, and torques that close it."""
    q = rng.uniform(-0.2, 0.2, (count, 13))
    q[:, [2, 3, 5, 6, 8, 9]] -= 1.2
    return q, rng.standard_normal((count, 13)), rng.standard_normal((count, 13)) - 3


SCENES: dict[str, tuple[Callable[[], Any], Callable[..., tuple[Array, Array, Array]], float]] = {
    "sliding box": (lambda: free_body("box", [1, 0, 0, 0, 0, 0, 1.0], [0.0] * 6), thrown, 0.01),
    "rolling ball": (lambda: free_body("ball", [1, 0, 0, 0, 0, 0, 1.0], [0.0] * 6, **TURNING), thrown, 0.01),
    "hand": (lambda: hand(0), grasping, 0.3),
}


QUICK = pytest.mark.optimised(False)
NAMES = [pytest.param(name, marks=[] if name == "sliding box" else [QUICK]) for name in SCENES]
"""Bits of optimised code are those of one scene: the others have other programs of the same operations."""


@cache
def scene(name: str) -> Model:
    state, model, _ = SCENES[name][0]()
    return state.mechanism, model


@cached_by_level
def recorded(name: str) -> tuple[RecordedFunction, RecordedFunction]:
    """Return the step and its derivatives, of q, v, torques, dt and friction."""
    mechanism, model = scene(name)

    def step(state: rbd.ScalarState, tau: Any, dt: Any, friction: Any) -> Any:
        found = contact_step(state, model, tau, dt, friction=friction, margin=MARGIN)
        return {"q": found.q, "v": found.v}

    def derivatives(state: rbd.ScalarState, tau: Any, dt: Any, friction: Any) -> Any:
        return contact_step_derivatives(state, model, tau, dt, friction=friction, margin=MARGIN)

    shapes: dict[str, Any] = {"tau": mechanism.nv, "dt": (), "friction": ()}
    return rbd.record(step, mechanism, **shapes), rbd.record(derivatives, mechanism, **shapes)


def drawn(name: str, seed: int, count: int) -> tuple[Array, ...]:
    _, draw, dt = SCENES[name]
    rng = np.random.default_rng(seed)
    return *draw(rng, count), np.full(count, dt), rng.uniform(0.1, 0.9, count)


def require_same(a: ContactStepDerivatives, b: ContactStepDerivatives, row: int) -> None:
    for block in BLOCKS:
        np.testing.assert_array_equal(getattr(a, block), getattr(b, block)[row], err_msg=block)


@pytest.mark.parametrize("name", NAMES)
def test_rows_have_the_bits_of_single_states(name: str) -> None:
    (mechanism, model), (_, function) = scene(name), recorded(name)
    q, v, tau, dt, friction = drawn(name, 0, 21)
    batch = ContactStepDerivatives(*function(q, v, tau, dt, friction))
    assert batch.v_by_q.shape == (21, mechanism.nv, mechanism.nv)
    assert batch.at_switch.shape == (21, len(model.pairs))
    two = ContactStepDerivatives(*function(q, v, tau, dt, friction, threads=2))
    for k in range(21):
        require_same(ContactStepDerivatives(*function(q[k], v[k], tau[k], dt[k], friction[k])), batch, k)
        state = rbd.MechanismState(mechanism, q[k], v[k])
        live = contact_step_derivatives(state, model, tau[k], dt[k], friction=friction[k], margin=MARGIN)
        require_same(live, batch, k)
        assert live.undecided == tuple(np.flatnonzero(batch.at_switch[k]))
    require_same(two, batch, slice(None))  # type: ignore[arg-type]  # all rows


def neighbours(name: str, seed: int, h: float) -> tuple[tuple[Array, ...], rbd.Mechanism]:
    """Return a state, then those beside it by h and -h along each velocity, in v, and in the torques."""
    mechanism, _ = scene(name)
    q, v, tau, dt, friction = (x[0] for x in drawn(name, seed, 1))
    state, rows = rbd.MechanismState(mechanism, q, v), [(q, v, tau)]
    for sign in (h, -h):
        for unit in sign * np.eye(mechanism.nv):
            there = rbd.MechanismState(mechanism)
            there.global_coordinates(state.q, unit)
            rows.append((there.q.copy(), v, tau))
        rows += [(q, v + unit, tau) for unit in sign * np.eye(mechanism.nv)]
        rows += [(q, v, tau + unit) for unit in sign * np.eye(mechanism.nv)]
    columns = (np.array(column) for column in zip(*rows, strict=True))
    return (*columns, dt, friction), mechanism


@QUICK
@pytest.mark.parametrize("name", SCENES)
@given(seed=st.integers(0, 10**6))
def test_derivatives_are_those_of_central_differences_where_steps_are_smooth(name: str, seed: int) -> None:
    h, (step, function) = 1e-6, recorded(name)
    arguments, mechanism = neighbours(name, seed, h)
    found = ContactStepDerivatives(*function(*arguments, threads=1))
    by_v = np.concatenate([found.v_by_q, found.v_by_v, found.v_by_torques], axis=2)
    by_q = np.concatenate([found.q_by_q, found.q_by_v, found.q_by_torques], axis=2)
    scale = 1 + np.abs(by_v[0]).max()
    assume(np.abs(by_v - by_v[0]).max() < 1e-2 * scale and np.abs(by_q - by_q[0]).max() < 1e-2 * scale)  # no switch
    q, v = step(*arguments)
    ahead, back = (np.arange(3 * mechanism.nv) + start for start in (1, 1 + 3 * mechanism.nv))
    np.testing.assert_allclose(by_v[0].T, (v[ahead] - v[back]) / (2 * h), rtol=0, atol=2e-6 * scale)
    for k, (a, b) in enumerate(zip(ahead, back, strict=True)):
        apart = rbd.MechanismState(mechanism, q[a]).local_coordinates(q[b])[0]
        np.testing.assert_allclose(by_q[0][:, k], np.asarray(apart) / (2 * h), rtol=0, atol=2e-6 * scale)


@QUICK
def test_bad_rows_have_statuses_and_the_others_their_bits() -> None:
    _, function = recorded("rolling ball")
    q, v, tau, dt, friction = drawn("rolling ball", 3, 8)
    good = ContactStepDerivatives(*function(q, v, tau, dt, friction))
    q[1, 6], v[4, 2], tau[6, 0], v[7, 5] = np.nan, np.inf, np.nan, 1e300
    with pytest.raises(NotFiniteError, match=r"q\[6\] is not finite in row 1"):
        function(q, v, tau, dt, friction)
    status = rbd.RowStatus()
    found = ContactStepDerivatives(*function(q, v, tau, dt, friction, status=status, threads=2))
    assert np.flatnonzero(status.failed).tolist() == [1, 4, 6, 7]
    assert status.explain(4) == "v[2] is not finite"
    for row in (0, 2, 3, 5):
        for block in BLOCKS:
            np.testing.assert_array_equal(getattr(found, block)[row], getattr(good, block)[row])
    assert np.isnan(found.v_by_v[[1, 4, 6, 7]]).all()


@QUICK
def test_rows_without_a_positive_dt_or_with_impossible_friction_fail() -> None:
    given = drawn("rolling ball", 3, 6)
    *_, dt, friction = given
    for function in recorded("rolling ball"):
        good = function(*given)
        wrong_dt, wrong_friction, status = dt.copy(), friction.copy(), rbd.RowStatus()
        wrong_dt[[1, 2]], wrong_friction[[4, 5]] = (-1e-3, 0.0), (-0.5, 1e300)
        found = function(*given[:3], wrong_dt, wrong_friction, status=status)
        assert np.flatnonzero(status.failed).tolist() == [1, 2, 4, 5]
        assert status.explain(2).startswith("dt must be positive")
        assert status.explain(4).startswith("friction, unless it is zero, must be positive")
        assert status.explain(5).startswith("100 less friction must be positive")
        for a, b in zip(found, good, strict=True):
            np.testing.assert_array_equal(np.asarray(a)[[0, 3]], np.asarray(b)[[0, 3]])
        with pytest.raises(SingularError, match="dt must be positive"):
            function(*(x[0] for x in given[:3]), -1e-3, 0.5)
        _ = function(*(x[0] for x in given[:3]), 1e-3, 0.0)


@QUICK
def test_each_row_names_its_pairs_at_a_switch() -> None:
    """Rows: a gap of zero, a clear overlap, a ball in the air, a gap that just closes."""
    _, function = recorded("rolling ball")
    q = np.tile([1, 0, 0, 0, 0, 0, 0.1], (4, 1))
    q[:, 6] += [0.0, -0.001, 0.05, 0.002]
    v = np.tile([3.0, 4.0, 9.0, 2.0, 1.0, -1.0], (4, 1))
    v[3] = [0, 0, 0, 0, 0, 9.81 * 0.01 - 0.2]
    found = ContactStepDerivatives(*function(q, v, np.zeros(6), 0.01, 0.3))
    assert found.at_switch.tolist() == [[1], [0], [0], [1]]
    assert repr(found) == "<derivatives of a contact step: six of shape (4, 6, 6)>"
    with pytest.raises(ShapeError, match="at_switch has a row"):
        _ = found.undecided


@QUICK
def test_pullbacks_of_the_bridges_are_those_of_steps() -> None:
    step, function = recorded("rolling ball")
    arguments = drawn("rolling ball", 5, 6)
    weights = np.arange(6.0)
    _, by_v, by_tau, *_ = pullback(step.program)(*arguments, np.zeros(7), weights)
    found = ContactStepDerivatives(*function(*arguments))
    for gradient, block in ((by_v, found.v_by_v), (by_tau, found.v_by_torques)):
        wanted = weights @ block
        np.testing.assert_allclose(gradient, wanted, rtol=0, atol=1e-9 * (1 + np.abs(wanted).max()))


@QUICK
def test_round_cones_have_no_derivatives_in_recorded_steps_either() -> None:
    mechanism = rbd.robots.quadruped()
    model = rbd.robots.quadruped_collision_model(mechanism, friction_cone="round")
    step = rbd.record(lambda state: contact_step(state, model, None, 1e-3, friction=0.5).v, mechanism)
    with pytest.raises(ScalarError, match="no derivative of project_on_cones"):
        step.derivative("result", "v")


@pytest.mark.deep
def test_a_quadruped_on_its_feet() -> None:
    mechanism, model = (robot := rbd.robots.quadruped()), rbd.robots.quadruped_collision_model(robot)
    rng, count = np.random.default_rng(2), 50
    q = np.tile(rbd.robots.quadruped_configuration(), (count, 1))
    q[:, 6] += rng.uniform(-1e-3, 5e-3, count)
    q[:, 7:] += 0.05 * rng.standard_normal((count, 12))
    v, tau = 0.3 * rng.standard_normal((count, 18)), rng.standard_normal((count, 18))

    def derivatives(state: rbd.ScalarState, tau: Any, dt: Any, friction: Any) -> Any:
        return contact_step_derivatives(state, model, tau, dt, friction=friction)

    function = rbd.record(derivatives, mechanism, tau=18, dt=(), friction=())
    batch = ContactStepDerivatives(*function(q, v, tau, 2e-3, 0.7, threads=2))
    assert not batch.at_switch.any()
    for k in range(count):
        state = rbd.MechanismState(mechanism, q[k], v[k])
        require_same(contact_step_derivatives(state, model, tau[k], 2e-3, friction=0.7), batch, k)
        ends = []
        unit = rng.standard_normal(18)
        for h in (1e-6, -1e-6):
            there = rbd.MechanismState(mechanism, q[k], v[k] + h * unit)
            ends.append(np.asarray(contact_step(there, model, tau[k], 2e-3, friction=0.7).v))
        scale = 1 + np.abs(batch.v_by_v[k]).max()
        np.testing.assert_allclose(batch.v_by_v[k] @ unit, (ends[0] - ends[1]) / 2e-6, rtol=0, atol=1e-5 * scale)
