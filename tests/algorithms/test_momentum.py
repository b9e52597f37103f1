"""Momentum, its matrices and rates, centres of mass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Frame

from .helpers import (
    JOINT_TYPES,
    Case,
    body_momentum,
    case,
    cases,
    close,
    columns,
    examples,
    in_root,
    jacobians_from_poses,
    rate,
    root_inertia,
    six,
)


def momentum_oracle(a_case: Case) -> np.ndarray:
    return sum((body_momentum(a_case.state, body).real for body in a_case.mechanism.bodies[1:]), np.zeros(6))


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_momentum_matrix_of_every_joint_type_from_first_principles(kind: str) -> None:
    state = case(kind, seed=29).state
    A = sum(root_inertia(state, body).matrix @ J for body, J in jacobians_from_poses(state).items())
    close(rbd.momentum_matrix(state).matrix, A)


@examples(1)
@given(cases(passive=True))
def test_momentum_is_the_sum_over_bodies(a_case: Case) -> None:
    """Armature has no part in it."""
    state, expected = a_case.state, momentum_oracle(a_case)
    momentum, A = rbd.momentum(state), rbd.momentum_matrix(state)
    assert momentum.frame is A.frame is a_case.mechanism.root_frame
    close(momentum.vector, expected, 1e-12)
    close(A.matrix @ state.v, expected, 1e-12)
    close((A @ state.v).vector, expected, 1e-12)


@examples(0.6)
@given(cases())
def test_momentum_matrix_in_another_frame(a_case: Case) -> None:
    state, body = a_case.state, a_case.body()
    A = rbd.momentum_matrix(state, frame=body.default_frame)
    assert A.frame == body.default_frame
    expected = state.transform(rbd.momentum(state), body.default_frame)
    close((A @ state.v).vector, expected.vector, 1e-12)
    with pytest.raises(rbd.errors.FrameMismatchError):
        rbd.momentum_matrix(state, frame=Frame("nowhere"))


@examples(1)
@given(cases())
def test_momentum_rate(a_case: Case) -> None:
    """d/dt (A v) = A vd + (dA/dt) v."""
    state, vd = a_case.state, a_case.velocity()
    A_rate = rate(state, lambda s: columns(rbd.momentum_matrix(s)))
    bias = rbd.momentum_rate_bias(state)
    assert bias.frame is a_case.mechanism.root_frame
    size = np.abs(columns(rbd.momentum_matrix(state)).real) @ (np.abs(vd) + np.abs(state.v))
    close(A_rate @ state.v, bias.vector, scale=size.max(initial=0))
    momentum_rate = rate(state, lambda s: six(rbd.momentum(s)), vd)
    close(rbd.momentum_matrix(state).matrix @ vd + bias.vector, momentum_rate, scale=size.max(initial=0))


@examples(1)
@given(cases())
def test_momentum_rate_bias_is_without_gravity(a_case: Case) -> None:
    before = rbd.momentum_rate_bias(a_case.state).vector
    a_case.mechanism.gravity = (3.0, 1.0, 2.0)
    assert np.array_equal(rbd.momentum_rate_bias(a_case.state).vector, before)


@examples(1)
@given(cases())
def test_center_of_mass(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    com = rbd.center_of_mass(state)
    assert com.frame is mechanism.root_frame
    parts = [root_inertia(state, body) for body in mechanism.bodies[1:]]
    total = sum(part.mass for part in parts)
    close(rbd.mass(mechanism), total, 1e-14)
    close(com.xyz, sum(np.array(part.first_moment_components) for part in parts) / total, 1e-12)
    com_rate = rate(state, lambda s: np.array(rbd.center_of_mass(s).xyz_components, dtype=complex))
    close(total * com_rate, rbd.momentum(state).linear, scale=total)
    body = mechanism.bodies[-1]
    close(rbd.center_of_mass(state, [body]).xyz, root_inertia(state, body).center_of_mass.xyz, 1e-12, scale=1)
    weight = -com.xyz @ mechanism.gravity.xyz * total
    close(rbd.gravitational_potential_energy(state), weight, 1e-12, scale=total)


@examples(1)
@given(cases())
def test_centroidal_momentum(a_case: Case) -> None:
    """About the centre of mass, axes parallel to the root's."""
    state = a_case.state
    A, A_c, c = rbd.momentum_matrix(state), rbd.centroidal_momentum_matrix(state), rbd.center_of_mass(state).xyz
    shift = np.cross(c, A.linear, axisb=0).T
    close(A_c.linear, A.linear, 1e-12)
    close(A_c.angular, A.angular - shift, 1e-11, scale=np.abs(A.angular).max(initial=0))
    assert A_c.frame != A.frame


@examples(1)
@given(cases())
def test_composite_inertia_and_subtree_mass_are_sums(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    for body in mechanism.bodies:
        members = [b for b in mechanism.bodies[1:] if b is body or is_below(mechanism, b, body)]
        expected = sum((root_inertia(state, b).matrix for b in members), np.zeros((6, 6)))
        composite = state.composite_inertia(body)
        if composite.frame != mechanism.root_frame:
            composite = composite.transformed(state.transform_to_root(composite.frame))
        close(composite.matrix, expected, 1e-12)
        close(rbd.subtree_mass(mechanism, body), sum(b.inertia.mass for b in members), 1e-13)


def is_below(mechanism: rbd.Mechanism, body: rbd.RigidBody, ancestor: rbd.RigidBody) -> bool:
    while body is not mechanism.root_body:
        body = mechanism.predecessor(mechanism.parent_joint(body))
        if body is ancestor:
            return True
    return False


@examples(1)
@given(cases("floating tree"), st.sampled_from(["root", "body"]))
def test_momentum_of_floating_mechanisms_changes_by_gravity_and_external_wrenches(a_case: Case, frame: str) -> None:
    """Joint torques are internal: they cannot change it, as long as the base is not driven."""
    state, wrenches = a_case.state, a_case.wrenches(frame)
    tau = a_case.velocity()
    tau[:6] = 0
    vd = rbd.forward_dynamics(state, tau, wrenches)
    momentum_rate = rbd.momentum_matrix(state).matrix @ vd + rbd.momentum_rate_bias(state).vector
    force = rbd.mass(a_case.mechanism) * a_case.mechanism.gravity.xyz
    total = np.concatenate([np.cross(rbd.center_of_mass(state).xyz, force), force])
    total = total + sum((in_root(state, wrench) for wrench in wrenches.values()), np.zeros(6))
    size = np.abs(rbd.momentum_matrix(state).matrix) @ np.abs(vd)
    close(momentum_rate, total, scale=size.max())


@examples(0.6)
@given(cases())
def test_columns_are_composite_inertias_times_subspaces(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    A = rbd.momentum_matrix(state).matrix
    for joint in mechanism.tree_joints:
        expected = state.composite_inertia(mechanism.successor(joint)).matrix @ state.motion_subspace(joint).matrix
        close(A[:, state.v_slice(joint)], expected, 1e-12, scale=1)
