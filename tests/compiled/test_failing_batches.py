"""What a batch that fails leaves in `out`: good rows may be there, failed ones are as they were."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import NotFiniteError

pytestmark = pytest.mark.optimised


@pytest.mark.parametrize("threads", [1, 4])
def test_failed_rows_of_out_are_unchanged_and_others_are_as_before_or_right(threads: int) -> None:
    robot = rbd.compile(rbd.robots.arm7())
    rng = np.random.default_rng(1)
    q, v, vd = rng.standard_normal((3, 300, 7))
    right = robot.inverse_dynamics(q, v, vd)
    v[[100, 200]] = 1e200
    out = np.full((300, 7), 7.0)
    with pytest.raises(NotFiniteError) as caught:
        robot.inverse_dynamics(q, v, vd, out=out, threads=threads)
    assert caught.value.row == 100
    assert (out[[100, 200]] == 7.0).all()
    untouched, computed = (out == 7.0).all(axis=1), (out == right).all(axis=1)
    assert (untouched | computed).all()


def test_gravity_there_and_back_changes_last_bits_only() -> None:
    mechanism = rbd.robots.humanoid()
    state, vd = rbd.MechanismState(mechanism), np.random.default_rng(1).standard_normal(mechanism.nv)
    state.randomize(1)
    before, gravity = rbd.inverse_dynamics(state, vd), mechanism.gravity
    mechanism.gravity = rbd.FreeVector(mechanism.root_frame, (0, 0, -3))
    rbd.inverse_dynamics(state, vd)
    mechanism.gravity = gravity
    after = rbd.inverse_dynamics(state, vd)
    np.testing.assert_allclose(after, before, rtol=1e-13, atol=1e-13 * abs(before).max())
