"""Statuses of calls without rows, without steps and without entries."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, NotFiniteError


def test_a_rollout_without_steps_has_a_status() -> None:
    status = rbd.RowStatus()
    q, _ = rbd.compile(rbd.robots.double_pendulum()).rollout(
        np.zeros((3, 2)), np.zeros(2), None, 1e-3, 0, status=status
    )
    assert q.shape == (3, 1, 2)
    assert status.codes.tolist() == [0, 0, 0]


@pytest.mark.parametrize("row", [5, -1, (3, 4)])
def test_rows_of_a_single_call_are_refused(row: int | tuple[int, ...]) -> None:
    status = rbd.RowStatus()
    rbd.compile(rbd.robots.double_pendulum()).forward_dynamics([np.nan, 0.0], np.zeros(2), None, status=status)
    assert status.explain() == "q[0] is not finite"
    with pytest.raises(ArgumentError, match="row must be an index into codes"):
        status.explain(row)


def test_numbers_that_are_not_finite_have_no_index() -> None:
    with pytest.raises(NotFiniteError, match=r"^dt is not finite"):
        rbd.compile(rbd.robots.double_pendulum()).step(np.zeros(2), np.zeros(2), np.zeros(2), np.nan)
