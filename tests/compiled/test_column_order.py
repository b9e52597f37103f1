"""Batches in column order and strided arrays: bits, orders of results, errors, the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.array_functions.evaluation import Evaluation
from rbd.errors import NotFiniteError, ShapeError
from rbd.scalars.arrays import Array
from tests.marks import needs_llvm

pytestmark = pytest.mark.optimised

RNG = np.random.default_rng(5)
Q, V, TAU = (RNG.uniform(-1, 1, (20, 2)) for _ in range(3))


@pytest.fixture(scope="module")
def robot() -> rbd.CompiledRobot:
    return rbd.compile(rbd.robots.double_pendulum())


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    """The path without builtins."""
    return rbd.record(rbd.forward_dynamics, rbd.robots.double_pendulum(), torques=2).evaluation


def in_columns(*arrays: Array) -> list[Array]:
    return [np.asfortranarray(x) for x in arrays]


def test_results_follow_the_order_of_arguments(robot: rbd.CompiledRobot) -> None:
    wanted = robot.forward_dynamics(Q, V, TAU)
    for _ in range(12):  # from Python first, by a builtin then
        found = robot.forward_dynamics(*in_columns(Q, V, TAU))
        assert found.flags.f_contiguous
        assert found.tobytes() == wanted.tobytes()
        matrix = robot.mass_matrix(np.asfortranarray(Q))
        assert matrix.flags.f_contiguous
        assert matrix.tobytes() == robot.mass_matrix(Q).tobytes()
        assert robot.forward_dynamics(np.asfortranarray(Q), V, TAU).flags.c_contiguous


@pytest.mark.parametrize("threads", [1, 2])
def test_any_order_may_be_given_for_results(robot: rbd.CompiledRobot, threads: int) -> None:
    wanted = robot.forward_dynamics(Q, V, TAU)
    for arguments in ((Q, V, TAU), in_columns(Q, V, TAU), (Q[:, ::-1].copy()[:, ::-1], V, TAU)):
        for out in (np.zeros((20, 2)), np.zeros((20, 2), order="F")):
            assert robot.forward_dynamics(*arguments, out=out, threads=threads) is out
            assert out.tobytes() == wanted.tobytes()


def test_several_leading_axes(evaluation: Evaluation) -> None:
    q, v, tau = (np.moveaxis(x.reshape(4, 5, 2), -1, 0).copy() for x in (Q, V, TAU))
    wanted = evaluation(Q, V, TAU)
    found: Any = evaluation(*(np.moveaxis(x, 0, -1) for x in (q, v, tau)))
    assert found.shape == (4, 5, 2)
    assert np.moveaxis(found, -1, 0).flags.c_contiguous
    assert found.reshape(20, 2).tobytes() == np.asarray(wanted).tobytes()
    fortran: Any = evaluation(*(np.asfortranarray(x.reshape(4, 5, 2)) for x in (Q, V, TAU)))
    assert fortran.tobytes() == found.tobytes()


def test_arguments_that_broadcast(evaluation: Evaluation) -> None:
    wanted: Any = evaluation(Q, np.repeat(V[:1], 20, axis=0), TAU)
    for v in (V[0], V[:1], np.broadcast_to(V[0], (20, 2))):
        found: Any = evaluation(np.asfortranarray(Q), v, np.asfortranarray(TAU))
        assert found.tobytes() == wanted.tobytes()
    assert np.asarray(evaluation(Q[:0], V[0], TAU[0])).shape == (0, 2)


def test_one_state_of_a_column(evaluation: Evaluation) -> None:
    found: Any = evaluation(np.asfortranarray(Q)[3], V[3], TAU[3])
    assert found.tobytes() == np.asarray(evaluation(Q, V, TAU))[3].tobytes()


def test_the_interpreter_reads_and_writes_columns(evaluation: Evaluation) -> None:
    found: Any = evaluation.interpret(*in_columns(Q, V, TAU))
    assert found.flags.f_contiguous
    assert found.tobytes() == np.asarray(evaluation(Q, V, TAU)).tobytes()


def test_rows_that_fail_are_named_and_left(robot: rbd.CompiledRobot) -> None:
    q, out, status = np.asfortranarray(Q), np.full((20, 2), 7.0, order="F"), rbd.RowStatus()
    q[13, 1] = np.nan
    with pytest.raises(NotFiniteError, match=r"q\[1\] is not finite in row 13"):
        robot.forward_dynamics(q, *in_columns(V, TAU), out=out)
    wanted = robot.forward_dynamics(Q, V, TAU)
    assert out[13].tolist() == [7.0, 7.0]
    assert np.delete(out, 13, axis=0).tobytes() == np.delete(wanted, 13, axis=0).tobytes()
    found = robot.forward_dynamics(q, *in_columns(V, TAU), status=status)
    assert np.flatnonzero(status.failed).tolist() == [13]
    assert np.isnan(found[13]).all()


def test_results_over_arguments(robot: rbd.CompiledRobot) -> None:
    """What is written is not read: arguments in the memory of the result are copied."""
    wanted, memory = robot.forward_dynamics(Q, V, TAU), np.zeros((20, 4), order="F")
    for columns in (slice(0, 2), slice(1, 3), slice(2, 4)):
        memory[:, 1:3] = TAU
        robot.forward_dynamics(Q, V, memory[:, 1:3], out=memory[:, columns])
        assert memory[:, columns].tobytes() == wanted.tobytes()


@pytest.mark.parametrize("out", [np.zeros((20, 4))[:, ::2], np.zeros((2, 20)), np.zeros((20, 2))[::-1]])
def test_other_layouts_of_results_raise(robot: rbd.CompiledRobot, out: Array) -> None:
    with pytest.raises(ShapeError, match=r"C-contiguous or in column order"):
        robot.forward_dynamics(Q, V, TAU, out=out)


@needs_llvm
def test_rollouts_read_strided_arguments(robot: rbd.CompiledRobot) -> None:
    wanted = robot.rollout(Q, V, TAU, 1e-3, 5)
    found = robot.rollout(*in_columns(Q, V, TAU), 1e-3, 5)
    assert [x.tobytes() for x in found] == [x.tobytes() for x in wanted]
