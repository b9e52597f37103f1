"""Rollouts in machine code: bitwise equal to single steps, for all combinations of batch axes."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd import native
from rbd.errors import NotFiniteError, ShapeError, SingularError
from rbd.scalars.arrays import Array
from tests.algorithms.helpers import Case, case

pytestmark = pytest.mark.optimised

STEPS, DT = 7, 0.01
INTEGRATORS = ("munthe-kaas-rk4", "semi-implicit-euler")


@pytest.fixture(scope="module")
def sample() -> Case:
    return case("floating tree", seed=2, bodies=4, passive=True)


@pytest.fixture(scope="module")
def robot(sample: Case) -> rbd.CompiledRobot:
    return rbd.compile(sample.mechanism)


def start(sample: Case, lead: tuple[int, ...]) -> tuple[Array, Array]:
    """Return random q and v with these batch axes."""
    qs, vs, state = [], [], rbd.MechanismState(sample.mechanism)
    for _ in range(int(np.prod(lead, dtype=int))):
        state.randomize(sample.rng)
        qs.append(state.q.copy())
        vs.append(state.v.copy())
    return np.array(qs).reshape(*lead, -1), np.array(vs).reshape(*lead, -1)


def by_steps(robot: rbd.CompiledRobot, q: Array, v: Array, tau: Array, dt: object, name: str) -> tuple[Array, Array]:
    """Return the rollout that `step` makes; `tau` has a row per step, before its last axis."""
    qs, vs = [q], [v]
    for k in range(tau.shape[-2]):
        q, v = robot.step(q, v, tau[..., k, :], dt, integrator=name)
        qs.append(q)
        vs.append(v)
    return np.stack(qs, axis=-2), np.stack(vs, axis=-2)


def same(found: tuple[Array, Array], expected: tuple[Array, Array]) -> None:
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        assert a.flags.c_contiguous
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("lead", [(), (1,), (3,), (11,), (2, 5)])
def test_constant_torques(sample: Case, robot: rbd.CompiledRobot, lead: tuple[int, ...], integrator: str) -> None:
    q, v = start(sample, lead)
    tau = sample.rng.uniform(-1, 1, (*lead, robot.mechanism.nv))
    expected = by_steps(robot, q, v, np.stack([tau] * STEPS, axis=-2), DT, integrator)
    same(robot.rollout(q, v, tau, DT, STEPS, integrator=integrator), expected)


@pytest.mark.parametrize("lead", [(), (3,), (11,), (2, 5)])
def test_torques_of_every_step(sample: Case, robot: rbd.CompiledRobot, lead: tuple[int, ...]) -> None:
    q, v = start(sample, lead)
    tau = sample.rng.uniform(-1, 1, (*lead, STEPS, robot.mechanism.nv))
    same(robot.rollout(q, v, tau, DT, STEPS), by_steps(robot, q, v, tau, DT, INTEGRATORS[0]))


def test_batch_axes_broadcast(sample: Case, robot: rbd.CompiledRobot) -> None:
    nv = robot.mechanism.nv
    q, v = start(sample, (4,))
    series = sample.rng.uniform(-1, 1, (1, STEPS, nv))
    whole = np.broadcast_to(series, (4, STEPS, nv))
    same(
        robot.rollout(q, v[0], series, DT, STEPS), by_steps(robot, q, np.tile(v[0], (4, 1)), whole, DT, INTEGRATORS[0])
    )
    dt = np.array([0.01, 0.02, 0.005, 0.01])
    held = np.zeros((4, STEPS, nv))
    same(robot.rollout(q, v, np.zeros(nv), dt, STEPS), by_steps(robot, q, v, held, dt, INTEGRATORS[0]))
    one = by_steps(robot, np.tile(q[0], (4, 1)), np.tile(v[0], (4, 1)), held, dt, INTEGRATORS[0])
    same(robot.rollout(q[0], v[0], np.zeros(nv), dt, STEPS), one)


def test_parameters_with_a_batch(sample: Case) -> None:
    robot = rbd.compile(sample.mechanism, ["gravity"])
    q, v = start(sample, (3,))
    gravity = sample.rng.uniform(-9, 9, (3, 3))
    qs, vs = robot.rollout(q, v, np.zeros(robot.mechanism.nv), DT, STEPS, gravity=gravity)
    for k in range(3):
        one = robot.rollout(q[k], v[k], np.zeros(robot.mechanism.nv), DT, STEPS, gravity=gravity[k])
        same((qs[k], vs[k]), one)


@pytest.mark.parametrize("threads", [2, 3, 50])
def test_results_with_threads_are_bitwise_equal(sample: Case, robot: rbd.CompiledRobot, threads: int) -> None:
    q, v = start(sample, (37,))
    tau = sample.rng.uniform(-1, 1, (37, STEPS, robot.mechanism.nv))
    same(robot.rollout(q, v, tau, DT, STEPS, threads=threads), robot.rollout(q, v, tau, DT, STEPS))


def test_inputs_are_not_changed(sample: Case, robot: rbd.CompiledRobot) -> None:
    arrays = (*start(sample, (3,)), np.ones((3, robot.mechanism.nv)))
    copies = [array.copy() for array in arrays]
    robot.rollout(*arrays, DT, STEPS)
    assert all((array == copy).all() for array, copy in zip(arrays, copies, strict=True))


@pytest.mark.parametrize("lead", [(), (3,), (2, 5)])
def test_results_are_written_to_out(sample: Case, robot: rbd.CompiledRobot, lead: tuple[int, ...]) -> None:
    q, v = start(sample, lead)
    tau = np.ones((*lead, STEPS, robot.mechanism.nv))
    expected = robot.rollout(q, v, tau, DT, STEPS)
    out = tuple(np.empty_like(x) for x in expected)
    found = robot.rollout(q, v, tau, DT, STEPS, out=out)
    assert all(a is b for a, b in zip(found, out, strict=True))
    same(found, expected)
    expected = robot.step(q, v, tau[..., 0, :], DT)
    for _ in range(15):  # in the end by a builtin
        out = tuple(np.full_like(x, np.nan) for x in expected)
        found = robot.step(q, v, tau[..., 0, :], DT, out=out)
        assert all(a is b for a, b in zip(found, out, strict=True))
        same(found, expected)


def test_out_is_checked_and_unchanged_when_a_step_fails(sample: Case, robot: rbd.CompiledRobot) -> None:
    q, v = start(sample, (3,))
    tau = np.ones(robot.mechanism.nv)
    expected = robot.rollout(q, v, tau, DT, STEPS)
    out = tuple(np.full_like(x, 7.0) for x in expected)
    for wrong in (out[:1], (out[0][1:], out[1]), (out[0], out[1].astype(np.float32))):
        with pytest.raises(ShapeError, match="out"):
            robot.rollout(q, v, tau, DT, STEPS, out=wrong)
    with pytest.raises((NotFiniteError, SingularError)):
        robot.rollout(q, v, 1e200 * tau, DT, STEPS, out=out)
    assert all((x == 7.0).all() for x in out)


def test_empty_batches_and_no_steps(sample: Case, robot: rbd.CompiledRobot) -> None:
    q, v = start(sample, (2,))
    tau = np.zeros(robot.mechanism.nv)
    assert [x.shape for x in robot.rollout(q[:0], v[:0], tau, DT, STEPS)] == [
        (0, STEPS + 1, q.shape[1]),
        (0, STEPS + 1, v.shape[1]),
    ]
    same(robot.rollout(q, v, tau, DT, 0), (q[:, None], v[:, None]))
    same(robot.rollout(q, v, np.zeros((2, 0, tau.size)), DT, 0), (q[:, None], v[:, None]))


def test_interpreted(sample: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    q, v = start(sample, (2,))
    tau = sample.rng.uniform(-1, 1, (2, STEPS, len(v[0])))
    fast = rbd.compile(sample.mechanism)
    expected = fast.rollout(q, v, tau, DT, STEPS), fast.rollout(q[0], v[0], tau[0, 0], DT, 2)
    monkeypatch.setattr(native, "available", lambda: False)
    monkeypatch.setattr(native, "warn_interpreted", lambda: None)
    slow = rbd.compile(sample.mechanism)
    same(slow.rollout(q, v, tau, DT, STEPS), expected[0])
    same(slow.rollout(q[0], v[0], tau[0, 0], DT, 2), expected[1])


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_name_the_first_failed_step(sample: Case, robot: rbd.CompiledRobot, threads: int) -> None:
    q, v = start(sample, (21,))
    tau = np.zeros((21, STEPS, robot.mechanism.nv))
    tau[4, 5, 1] = np.nan
    tau[18, 3, 2] = np.inf
    with pytest.raises(NotFiniteError, match=r"tau\[2\] is not finite in row 18") as caught:
        robot.rollout(q, v, tau, DT, STEPS, threads=threads)
    assert caught.value.__notes__ == [f"in step 3 of {STEPS}"]
    with pytest.raises(NotFiniteError, match=r"tau\[1\] is not finite\n") as caught:
        robot.rollout(q[4], v[4], tau[4], DT, STEPS)
    assert caught.value.__notes__ == [f"in step 5 of {STEPS}"]


@pytest.mark.parametrize("lead", [(), (2,)])
def test_errors_without_a_compiler_name_the_step(
    sample: Case, lead: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "available", lambda: False)
    monkeypatch.setattr(native, "warn_interpreted", lambda: None)
    q, v = start(sample, lead)
    tau = np.zeros((*lead, STEPS, sample.mechanism.nv))
    tau[..., 1, 0] = np.nan
    with pytest.raises(NotFiniteError, match=r"tau\[0\] is not finite") as caught:
        rbd.compile(sample.mechanism).rollout(q, v, tau, DT, STEPS)
    assert caught.value.__notes__ == [f"in step 1 of {STEPS}"]


def test_overflow_raises(robot: rbd.CompiledRobot, sample: Case) -> None:
    q, v = start(sample, ())
    with pytest.raises((NotFiniteError, SingularError)) as caught:
        robot.rollout(q, v, np.full(robot.mechanism.nv, 1e9), 10.0, 500)
    assert "in step" in caught.value.__notes__[0]


def test_wrong_shapes_are_named(sample: Case, robot: rbd.CompiledRobot) -> None:
    q, v = start(sample, (3,))
    nv = robot.mechanism.nv
    for arrays in ((q, v, np.zeros((3, STEPS + 1, nv))), (q, v[:2], np.zeros(nv)), (q[:, :-1], v, np.zeros(nv))):
        with pytest.raises(ShapeError):
            robot.rollout(*arrays, DT, STEPS)
    with pytest.raises(NotFiniteError, match="dt"):
        robot.rollout(q, v, np.zeros(nv), np.nan, STEPS)


@pytest.mark.parametrize("shape", [(99, 2), (1, 2), (5, 100, 2), (5, 99, 2)])
def test_torques_with_the_wrong_number_of_rows_are_no_batch(shape: tuple[int, ...]) -> None:
    robot = rbd.compile(rbd.robots.double_pendulum())
    with pytest.raises(ShapeError, match=r"for 100 steps tau is \(2,\) or \(100, 2\)") as caught:
        robot.rollout(np.zeros(2), np.zeros(2), np.zeros(shape), 1e-3, 100)
    assert caught.value.expected == (100, 2)
    with pytest.raises(ShapeError, match="no such batch axes"):
        robot.rollout(np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 99, 2)), 1e-3, 100)
