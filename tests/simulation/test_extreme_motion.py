"""Integrators at the end of the range of floats: errors of rbd, and soon."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import rbd
import rbd.testing
from rbd.errors import RbdError, SolverError
from rbd.scalars import atan2

KINDS = (rbd.QuaternionFloating(), rbd.Planar((1, 0, 0), (0, 1, 0)), rbd.RotationVectorFloating(), rbd.MRPFloating())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "integrator", ["variational-midpoint", "munthe-kaas-rk4", "semi-implicit-euler", "dormand-prince"]
)
@pytest.mark.parametrize("size", [1e20, 1e100, 1e154, 1e300])
def test_only_errors_of_rbd_come_out(integrator: str, size: float) -> None:
    for seed, kind in enumerate(KINDS):
        rng = np.random.default_rng(seed)
        mechanism = rbd.testing.random_tree([kind, rbd.Revolute((0, 0, 1))], rng)
        state = rbd.MechanismState(mechanism)
        for index in (0, 3, mechanism.nv - 1):
            state.randomize(rng)
            v = state.v.copy()
            v[min(index, mechanism.nv - 1)] *= size
            state.set_velocity(v)
            try:
                rbd.simulate(state, 0.01, dt=0.005, integrator=integrator)
            except RbdError:
                continue
            assert np.isfinite(state.q).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [1e100, 1e300])
def test_adaptive_runs_at_the_end_of_the_range_are_given_up_soon(size: float) -> None:
    calls = 0

    def control(t: float, state: rbd.MechanismState) -> None:
        nonlocal calls
        calls += 1

    for seed, kind in enumerate(KINDS):
        mechanism = rbd.testing.random_tree([kind, rbd.Revolute((0, 0, 1))], np.random.default_rng(seed))
        state = rbd.MechanismState(mechanism)
        state.set_velocity([size, *[1.0] * (mechanism.nv - 1)])
        calls = 0
        with pytest.raises(SolverError) as caught:
            rbd.simulate(state, 0.01, control, dt=0.005, integrator="dormand-prince")
        assert caught.value.status
        assert 0 < calls < 300  # tens of halvings or fewer, from 5 ms to the shortest step, of seven stages at most


def test_arc_tangent_of_complex_nan_is_nan() -> None:
    for y, x in ((complex(1.0, math.nan), 1.0 + 0j), (1 + 0j, complex(math.nan, 1.0)), (complex(math.nan, 0), 1j)):
        assert cmath.isnan(atan2(y, x))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_adaptive_runs_are_given_up_after_a_thousand_hopeless_steps() -> None:
    calls = 0

    def control(t: float, state: rbd.MechanismState) -> None:
        nonlocal calls
        calls += 1

    state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.1, 0.2], [1e10, 1e10])
    with pytest.raises(SolverError, match="more than 100000 steps between two samples") as caught:
        rbd.simulate(state, 0.1, control, integrator="dormand-prince")
    assert caught.value.status == "too many steps"
    assert calls < 10 * 2000  # of a hundred thousand steps of seven stages
