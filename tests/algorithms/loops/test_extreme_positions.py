"""close_loops at the end of the range of floats: errors of rbd, nothing printed, states unchanged."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
import sympy

import rbd
from rbd.errors import NotFiniteError, ScalarError, SolverError


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [1e150, 1e154, 1e200, 1e300])
def test_loops_far_away_are_closed_or_refused(size: float, capfd: pytest.CaptureFixture[str]) -> None:
    mechanism = rbd.Mechanism("world")
    for name, kind in (("a", rbd.QuaternionFloating()), ("b", rbd.Prismatic((1, 0, 0)))):
        mechanism.attach(mechanism.bodies[-1], rbd.RigidBody(name), rbd.Joint(f"to {name}", kind))
    mechanism.attach("world", mechanism.body("b"), rbd.Joint("loop", rbd.Planar((1, 0, 0), (0, 1, 0))))
    for k, (q, v) in enumerate((place, speed) for place in (1.0, size) for speed in (1.0, size)):
        state = rbd.MechanismState(mechanism, [0.5, 0.5, 0.5, 0.5, q, -q, 0.1, q], np.full(7, v))
        before = state.q.tobytes(), state.v.tobytes()
        try:
            found = rbd.close_loops(state)
            assert np.isfinite([found.gap, found.opening, *state.q, *state.v]).all(), k
        except (SolverError, NotFiniteError):
            assert (state.q.tobytes(), state.v.tobytes()) == before, k
    assert capfd.readouterr() == ("", "")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", [rbd.MRPFloating, rbd.RotationVectorFloating])
def test_loops_of_turned_bodies_are_closed_or_refused(kind: type[rbd.MRPFloating | rbd.RotationVectorFloating]) -> None:
    rng = np.random.default_rng(0)
    mechanism = rbd.Mechanism("world")
    for name, joint_type in (("a", kind()), ("b", rbd.Revolute((0, 1, 0)))):
        mechanism.attach(mechanism.bodies[-1], rbd.RigidBody(name), rbd.Joint(f"to {name}", joint_type))
    mechanism.attach("world", mechanism.body("b"), rbd.Joint("loop", rbd.Revolute((0, 0, 1))))
    for _ in range(20):
        q, v = rng.normal(size=(2, 7)) * 10.0 ** rng.choice([-320, -200, 0, 100, 200, 300], (2, 7))
        state = rbd.MechanismState(mechanism, q, v)
        with contextlib.suppress(SolverError, NotFiniteError):
            found = rbd.close_loops(state)
            assert np.isfinite([found.gap, found.opening, *state.q, *state.v]).all()


@pytest.mark.parametrize("bound", [1j, sympy.Symbol("x")])
def test_bounds_that_are_no_numbers_are_refused(bound: object) -> None:
    mechanism = rbd.robots.four_bar()
    mechanism.joint("joint1").position_bounds = [(-1.0, bound)]
    with pytest.raises(ScalarError):
        rbd.close_loops(rbd.MechanismState(mechanism))
