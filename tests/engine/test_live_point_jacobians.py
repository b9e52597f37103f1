"""Jacobians of points of live states: machine code against the source, points, frames, errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from rbd.errors import ArgumentError, FrameMismatchError, NotFiniteError, ShapeError
from tests.marks import needs_builtins

pytestmark = pytest.mark.usefixtures("at_once")


@pytest.fixture
def state(at_once: None) -> MechanismState:
    return MechanismState(rbd.robots.arm7(), np.linspace(0.1, 0.7, 7), np.linspace(-1, 1, 7))


def test_points_of_one_frame_share_a_recording(state: MechanismState) -> None:
    body = state.mechanism.body("link7")
    path = state.mechanism.path(state.mechanism.body("link2"), body)
    for k in range(8):
        state.set_configuration(state.q + 0.1)
        point = rbd.Point(body.default_frame, (0.1 * k, 0.2, -0.3))
        for way in (body, "link7", path):
            found = rbd.point_jacobian(state, way, point)
            with rbd.interpreted():
                expected = rbd.point_jacobian(state, way, point)
            assert found.frame is body.default_frame
            np.testing.assert_allclose(found.matrix, expected.matrix, rtol=0, atol=1e-14)
            np.testing.assert_array_equal(found.matrix, np.array(found.components))
            assert found.matrix.flags.c_contiguous
            out = np.empty((3, 7))
            rbd.point_jacobian(state, way, point, out=out)
            np.testing.assert_array_equal(out, found.matrix)


@needs_builtins
def test_a_warm_call_runs_a_builtin(state: MechanismState) -> None:
    body = state.mechanism.body("link7")
    for k in range(4):
        rbd.point_jacobian(state, body, rbd.Point(body.default_frame, (0.1, 0.2, 0.3 + k)))
    assert state.engine.builtins_by_identity
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(state.engine), "run", None)
        first = rbd.point_jacobian(state, body, rbd.Point(body.default_frame, (0.1, 0.2, 0.3)))
        second = rbd.point_jacobian(state, body, rbd.Point(body.default_frame, (0.1, 0.2, 0.4)))
    assert not first.isclose(second)


def test_wrong_points_and_overflow(state: MechanismState) -> None:
    body = state.mechanism.body("link7")
    for _ in range(4):
        rbd.point_jacobian(state, body, rbd.Point(body.default_frame, (0.1, 0.2, 0.3)))
        with pytest.raises(ArgumentError, match="point must be a Point"):
            rbd.point_jacobian(state, body, (0.1, 0.2, 0.3))  # type: ignore[arg-type] # no frame
        with pytest.raises(FrameMismatchError):
            rbd.point_jacobian(state, body, rbd.Point(rbd.Frame("lost"), (0.1, 0.2, 0.3)))
        with pytest.raises(ShapeError):
            rbd.point_jacobian(state, body, rbd.Point(body.default_frame, (0.1, 0.2, 0.3)), out=np.empty((3, 6)))
        with pytest.raises(NotFiniteError):
            rbd.point_jacobian(state, body, rbd.Point(body.default_frame, (1.7e308, 1.7e308, 1.7e308)))


def test_exact_points_stay_exact() -> None:
    mechanism = rbd.robots.double_pendulum()
    state = rbd.ScalarState(mechanism, (Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)))
    lower = mechanism.body("lower_link")
    for point in (rbd.Point.origin(lower.default_frame), rbd.Point(lower.default_frame, [0, 0, Fraction(1, 3)])):
        columns = rbd.point_jacobian(state, lower, point).columns
        assert {type(x) for column in columns for x in column} <= {int, Fraction}
