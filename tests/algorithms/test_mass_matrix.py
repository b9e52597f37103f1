"""The mass matrix and its inverse, against energy, momentum, inverse dynamics and first principles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import rbd

from .helpers import (
    JOINT_TYPES,
    STEP,
    Case,
    armature,
    body_momentum,
    case,
    cases,
    close,
    examples,
    mass_matrix_oracle,
    rate,
)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_type_agrees_with_first_principles(kind: str) -> None:
    a_case = case(kind, seed=3, passive=True)
    close(rbd.mass_matrix(a_case.state), mass_matrix_oracle(a_case.state))


@examples(0.6)
@given(cases(passive=True))
def test_trees_agree_with_first_principles(a_case: Case) -> None:
    close(rbd.mass_matrix(a_case.state), mass_matrix_oracle(a_case.state))


@examples(1)
@given(cases(bodies=10, passive=True))
def test_kinetic_energy_is_the_quadratic_form(a_case: Case) -> None:
    """Rotors included: half of armature times velocity squared."""
    state = a_case.state
    M, T = rbd.mass_matrix(state), rbd.kinetic_energy(state)
    close(state.v @ M @ state.v / 2, T, 1e-13)
    rotors = armature(a_case.mechanism) @ state.v**2 / 2
    per_body = [body_momentum(state, body).real @ state.twist(body).vector / 2 for body in a_case.mechanism.bodies[1:]]
    close(sum(per_body) + rotors, T, 1e-12)


@examples(1)
@given(cases(bodies=10, passive=True))
def test_matrix_is_symmetric_to_the_last_bit_and_positive(a_case: Case) -> None:
    M = rbd.mass_matrix(a_case.state)
    assert M.dtype == np.float64
    assert np.array_equal(M, M.T)
    if M.size:
        assert np.linalg.eigvalsh(M).min() > 0


@examples(0.6)
@given(cases(passive=True))
def test_columns_are_the_torques_of_unit_accelerations(a_case: Case) -> None:
    state, nv = a_case.state, a_case.mechanism.nv
    M, c = rbd.mass_matrix(state), rbd.inverse_dynamics(state, np.zeros(nv))
    scale = max(np.abs(M).max(initial=0), np.abs(c).max(initial=0))
    for k in range(nv):
        close(rbd.inverse_dynamics(state, np.eye(nv)[k]) - c, M[:, k], 1e-12, scale=scale)


@examples(0.6)
@given(cases(passive=True))
def test_derivative_of_inverse_dynamics_by_acceleration(a_case: Case) -> None:
    state, nv = a_case.state, a_case.mechanism.nv
    M = rbd.mass_matrix(state)
    scalar = state.with_scalars(state.q, state.v)
    for k in range(nv):
        tau = np.asarray(rbd.inverse_dynamics(scalar, 1j * STEP * np.eye(nv)[k]), dtype=complex)
        close(tau.imag / STEP, M[:, k], 1e-12, scale=np.abs(M).max())


@examples(1)
@given(cases(passive=True))
def test_inverse(a_case: Case) -> None:
    M = rbd.mass_matrix(a_case.state)
    inverse = rbd.inverse_mass_matrix(a_case.state)
    assert inverse.shape == M.shape
    close(inverse, inverse.T, 1e-13)
    size = np.sqrt(np.diag(M))  # take the units out: cond is then a property of the tree
    balanced = inverse * np.outer(size, size) @ (M / np.outer(size, size))
    cond = np.linalg.cond(M / np.outer(size, size)) if M.size else 1.0
    close(balanced, np.eye(len(M)), 1e3 * np.finfo(float).eps * cond)


@examples(0.6)
@given(cases())
def test_velocity_does_not_matter(a_case: Case) -> None:
    before = rbd.mass_matrix(a_case.state)
    a_case.state.set_velocity(a_case.velocity())
    assert np.array_equal(rbd.mass_matrix(a_case.state), before)


@examples(0.6)
@given(cases())
def test_armature_is_added_to_the_diagonal(a_case: Case) -> None:
    before = rbd.mass_matrix(a_case.state)
    for joint in a_case.mechanism.tree_joints:
        joint.armature = list(a_case.rng.uniform(0, 2, joint.nv))
    added = rbd.mass_matrix(a_case.state) - before
    close(added, np.diag(armature(a_case.mechanism)), 1e-14, scale=np.abs(before).max(initial=0))


@examples(0.6)
@given(cases())
def test_kinetic_energy_rate_is_the_power_of_the_inertial_torques(a_case: Case) -> None:
    """d/dt (½ vᵀ M v) = vᵀ (M vd + c - g)."""
    state, vd = a_case.state, a_case.velocity()
    power = state.v @ (rbd.mass_matrix(state) @ vd + rbd.dynamics_bias(state) - rbd.gravity_torques(state))
    close(rate(state, rbd.kinetic_energy, vd), power, scale=np.abs(rbd.kinetic_energy(state)))
