"""Inverse and forward dynamics against first principles and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import DynamicsResult, Frame, MechanismState, Transform

from .helpers import JOINT_TYPES, Case, case, cases, close, examples, inverse_dynamics_oracle

EPS = np.finfo(float).eps


def condition(a_case: Case) -> float:
    """Return the condition of M with the units of the coordinates taken out."""
    M = rbd.mass_matrix(a_case.state)
    if not M.size:
        return 1.0
    size = np.sqrt(np.diag(M))
    return float(np.linalg.cond(M / np.outer(size, size)))


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_inverse_dynamics_of_every_joint_type_from_first_principles(kind: str) -> None:
    a_case = case(kind, seed=5)
    vd, wrenches = a_case.velocity(), a_case.wrenches()
    expected = inverse_dynamics_oracle(a_case.state, vd, wrenches)
    close(rbd.inverse_dynamics(a_case.state, vd, wrenches), expected)


@examples(1)
@given(cases(), st.sampled_from(["root", "body"]))
def test_inverse_dynamics_of_trees_from_first_principles(a_case: Case, frame: str) -> None:
    vd, wrenches = a_case.velocity(), a_case.wrenches(frame)
    expected = inverse_dynamics_oracle(a_case.state, vd, wrenches)
    close(rbd.inverse_dynamics(a_case.state, vd, wrenches), expected)


@examples(0.6)
@given(cases(passive=True))
def test_inverse_dynamics_with_passive_torques(a_case: Case) -> None:
    """tau = M vd + c - passive, armature in M."""
    state, vd = a_case.state, a_case.velocity()
    expected = inverse_dynamics_oracle(state, vd) - rbd.passive_torques(state)
    close(rbd.inverse_dynamics(state, vd), expected)
    equation = rbd.mass_matrix(state) @ vd + rbd.dynamics_bias(state) - rbd.passive_torques(state)
    close(rbd.inverse_dynamics(state, vd), equation, 1e-12)


@examples(1)
@given(cases())
def test_bias_is_inverse_dynamics_without_acceleration(a_case: Case) -> None:
    wrenches = a_case.wrenches()
    bias = rbd.dynamics_bias(a_case.state, wrenches)
    close(bias, rbd.inverse_dynamics(a_case.state, np.zeros(a_case.mechanism.nv), wrenches), 1e-13)


@examples(0.6)
@given(cases())
def test_a_wrench_may_be_given_in_any_frame_of_the_body_or_in_the_root_frame(a_case: Case) -> None:
    for body in a_case.mechanism.bodies[1:]:
        tf = a_case.state.relative_transform(a_case.body(), a_case.mechanism.root_body)  # any rigid motion will do
        body.add_frame(Transform.trusted(Frame("sensor"), body.default_frame, *tf.components))
    state = MechanismState(a_case.mechanism, a_case.state.q, a_case.state.v)
    vd, in_bodies = a_case.velocity(), a_case.wrenches("body")
    in_sensors = {body: state.transform(wrench, body.frame("sensor")) for body, wrench in in_bodies.items()}
    in_root = {body: state.transform(wrench, a_case.mechanism.root_frame) for body, wrench in in_bodies.items()}
    tau = rbd.inverse_dynamics(state, vd, in_bodies)
    for wrenches in (in_root, in_sensors):
        close(rbd.inverse_dynamics(state, vd, wrenches), tau, 1e-12)
        close(rbd.dynamics_bias(state, wrenches), rbd.dynamics_bias(state, in_bodies), 1e-12)
        close(rbd.inverse_dynamics(state, rbd.forward_dynamics(state, tau, wrenches), in_bodies), tau, scale=1e2)


@examples(1)
@given(cases(bodies=9, passive=True), st.sampled_from(["root", "body"]))
def test_inverse_dynamics_undoes_forward_dynamics(a_case: Case, frame: str) -> None:
    state, tau, wrenches = a_case.state, a_case.velocity(), a_case.wrenches(frame)
    vd = rbd.forward_dynamics(state, tau, wrenches)
    back = rbd.inverse_dynamics(state, vd, wrenches)
    size = np.abs(rbd.mass_matrix(state)) @ np.abs(vd)
    scale = max(size.max(initial=0), np.abs(rbd.dynamics_bias(state)).max(initial=0))
    close(back, tau, 1e-11, scale=scale)


@examples(0.6)
@given(cases(bodies=9, passive=True))
def test_dynamics_and_articulated_bodies_and_the_mass_matrix_agree(a_case: Case) -> None:
    state, tau, wrenches = a_case.state, a_case.velocity(), a_case.wrenches()
    vd = rbd.forward_dynamics(state, tau, wrenches)
    result = rbd.dynamics(DynamicsResult(a_case.mechanism), state, tau, wrenches)
    M, c = rbd.mass_matrix(state), rbd.dynamics_bias(state, wrenches)
    solved = np.linalg.solve(M, tau + rbd.passive_torques(state) - c)
    size = np.sqrt(np.diag(M))
    limit = 1e3 * EPS * condition(a_case)
    close(size * vd, size * solved, limit)
    close(size * result.vd, size * solved, limit)


@examples(0.6)
@given(cases())
def test_forward_dynamics_undoes_inverse_dynamics(a_case: Case) -> None:
    state, vd = a_case.state, a_case.velocity()
    size = np.sqrt(np.diag(rbd.mass_matrix(state)))
    back = rbd.forward_dynamics(state, rbd.inverse_dynamics(state, vd))
    scale = np.abs(size * rbd.forward_dynamics(state, np.zeros(len(vd)))).max(initial=0)
    close(size * back, size * vd, 1e3 * EPS * condition(a_case), scale=scale)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_forward_and_inverse_dynamics_of_every_joint_type_are_inverse(kind: str) -> None:
    a_case = case(kind, seed=11, passive=True)
    tau = a_case.velocity()
    vd = rbd.forward_dynamics(a_case.state, tau)
    scale = np.abs(rbd.mass_matrix(a_case.state)).max() * np.abs(vd).max()
    close(rbd.inverse_dynamics(a_case.state, vd), tau, scale=scale)


@examples(0.6)
@given(cases())
def test_free_fall_has_no_proper_acceleration(a_case: Case) -> None:
    """A body that floats and on which nothing acts falls with gravity and keeps its momentum about the centre."""
    state = a_case.state
    state.set_velocity(np.zeros(a_case.mechanism.nv))
    result = rbd.dynamics(DynamicsResult(a_case.mechanism), state)
    for joint in a_case.mechanism.tree_joints:
        if joint.nv == 6 and a_case.mechanism.predecessor(joint) is a_case.mechanism.root_body:
            close(result.joint_wrench(joint).vector, np.zeros(6), 1e-12, scale=9.81 * rbd.mass(a_case.mechanism))
