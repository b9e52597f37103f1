"""Status of rows: rows that fail do not take the others along."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rbd
from rbd import native
from rbd.compiled import CompiledRobot, RecordedFunction
from rbd.errors import ArgumentError, NotFiniteError, SingularError
from rbd.solvers import solve_positive_definite

pytestmark = pytest.mark.optimised

THREADS = pytest.mark.parametrize("threads", [1, 2])


def bits(array: Any) -> bytes:
    """Return what two arrays must agree on."""
    return np.asarray(array).tobytes()


@pytest.fixture(scope="module")
def robot() -> CompiledRobot:
    return rbd.compile(rbd.robots.double_pendulum())


def samples(count: int) -> tuple[NDArray[np.float64], ...]:
    rng = np.random.default_rng(7)
    q, v, tau = (rng.uniform(-1, 1, (count, 2)) for _ in range(3))
    return q, v, tau


def solved(state: rbd.ScalarState, a: Any) -> Any:
    """Return a solve whose pivots are called first and second."""
    return solve_positive_definite(((a[0], a[1]), (a[1], a[2])), ((1,), (2,)), ["first", "second"])


def pivots() -> tuple[RecordedFunction, NDArray[np.float64]]:
    """Return a recorded solve, and matrices of which row 4 and row 11 are not positive definite."""
    a = np.tile([2.0, 0.5, 3.0], (20, 1)) + np.arange(20)[:, None] / 7
    a[4, 0], a[11, 2] = -1.0, -1.0
    return rbd.record(solved, rbd.robots.double_pendulum(), a=3), a


@THREADS
def test_good_rows_have_the_bits_they_have_alone(robot: CompiledRobot, threads: int) -> None:
    q, v, tau = samples(100)
    q[17, 1], v[63, 0], tau[98, 1] = np.nan, np.inf, np.nan
    status, failed = rbd.RowStatus(), [17, 63, 98]
    vd = robot.forward_dynamics(q, v, tau, threads=threads, status=status)
    assert np.flatnonzero(status.failed).tolist() == failed
    assert np.isnan(vd[failed]).all()
    for k in set(range(100)) - set(failed):
        assert bits(vd[k]) == bits(robot.forward_dynamics(q[k], v[k], tau[k]))
    found = [status.explain(k) for k in failed]
    assert found == ["q[1] is not finite", "v[0] is not finite", "tau[1] is not finite"]
    assert status.explain(0) == "no error"


def test_failed_rows_are_untouched_in_out(robot: CompiledRobot) -> None:
    q, v, tau = samples(20)
    q[3, 0], out, status = np.nan, np.full((20, 2), 7.0), rbd.RowStatus()
    assert robot.forward_dynamics(q, v, tau, out=out, status=status) is out
    assert (out[3] == 7.0).all()
    assert (out != 7.0).all(axis=1).sum() == 19


def test_the_interpreter_goes_on_too(robot: CompiledRobot, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded, a = pivots()
    compiled, interpreted = rbd.RowStatus(), rbd.RowStatus()
    still = np.zeros(2)
    x = recorded(still, still, a, status=compiled)
    monkeypatch.setattr(native, "available", lambda: False)
    monkeypatch.setattr(native, "warn_interpreted", lambda: None)
    again, _ = pivots()
    assert bits(again(still, still, a, status=interpreted)) == bits(x)
    assert compiled.codes.tolist() == interpreted.codes.tolist()
    assert np.flatnonzero(compiled.codes).tolist() == [4, 11]


@THREADS
def test_explanations_name_the_pivot(threads: int) -> None:
    (recorded, a), status, still = pivots(), rbd.RowStatus(), np.zeros(2)
    recorded(still, still, a, threads=threads, status=status)
    assert status.explain(4).startswith("first must be positive")
    assert status.explain(11).startswith("second must be positive")
    assert str(status).splitlines()[0] == "2 of 20 rows failed"
    assert str(status).splitlines()[1].startswith("row 4: first")


@THREADS
def test_errors_name_the_first_bad_row_of_recordings_that_call_solves(threads: int) -> None:
    (recorded, a), still = pivots(), np.zeros(2)
    with pytest.raises(SingularError, match="row 4 of the batch") as caught:
        recorded(still, still, a, threads=threads)
    assert caught.value.fields["row"] == 4
    a[2, 0] = np.nan
    with pytest.raises(NotFiniteError, match="row 2 of the batch") as refused:
        recorded(still, still, a, threads=threads)
    assert refused.value.fields["row"] == 2


def test_single_calls_have_a_status_of_shape_nothing() -> None:
    (recorded, a), status, still = pivots(), rbd.RowStatus(), np.zeros(2)
    x = recorded(still, still, a[11], status=status)
    assert status.codes.shape == ()
    assert np.isnan(x).all()
    assert status.explain().startswith("second must be positive")
    assert bits(recorded(still, still, a[0], status=status)) == bits(recorded(still, still, a[0]))
    assert not status.failed.any()
    assert str(status) == "0 of 1 rows failed"


def test_batches_of_several_axes(robot: CompiledRobot) -> None:
    q, v, _ = (x.reshape(4, 5, 2) for x in samples(20))
    q[2, 3, 1] = np.nan
    status = rbd.RowStatus()
    M = robot.mass_matrix(q, status=status)
    assert np.argwhere(status.failed).tolist() == [[2, 3]]
    assert status.explain((2, 3)) == "q[1] is not finite"
    assert np.isnan(M).any(axis=(2, 3)).sum() == 1
    robot.step(q, v, None, 1e-3, status=status)
    assert np.argwhere(status.failed).tolist() == [[2, 3]]
    assert str(status) == "1 of 20 rows failed\nrow (2, 3): q[1] is not finite"


@THREADS
def test_ten_of_ten_thousand_rollouts_diverge(robot: CompiledRobot, threads: int) -> None:
    q, v, tau = samples(10_000)
    planted = np.arange(10) * 997 + 5
    v[planted] = 1e150
    steps, status = 5, rbd.RowStatus()
    qs, vs = robot.rollout(q, v, tau, 1e-3, steps, threads=threads, status=status)
    assert np.flatnonzero(status.failed).tolist() == planted.tolist()
    good = np.delete(np.arange(10_000), planted)
    q1, v1 = robot.rollout(q[good], v[good], tau[good], 1e-3, steps)
    assert bits(qs[good]) == bits(q1)
    assert bits(vs[good]) == bits(v1)
    alone = robot.rollout(q[9], v[9], tau[9], 1e-3, steps)
    assert (bits(qs[9]), bits(vs[9])) == (bits(alone[0]), bits(alone[1]))
    assert status.steps is not None
    assert (status.steps[good] == steps).all()
    for k in planted:
        last = status.steps[k]
        assert np.isfinite(vs[k, : last + 1]).all()
        assert np.isnan(vs[k, last + 1 :]).all()
        assert status.explain(k).startswith(f"in step {last}: ")


@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("compiled", [True, False])
def test_rollouts_say_which_step_and_torque(
    robot: CompiledRobot, monkeypatch: pytest.MonkeyPatch, batched: bool, compiled: bool
) -> None:
    if not compiled:
        monkeypatch.setattr(native, "available", lambda: False)
        monkeypatch.setattr(native, "warn_interpreted", lambda: None)
        robot = rbd.compile(rbd.robots.double_pendulum())
    q, v, _ = (x.reshape(2, 3, 2) for x in samples(6))
    tau = np.zeros((2, 3, 4, 2))
    tau[1, 1, 2, 0] = np.nan
    where = (1, 1) if batched else ()
    if not batched:
        q, v, tau = q[1, 1], v[1, 1], tau[1, 1]
    status = rbd.RowStatus()
    out = np.full((*q.shape[:-1], 5, 2), 7.0), np.full((*q.shape[:-1], 5, 2), 7.0)
    qs, vs = robot.rollout(q, v, tau, 1e-2, 4, out=out, status=status)
    assert qs is out[0]
    assert status.explain(where) == "in step 2: tau[0] is not finite"
    assert status.failed.sum() == 1
    assert np.isnan(vs[where]).all(axis=-1).tolist() == [False, False, False, True, True]
    assert np.isnan(qs).any(axis=-1).sum() == 2


def test_a_status_is_reused_and_left_alone_by_calls_that_raise(robot: CompiledRobot) -> None:
    q, v, tau = samples(4)
    status = rbd.RowStatus()
    robot.rollout(q, v, tau, 1e-3, 2, status=status)
    assert status.steps is not None
    with pytest.raises(rbd.errors.ShapeError):
        robot.forward_dynamics(q[:, :1], v, tau, status=status)
    assert status.codes.shape == (4,)
    robot.forward_dynamics(q[:2], v[:2], tau[:2], status=status)
    assert status.steps is None
    assert status.codes.tolist() == [0, 0]


def test_wrong_arguments(robot: CompiledRobot) -> None:
    q, v, tau = samples(4)
    wrong: Any = "status"
    with pytest.raises(ArgumentError, match=r"rbd\.RowStatus\(\)"):
        robot.forward_dynamics(q, v, tau, status=wrong)
    with pytest.raises(ArgumentError, match=r"rbd\.RowStatus\(\)"):
        robot.rollout(q, v, tau, 1e-3, 2, status=wrong)
    status = rbd.RowStatus()
    robot.forward_dynamics(q, v, tau, status=status)
    for row in (4, (1, 1), ()):
        with pytest.raises(ArgumentError, match="index into codes"):
            status.explain(row)
