"""The velocity and gravity parts of the equations of motion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import MechanismState
from rbd.algorithms.newton_euler import gravity_torques_kernel
from rbd.recorder.kernel_cache import kernel_cache
from rbd.recorder.recorded_kernel import RecordedKernel

from .helpers import JOINT_TYPES, Case, case, cases, close, examples, rate


def mass_matrix_rate(state: MechanismState) -> np.ndarray:
    return rate(state, lambda s: np.array(rbd.mass_matrix(s), dtype=complex))


def check_coriolis(state: MechanismState) -> None:
    C = rbd.coriolis_matrix(state)
    M_rate = mass_matrix_rate(state)
    scale = max(np.abs(C).max(initial=0), np.abs(M_rate).max(initial=0), 1e-6)
    N = M_rate - 2 * C
    close(N, -N.T, scale=scale)
    bias = rbd.dynamics_bias(state) - rbd.gravity_torques(state)
    close(C @ state.v, bias, scale=max(scale, np.abs(rbd.gravity_torques(state)).max(initial=0)))


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_coriolis_matrix_of_every_joint_type(kind: str) -> None:
    check_coriolis(case(kind, seed=17, passive=True).state)


@examples(1)
@given(cases(passive=True))
def test_coriolis_matrix_of_trees(a_case: Case) -> None:
    """Ṁ - 2C is skew, C v is what velocity alone asks for; armature and passive torques have no part in it."""
    check_coriolis(a_case.state)


@examples(0.6)
@given(cases())
def test_coriolis_matrix_is_linear_in_velocity(a_case: Case) -> None:
    state = a_case.state
    C, v = rbd.coriolis_matrix(state), state.v.copy()
    state.set_velocity(-2 * v)
    close(rbd.coriolis_matrix(state), -2 * C, 1e-13)
    state.set_velocity(0 * v)
    assert not rbd.coriolis_matrix(state).any()


@examples(1)
@given(cases())
def test_gravity_torques_are_the_gradient_of_the_potential_energy(a_case: Case) -> None:
    state = a_case.state
    a_case.mechanism.gravity = a_case.rng.standard_normal(3) * 5
    nv = a_case.mechanism.nv
    gradient = np.array([rate(state, rbd.gravitational_potential_energy, v=np.eye(nv)[k]) for k in range(nv)])
    close(rbd.gravity_torques(state), gradient, scale=1e-3)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_gravity_torques_of_every_joint_type(kind: str) -> None:
    state = case(kind, seed=23).state
    nv = state.mechanism.nv
    gradient = [rate(state, rbd.gravitational_potential_energy, v=np.eye(nv)[k]) for k in range(nv)]
    close(rbd.gravity_torques(state), gradient)


@examples(0.6)
@given(cases())
def test_gravity_torques_are_the_bias_at_rest(a_case: Case) -> None:
    state = a_case.state
    expected = rbd.gravity_torques(state)
    state.set_velocity(np.zeros(a_case.mechanism.nv))
    close(rbd.dynamics_bias(state), expected, 1e-13)


@examples(0.6)
@given(cases())
def test_gravity_torques_of_massless_mechanisms_are_zero(a_case: Case) -> None:
    a_case.mechanism.gravity = (0, 0, 0)
    assert not rbd.gravity_torques(a_case.state).any()
    assert rbd.gravitational_potential_energy(a_case.state) == 0


@examples(1)
@given(cases())
def test_energy_is_kept_without_torques(a_case: Case) -> None:
    """d/dt (T + U) = 0 when nothing acts but gravity."""
    state = a_case.state
    vd = rbd.forward_dynamics(state, np.zeros(a_case.mechanism.nv))
    T_rate = rate(state, rbd.kinetic_energy, vd)
    U_rate = rate(state, rbd.gravitational_potential_energy, vd)
    size = np.abs(vd) @ np.abs(rbd.mass_matrix(state)) @ np.abs(state.v)
    close(T_rate, -U_rate, scale=size)


@pytest.mark.parametrize("robot", [rbd.robots.arm7, rbd.robots.humanoid])
def test_gravity_torques_regroup_inertial_parameters(robot: Callable[[], rbd.Mechanism]) -> None:
    state = rbd.MechanismState(robot())
    state.randomize(1)
    torques = rbd.gravity_torques(state)
    recorded, _ = kernel_cache(state.mechanism).get_or_record(state.mechanism, gravity_torques_kernel, ())
    assert isinstance(recorded, RecordedKernel)
    plain = rbd.record(rbd.gravity_torques, state.mechanism)
    assert recorded.executable.program.count().total < 0.6 * plain.count().total
    np.testing.assert_allclose(torques, plain(state.q, state.v), rtol=0, atol=1e-12)
